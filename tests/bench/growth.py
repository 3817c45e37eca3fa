"""Replies per second over what is stored, next to an empty database in the same minutes.

usage: python -m tests.bench.growth [--rows 10000 100000 1000000] [--rounds 5] [--against CHECKOUT] [--picture FILE]
With another checkout, both run on empty databases first, in turns: what a change costs.
"""

# ruff: noqa: E501, ASYNC240 - long statements stay whole, and a benchmark's own folders keep nobody waiting

import argparse
import asyncio
import json
import sys
import tempfile
import time
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from math import log10
from pathlib import Path
from statistics import median
from typing import Any, Final

from rich.console import Console

from app.database.db import Database
from app.database.migrate import migrate
from app.database.sqlite import sqlite
from app.domain.phones import phone_alias
from app.llm.local_embedder import LOCAL_MODEL
from tests.bench.curve import draw
from tests.bench.load import Chats, collect, write_all
from tests.bench.processes import REPOSITORY, Ports, all_running

USERS: Final = tuple(f"54911555{n:05}" for n in range(50))
EACH: Final = 1
"""On a busy machine two messages of one person may be one turn, with one answer."""
_AS_LETTERS: Final = str.maketrans("0123456789", "abcdefghij")
TURN_MESSAGES: Final = 40
"""How many handled messages make one conversation that ended."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Of one round: replies per second, and the median acknowledgement in milliseconds."""

    replies: float
    ack_ms: float


