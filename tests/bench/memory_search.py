"""How long a user's search by meaning takes among everybody's memories: `python -m tests.bench.memory_search`.

The vectors are made up: around 2,000 topics, as memories lie around what people talk about. What a model takes to
read the question is not in the times.
"""

import asyncio
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Final

import numpy as np
import structlog
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from app.database.db import Database
from app.database.migrate import migrate
from app.database.repository import Repository
from app.database.vectors import BruteForceIndex, open_index
from app.domain.ids import UserId

MEMORIES: Final = 100_000
USERS: Final = 50
DIMS: Final = 512
TOPICS: Final = 2_000
SEARCHES: Final = 400
WANTED: Final = 5
MODEL: Final = "made up"
_BATCH: Final = 5_000

Matrix = NDArray[np.float32]
Question = tuple[UserId, Matrix]
Search = Callable[[UserId, Matrix], Awaitable[list[int]]]


@dataclass(frozen=True, slots=True)
class Speed:
    """What one way of searching took and found; `recall` is against the exact nearest of the user."""

    name: str
    times_ms: tuple[float, ...]
    recall: float


async def measure(directory: Path) -> tuple[list[Speed], float]:
    """Store the memories, search in three ways, and return their speeds and the seconds the index took."""
    vectors, questions = _made_up()
    async with Database.open(directory / "bench.db") as db:
        await migrate(db)
        await _store(db, vectors)
        began = time.perf_counter()
        index = await open_index(db, MODEL)
        built_s = time.perf_counter() - began
        exact = BruteForceIndex(db, MODEL)

        async def indexed(user_id: UserId, wanted: Matrix) -> list[int]:
            hits = await index.search(user_id, wanted.tobytes(), kinds=["memory"], limit=WANTED)
            return [hit.owner_id for hit in hits]

        async def users_rows(user_id: UserId, wanted: Matrix) -> list[int]:
            hits = await exact.search(user_id, wanted.tobytes(), kinds=["memory"], limit=WANTED)
            return [hit.owner_id for hit in hits]

        async def all_rows(user_id: UserId, wanted: Matrix) -> list[int]:
            return await asyncio.to_thread(_scan, vectors, int(user_id), wanted)

        truth = [_scan(vectors, int(user_id), wanted) for user_id, wanted in questions]
        name = "sqlite-vec, the user's partition" if db.has_vectors else "NO VECTOR EXTENSION: exact scan"
        speeds = [
            await _time(name, indexed, questions, truth),
            await _time("exact scan of the user's rows", users_rows, questions, truth),
            await _time("exact scan of all rows, held in memory", all_rows, questions, truth),
        ]
        began = time.perf_counter()
        await Repository(db).embeddings.list_missing(MODEL, limit=32)
        looked_ms = (time.perf_counter() - began) * 1000
    return [*speeds, Speed("is anything unread? (once)", (looked_ms, looked_ms), float("nan"))], built_s


def show(speeds: Sequence[Speed], built_s: float) -> None:
    """Print the table."""
    table = Table(title=f"{MEMORIES:,} memories of {USERS} people, {DIMS} dimensions", title_justify="left")
    for column in ("", "p50 (ms)", "p99 (ms)", f"recall@{WANTED}"):
        table.add_column(column, justify="left" if column == "" else "right")
    for speed in speeds:
        cuts = quantiles(speed.times_ms, n=100, method="inclusive")
        recall = "" if speed.recall != speed.recall else f"{speed.recall:.3f}"
        table.add_row(speed.name, f"{cuts[49]:.1f}", f"{cuts[98]:.1f}", recall)
    console = Console(width=110)
    console.print(table)
    console.print(f"the index was built from what is stored in {built_s:.1f} s")


def run() -> None:
    """Measure and print."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory() as directory:
        show(*asyncio.run(measure(Path(directory))))


def _made_up() -> tuple[Matrix, list[Question]]:
    """Vectors by row (row n is of user n % USERS and has the id n + 1), and questions near some of them."""
    rng = np.random.default_rng(20260102)
    topics = _unit(rng.standard_normal((TOPICS, DIMS)))
    vectors = _unit(topics[rng.integers(0, TOPICS, MEMORIES)] + 0.03 * rng.standard_normal((MEMORIES, DIMS)))
    about = rng.integers(0, MEMORIES, SEARCHES)
    asked = _unit(vectors[about] + 0.03 * rng.standard_normal((SEARCHES, DIMS)))
    return vectors, [(_user(int(row)), wanted) for row, wanted in zip(about, asked, strict=True)]


def _unit(matrix: NDArray[np.float64] | Matrix) -> Matrix:
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def _user(row: int) -> UserId:
    return UserId(f"{row % USERS:02}")


async def _store(db: Database, vectors: Matrix) -> None:
    async with db.transaction() as tx:
        await tx.execute_many(
            "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'es', 0, 0)",
            [(_user(number),) for number in range(USERS)],
        )
    for begin in range(0, MEMORIES, _BATCH):
        rows = range(begin, begin + _BATCH)
        async with db.transaction() as tx:
            await tx.execute_many(
                "INSERT INTO memories(id, user_id, number, text, text_key, created_at, updated_at)"
                " VALUES (?1, ?2, ?1, 'memory ' || ?1, 'memory ' || ?1, 0, 0)",
                [(row + 1, _user(row)) for row in rows],
            )
            await tx.execute_many(
                "INSERT INTO embeddings(user_id, kind, owner_id, model, dims, vector, created_at)"
                " VALUES (?, 'memory', ?, ?, ?, ?, 0)",
                [(_user(row), row + 1, MODEL, DIMS, vectors[row].tobytes()) for row in rows],
            )


def _scan(vectors: Matrix, user: int, wanted: Matrix) -> list[int]:
    """Compare with everybody's vectors, then keep the user's nearest."""
    similarities = np.einsum("ij,j->i", vectors, wanted)[user::USERS]
    return [int(at) * USERS + user + 1 for at in np.argsort(-similarities, kind="stable")[:WANTED]]


async def _time(name: str, search: Search, questions: Sequence[Question], truth: Sequence[list[int]]) -> Speed:
    times_ms, right = [], 0
    for (user_id, wanted), exact in zip(questions, truth, strict=True):
        began = time.perf_counter()
        found = await search(user_id, wanted)
        times_ms.append((time.perf_counter() - began) * 1000)
        right += len(set(found) & set(exact))
    return Speed(name, tuple(times_ms), right / (WANTED * len(questions)))


if __name__ == "__main__":
    run()
