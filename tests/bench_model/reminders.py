"""Conversations about reminders on the real bundled model, judged on what is stored.

usage: python -m tests.bench_model.reminders [--model FILE] [--set FILE ...] [--only ID]
The clock begins at a fixed moment and runs on; the files say how they are judged in `about`.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from rich.console import Console

from app.database.sqlite import sqlite
from app.language.folding import fold
from app.log import setup_logging
from app.simulator.clock import OffsetClock
from app.simulator.payloads import SimUser, text
from tests.bench_model.everyday import QUIET_S, TURN_TIMEOUT_S, Said, World, world
from tests.bench_model.expect import shows_machinery

SET: Final = Path(__file__).with_name("reminders.json")
WANTED: Final = 17
_BEGIN: Final = datetime(2026, 11, 18, 13, 20, tzinfo=UTC)
_ZONES: Final[Mapping[str, ZoneInfo]] = {
    "es": ZoneInfo("America/Argentina/Buenos_Aires"),
    "en": ZoneInfo("Europe/London"),
}
_FIRST_NUMBERS: Final[Mapping[str, int]] = {"es": 54_911_5100_0000, "en": 44_7700_900_000}
_TOLERANCE: Final = timedelta(minutes=2)


@dataclass(frozen=True)
class Kept:
    """A stored reminder that is still to come."""

    text: str
    due: datetime
    rule: str
    is_turn: bool

    def times(self, count: int) -> list[datetime]:
        """Its next times on the person's own clock."""
        if not self.rule:
            return [self.due]
        return list(islice(rrulestr(self.rule, dtstart=self.due), count))


@dataclass
class Talk:
    case: Mapping[str, Any]
    turns: list[Said] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def kept_by(database: Path, wa_id: str) -> list[Kept]:
    """Return what is still to come for a person, the soonest first."""
    with sqlite.connect(f"file:{database}?mode=ro", uri=True) as db:
        rows = db.execute(
            "SELECT r.text, r.due_local, r.rule, r.is_turn FROM reminders r JOIN users u USING (user_id)"
            " WHERE u.wa_id = ? AND r.due_at IS NOT NULL ORDER BY r.due_at",
            (wa_id,),
        ).fetchall()
    return [Kept(said, datetime.fromisoformat(due), rule, bool(is_turn)) for said, due, rule, is_turn in rows]


class Room:
    """Where the conversations are held: the world and its clock."""

    def __init__(self, place: World, clock: OffsetClock) -> None:
        self._place = place
        self._clock = clock

    async def hold(self, case: Mapping[str, Any], person: str) -> Talk:
        """Hold one conversation as a new person, and judge it."""
        talk = Talk(case)
        began = self._clock.now()
        for turn in case["turns"]:
            began = self._clock.now()
            talk.turns.append(
                await (self._say(person, turn) if isinstance(turn, str) else self._wait(person, turn))
            )
        talk.kept = kept_by(self._place.database, person)
        judge(talk, began.astimezone(_ZONES[case["lang"]]).replace(tzinfo=None))
        return talk

    async def _say(self, person: str, said: str) -> Said:
        before = self._sent_to(person)
        started = asyncio.get_running_loop().time()
        await self._place.graph.receive(SimUser(person, "Person"), text(said))
        return await self._answered(person, said, before, started)

    async def _wait(self, person: str, turn: Mapping[str, int]) -> Said:
        before = self._sent_to(person)
        started = asyncio.get_running_loop().time()
        self._clock.jump(timedelta(minutes=turn["pass"], seconds=5))
        try:
            return await self._answered(person, f"({turn['pass']} minutes)", before, started, timeout_s=QUIET_S)
        except TimeoutError:
            return Said(f"({turn['pass']} minutes)", "", 0)

    async def _answered(
        self, person: str, said: str, before: int, started: float, *, timeout_s: float = TURN_TIMEOUT_S
    ) -> Said:
        async with asyncio.timeout(timeout_s):
            while self._sent_to(person) == before:
                await asyncio.sleep(0.01)
        seconds = asyncio.get_running_loop().time() - started
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIET_S):
                await self._place.services.idle()
        sends = [send.text for send in self._place.graph.sends if send.recipient == person]
        return Said(said, "\n".join(sends[before:]), seconds)

    def _sent_to(self, person: str) -> int:
        return sum(send.recipient == person for send in self._place.graph.sends)


