"""Snapshots: what is kept of a conversation that ended, numbered per person."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from app.database.db import Database, Row
from app.database.repositories.matching import first_found
from app.database.repositories.summaries import Standing
from app.database.repositories.users import next_number
from app.domain.clock import from_ms, to_ms
from app.domain.ids import ConversationId, UserId


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`id` is what vectors are stored under; `number` is what a person says, never given twice."""

    id: int
    number: int
    conversation_id: ConversationId
    title: str
    text: str
    started_at: datetime
    ended_at: datetime


class Snapshots:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        *,
        title: str,
        text: str,
        base: Standing,
        at: datetime,
    ) -> bool:
        """Keep a snapshot of the ended conversation that `base` was read from; returns whether it was added.

        Not when it has one already, is still open, or a message was taken back or rewritten meanwhile.
        """
        async with self._db.transaction() as tx:
            row = await tx.fetch_one(
                "SELECT started_at, ended_at FROM conversations WHERE user_id = ?1 AND id = ?2 AND revision = ?3"
                " AND ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM snapshots WHERE conversation_id = ?2)",
                user_id,
                conversation_id,
                base.revision,
            )
            if row is None:
                return False
            await tx.execute(
                "INSERT INTO snapshots(user_id, number, conversation_id, title, text, started_at, ended_at,"
                " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                user_id,
                await next_number(user_id, "snapshot", tx=tx),
                conversation_id,
                title,
                text,
                row["started_at"],
                row["ended_at"],
                to_ms(at),
            )
        return True

    async def find(self, user_id: UserId, number: int) -> Snapshot | None:
        row = await self._db.fetch_one("SELECT * FROM snapshots WHERE user_id = ? AND number = ?", user_id, number)
        return None if row is None else _snapshot(row)

    async def list_recent(self, user_id: UserId, *, limit: int) -> list[Snapshot]:
        """Return the person's snapshots, newest first."""
        rows = await self._db.fetch_all(
            "SELECT * FROM snapshots WHERE user_id = ? ORDER BY ended_at DESC, id DESC LIMIT ?", user_id, limit
        )
        return [_snapshot(row) for row in rows]

    async def list_by_ids(self, user_id: UserId, ids: Collection[int]) -> list[Snapshot]:
        """Return those of the snapshots that are the person's, in no order; for the hits of a vector search."""
        rows = await self._db.fetch_all(
            "SELECT * FROM snapshots WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))",
            user_id,
            json.dumps(list(ids)),
        )
        return [_snapshot(row) for row in rows]

    async def search(self, user_id: UserId, query: str, *, limit: int) -> list[Snapshot]:
        """Return the snapshots that hold the words, best first; a word of the title counts twice."""

        async def full_text(expression: str) -> list[Row]:
            # CROSS: the words first. Else SQLite goes through the person's rows, and searches anew for each.
            return await self._db.fetch_all(
                "SELECT snapshots.* FROM snapshots_fts"
                " CROSS JOIN snapshots ON snapshots.id = snapshots_fts.rowid"
                " WHERE snapshots_fts MATCH ? AND snapshots.user_id = ?"
                " ORDER BY bm25(snapshots_fts, 2.0, 1.0), snapshots.id DESC LIMIT ?",
                expression,
                user_id,
                limit,
            )

        async def like(pattern: str) -> list[Row]:
            return await self._db.fetch_all(
                "SELECT * FROM snapshots WHERE user_id = ?1"
                " AND (title LIKE ?2 ESCAPE '\\' OR text LIKE ?2 ESCAPE '\\') ORDER BY id DESC LIMIT ?3",
                user_id,
                pattern,
                limit,
            )

        return [_snapshot(row) for row in await first_found(query, full_text, like)]


def _snapshot(row: Row) -> Snapshot:
    return Snapshot(
        row["id"],
        row["number"],
        ConversationId(row["conversation_id"]),
        row["title"],
        row["text"],
        from_ms(row["started_at"]),
        from_ms(row["ended_at"]),
    )
