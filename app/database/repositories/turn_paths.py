"""What became of one message inside the service: inbox, trace, outbox. For the simulator's eyes."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from app.database.db import Database
from app.database.repositories.traces import TurnTrace
from app.domain.clock import from_ms
from app.domain.phones import phone_alias


@dataclass(frozen=True, slots=True)
class PathReply:
    """One row of the outbox; `delivery` is what Meta's statuses said last."""

    state: str
    delivery: str | None
    attempts: int
    message_id: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class TurnPath:
    """`turn_id` is None until the message has been taken up; `trace` until its turn has ended.

    A turn of several messages has one trace and one set of replies. `reaction` is what the person gave the answer.
    """

    state: str
    lane: str
    kind: str
    attempts: int
    received_at: datetime
    finished_at: datetime | None
    error: str | None
    turn_id: int | None
    trace: TurnTrace | None
    replies: tuple[PathReply, ...]
    reaction: str | None = None


_TRACE: TypeAdapter[TurnTrace] = TypeAdapter(TurnTrace)


class TurnPaths:
    """A look-up that starts from a phone number, and finds that person's messages only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, wa_id: str, message_id: str) -> TurnPath | None:
        """Return the path of a message that this person wrote, or None when it never arrived."""
        row = await self._db.fetch_one(
            "SELECT i.user_id, i.state, i.lane, i.kind, i.attempts, i.received_at, i.finished_at, i.error,"
            " i.turn_id,"
            " (SELECT t.trace FROM turn_traces t WHERE t.user_id = i.user_id AND t.turn_id = i.turn_id) AS trace,"
            " (SELECT max(m.reaction) FROM messages m WHERE m.turn_id = i.turn_id AND m.user_id = i.user_id"
            " AND m.role = 'assistant') AS reaction"
            " FROM inbox i JOIN identities a USING (user_id) WHERE a.alias = ? AND i.message_id = ?",
            phone_alias(wa_id),
            message_id,
        )
        if row is None:
            return None
        replies = await self._db.fetch_all(
            "SELECT state, delivery, attempts, message_id, error FROM outbox"
            " WHERE user_id = ? AND turn_id = ? ORDER BY seq",
            row["user_id"],
            row["turn_id"],
        )
        return TurnPath(
            state=row["state"],
            lane=row["lane"],
            kind=row["kind"],
            attempts=row["attempts"],
            received_at=from_ms(row["received_at"]),
            finished_at=None if row["finished_at"] is None else from_ms(row["finished_at"]),
            error=row["error"],
            turn_id=row["turn_id"],
            trace=None if row["trace"] is None else _TRACE.validate_json(row["trace"]),
            reaction=row["reaction"],
            replies=tuple(PathReply(**dict(reply)) for reply in replies),
        )
