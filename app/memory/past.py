"""What stays of past days and of conversations that ended: events by day, and snapshots, numbered per person."""

from dataclasses import dataclass
from datetime import date, datetime

from app.database.db import Database, Row, Transaction
from app.database.full_text import word_search
from app.database.repositories.matching import first_found
from app.database.repositories.summaries import Standing
from app.database.repositories.users import next_number
from app.domain.clock import from_ms, to_ms
from app.domain.ids import ConversationId, TurnId, UserId


@dataclass(frozen=True, slots=True)
class DayEvent:
    """`day` is a date in the person's zone, `created_at` the moment when it was told."""

    day: date
    text: str
    turn_id: TurnId
    created_at: datetime


class Days:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, user_id: UserId, event: DayEvent, *, tx: Transaction) -> bool:
        """Keep an event; returns False when that day already has it in these words."""
        return (
            await tx.execute(
                "INSERT INTO daily_events(user_id, day, text, source_turn_id, created_at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (user_id, day, text) DO NOTHING",
                user_id,
                event.day.isoformat(),
                event.text,
                event.turn_id,
                to_ms(event.created_at),
            )
            == 1
        )

    async def list_between(self, user_id: UserId, first: date, last: date, *, limit: int) -> list[DayEvent]:
        """Return the newest events of those days, both included, in the order in which they were told."""
        rows = await self._db.fetch_all(
            "SELECT * FROM daily_events WHERE user_id = ? AND day BETWEEN ? AND ?"
            " ORDER BY day DESC, created_at DESC, id DESC LIMIT ?",
            user_id,
            first.isoformat(),
            last.isoformat(),
            limit,
        )
        return [_event(row) for row in reversed(rows)]

    async def search(self, user_id: UserId, query: str, *, limit: int) -> list[DayEvent]:
        """Return the events that hold the words, best first; see `Notes.search`."""
        words = word_search(self._db, "daily_events_fts")

        async def full_text(expression: str) -> list[Row]:
            # CROSS: the words first. Else SQLite goes through the person's rows, and searches anew for each.
            return await self._db.fetch_all(
                "SELECT daily_events.* FROM daily_events_fts"
                " CROSS JOIN daily_events ON daily_events.id = daily_events_fts.rowid"
                f" WHERE {words.matches} AND daily_events.user_id = ?2"
                f" ORDER BY {words.cost}, daily_events.id DESC LIMIT ?3",
                expression,
                user_id,
                limit,
            )

        async def like(pattern: str) -> list[Row]:
            return await self._db.fetch_all(
                "SELECT * FROM daily_events WHERE user_id = ? AND text LIKE ? ESCAPE '\\'"
                " ORDER BY id DESC LIMIT ?",
                user_id,
                pattern,
                limit,
            )

        return [_event(row) for row in await first_found(query, full_text, like)]


def _event(row: Row) -> DayEvent:
    return DayEvent(
        date.fromisoformat(row["day"]), row["text"], TurnId(row["source_turn_id"]), from_ms(row["created_at"])
    )


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

    async def list_recent(self, user_id: UserId, *, limit: int) -> list[Snapshot]:
        """Return the person's snapshots, newest first."""
        rows = await self._db.fetch_all(
            "SELECT * FROM snapshots WHERE user_id = ? ORDER BY ended_at DESC, id DESC LIMIT ?", user_id, limit
        )
        return [_snapshot(row) for row in rows]

    async def search(self, user_id: UserId, query: str, *, limit: int) -> list[Snapshot]:
        """Return the snapshots that hold the words, best first; a word of the title counts twice."""
        words = word_search(self._db, "snapshots_fts", 2.0, 1.0)

        async def full_text(expression: str) -> list[Row]:
            # CROSS: the words first. Else SQLite goes through the person's rows, and searches anew for each.
            return await self._db.fetch_all(
                "SELECT snapshots.* FROM snapshots_fts"
                " CROSS JOIN snapshots ON snapshots.id = snapshots_fts.rowid"
                f" WHERE {words.matches} AND snapshots.user_id = ?2"
                f" ORDER BY {words.cost}, snapshots.id DESC LIMIT ?3",
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
