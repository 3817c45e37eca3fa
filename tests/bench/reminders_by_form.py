"""How many conversations about reminders go right by code: `python -m tests.bench.reminders_by_form FILE ...`.

A stand-in for the model sorts every message as talk, and calls the one tool that it is offered, with the whole
message as every argument. Where it is offered several, it is told which one is right; where none, it says so. The
files: `tests/data/reminders/*.json`.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from app.domain.chat import ChatRequest, ChatResponse
from app.log import setup_logging
from app.simulator.payloads import SimUser, text
from tests.bench_model.everyday import Said
from tests.bench_model.reminders import Talk, judge, kept_by
from tests.builders import ALICE
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel, answer
from tests.harness import CONSTRAINED, AppUnderTest, running_app

NOW: Final = datetime(2026, 11, 18, 13, 30, tzinfo=UTC)
_HERE: Final = timedelta(hours=-3)
_TOOLS: Final[Mapping[str, Mapping[str, str]]] = {
    "set": {"set_reminder": "text"},
    "again": {"set_reminder": "text"},
    "talk": {"set_reminder": "text"},
    "list": {"list_reminders": ""},
    "change": {"change_reminder": "when"},
    "snooze": {"change_reminder": "when"},
    "cancel": {"cancel_reminder": "reminder"},
}


def stand_in(said: str, right: str) -> Any:
    """Return a line that calls the one tool that is offered, else the right one if it is among several."""
    known = {name: parameter for one in _TOOLS.values() for name, parameter in one.items()}

    def line(request: ChatRequest) -> ChatResponse:
        offered = [name for name in known if f"'{name}'" in str(request.response_schema)]
        if not offered:
            return answer("echo: nothing is offered")
        name = offered[0] if len(offered) == 1 else next(iter(_TOOLS[right]))
        return answer(json.dumps({name: {known[name]: said} if known[name] else {}}))

    return line


def opened(folder: Path, people: Sequence[str] = ()) -> AbstractAsyncContextManager[AppUnderTest]:
    """Start the service for conversations of these people."""
    llm = ScriptedChatModel()
    llm.category = "none"
    allowed = (ALICE, *people)
    return running_app(folder, llm=llm, clock=FrozenClock(NOW), profile=CONSTRAINED, allowed_phone_numbers=allowed)


def passes_time(case: Mapping[str, Any]) -> bool:
    """Tell whether a conversation moves the clock, which all people of a service share."""
    return not all(isinstance(turn, str) for turn in case["turns"])


async def hold(case: Mapping[str, Any], app: AppUnderTest, person: str = ALICE) -> Talk:
    """Hold one conversation from the beginning, with somebody who never wrote before, and judge it."""
    talk = Talk(case)
    for number, turn in enumerate(case["turns"]):
        is_last = number == len(case["turns"]) - 1
        began = app.clock.now()
        talk.turns.append(await _take(app, person, turn, case["id"].split("-")[0] if is_last else "set"))
    talk.kept = kept_by(app.data_dir / "wasap.db", person)
    judge(talk, (began + _HERE).replace(tzinfo=None))
    reply = talk.turns[-1].reply
    is_asked = "?" in reply and "echo" not in reply
    if case.get("may_ask") and len(talk.kept) < len(case["open"]) and is_asked:
        talk.wrong.clear()
    if case.get("asked") and not is_asked:
        talk.wrong.append("nothing was asked")
    return talk


async def _take(app: AppUnderTest, person: str, turn: str | Mapping[str, int], right: str) -> Said:
    before = len(app.replies_to(person))
    said = turn if isinstance(turn, str) else f"({turn['pass']} minutes)"
    if isinstance(turn, str):
        app.llm.drop_lines()
        app.llm.add(*[stand_in(turn, right)] * 3)
        await app.graph.receive(SimUser(person, "Ana"), text(turn))
        await app.idle()
    else:
        await app.clock.advance(60 * turn["pass"] + 5)
        await app.idle()
    return Said(said, "\n".join(app.replies_to(person)[before:]), 0)


async def run(files: Sequence[Path], only: str, console: Console) -> int:
    """Hold every conversation; returns how many went wrong."""
    wrong = 0
    for file in files:
        cases = [case for case in json.loads(file.read_text("utf-8"))["cases"] if only in case["id"]]
        talks = []
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                async with opened(Path(folder)) as app:
                    talks.append(await hold(case, app))
        failed = [talk for talk in talks if talk.wrong]
        silent = [talk for talk in failed if talk.kept]
        wrong += len(failed)
        for talk in failed:
            console.print(f"✖ {talk.case['id']} {'; '.join(talk.wrong)}", markup=False, highlight=False)
            for turn in talk.turns:
                console.print(f"    {turn.text}  → {turn.reply!r}", markup=False, highlight=False)
            for kept in talk.kept:
                console.print(f"    {kept}", markup=False, highlight=False)
        console.print(
            f"{file.name}: right {len(talks) - len(failed)} of {len(talks)}, with something stored {len(silent)}"
        )
    return wrong


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", type=Path, nargs="+")
    arguments.add_argument("--only", default="", help="part of the ids of the conversations")
    chosen = arguments.parse_args()
    setup_logging(level="CRITICAL", is_json=False, is_content_logged=False)
    asyncio.run(run(chosen.files, chosen.only, Console(width=200)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
