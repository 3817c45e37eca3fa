"""Everyday conversations on the real bundled model: each by a person who never wrote before.

usage: python -m tests.bench_model.everyday [--model FILE] [--set FILE ...] [--only ID]
Judged on what is stored after the last turn and on the last reply; the file says how in `about`.
"""

import argparse
import asyncio
import json
import logging
import os
import re
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx
from rich.console import Console
from rich.table import Table

from app.bootstrap import Ports
from app.database.sqlite import sqlite
from app.domain.clock import SystemClock
from app.domain.ports import ChatModel, Clock
from app.llm.providers import ModelChoice, open_model
from app.log import setup_logging
from app.main import create_app
from app.simulator.graph import SimulatedGraph
from app.simulator.payloads import SimUser, text
from tests.bench_model.chat import Costs
from tests.bench_model.expect import has_clock, has_number, shows_machinery
from tests.builders import APP_SECRET, PHONE_NUMBER_ID
from tests.harness import ACCESS_TOKEN, lifespan, make_settings

EVERYDAY: Final = Path(__file__).with_name("everyday.json")
MIN_SHARE: Final = 0.9
TURN_TIMEOUT_S: Final = 300
QUIET_S: Final = 20
_NO: Final = "no"
_FIRST_NUMBER: Final = 54_911_5000_0000

# What is kept, as (kind, query): one row of text for each thing.
_STORED: Final = (
    ("notes", "SELECT title || char(10) || content AS text FROM notes WHERE user_id = ?"),
    ("projects", "SELECT name AS text FROM projects WHERE user_id = ?"),
    ("tasks", "SELECT title AS text FROM project_tasks WHERE user_id = ?"),
    ("lists", "SELECT text FROM list_items WHERE user_id = ?"),
    ("reminders", "SELECT text FROM reminders WHERE user_id = ?"),
)
_DENIES: Final = {
    "notes": r"no (?:tienes|ten[eé]s|hay) notas|no notes",
    "projects": r"no (?:tienes|ten[eé]s|hay) proyectos|no projects",
    "tasks": r"no (?:tiene|hay) tareas|no tasks",
    "lists": r"lista (?:est[aá] )?vac[ií]a|list is empty",
}
_REFUSES: Final = r"no (?:puedo|s[eé]|tengo)|todav[ií]a no|can.?t|cannot|not able|unable|no way"


@dataclass(frozen=True)
class Said:
    """`is_over`: nothing goes on after the reply; a question that waits does."""

    text: str
    reply: str
    seconds: float
    is_over: bool = True


@dataclass
class Talk:
    """A held conversation: what was said, what is stored, and what is wrong with it."""

    case: Mapping[str, Any]
    turns: list[Said]
    stored: Mapping[str, list[str]]
    wrong: list[str] = field(default_factory=list)
    unasked: bool = False
    altered: bool = False
    contradicts: bool = False


def judge(talk: Talk) -> None:
    """Fill in what is wrong, as the file's `about` describes it."""
    expect, reply = talk.case["expect"], talk.turns[-1].reply
    _judge_stored(talk, expect)
    talk.wrong += [f"reply lacks {p}" for p in expect.get("reply", ()) if not re.search(p, reply, re.IGNORECASE)]
    talk.wrong += [f"reply has {p}" for p in expect.get("reply_not", ()) if re.search(p, reply, re.IGNORECASE)]
    if "reply_clock" in expect and not has_clock(reply, expect["reply_clock"], datetime.now(UTC)):
        talk.wrong.append(f"no clock of {expect['reply_clock']}")
    if "reply_number" in expect and not has_number(reply, expect["reply_number"]):
        talk.wrong.append(f"no number {expect['reply_number']}")
    if len(reply.split()) < expect.get("min_words", 0):
        talk.wrong.append("too few words")
    if expect.get("reminder_or_refusal") and not (
        talk.stored["reminders"] or re.search(_REFUSES, reply, re.IGNORECASE)
    ):
        talk.wrong.append("neither a reminder nor a refusal")
    if any(shows_machinery(turn.reply) for turn in talk.turns):
        talk.wrong.append("machinery shown")
    if any(
        rows and re.search(_DENIES.get(kind, r"(?!)"), reply, re.IGNORECASE) for kind, rows in talk.stored.items()
    ):
        talk.contradicts = True
        talk.wrong.append("contradicts what is stored")


def _judge_stored(talk: Talk, expect: Mapping[str, Any]) -> None:
    for kind, rows in talk.stored.items():
        count = expect.get(f"{kind}_count", 0 if expect.get("unchanged") else None)
        if count is not None and len(rows) != count:
            talk.wrong.append(f"{len(rows)} {kind} instead of {count}: {rows}")
            talk.unasked = talk.unasked or len(rows) > count
        lacking = [wanted for wanted in expect.get(kind, ()) if not any(_holds(row, wanted) for row in rows)]
        if lacking:
            talk.wrong.append(f"no {kind} with {lacking}: {rows}")
            talk.altered = talk.altered or bool(rows)


def _holds(row: str, literals: Sequence[str]) -> bool:
    return all(literal.lower() in row.lower() for literal in literals)


