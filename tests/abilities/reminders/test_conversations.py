"""Conversations about reminders by code alone: a stand-in for the model calls the one tool that it is offered."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.bench.reminders_by_form import hold, opened, passes_time
from tests.builders import ALICE

_DATA: Final = Path(__file__).parents[2] / "data" / "reminders"
_CASES: Final[Sequence[Mapping[str, Any]]] = [
    case
    for file in ("tuned.json", "aside.json")
    for case in json.loads((_DATA / file).read_text("utf-8"))["cases"]
]
_AT_ONCE: Final = [case for case in _CASES if not passes_time(case)]
_LATER: Final = [pytest.param(case, id=case["id"]) for case in _CASES if passes_time(case)]
_TOGETHER: Final = 8


@pytest.mark.parametrize("first", range(0, len(_AT_ONCE), _TOGETHER))
async def test_what_is_stored_after_a_conversation_is_what_was_meant(first: int, tmp_path: Path) -> None:
    """Each is held with a person of its own, from the beginning: only the start of the service is shared."""
    cases = _AT_ONCE[first : first + _TOGETHER]
    people = [f"{ALICE[:-3]}{number:03}" for number in range(900, 900 + len(cases))]
    async with opened(tmp_path, people) as app:
        talks = [await hold(case, app, person) for case, person in zip(cases, people, strict=True)]
    wrong = [(talk.case["id"], talk.wrong, [(turn.text, turn.reply) for turn in talk.turns]) for talk in talks]
    assert [one for one in wrong if one[1]] == []


@pytest.mark.parametrize("case", _LATER)
async def test_what_is_stored_after_a_conversation_with_a_pause_is_what_was_meant(
    case: Mapping[str, Any], tmp_path: Path
) -> None:
    async with opened(tmp_path) as app:
        talk = await hold(case, app)
    assert talk.wrong == [], [(turn.text, turn.reply) for turn in talk.turns]