def judge(talk: Talk, last_turn: datetime) -> None:
    """Fill in what is wrong, as the file's `about` describes it."""
    wanted = talk.case["open"]
    if len(talk.kept) != len(wanted):
        talk.wrong.append(f"{len(talk.kept)} open instead of {len(wanted)}")
    left = list(talk.kept)
    for one in wanted:
        fitting = next((kept for kept in left if _fits(kept, one, last_turn)), None)
        if fitting is None:
            talk.wrong.append(f"none is {one}")
        else:
            left.remove(fitting)
    reply = talk.turns[-1].reply
    talk.wrong += [
        f"reply lacks {p}" for p in talk.case.get("reply", ()) if not re.search(p, reply, re.IGNORECASE)
    ]
    if any(shows_machinery(turn.reply) for turn in talk.turns):
        talk.wrong.append("machinery shown")


def _fits(kept: Kept, wanted: Mapping[str, Any], last_turn: datetime) -> bool:
    times = kept.times(len(wanted["next"]))
    is_once = len(wanted["next"]) == 1
    return (
        all(fold(literal) in fold(kept.text) for literal in wanted["has"])
        and kept.is_turn == wanted.get("turn", False)
        and bool(kept.rule) != is_once
        and len(times) == len(wanted["next"])
        and all(_is_at(time, meant, last_turn) for time, meant in zip(times, wanted["next"], strict=True))
    )


def _is_at(time: datetime, meant: str | Mapping[str, int], last_turn: datetime) -> bool:
    if isinstance(meant, str):
        return time == datetime.fromisoformat(meant)
    return abs(time - last_turn - timedelta(minutes=meant["in"])) < _TOLERANCE


def show(console: Console, talk: Talk) -> None:
    mark = "✖" if talk.wrong else "✔"
    console.print(f"{mark} {talk.case['id']} {'; '.join(talk.wrong)}", markup=False, highlight=False)
    for turn in talk.turns:
        reply = turn.reply.replace("\n", " / ")
        console.print(f"    {turn.seconds:5.1f}s  {turn.text}  → {reply}", markup=False, highlight=False)
    if talk.wrong:
        for kept in talk.kept:
            console.print(f"    {kept}", markup=False, highlight=False)


async def run(model: Path | None, sets: Sequence[Path], only: str, console: Console) -> int:
    """Hold every conversation of the sets; returns how many went wrong."""
    cases = [case for file in sets for case in json.loads(file.read_text("utf-8"))["cases"] if only in case["id"]]
    people = [str(_FIRST_NUMBERS[case["lang"]] + number) for number, case in enumerate(cases)]
    ahead = _BEGIN - datetime.now(UTC)
    clock = OffsetClock(base=lambda: datetime.now(UTC) + ahead)
    talks = []
    with tempfile.TemporaryDirectory() as directory:
        async with world(model, Path(directory), people, clock) as place:
            room = Room(place, clock)
            for case, person in zip(cases, people, strict=True):
                talks.append(await room.hold(case, person))
                show(console, talks[-1])
    wrong = sum(bool(talk.wrong) for talk in talks)
    console.print(f"{len(talks) - wrong} of {len(talks)}; wanted {WANTED} of 20")
    return wrong


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=Path, default=os.environ.get("WASAP_TEST_MODEL"))
    arguments.add_argument("--set", type=Path, nargs="*", default=[SET])
    arguments.add_argument("--only", default="", help="part of the ids of the conversations")
    chosen = arguments.parse_args()
    setup_logging(level="ERROR", is_json=False, is_content_logged=False)
    asyncio.run(run(chosen.model, chosen.set, chosen.only, Console(width=200)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
