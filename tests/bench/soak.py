"""Days in minutes: the whole application over a clock that is moved on, and what it holds after each day.

usage: python -m tests.bench.soak [--minutes 240] [--picture FILE]
People write, keep and delete notes, set reminders that fire, send commands, and strangers knock. After each day
memory, open files, tasks and rows are counted; the second half of the days should be no higher than the first.
Messages of conversations and the audit trail stay by design, so they are counted apart from rows of the machinery.
"""

import argparse
import asyncio
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Final

import structlog
from rich.console import Console

from app.database.sqlite import sqlite
from app.simulator import payloads
from app.simulator.payloads import SimUser
from tests.bench.curve import draw
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

KEEP_DAYS: Final = 8
KEEP_SPENDING_DAYS: Final = 32
STEP_S: Final = 600.0
STEPS: Final = 144
PATIENCE_S: Final = 300.0
HOURS_AWAKE: Final = range(8, 22, 2)
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
KEPT: Final = ("messages", "conversations", "audit_events", "summaries")
STRANGER: Final = SimUser("5491155559999", "Nobody")


@dataclass(frozen=True, slots=True)
class Day:
    """What the process held when a day was over.

    `rows` are those of the machinery, `kept` those of what is meant to stay, with its full text.
    """

    memory_mb: float
    files: int
    tasks: int
    tables: Mapping[str, int]

    @property
    def rows(self) -> int:
        return sum(count for name, count in self.tables.items() if not _is_kept(name))

    @property
    def kept(self) -> int:
        return sum(count for name, count in self.tables.items() if _is_kept(name))


async def live(minutes: float, told: Callable[[str], None]) -> list[Day]:
    """Let days pass for so long, and return what each left."""
    until, days = time.monotonic() + minutes * 60, list[Day]()
    with tempfile.TemporaryDirectory() as folder:
        llm = ScriptedChatModel(echo=True)
        async with running_app(
            Path(folder),
            llm=llm,
            rate_limit_max=10_000,
            keep_messages_days=KEEP_DAYS,
            keep_traces_days=KEEP_DAYS,
            keep_strangers_days=KEEP_DAYS,
            keep_reminders_days=KEEP_DAYS,
            keep_spending_days=KEEP_SPENDING_DAYS,
        ) as app:
            while time.monotonic() < until:
                await _live_a_day(app, len(days))
                days.append(_count(Path(folder) / "wasap.db"))
                if len(days) % 10 == 0:
                    day = days[-1]
                    told(f"day {len(days)}: {day.memory_mb:.1f} MB, {day.files} files, {day.rows} rows")
    return days


async def _live_a_day(app: AppUnderTest, number: int) -> None:
    for step in range(STEPS):
        await app.clock.advance(STEP_S)
        hour, is_full = divmod(step, 6)
        if not is_full and hour in HOURS_AWAKE:
            await _talk(app, number, hour)
    await _settle(app)


async def _talk(app: AppUnderTest, number: int, hour: int) -> None:
    """One bout of messages; what is kept is deleted again, so that only what leaks grows."""
    for person in (ALICE, BOB):
        app.llm.category = "none"
        await _say(app, person, f"day {number}, {hour} o'clock: how are you?")
        app.llm.category = "notes"
        app.llm.add(calls(("save_note", {"content": f"the gate code is {number}{hour}"})), "Saved.", "Saved.")
        await _say(app, person, f"note: the gate code is {number}{hour}")
        app.llm.drop_lines()
        app.llm.add(calls(("delete_note", {"note": f"the gate code is {number}{hour}"})), "Gone.", "Gone.")
        await _say(app, person, f"delete the note that the gate code is {number}{hour}")
        app.llm.drop_lines()
        if hour == HOURS_AWAKE[0]:
            app.llm.category = "reminders"
            app.llm.add(calls(("set_reminder", {"text": "water", "when": "in 1 hour"})), "Set.", "Set.")
            await _say(app, person, "remind me of water in 1 hour")
            app.llm.drop_lines()
        for command in ("/status", "/tools", "/reminders"):
            await _say(app, person, command)
    await app.graph.receive(STRANGER, payloads.text("let me in"))
    await _settle(app)
    app.llm.requests.clear()
    app.llm.short_requests.clear()


async def _say(app: AppUnderTest, person: str, text: str) -> None:
    await app.receive(person, text)
    await _settle(app)


async def _settle(app: AppUnderTest) -> None:
    """Wait until nothing is to be done, on a machine that may be busy with something else for a minute."""
    async with asyncio.timeout(PATIENCE_S):
        await app.services.idle()
        await app.graph.idle()
        await app.services.idle()


def _is_kept(table: str) -> bool:
    return table in KEPT or table.startswith(tuple(f"{name}_fts" for name in KEPT))


def _count(database: Path) -> Day:
    with closing(sqlite.connect(f"file:{database}?mode=ro", uri=True)) as db:
        names = [
            name
            for (name,) in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
            )
            if not name.startswith("sqlite_")
        ]
        rows = {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return Day(
        memory_mb=pages * PAGE_BYTES / 1e6,
        files=len(os.listdir("/proc/self/fd")),
        tasks=len(asyncio.all_tasks()),
        tables=rows,
    )


def _panels(days: list[Day]) -> list[tuple[str, Mapping[str, list[tuple[float, float]]]]]:
    def curve(of: Callable[[Day], float]) -> list[tuple[float, float]]:
        return [(number + 1, of(day)) for number, day in enumerate(days)]

    return [
        ("memory, MB", {"": curve(lambda day: day.memory_mb)}),
        ("open files", {"": curve(lambda day: day.files)}),
        ("tasks", {"": curve(lambda day: day.tasks)}),
        ("rows", {"machinery": curve(lambda day: day.rows), "said, audit": curve(lambda day: day.kept)}),
    ]


def main() -> int:
    """Run, print how the second half of the days differs from the first, and draw the picture."""
    parser = argparse.ArgumentParser(prog="tests.bench.soak")
    parser.add_argument("--minutes", type=float, default=240)
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    console = Console(highlight=False, width=160)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    days = asyncio.run(live(asked.minutes, console.print))
    settled = days[2 * KEEP_DAYS :] or days
    half = len(settled) // 2 or 1
    measures: dict[str, Callable[[Day], float]] = {
        "memory, MB": lambda day: day.memory_mb,
        "open files": lambda day: day.files,
        "tasks": lambda day: day.tasks,
        "rows of the machinery": lambda day: day.rows,
        "rows of what was said, and the audit": lambda day: day.kept,
    }
    for name, of in measures.items():
        first, second = mean(map(of, settled[:half])), mean(map(of, settled[half:] or settled))
        console.print(
            f"{name}: start {of(days[0]):,.1f}, end {of(days[-1]):,.1f};"
            f" halves after day {2 * KEEP_DAYS}: {first:,.1f}, {second:,.1f}"
        )
    middle, end = settled[half - 1].tables, settled[-1].tables
    for name, grown in sorted(((name, end[name] - middle[name]) for name in end), key=lambda one: -abs(one[1])):
        if grown:
            console.print(
                f"{name}: {grown:+} rows in the second half{' (meant to stay)' if _is_kept(name) else ''}"
            )
    console.print(f"{len(days)} days in {asked.minutes:g} minutes")
    if asked.picture:
        draw(asked.picture, f"A soak of {len(days)} simulated days", _panels(days), x_label="day")
    return 0


if __name__ == "__main__":
    sys.exit(main())
