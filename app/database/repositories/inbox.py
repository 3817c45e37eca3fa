"""The inbox: every accepted message, and how far its turn has come.

States: pending → running → done | cancelled | dead; `missed` arrived too late to be answered.
Every transition names the state that it leaves.
"""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import from_ms, to_ms
from app.domain.errors import Conflict
from app.domain.ids import InboxId, TurnId, UserId, WaMessageId
from app.domain.inbound import PURPOSES, Edit, InboundMessage, Lane, Purpose, decode_message, encode_message

NewState = Literal["pending", "missed", "cancelled"]

REVOKED_PAYLOAD: Final = "{}"
TAKEN: Final = "inbox_taken"
_RUNS_ANOTHER: Final = "SELECT 1 FROM inbox WHERE user_id = ? AND lane = ? AND state = 'running' AND claim_id <> ?"
IS_RUNNING: Final = "state = 'running' AND (? = '' OR claim_id = ?)"
"""The turn runs, and was not taken anew since; with the id of the claim, twice. An empty one is any."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A message on its way into the inbox; `ref_id` is the message it edits, revokes or reacts to.

    Without a `purpose`, what it is for is decided when its turn begins. `answers` is which question it answers.
    """

    user_id: UserId
    message: InboundMessage
    lane: Lane
    is_mergeable: bool
    received_at: datetime
    available_at: datetime
    ref_id: WaMessageId | None = None
    state: NewState = "pending"
    purpose: Purpose | None = None
    answers: str | None = None


@dataclass(frozen=True, slots=True)
class PendingRow:
    """What the lane needs to decide what comes next, without the message itself."""

    id: InboxId
    message_id: WaMessageId
    is_mergeable: bool
    turn_id: TurnId | None
    received_at: datetime
    available_at: datetime


