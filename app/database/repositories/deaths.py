"""Processes that serve together, which of them died, and the turns that ran in those.

Each process has a row while it lives; what it takes is marked with its id. Who finds it dead writes down how many
turns ran in it, and against each of them one death.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.database.db import Database, Transaction
from app.domain.clock import to_ms
from app.domain.ids import TurnId, UserId

MOST_ALONE: Final = 3
"""A turn that explains so many deaths more than happened without it is not tried again."""
MOST_DEATHS: Final = 10
"""So often a turn is tried at most, whatever else died."""
SUSPECT_DEATHS: Final = 2
"""A turn that so many processes died with is tried alone."""
_REMEMBERED: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Record:
    """What speaks for and against a turn.

    `deaths`: processes that died while it ran; `alone`: those in which nothing else ran. `others`: processes that
    died since the first of these without it, and for which no other single turn answers.
    """

    user_id: UserId
    turn_id: TurnId
    deaths: int
    alone: int
    others: int

    @property
    def is_convicted(self) -> bool:
        """The turn kills processes: it must not be tried again."""
        return self.alone - self.others >= MOST_ALONE or self.deaths >= MOST_DEATHS


class Deaths:
    """The processes of one database; see the module."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def begin(self, process_id: str, at: datetime, *, formerly: str = "") -> None:
        """Note a process that lives; `formerly` is what it was called before it lost its connection."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "DELETE FROM processes WHERE process_id = ? OR died_at < ?", formerly, to_ms(at - _REMEMBERED)
            )
            await tx.execute("INSERT INTO processes(process_id, began_at) VALUES (?, ?)", process_id, to_ms(at))
            await tx.execute(
                "UPDATE inbox INDEXED BY inbox_open SET taken_by = ? WHERE state = 'running' AND taken_by = ?",
                process_id,
                formerly,
            )

    async def end(self, process_id: str) -> None:
        """Forget a process that ends in good order."""
        async with self._db.transaction() as tx:
            await tx.execute("DELETE FROM processes WHERE process_id = ? AND died_at IS NULL", process_id)

    async def list_living(self) -> list[str]:
        """Return the processes that nobody has found dead."""
        rows = await self._db.fetch_all(
            "SELECT process_id FROM processes WHERE died_at IS NULL ORDER BY process_id"
        )
        return [row["process_id"] for row in rows]

    async def list_takers(self, user_ids: Collection[UserId]) -> list[str]:
        """Return the processes in which turns of these people were left running."""
        rows = await self._db.fetch_all(
            "SELECT DISTINCT taken_by FROM inbox INDEXED BY inbox_open WHERE state = 'running'"
            " AND taken_by IS NOT NULL AND user_id IN (SELECT value FROM json_each(?))",
            json.dumps(list(user_ids)),
        )
        return [row["taken_by"] for row in rows]

    async def note(self, process_ids: Collection[str], at: datetime) -> int:
        """Write down that these died, each once; returns how many of them nobody knew of."""
        if not process_ids:
            return 0
        async with self._db.transaction() as tx:
            return sum([await _note(process_id, at, tx) for process_id in process_ids])

    async def judge(self, user_ids: Collection[UserId]) -> list[Record]:
        """Return what is known of the turns of these people that a process left running."""
        rows = await self._db.fetch_all(
            "SELECT t.user_id, t.turn_id, t.deaths, t.alone, (SELECT count(*) FROM processes p"
            " WHERE p.died_at >= t.first_death_at AND p.turns <> 1) AS unclear FROM ("
            " SELECT user_id, turn_id, max(deaths) AS deaths, max(deaths_alone) AS alone,"
            " min(first_death_at) AS first_death_at FROM inbox INDEXED BY inbox_open"
            " WHERE state = 'running' AND user_id IN (SELECT value FROM json_each(?))"
            " GROUP BY user_id, turn_id) AS t ORDER BY t.turn_id",
            json.dumps(list(user_ids)),
        )
        return [
            Record(
                UserId(row["user_id"]),
                TurnId(row["turn_id"]),
                row["deaths"],
                row["alone"],
                # Those in which it ran beside others are no sign that it is innocent.
                max(0, row["unclear"] - (row["deaths"] - row["alone"])),
            )
            for row in rows
        ]

    async def list_suspects(self) -> dict[UserId, int]:
        """Return whose turns must run alone, and how many processes died with them."""
        rows = await self._db.fetch_all(
            "SELECT user_id, max(deaths) AS deaths FROM inbox INDEXED BY inbox_open"
            " WHERE (state = 'pending' OR state = 'running') AND deaths >= ? GROUP BY user_id",
            SUSPECT_DEATHS,
        )
        return {UserId(row["user_id"]): row["deaths"] for row in rows}


async def _note(process_id: str, at: datetime, tx: Transaction) -> bool:
    rows = await tx.fetch_all(
        "SELECT DISTINCT turn_id FROM inbox INDEXED BY inbox_open WHERE state = 'running' AND taken_by = ?",
        process_id,
    )
    is_new = await tx.execute(
        "UPDATE processes SET died_at = ?, turns = ? WHERE process_id = ? AND died_at IS NULL",
        to_ms(at),
        len(rows),
        process_id,
    )
    if is_new:
        await tx.execute(
            "UPDATE inbox INDEXED BY inbox_open SET deaths = deaths + 1, deaths_alone = deaths_alone + ?,"
            " first_death_at = coalesce(first_death_at, ?) WHERE state = 'running' AND taken_by = ?",
            int(len(rows) == 1),
            to_ms(at),
            process_id,
        )
    return bool(is_new)
