"""Conversations about reminders by code alone: a stand-in for the model calls the one tool that it is offered."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.bench.reminders_by_form import hold

_DATA: Final = Path(__file__).parents[2] / "data" / "reminders"
_CASES: Final = [
    pytest.param(case, id=case["id"])
    for file in ("tuned.json", "aside.json")
    for case in json.loads((_DATA / file).read_text("utf-8"))["cases"]
]


@pytest.mark.parametrize("case", _CASES)
async def test_what_is_stored_after_a_conversation_is_what_was_meant(
    case: Mapping[str, Any], tmp_path: Path
) -> None:
    talk = await hold(case, tmp_path)
    assert talk.wrong == [], [(turn.text, turn.reply) for turn in talk.turns]
