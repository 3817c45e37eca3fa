"""What waits, what failed and who writes: over all people, for whoever runs the service."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import TypeAdapter

from app.database.db import Database, Row
from app.database.repositories.traces import TurnTrace
from app.domain.clock import from_ms

_EVERY_TURN: Final = 2**62
_SHOWN_FAILURES: Final = 20
_TRACE: Final[TypeAdapter[TurnTrace]] = TypeAdapter(TurnTrace)


@dataclass(frozen=True, slots=True)
class Waiting:
    """So many rows of a box are in that state, the oldest since `since`."""

    state: str
    count: int
    since: datetime


@dataclass(frozen=True, slots=True)
class FailedSend:
    name: str | None
    error: str
    created_at: datetime


_REACTION: Final = (
    "(SELECT max(m.reaction) FROM messages m WHERE m.turn_id = turn_traces.turn_id AND m.role = 'assistant')"
    " AS reaction"
)


@dataclass(frozen=True, slots=True)
class Turn:
    turn_id: int
    name: str | None
    trace: TurnTrace
    at: datetime
    reaction: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One row of the inbox or the outbox; never its text."""

    kind: str
    state: str
    attempts: int
    at: datetime
    error: str | None


@dataclass(frozen=True, slots=True)
class Person:
    user_id: str
    name: str | None
    address: str
    trust: str
    language: str
    last_inbound_at: datetime


class Oversight:
    """Reads across everybody what holds no text of theirs; every list has its limit."""

    async def list_inbox(self, db: Database) -> list[Waiting]:
        rows = await db.fetch_all(
            "SELECT state, count(*) AS n, min(received_at) AS since FROM inbox INDEXED BY inbox_open"
            " WHERE state = 'pending' OR state = 'running' OR state = 'missed' GROUP BY state ORDER BY state"
        )
        return [Waiting(row["state"], row["n"], from_ms(row["since"])) for row in rows]

    async def list_outbox(self, db: Database) -> list[Waiting]:
        rows = await db.fetch_all(
            "SELECT state, count(*) AS n, min(created_at) AS since FROM outbox INDEXED BY outbox_open"
            " WHERE state = 'pending' OR state = 'sending' OR state = 'unknown' OR state = 'held'"
            " GROUP BY state ORDER BY state"
        )
        return [Waiting(row["state"], row["n"], from_ms(row["since"])) for row in rows]

    async def list_failed(self, db: Database) -> list[FailedSend]:
        """Return which of the last 500 messages were not sent, the newest first."""
        rows = await db.fetch_all(
            "SELECT user_id, state, error, created_at FROM outbox ORDER BY id DESC LIMIT 500"
        )
        failed = [row for row in rows if row["state"] == "failed"][:_SHOWN_FAILURES]
        people = await db.fetch_all(
            "SELECT user_id, name FROM users WHERE user_id IN (SELECT value FROM json_each(?))",
            json.dumps([row["user_id"] for row in failed]),
        )
        names = {row["user_id"]: row["name"] for row in people}
        return [
            FailedSend(names.get(row["user_id"]), row["error"] or "", from_ms(row["created_at"])) for row in failed
        ]

    async def list_turns(self, db: Database, *, limit: int, offset: int) -> list[Turn]:
        """Return the turns of everybody that were answered with the model, the newest first."""
        rows = await db.fetch_all(
            f"SELECT turn_id, trace, turn_traces.created_at, name, {_REACTION} FROM turn_traces"
            " CROSS JOIN users USING (user_id)"
            " WHERE turn_id < ? ORDER BY turn_id DESC LIMIT ? OFFSET ?",
            _EVERY_TURN,
            limit,
            offset,
        )
        return [_turn(row) for row in rows]

    async def find_turn(self, db: Database, turn_id: int) -> Turn | None:
        row = await db.fetch_one(
            f"SELECT turn_id, trace, turn_traces.created_at, name, {_REACTION} FROM turn_traces"
            " JOIN users USING (user_id)"
            " WHERE turn_id = ?",
            turn_id,
        )
        return None if row is None else _turn(row)

    async def list_received(self, db: Database, turn_id: int) -> list[Step]:
        """Return the messages that a turn answered."""
        rows = await db.fetch_all(
            "SELECT kind, state, attempts, received_at, error FROM inbox WHERE turn_id = ? ORDER BY id", turn_id
        )
        return [
            Step(row["kind"], row["state"], row["attempts"], from_ms(row["received_at"]), row["error"])
            for row in rows
        ]

    async def list_sent(self, db: Database, turn_id: int) -> list[Step]:
        """Return the messages that a turn sent."""
        rows = await db.fetch_all(
            "SELECT coalesce(delivery, state) AS state, attempts, created_at, error FROM outbox WHERE turn_id = ?"
            " ORDER BY seq",
            turn_id,
        )
        return [Step("", row["state"], row["attempts"], from_ms(row["created_at"]), row["error"]) for row in rows]

    async def list_people(self, db: Database, *, limit: int, offset: int) -> list[Person]:
        """Return everybody, whoever wrote last first."""
        rows = await db.fetch_all(
            "SELECT * FROM users ORDER BY last_inbound_at DESC, user_id LIMIT ? OFFSET ?", limit, offset
        )
        return [
            Person(
                row["user_id"],
                row["name"],
                row["wa_id"] or row["bsuid"] or "",
                row["trust"],
                row["language"],
                from_ms(row["last_inbound_at"]),
            )
            for row in rows
        ]

    async def count_people(self, db: Database) -> int:
        row = await db.fetch_one("SELECT count(*) AS n FROM users")
        return 0 if row is None else int(row["n"])


def _turn(row: Row) -> Turn:
    trace = _TRACE.validate_json(row["trace"])
    return Turn(row["turn_id"], row["name"], trace, from_ms(row["created_at"]), row["reaction"])