@dataclass(frozen=True, slots=True)
class InboxRow:
    """`purpose` is None in rows of older versions, and where an edit changed what the message says."""

    id: InboxId
    message: InboundMessage
    attempts: int
    received_at: datetime
    lane: Lane = "turn"
    purpose: Purpose | None = None
    answers: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The rows of one turn, oldest first; `turn_id` is the id of the row that opened it.

    `is_retry`: the turn was begun before, whether or not that attempt counts. `claim_id`, where several processes
    serve: what is done by it is refused once the turn was taken anew.
    """

    user_id: UserId
    turn_id: TurnId
    rows: tuple[InboxRow, ...]
    is_retry: bool = False
    claim_id: str = ""

    @property
    def attempt(self) -> int:
        return max(row.attempts for row in self.rows)


class Inbox:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_pending(self, user_id: UserId, lane: Lane, *, limit: int = 40) -> list[PendingRow]:
        """Return the user's waiting rows in the order in which they were sent; none while trust is asked."""
        rows = await self._db.fetch_all(
            "SELECT i.id, i.message_id, i.is_mergeable, i.turn_id, i.received_at, i.available_at"
            " FROM inbox i INDEXED BY inbox_open JOIN users u USING (user_id) WHERE i.user_id = ? AND i.lane = ?"
            " AND i.state = 'pending' AND u.trust = 'trusted' ORDER BY i.sent_at, i.id LIMIT ?",
            user_id,
            lane,
            limit,
        )
        return [
            PendingRow(
                InboxId(row["id"]),
                WaMessageId(row["message_id"]),
                bool(row["is_mergeable"]),
                TurnId(row["turn_id"]) if row["turn_id"] is not None else None,
                from_ms(row["received_at"]),
                from_ms(row["available_at"]),
            )
            for row in rows
        ]

    async def list_of_turn(self, user_id: UserId, turn_id: TurnId) -> list[InboundMessage]:
        """Return what the user wrote for that turn, in order, as it reads now.

        An edit has its own turn when its message was answered already: that answers all messages of the first.
        """
        rows = await self._db.fetch_all(
            "SELECT payload FROM inbox WHERE turn_id = ? AND user_id = ? ORDER BY sent_at, id", turn_id, user_id
        )
        messages = [decode_message(row["payload"]) for row in rows if row["payload"] != REVOKED_PAYLOAD]
        match messages:
            case [InboundMessage(content=Edit(original_id=original_id))]:
                first = await self._db.fetch_one(
                    "SELECT turn_id FROM inbox WHERE user_id = ? AND message_id = ?", user_id, original_id
                )
                if first is None or first["turn_id"] is None:
                    return []
                return await self.list_of_turn(user_id, TurnId(first["turn_id"]))
            case _:
                return messages

    async def claim(
        self,
        user_id: UserId,
        turn_id: TurnId,
        ids: Sequence[InboxId],
        *,
        is_retry: bool = False,
        taken_by: str | None = None,
    ) -> Claim:
        """Take rows for a turn; counts one attempt, even if the process dies later.

        `taken_by` is the process, where several serve.

        Raises:
            Conflict: one of them is no longer pending, or another process has a turn of that lane (`TAKEN`).
        """
        claim_id = secrets.token_hex(8) if taken_by is not None else ""
        async with self._db.transaction() as tx:
            rows = await tx.fetch_all(
                "UPDATE inbox SET state = 'running', attempts = attempts + 1, turn_id = ?, taken_by = ?,"
                " claim_id = ? WHERE user_id = ? AND state = 'pending'"
                " AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
                " RETURNING id, payload, attempts, received_at, lane, purpose, answers",
                turn_id,
                taken_by,
                claim_id,
                user_id,
                json.dumps(ids),
            )
            if len(rows) != len(ids):
                raise Conflict("inbox_row_gone")
            if claim_id and await tx.fetch_one(_RUNS_ANOTHER, user_id, rows[0]["lane"], claim_id):
                raise Conflict(TAKEN)
        by_id = {row["id"]: row for row in rows}
        return Claim(user_id, turn_id, tuple(_inbox_row(by_id[row_id]) for row_id in ids), is_retry, claim_id)

    async def finish(  # noqa: PLR0913 - what a turn ends with
        self,
        user_id: UserId,
        turn_id: TurnId,
        at: datetime,
        *,
        outcome: Literal["done", "cancelled", "dead"],
        error: str | None = None,
        claim_id: str = "",
        tx: Transaction,
    ) -> None:
        """Close the rows of a running turn; `dead`: it is given up after its last attempt.

        Raises:
            Conflict: the turn is no longer running; the caller's transaction must not commit.
        """
        changed = await tx.execute(
            "UPDATE inbox SET state = ?, finished_at = ?, error = coalesce(?, error)"
            f" WHERE user_id = ? AND turn_id = ? AND {IS_RUNNING}",
            outcome,
            to_ms(at),
            error,
            user_id,
            turn_id,
            *(claim_id, claim_id),
        )
        if not changed:
            raise Conflict("turn_not_running", f"turn {turn_id}")

    async def release(
        self,
        user_id: UserId,
        turn_id: TurnId,
        available_at: datetime,
        *,
        is_attempt_kept: bool,
        error: str = "",
        claim_id: str = "",
    ) -> None:
        """Put a running turn back in the queue; an attempt that was not the message's fault is given back."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE inbox SET state = 'pending', available_at = ?, attempts = attempts - ?, error = ?"
                f" WHERE user_id = ? AND turn_id = ? AND {IS_RUNNING}",
                to_ms(available_at),
                0 if is_attempt_kept else 1,
                error,
                user_id,
                turn_id,
                *(claim_id, claim_id),
            )

    async def cancel_open(self, user_id: UserId, before: TurnId, at: datetime, *, tx: Transaction) -> int:
        """Cancel what this user asked for before a row and is not finished; returns how many messages.

        Edits, revocations, reactions and system rows keep their effect, but edits are no longer answered. One
        that is running goes back in the queue when anything was cancelled, because its task may be stopped.
        """
        count = await tx.execute(
            "UPDATE inbox INDEXED BY inbox_open SET state = 'cancelled', finished_at = ?"
            " WHERE user_id = ? AND lane = 'turn' AND (state = 'pending' OR state = 'running') AND id < ?"
            " AND ref_id IS NULL AND kind <> 'system'",
            to_ms(at),
            user_id,
            before,
        )
        count += await tx.execute(
            "UPDATE inbox INDEXED BY inbox_open SET purpose = 'change'"
            " WHERE user_id = ? AND lane = 'turn' AND (state = 'pending' OR state = 'running') AND id < ?"
            " AND purpose = 'rewrite'",
            user_id,
            before,
        )
        if count:
            await tx.execute(
                "UPDATE inbox INDEXED BY inbox_open SET state = 'pending', attempts = attempts - 1"
                " WHERE user_id = ? AND lane = 'turn' AND state = 'running' AND id < ?",
                user_id,
                before,
            )
        return count

    async def list_missed(self, user_id: UserId) -> list[InboxRow]:
        """Return what arrived too late to be answered and was not mentioned yet."""
        rows = await self._db.fetch_all(
            "SELECT id, payload, attempts, received_at, lane, purpose, answers FROM inbox INDEXED BY inbox_open"
            " WHERE user_id = ? AND lane = 'turn' AND state = 'missed' ORDER BY sent_at, id",
            user_id,
        )
        return [_inbox_row(row) for row in rows]

    async def acknowledge_missed(
        self, user_id: UserId, ids: Collection[InboxId], at: datetime, *, tx: Transaction
    ) -> None:
        await tx.execute(
            "UPDATE inbox SET state = 'done', finished_at = ? WHERE user_id = ? AND state = 'missed'"
            " AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
            to_ms(at),
            user_id,
            json.dumps(list(ids)),
        )


class InboxQueue:
    """The side of the inbox that serves all users at once: accepting, recovery, figures."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def accept(self, rows: Sequence[NewRow], *, tx: Transaction) -> list[NewRow]:
        """Store the messages that were never seen before; returns exactly those."""
        first = {row.message.id: row for row in reversed(rows)}
        inserted = await tx.fetch_all(
            "INSERT INTO processed_messages(message_id, received_at)"
            " SELECT value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING RETURNING message_id",
            to_ms(rows[0].received_at),
            json.dumps(list(first)),
        )
        new_ids = {row["message_id"] for row in inserted}
        fresh = [row for row in rows if row.message.id in new_ids and first[row.message.id] is row]
        await tx.execute_many(
            "INSERT INTO inbox(user_id, message_id, lane, kind, ref_id, is_mergeable, payload, state, sent_at,"
            " received_at, available_at, purpose, answers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_values(row) for row in fresh],
        )
        return fresh

    async def delay(
        self, user_id: UserId, message_id: WaMessageId, available_at: datetime, *, tx: Transaction
    ) -> None:
        """Let a message wait for its turn."""
        await tx.execute(
            "UPDATE inbox SET available_at = ? WHERE user_id = ? AND message_id = ?",
            to_ms(available_at),
            user_id,
            message_id,
        )

    async def blank(self, user_id: UserId, ids: Collection[WaMessageId], *, tx: Transaction) -> None:
        """Forget the text of messages that were dealt with, and of their edits: they held a secret."""
        await tx.execute(
            "UPDATE inbox SET payload = ? WHERE user_id = ? AND state <> 'pending' AND"
            " (message_id IN (SELECT value FROM json_each(?3)) OR"
            "  (kind = 'edit' AND ref_id IN (SELECT value FROM json_each(?3))))",
            REVOKED_PAYLOAD,
            user_id,
            json.dumps(list(ids)),
        )

    async def recover(self, at: datetime, max_attempts: int) -> list[tuple[UserId, TurnId]]:
        """Put every turn that a crash interrupted back in the queue.

        Returns the turns that used up their attempts; they stay `running` for the caller to bury.
        """
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE inbox INDEXED BY inbox_open SET state = 'pending', available_at = ?1"
                " WHERE state = 'running' AND attempts < ?2",
                to_ms(at),
                max_attempts,
            )
            rows = await tx.fetch_all(
                "SELECT DISTINCT user_id, turn_id FROM inbox INDEXED BY inbox_open WHERE state = 'running'"
            )
        return [(UserId(row["user_id"]), TurnId(row["turn_id"])) for row in rows]

    async def put_back(self, at: datetime, user_ids: Collection[UserId], *, but: Collection[TurnId]) -> None:
        """Put turns of these users that another process left running back in the queue, except those given.

        The attempt is given back: deaths are counted for themselves.
        """
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE inbox INDEXED BY inbox_open SET state = 'pending', available_at = ?,"
                " attempts = attempts - 1 WHERE state = 'running'"
                " AND user_id IN (SELECT value FROM json_each(?))"
                " AND turn_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
                to_ms(at),
                json.dumps(list(user_ids)),
                json.dumps(list(but)),
            )

    async def users_with_work(self) -> list[UserId]:
        rows = await self._db.fetch_all(
            "SELECT DISTINCT user_id FROM inbox INDEXED BY inbox_open WHERE state = 'pending'"
        )
        return [UserId(row["user_id"]) for row in rows]

    async def oldest_pending_at(self) -> datetime | None:
        """Return when the oldest message arrived that should have its turn; the untrusted wait for a human."""
        row = await self._db.fetch_one(
            "SELECT min(i.received_at) AS at FROM inbox i INDEXED BY inbox_open JOIN users u USING (user_id)"
            " WHERE i.state = 'pending' AND u.trust = 'trusted'"
        )
        return from_ms(row["at"]) if row is not None and row["at"] is not None else None


def _inbox_row(row: Row) -> InboxRow:
    return InboxRow(
        InboxId(row["id"]),
        decode_message(row["payload"]),
        row["attempts"],
        from_ms(row["received_at"]),
        row["lane"],
        row["purpose"] if row["purpose"] in PURPOSES else None,
        row["answers"],
    )


def _values(row: NewRow) -> tuple[str | int | None, ...]:
    return (
        row.user_id,
        row.message.id,
        row.lane,
        row.message.content.type,
        row.ref_id,
        int(row.is_mergeable),
        encode_message(row.message),
        row.state,
        to_ms(row.message.sent_at),
        to_ms(row.received_at),
        to_ms(row.available_at),
        row.purpose,
        row.answers,
    )
