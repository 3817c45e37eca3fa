"""Days: what happened to a person on which day, as they told it."""

from dataclasses import dataclass
from datetime import date, datetime

from app.database.db import Database, Row, Transaction
from app.database.repositories.matching import first_found
from app.domain.clock import from_ms, to_ms
from app.domain.ids import TurnId, UserId


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

        async def full_text(expression: str) -> list[Row]:
            # CROSS: the words first. Else SQLite goes through the person's rows, and searches anew for each.
            return await self._db.fetch_all(
                "SELECT daily_events.* FROM daily_events_fts"
                " CROSS JOIN daily_events ON daily_events.id = daily_events_fts.rowid"
                " WHERE daily_events_fts MATCH ? AND daily_events.user_id = ?"
                " ORDER BY daily_events_fts.rank, daily_events.id DESC LIMIT ?",
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

    async def delete_turn(self, user_id: UserId, turn_id: TurnId, *, tx: Transaction) -> int:
        """Forget what was told in that turn; returns how many events that were."""
        return await tx.execute(
            "DELETE FROM daily_events WHERE user_id = ? AND source_turn_id = ?", user_id, turn_id
        )


def _event(row: Row) -> DayEvent:
    return DayEvent(
        date.fromisoformat(row["day"]), row["text"], TurnId(row["source_turn_id"]), from_ms(row["created_at"])
    )
