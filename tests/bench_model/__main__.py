"""make bench-model: the tasks on the real bundled model, through the whole application.

Two parts, each with its bars: the tasks; a conversation of twelve turns in one category and one that changes it.
Both are held again with the native protocol, as the baseline for the seconds of a turn that uses a tool.
"""

import argparse
import asyncio
import json
import logging
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from app.log import setup_logging
from tests.bench_model.chat import Chat, Costs, Protocol, Turn, chatting
from tests.bench_model.expect import shows_machinery, unmet

TASKS = Path(__file__).with_name("tasks.json")
LONG_TALK = Path(__file__).with_name("talk.json")
MIN_PASSED = 22
MAX_READ_ANEW = 350
MAX_SHARE_OF_NATIVE = 0.5
TALKS = {"one_category": 0.35, "changing": 1 / 3}
"""Conversations, and the largest share of a turn's prompt that may be read anew from the second turn on."""


@dataclass
class Report:
    id: str
    turns: list[Turn]
    missing: list[str]

    @property
    def is_passed(self) -> bool:
        return not self.missing


@dataclass
class Figure:
    """One line of the summary: `bar` is what was promised."""

    name: str
    value: str
    bar: str
    is_met: bool


async def run_task(chat: Chat, task: dict[str, Any]) -> Report:
    await chat.say("/clear")
    turns = []
    for said in task["turns"]:
        turn = await chat.say(said)
        if not said.startswith("/"):
            turns.append(turn)
    missing = unmet("\n".join(turns[-1].replies), task["expect"], datetime.now(UTC))
    if any(shows_machinery(reply) for turn in turns for reply in turn.replies):
        missing.append("machinery shown")
    return Report(task["id"], turns, missing)


