"""The doctor tries what is installed on samples, in the same child that serves people."""

from pathlib import Path

import pytest

from app.cli.doctor.senses import SenseChecks
from app.media.faults import is_installed
from tests.harness import make_settings


@pytest.mark.skipif(not is_installed("documents"), reason="the extra `documents` is not installed")
async def test_the_doctor_reads_a_sample_document(tmp_path: Path) -> None:
    outcome = await SenseChecks(make_settings(tmp_path), is_quick=False).documents()
    assert outcome.status == "ok"
    assert "a sample in" in outcome.sentence


async def test_the_doctor_says_that_a_model_comes_with_the_first_voice_note(tmp_path: Path) -> None:
    outcome = await SenseChecks(make_settings(tmp_path), is_quick=False).hearing()
    assert outcome.status == "skipped"
    assert "voice" in outcome.sentence
