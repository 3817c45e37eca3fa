"""Approvals: which question was asked before which call, and how it was answered.

States: pending → yes | no | abort | expired | cancelled. Every transition leaves `pending`, so the first wins;
only a restart also ends as `expired` what it cancelled when it cut the turn off.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Transaction
from app.domain.clock import to_ms
from app.domain.ids import TurnId, UserId, WaMessageId

Answer = Literal["yes", "no", "abort"]
ApprovalState = Literal["pending", "yes", "no", "abort", "expired", "cancelled"]

_GOES_ON: Final = (
    "EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = approvals.turn_id AND i.user_id = approvals.user_id"
    " AND i.state IN ('pending', 'running'))"
)


@dataclass(frozen=True, slots=True)
class NewApproval:
    """`call_hash` stands for the one call (tool and arguments) that the answer is about."""

    token: str
    turn_id: TurnId
    tool: str
    call_hash: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Closed:
    """How a question ended; `was_sent` is False when its message never left for WhatsApp."""

    state: ApprovalState
    was_sent: bool


@dataclass(frozen=True, slots=True)
class LostQuestion:
    """A question that its person may have seen and nobody waits for any more; its turn is tried again."""

    user_id: UserId
    turn_id: TurnId


class Approvals:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def has_written_since(self, user_id: UserId, since: datetime) -> bool:
        """Tell whether the user exists and wrote after `since`, so that Meta lets us write to them."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM users WHERE user_id = ? AND last_inbound_at > ?", user_id, to_ms(since)
        )
        return row is not None

    async def add(self, user_id: UserId, approval: NewApproval, *, tx: Transaction) -> None:
        """Store a pending question whose message is the one last added to the user's outbox."""
        await tx.execute(
            "INSERT INTO approvals(token, user_id, turn_id, tool, call_hash, state, outbox_id, created_at,"
            " expires_at) SELECT ?1, ?2, ?3, ?4, ?5, 'pending', max(id), ?6, ?7 FROM outbox WHERE user_id = ?2",
            approval.token,
            user_id,
            approval.turn_id,
            approval.tool,
            approval.call_hash,
            to_ms(approval.created_at),
            to_ms(approval.expires_at),
        )

    async def answer(
        self, user_id: UserId, token: str, answer: Answer, at: datetime, *, tx: Transaction
    ) -> str | None:
        """Take the user's answer and return the tool's name; None when that question is not open to them."""
        row = await tx.fetch_one(
            "UPDATE approvals SET state = ?1, answered_at = ?2"
            " WHERE token = ?3 AND user_id = ?4 AND state = 'pending' AND expires_at > ?2 RETURNING tool",
            answer,
            to_ms(at),
            token,
            user_id,
        )
        return None if row is None else str(row["tool"])

    async def close(self, user_id: UserId, token: str, state: Literal["expired", "cancelled"]) -> Closed:
        """End a question that is still open, and return how it ended in fact."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE approvals SET state = ? WHERE token = ? AND user_id = ? AND state = 'pending'",
                state,
                token,
                user_id,
            )
            row = await tx.fetch_one(
                "SELECT a.state, o.state AS sending FROM approvals a LEFT JOIN outbox o ON o.id = a.outbox_id"
                " WHERE a.token = ? AND a.user_id = ?",
                token,
                user_id,
            )
        if row is None:
            return Closed(state, was_sent=False)
        return Closed(row["state"], was_sent=row["sending"] in {"sending", "unknown", "sent"})

    async def find_message_id(self, user_id: UserId, token: str) -> WaMessageId | None:
        """Return Meta's id of the message that asked; None while it was not accepted."""
        row = await self._db.fetch_one(
            "SELECT o.message_id FROM approvals a JOIN outbox o ON o.id = a.outbox_id"
            " WHERE a.token = ? AND a.user_id = ?",
            token,
            user_id,
        )
        return None if row is None or row["message_id"] is None else WaMessageId(row["message_id"])


class ApprovalQueue:
    """The side of the approvals that serves all users at once: recovery."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def expire_leftovers(self, *, tx: Transaction) -> list[LostQuestion]:
        """End every question that an earlier process asked; none of them is sent, or sent again, from now on.

        Returns, oldest first, what people may have seen in turns that go on, a question for each turn.
        """
        rows = await tx.fetch_all(
            "UPDATE approvals SET state = 'expired' WHERE state = 'pending'"
            f" OR (state = 'cancelled' AND {_GOES_ON}) RETURNING outbox_id"
        )
        outbox_ids = json.dumps([row["outbox_id"] for row in rows])
        seen = await tx.fetch_all(
            "SELECT approvals.user_id, approvals.turn_id FROM approvals JOIN outbox o ON o.id = outbox_id"
            " WHERE outbox_id IN (SELECT value FROM json_each(?)) AND o.state IN ('sending', 'unknown', 'sent')"
            f" AND {_GOES_ON} GROUP BY approvals.turn_id ORDER BY approvals.turn_id",
            outbox_ids,
        )
        await tx.execute(
            "UPDATE outbox SET state = 'failed', error = 'question_expired'"
            " WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('pending', 'held', 'sending', 'unknown')",
            outbox_ids,
        )
        return [LostQuestion(UserId(row["user_id"]), TurnId(row["turn_id"])) for row in seen]
