"""A search by words starts at the words: what other rows there are costs nothing."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final

import pytest

from app.database.db import Database, Row, Value
from app.database.sqlite import SqliteDatabase
from app.domain.ids import UserId
from app.memory.past import Days, Snapshots
from app.memory.repository import Memories
from tests.databases import migrated

ANN: Final = UserId("ann")
NOW: Final = datetime(2026, 1, 2, tzinfo=UTC)


class PlanReader(SqliteDatabase):
    """Reads as the database that it shares, and keeps SQLite's plan of every full-text query."""

    def __init__(self, db: Database) -> None:
        self._real = db
        self.plans: list[list[str]] = []

    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        if " MATCH " in sql:
            steps = await self._real.fetch_all(f"EXPLAIN QUERY PLAN {sql}", *values)
            self.plans.append([step["detail"] for step in steps])
        return await self._real.fetch_all(sql, *values)


Search = Callable[[Database], Awaitable[object]]
SEARCHES: Final[dict[str, Search]] = {
    "memories": lambda db: Memories(db).search(ANN, ["fern"], limit=5),
    "snapshots": lambda db: Snapshots(db).search(ANN, "fern", limit=5),
    "daily_events": lambda db: Days(db).search(ANN, "fern", limit=5),
}


@pytest.mark.parametrize("table", SEARCHES)
async def test_words_are_looked_up_once_and_their_rows_by_number(table: str) -> None:
    await assert_words_come_first(SEARCHES[table])


async def assert_words_come_first(search: Search) -> None:
    """A search of an ability's repository looks up the words once and their rows by number."""
    async with migrated() as db:
        reader = PlanReader(db)

        await search(reader)

    [first, second, *_] = reader.plans[0]
    # Rows first would search the whole index again for each of them: 745 ms for one search in 10,000 notes.
    assert first.startswith("SCAN ")
    assert "VIRTUAL TABLE INDEX" in first
    assert second.startswith("SEARCH ")
    assert "INTEGER PRIMARY KEY" in second