def stored_by(database: Path, wa_id: str) -> dict[str, list[str]]:
    """Return what a person has, by kind; kinds without a table are empty."""
    with sqlite.connect(f"file:{database}?mode=ro", uri=True) as db:
        row = db.execute("SELECT user_id FROM users WHERE wa_id = ?", (wa_id,)).fetchone()
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        found: dict[str, list[str]] = {}
        for kind, query in _STORED:
            is_there = row is not None and query.partition(" FROM ")[2].split()[0] in tables
            found[kind] = [line for (line,) in db.execute(query, row)] if is_there else []
        return found


@dataclass(frozen=True)
class World:
    graph: SimulatedGraph
    services: Any
    database: Path
    model: ChatModel

    async def hold(self, case: Mapping[str, Any], person: str) -> Talk:
        """Hold one conversation as a new person."""
        turns = [await self._say(person, said) for said in case["turns"]]
        talk = Talk(case, turns, stored_by(self.database, person))
        judge(talk)
        if not turns[-1].is_over:  # A question that waits for an answer would hold up whoever comes next.
            await self._say(person, _NO)
        return talk

    async def _say(self, person: str, said: str) -> Said:
        before = len(self.graph.sends)
        began = asyncio.get_running_loop().time()
        await self.graph.receive(SimUser(person, "Person"), text(said))
        async with asyncio.timeout(TURN_TIMEOUT_S):
            while len(self.graph.sends) == before:
                await asyncio.sleep(0.01)
            seconds = asyncio.get_running_loop().time() - began
        # Who is asked whether they want something says nothing more, or goes on to something else.
        is_over = False
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIET_S):
                await self.services.idle()
                is_over = True
        return Said(said, "\n".join(send.text for send in self.graph.sends[before:]), seconds, is_over)


@asynccontextmanager
async def world(
    model: Path | None, data_dir: Path, people: Sequence[str], clock: Clock | None = None
) -> AsyncIterator[World]:
    """Start the whole application with the bundled model and a Graph of its own, and wait until it is loaded."""
    settings = make_settings(data_dir, allowed_phone_numbers=people, admin_phone_numbers=people[:1])
    choice = ModelChoice(
        provider="embedded",
        ollama_base_urls=(),
        ollama_model="",
        model_path=model,
        models_dir=Path("data") / "models",
        context_tokens=settings.llm_context_tokens,
        threads=0,
        log_path=data_dir / "model.log",
    )
    clock = clock or SystemClock()
    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=ACCESS_TOKEN, now=clock.now, sleep=clock.sleep)
    async with open_model(choice, SystemClock()) as opened:
        app = create_app(settings, Ports(graph_transport=httpx.ASGITransport(graph.app), chat=opened, clock=clock))
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app.test", timeout=None)

        async def post(body: bytes, headers: Mapping[str, str]) -> int:
            return (await client.post("/webhook", content=body, headers=dict(headers))).status_code

        graph.connect(post, APP_SECRET)
        async with client, lifespan(app) as services, graph.running():
            while (await opened.model.state()).state != "ready":
                await asyncio.sleep(0.2)
            yield World(graph, services, settings.database_file, opened.model)


def show(console: Console, talk: Talk) -> None:
    mark = "✖" if talk.wrong else "✔"
    console.print(f"{mark} {talk.case['id']} {'; '.join(talk.wrong)}", markup=False, highlight=False)
    for turn in talk.turns:
        console.print(
            f"    {turn.seconds:5.1f}s  {turn.text}\n            → {turn.reply}", markup=False, highlight=False
        )


def summary(talks: Sequence[Talk]) -> Table:
    by_kind: dict[str, list[Talk]] = defaultdict(list)
    for talk in talks:
        by_kind[str(talk.case.get("kind", ""))].append(talk)
    table = Table("kind", "passed", "of", "unasked", "altered", "contradicts", "median s", "p90 s")
    for kind, some in [*sorted(by_kind.items()), ("all", list(talks))]:
        seconds = sorted(turn.seconds for talk in some for turn in talk.turns if not turn.text.startswith("/"))
        table.add_row(
            kind,
            str(sum(not talk.wrong for talk in some)),
            str(len(some)),
            *(
                str(sum(flags))
                for flags in zip(*((t.unasked, t.altered, t.contradicts) for t in some), strict=True)
            ),
            f"{statistics.median(seconds):.1f}",
            f"{seconds[len(seconds) * 9 // 10]:.1f}",
        )
    return table


async def run(model: Path | None, sets: Sequence[Path], only: str, console: Console) -> int:
    """Hold every conversation of the sets; returns how many went wrong."""
    cases = [case for file in sets for case in json.loads(file.read_text("utf-8"))["cases"] if only in case["id"]]
    people = [str(_FIRST_NUMBER + number) for number in range(len(cases))]
    talks = []
    with tempfile.TemporaryDirectory() as directory:
        async with world(model, Path(directory), people) as place:
            for case, person in zip(cases, people, strict=True):
                talks.append(await place.hold(case, person))
                show(console, talks[-1])
    console.print(summary(talks))
    return sum(bool(talk.wrong) for talk in talks)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=Path, default=os.environ.get("WASAP_TEST_MODEL"))
    arguments.add_argument("--set", type=Path, nargs="*", default=[EVERYDAY])
    arguments.add_argument("--only", default="", help="part of the ids of the conversations")
    chosen = arguments.parse_args()
    setup_logging(level="INFO", is_json=False, is_content_logged=False, taps=(Costs(),))
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    asyncio.run(run(chosen.model, chosen.set, chosen.only, Console(width=160)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