def mixed(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tasks so that kinds alternate: five of a kind in a row would find their tools in the cache."""
    kinds = [task["id"].rpartition("-")[0] for task in tasks]
    places = sorted(range(len(tasks)), key=lambda at: (kinds[:at].count(kinds[at]), at))
    return [tasks[at] for at in places]


async def run_tasks(chat: Chat, only: str, console: Console) -> list[Report]:
    reports = []
    for task in mixed(json.loads(TASKS.read_text("utf-8"))):
        if only in task["id"]:
            reports.append(await run_task(chat, task))
            show(console, reports[-1])
    return reports


async def run_talk(chat: Chat, name: str) -> list[Turn]:
    """Hold a conversation without interruption; returns its turns."""
    await chat.say("/clear")
    return [await chat.say(said) for said in json.loads(LONG_TALK.read_text("utf-8"))[name]]


def show(console: Console, report: Report) -> None:
    title = f"{'✔' if report.is_passed else '✖'} {report.id} {'; '.join(report.missing)}"
    show_turns(console, title, report.turns)


def show_turns(console: Console, title: str, turns: list[Turn]) -> None:
    table = Table("said", "answered", "tools", "read anew", "of", "seconds", title=title)
    for turn in turns:
        table.add_row(
            turn.said,
            "\n".join(turn.replies),
            "\n".join([", ".join(turn.categories), *turn.tools]),
            str(turn.read_anew),
            str(turn.prompt_tokens),
            f"{turn.seconds:.1f}",
        )
    console.print(table, markup=False)


def figures_of_tasks(reports: list[Report]) -> list[Figure]:
    turns = [turn for report in reports for turn in report.turns]
    with_tools = [turn for turn in turns if turn.tools]
    passed = sum(report.is_passed for report in reports)
    shown = sum(shows_machinery(reply) for turn in turns for reply in turn.replies)
    anew = statistics.median(turn.read_anew for turn in with_tools)
    seconds = statistics.median(turn.seconds for turn in turns)
    return [
        Figure("tasks passed", f"{passed} of {len(reports)}", f"at least {MIN_PASSED}", passed >= MIN_PASSED),
        Figure("replies that show machinery", str(shown), "0", shown == 0),
        Figure("median seconds per turn", f"{seconds:.1f}", "printed", True),
        Figure(
            "median tokens read anew, tool turns", f"{anew:.0f}", f"at most {MAX_READ_ANEW}", anew <= MAX_READ_ANEW
        ),
    ]


def figures_of_talk(name: str, turns: list[Turn], bar: float) -> Figure:
    worst = max(turn.share_anew for turn in turns[1:])
    return Figure(f"largest share read anew, {name}", f"{worst:.0%}", f"below {bar:.0%}", worst < bar)


def figures_of_baseline(ours: list[Turn], native: list[Turn]) -> list[Figure]:
    """Compare the medians of the turns in which both protocols used a tool.

    Where the native one used none, it is quick because it made the result up. The first turn of each is left
    out: it reads the fixed text, once for each start of the application.
    """
    both = list(zip(ours, native, strict=True))
    steady = {id(now) for (before, _), (now, _) in pairwise(both) if now.categories == before.categories}
    wanted = [(our, its) for our, its in both[1:] if our.tools]
    pairs = [(our, its) for our, its in wanted if its.tools]
    used = Figure(
        "tool turns in which the native protocol used one", f"{len(pairs)} of {len(wanted)}", "printed", True
    )
    if not pairs:
        return [used]
    share, value = share_of_native(pairs)
    bar = f"at most {MAX_SHARE_OF_NATIVE}"
    figures = [used, Figure("seconds of the native protocol there", value, bar, share <= MAX_SHARE_OF_NATIVE)]
    for name, is_steady in (("in the categories of the turn before", True), ("in others than before", False)):
        if chosen := [pair for pair in pairs if (id(pair[0]) in steady) is is_steady]:
            figures.append(Figure(f"  {name}, {len(chosen)} turns", share_of_native(chosen)[1], "printed", True))
    return figures


def share_of_native(pairs: list[tuple[Turn, Turn]]) -> tuple[float, str]:
    ours_s = statistics.median(our.seconds for our, _ in pairs)
    native_s = statistics.median(its.seconds for _, its in pairs)
    return ours_s / native_s, f"{ours_s / native_s:.2f} ({ours_s:.1f} s of {native_s:.1f} s)"


async def hold(chat: Chat, part: str, only: str, console: Console) -> tuple[list[Report], dict[str, list[Turn]]]:
    """Do the tasks and hold the conversations that were asked for."""
    reports = await run_tasks(chat, only, console) if part in ("all", "tasks") else []
    talks: dict[str, list[Turn]] = {}
    if part in ("all", "talk") and not only:
        for name in TALKS:
            talks[name] = await run_talk(chat, name)
            show_turns(console, name, talks[name])
    return reports, talks


def turns_of(reports: list[Report], talks: dict[str, list[Turn]]) -> list[Turn]:
    return [turn for turns in (*(report.turns for report in reports), *talks.values()) for turn in turns]


async def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=Path, default=os.environ.get("WASAP_TEST_MODEL"))
    arguments.add_argument("--only", default="", help="part of the ids of the tasks to run; nothing else is run")
    arguments.add_argument("--part", choices=("tasks", "talk", "all"), default="all")
    chosen = arguments.parse_args()
    model = Path(chosen.model) if chosen.model else None
    costs = Costs()
    setup_logging(level="INFO", is_json=False, is_content_logged=False, taps=(costs,))
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    console = Console(width=160)
    held: dict[Protocol, tuple[list[Report], dict[str, list[Turn]]]] = {}
    protocols: tuple[Protocol, ...] = ("constrained",) if chosen.only else ("constrained", "native")
    for protocol in protocols:
        console.rule(f"{protocol} protocol")
        with tempfile.TemporaryDirectory() as directory:
            async with chatting(model, Path(directory), costs, protocol) as chat:
                held[protocol] = await hold(chat, chosen.part, chosen.only, console)
    reports, talks = held["constrained"]
    figures = figures_of_tasks(reports) if reports else []
    figures += [figures_of_talk(name, turns, TALKS[name]) for name, turns in talks.items()]
    if "native" in held:
        figures += figures_of_baseline(turns_of(reports, talks), turns_of(*held["native"]))
    summary = Table("figure", "value", "bar", "", title="make bench-model")
    for figure in figures:
        summary.add_row(figure.name, figure.value, figure.bar, "✔" if figure.is_met else "✖")
    console.print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
