"""The doctor tries what is installed on samples, in the same child that serves people."""

from pathlib import Path

import pytest

from app.cli.doctor.senses import SenseChecks
from app.media.faults import is_installed
from tests.builders import ALICE
from tests.fakes.ollama import FakeOllama
from tests.harness import make_settings, running_app


@pytest.mark.skipif(not is_installed("documents"), reason="the extra `documents` is not installed")
async def test_the_doctor_reads_a_sample_document(tmp_path: Path) -> None:
    outcome = await SenseChecks(make_settings(tmp_path), is_quick=False).documents()
    assert outcome.status == "ok"
    assert "a sample in" in outcome.sentence


async def test_the_doctor_says_that_a_model_comes_with_the_first_voice_note(tmp_path: Path) -> None:
    outcome = await SenseChecks(make_settings(tmp_path), is_quick=False).hearing()
    assert outcome.status == "skipped"
    assert "voice" in outcome.sentence


async def test_the_doctor_shows_the_vision_model_a_picture(tmp_path: Path) -> None:
    ollama = FakeOllama("llava:7b")
    ollama.will_say("White.")
    checks = SenseChecks(make_settings(tmp_path), is_quick=False, ollama=ollama.transport())
    outcome = await checks.sight()
    assert outcome.status == "ok"
    assert "images" in str(ollama.requests[0]["messages"])


async def test_the_doctor_names_the_vision_model_that_is_missing(tmp_path: Path) -> None:
    checks = SenseChecks(make_settings(tmp_path), is_quick=False, ollama=FakeOllama().transport())
    outcome = await checks.sight()
    assert (outcome.status, outcome.next_step) == ("skipped", "run: ollama pull llava:7b")


async def test_status_says_what_is_understood_here(tmp_path: Path) -> None:
    async with running_app(tmp_path, web=FakeOllama("llava:7b").transport()) as app:
        await app.say(ALICE, "/status")
        assert "ver lo que muestran las imágenes" in app.replies_to(ALICE)[-1].partition("Aquí no")[0]
    async with running_app(tmp_path / "other", web=FakeOllama().transport()) as app:
        await app.say(ALICE, "/status")
        assert "ver lo que muestran las imágenes" in app.replies_to(ALICE)[-1].partition("Aquí no")[2]