async def fill(file: Path, count: int) -> None:
    """Make a database with that many handled messages, and a note or fact for every tenth."""
    file.parent.mkdir(parents=True, exist_ok=True)
    async with Database.open(file) as db:
        await migrate(db)
    with closing(sqlite.connect(str(file), isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN")
        _insert(connection, 0, count)
        connection.execute("COMMIT")


def _insert(connection: Any, first: int, last: int) -> None:
    long_ago = int(time.time() * 1000) - 10 * 86_400_000  # younger than what the daily clean-up deletes
    if first == 0:
        connection.executemany(
            "INSERT INTO users(user_id, name, language, wa_id, last_inbound_at, created_at) VALUES (?, ?, 'es', ?, 1, 1)",
            [(f"u{n}", f"Person {who[-3:]}", who) for n, who in enumerate(USERS)],
        )
        connection.executemany(
            "INSERT INTO identities(alias, user_id, created_at) VALUES (?, ?, 1)",
            [(phone_alias(who), f"u{n}") for n, who in enumerate(USERS)],
        )
    numbers = range(first + 1, last + 1)
    payload = json.dumps({"type": "text", "body": "a message that was answered long ago, of usual length"})
    connection.executemany(
        "INSERT INTO processed_messages VALUES (?, ?)", ((f"wamid.old{n}", long_ago + n) for n in numbers)
    )
    connection.executemany(
        "INSERT INTO inbox(id, user_id, message_id, lane, kind, is_mergeable, payload, state, attempts, turn_id, sent_at,"
        " received_at, available_at, finished_at) VALUES (?1, ?2, ?3, 'turn', 'text', 1, ?4, 'done', 1, ?1, ?5, ?5, ?5, ?5)",
        ((n, _owner(n), f"wamid.old{n}", payload, long_ago + n) for n in numbers),
    )
    connection.executemany(
        "INSERT INTO outbox(id, user_id, turn_id, seq, payload, state, attempts, created_at, available_at, sent_at,"
        " message_id, delivery) VALUES (?1, ?2, ?1, 0, ?3, 'sent', 1, ?4, ?4, ?4, ?5, 'read')",
        ((n, _owner(n), payload, long_ago + n, f"wamid.out{n}") for n in numbers),
    )
    connection.executemany(
        "INSERT INTO conversations(id, user_id, started_at, ended_at, extracted_through_message_id, settled_revision)"
        " VALUES (?, ?, ?, ?, 9999999999, 0)",
        ((n, f"u{n % len(USERS)}", long_ago, long_ago + n) for n in _conversations(first, last)),
    )
    connection.executemany(
        "INSERT INTO messages(user_id, conversation_id, turn_id, role, text, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (
            (
                f"u{n // TURN_MESSAGES % len(USERS)}",
                n // TURN_MESSAGES + 1,
                n,
                role,
                "what was said long ago",
                long_ago + n,
            )
            for n in numbers
            if n // TURN_MESSAGES + 1 in _conversations(first, last)
            for role in ("user", "assistant")
        ),
    )
    # Messages that come in leave their conversation to the jobs of memory: these are done with.
    connection.execute("UPDATE conversations SET settled_revision = revision WHERE settled_revision IS NULL")
    connection.executemany(
        "INSERT INTO turn_traces(turn_id, user_id, trace, created_at) VALUES (?, ?, '{}', ?)",
        ((n, _owner(n), long_ago) for n in numbers),
    )
    _insert_texts(connection, range(first // 20, last // 20), long_ago)


def _insert_texts(connection: Any, numbers: range, at: int) -> None:
    """Notes and facts, half of each, all of them read by the model: a mark that says it could not do without vectors."""
    connection.executemany(
        "INSERT INTO notes(id, user_id, number, title, content, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        ((n + 1, _owner(n), 1000 + n, f"note {n}", f"the content of note {n}", at) for n in numbers),
    )
    connection.executemany(
        "INSERT INTO memories(id, user_id, number, text, text_key, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (n + 1, _owner(n), 1000 + n, f"likes thing number {n}", f"likes thing number {n}", at, at)
            for n in numbers
        ),
    )
    connection.executemany(
        "INSERT INTO embeddings(user_id, kind, owner_id, model, dims, vector, created_at) VALUES (?, ?, ?, ?, 0, x'', ?)",
        ((_owner(n), kind, n + 1, LOCAL_MODEL, at) for n in numbers for kind in ("note", "memory")),
    )
    connection.execute("DELETE FROM unread_texts")


def _owner(number: int) -> str:
    return f"u{number % len(USERS)}"


def _conversations(first: int, last: int) -> range:
    return range(first // TURN_MESSAGES + 1, last // TURN_MESSAGES + 1)


async def compare(
    one: Path, other: Path, rounds: int, *, against: Path = REPOSITORY
) -> tuple[list[Speed], list[Speed]]:
    """Put the same load on two services in turns; `other` may be of another checkout. The first round warms up."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(all_running(one, USERS))
        second = await stack.enter_async_context(all_running(other, USERS, checkout=against))
        pairs = [(await _round(first, n), await _round(second, n)) for n in range(rounds + 1)][1:]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


async def _round(ports: Ports, number: int) -> Speed:
    name = f"hola, qué tal? {_letters(time.time_ns())} {_letters(number)}"
    chats: Chats = {who: [f"{name} {_letters(int(who[-3:]))} {_letters(n)}" for n in range(EACH)] for who in USERS}
    burst = await write_all(ports.service, chats)
    answers = await collect(ports.fakes, chats, burst.started_at)
    assert answers.is_flawless, answers
    return Speed(answers.answered / answers.late_s, median(burst.ack_ms))


def _letters(number: int) -> str:
    """Tell numbers apart by letters: digits alone are sorted as something to do with them."""
    return str(number).translate(_AS_LETTERS)


def _summary(speeds: list[Speed]) -> Speed:
    return Speed(median(one.replies for one in speeds), median(one.ack_ms for one in speeds))


def _shown(name: str, speed: Speed, base: Speed) -> str:
    return (
        f"{name}: {speed.replies:.1f} replies/s ({speed.replies / base.replies:.3f} of the base's {base.replies:.1f}),"
        f" ack p50 {speed.ack_ms:.1f} ms (base {base.ack_ms:.1f})"
    )


async def measure(rows: list[int], rounds: int, against: Path | None) -> list[tuple[int, float, float]]:
    """Measure and print; return for each size the ratio of replies, and of acknowledgements."""
    console, found = Console(soft_wrap=True, highlight=False), []
    with tempfile.TemporaryDirectory() as place:
        empty = Path(place, "empty")
        empty.mkdir()
        if against is not None:
            before = Path(place, "before")
            before.mkdir()
            now, then = (_summary(one) for one in await compare(empty, before, rounds, against=against))
            console.print(_shown("this checkout against the other, both empty", now, then))
        for count in rows:
            began, full = time.monotonic(), Path(place, f"full-{count}")
            await fill(full / "data" / "wasap.db", count)
            console.print(f"filled with {count:,} in {time.monotonic() - began:.0f} s")
            base, speed = (_summary(one) for one in await compare(empty, full, rounds))
            console.print(_shown(f"{count:,} handled messages, {count // 10:,} notes and facts", speed, base))
            found.append((count, speed.replies / base.replies, base.ack_ms / speed.ack_ms))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.bench.growth")
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.rows, asked.rounds, asked.against))
    if asked.picture is not None and found:
        replies = [(log10(count), ratio) for count, ratio, _ in found]
        acks = [(log10(count), ratio) for count, _, ratio in found]
        panels = [
            (
                "speed against an empty database (1 = the same)",
                {"replies": [(0.0, 1.0), *replies], "acks": [(0.0, 1.0), *acks]},
            )
        ]
        draw(asked.picture, "Cost over rows", panels, x_label="handled messages (10^x)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
