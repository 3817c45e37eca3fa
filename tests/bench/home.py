"""How long each page of the home takes with much in it: `python -m tests.bench.home`.

100,000 messages, 10,000 notes, 2,000 facts, 20,000 recorded calls, 50,000 turns, 100,000 charges and 50 open
questions, most of them of the admin who looks, and 50 people. In process, without the network: routing, session,
queries and drawing, one request after the other. Exit code 1 when the median of a page is above the bar.
"""

import asyncio
import logging
import re
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import structlog
from rich.console import Console
from rich.table import Table

from app.database.db import Database
from app.domain.clock import to_ms
from app.domain.outbound import Button, Buttons, encode_outbound
from tests.builders import ALICE
from tests.e2e.visiting import ADDRESS, Browser, at_home
from tests.harness import running_app

MESSAGES: Final = 100_000
NOTES: Final = 10_000
FACTS: Final = 2_000
CALLS: Final = 20_000
TURNS: Final = 50_000
CHARGES: Final = 100_000
QUESTIONS: Final = 50
PEOPLE: Final = 50
BAR_MS: Final = 200.0
VISITS: Final = 15
_TRACE: Final = '{"categories": ["notes"], "steps": [{"tool": "save_note", "kind": "ok", "duration_ms": 3}]}'
_NUMBERS: Final = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"


async def fill(path: Path, at_ms: int) -> None:
    """Put everything there; the first person is the one who looks."""
    async with Database.open(path) as db, db.transaction() as tx:
        row = await tx.fetch_one("SELECT user_id, id AS conversation_id FROM conversations LIMIT 1")
        assert row is not None
        mine, conversation = row["user_id"], row["conversation_id"]
        people = [(f"person{n:03}", f"Person {n}", f"34600{n:06}", at_ms - n) for n in range(PEOPLE - 1)]
        await tx.execute_many(
            "INSERT INTO users(user_id, name, language, wa_id, last_inbound_at, created_at)"
            " VALUES (?, ?, 'en', ?, ?, 1)",
            people,
        )
        await tx.execute(
            f"{_NUMBERS} INSERT INTO messages(user_id, conversation_id, turn_id, role, text, created_at)"
            " SELECT ?, ?, 1000 + i, CASE i % 2 WHEN 0 THEN 'assistant' ELSE 'user' END,"
            " 'message ' || i || ' about ferns and oil', ? + i FROM n",
            MESSAGES,
            mine,
            conversation,
            at_ms,
        )
        await tx.execute(
            f"{_NUMBERS} INSERT INTO notes(user_id, number, title, content, created_at)"
            " SELECT ?, i, 'note ' || i, 'fern ' || i || ' likes shade and oil 10W40', ? FROM n",
            NOTES,
            mine,
            at_ms,
        )
        await tx.execute(
            f"{_NUMBERS} INSERT INTO memories(user_id, number, text, text_key, category, state, source_turn_id,"
            " created_at, updated_at) SELECT ?, i, 'fact ' || i, 'k' || i, 'general', 'active', 1001 + i * 2, ?, ?"
            " FROM n",
            FACTS,
            mine,
            at_ms,
            at_ms,
        )
        await tx.execute(
            f"{_NUMBERS} INSERT INTO turn_traces(turn_id, user_id, trace, created_at)"
            " SELECT 1000 + i, ?, ?, ? FROM n",
            TURNS,
            mine,
            _TRACE,
            at_ms,
        )
        await tx.execute(
            f"{_NUMBERS} INSERT INTO charges(message_id, user_id, sent_to, at, category, kind, is_billable)"
            " SELECT 'wamid.' || i, ?, '34600000001', ? - i * 600000, 'utility', 'regular', 1 FROM n",
            CHARGES,
            mine,
            at_ms,
        )
        await tx.execute(
            f"{_NUMBERS} INSERT INTO outbox(id, user_id, turn_id, seq, payload, state, created_at, available_at,"
            " sent_at) SELECT 900000 + i, ?, 900000 + i, 0, ?, 'sent', ?, ?, ? FROM n",
            QUESTIONS,
            mine,
            encode_outbound(Buttons("Is it still the same person?", (Button("q:trust:x:yes", "Yes"),))),
            at_ms,
            at_ms,
            at_ms,
        )
        await tx.execute(
            f"{_NUMBERS} INSERT INTO questions(token, user_id, kind, bound_to, outbox_id, asked_at)"
            " SELECT 'bench' || i, ?, 'trust', 'bench' || i, 900000 + i, ? FROM n",
            QUESTIONS,
            mine,
            at_ms,
        )
        for phase, verdict in (("intent", "run"), ("outcome", "ok")):
            await tx.execute(
                f"{_NUMBERS} INSERT INTO audit_events"
                " SELECT i * 2 + ?, ?, ?, 1000 + i, 'save_note', ?, i * 2, ?, 3,"
                " '{\"arguments\": {\"content\": \"fern\"}}', '', '', '' FROM n",
                CALLS,
                int(phase == "outcome"),
                at_ms,
                mine,
                phase,
                verdict,
            )


async def measure(browser: Browser, path: str) -> list[float]:
    """Ask for a page again and again; the first time does not count."""
    times = []
    for visit in range(VISITS + 1):
        began = time.perf_counter()
        answer = await browser.get(path)
        times += [(time.perf_counter() - began) * 1000] if visit else []
        assert answer.status_code == 200, f"{path}: {answer.status_code}"
    return times


async def run(data_dir: Path) -> dict[str, list[float]]:
    async with running_app(data_dir, public_url=ADDRESS) as app:
        await app.say(ALICE, "From now on please answer in English")
        await app.say(ALICE, "hello")
        browser = await at_home(app, ALICE)
        await fill(data_dir / "wasap.db", to_ms(app.clock.now()))
        pages = ["/", *await browser.parts()]
        pages += ["/home/notes?page=200", "/home/notes?words=fern", "/home/memory?page=40", "/home/done?page=400"]
        turns = re.findall(r"/home/turns\?item=\d+", (await browser.get("/home/turns?page=900")).text)
        return {page: await measure(browser, page) for page in [*pages, "/home/turns?page=900", turns[0]]}


def show(times: dict[str, list[float]]) -> bool:
    """Print a line for each page; True when all are below the bar."""
    table = Table(
        title=f"{MESSAGES:,} messages, {NOTES:,} notes, {PEOPLE} people; bar {BAR_MS:g} ms at the median"
    )
    for title in ("page", "p50 (ms)", "p95 (ms)"):
        table.add_column(title, justify="left" if title == "page" else "right")
    for page, measured in times.items():
        table.add_row(page, f"{median(measured):.1f}", f"{quantiles(measured, n=20)[18]:.1f}")
    Console().print(table)
    return all(median(measured) < BAR_MS for measured in times.values())


def main() -> int:
    """Measure, print, and return the exit code."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        return 0 if show(asyncio.run(run(Path(folder)))) else 1


if __name__ == "__main__":
    sys.exit(main())
