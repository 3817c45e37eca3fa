"""The outbox: every message that we owe somebody, and what became of it.

States: pending → sending → sent | failed; `unknown` after a send without an answer (a status
webhook settles it, or time); `held` while Meta's 24-hour window is closed; `stopped` by the spending limit.
`delivery` is what Meta's statuses said last: sent, delivered, read, played or failed.
"""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import from_ms, to_ms
from app.domain.ids import OutboxId, TurnId, UserId, WaMessageId
from app.domain.inbound import StatusUpdate
from app.domain.outbound import Occasion, OutboundMessage, Recipient, decode_outbound, encode_outbound

_RANK: Final = (
    "CASE {} WHEN 'sent' THEN 1 WHEN 'delivered' THEN 2 WHEN 'read' THEN 3 WHEN 'played' THEN 4"
    " WHEN 'failed' THEN 5 ELSE 0 END"
)
_APPLY_STATUS: Final = (
    "UPDATE outbox SET delivery = ?1, message_id = coalesce(message_id, ?2),"
    " sent_at = coalesce(sent_at, ?3), error = coalesce(?4, error),"
    " state = CASE WHEN state IN ('sending', 'unknown', 'pending') THEN 'sent' ELSE state END"
    " WHERE (message_id = ?2 OR (message_id IS NULL AND tracker = ?5 AND failed_message_id IS NOT ?2))"
    f" AND {_RANK.format('?1')} > {_RANK.format('delivery')} RETURNING user_id"
)
_APPLY_PRICING: Final = (
    "UPDATE outbox SET is_billable = ?1, category = ?2, pricing_type = ?3"
    " WHERE message_id = ?4 OR (message_id IS NULL AND tracker = ?5 AND failed_message_id IS NOT ?4)"
)
_IS_LOST: Final = "state = 'failed' AND occasion = 'unasked'"
NOTICE_SEQ: Final = -1
"""The place of a turn's "please wait" sentence: UNIQUE(turn_id, seq) lets it be said once."""
LOST_QUESTION_SEQ: Final = -2
"""The place of the sentence that a restart made a turn's question void."""


@dataclass(frozen=True, slots=True)
class OutboxRow:
    id: OutboxId
    tracker: str
    message: OutboundMessage
    recipient: Recipient
    state: Literal["pending", "sending", "unknown", "held"]
    attempts: int
    created_at: datetime
    available_at: datetime
    occasion: Occasion = "answer"


@dataclass(frozen=True, slots=True)
class FailedSend:
    """A send that Meta accepted and reported as failed later."""

    id: OutboxId
    user_id: UserId
    attempts: int
    occasion: Occasion = "answer"


@dataclass(frozen=True, slots=True)
class LostMessage:
    """A message that answered nobody and did not reach the person; `error` is the code of the reason."""

    id: OutboxId
    user_id: UserId
    message: OutboundMessage
    error: str
    created_at: datetime


class Outbox:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(  # noqa: PLR0913 - what a row holds
        self,
        user_id: UserId,
        messages: Sequence[OutboundMessage],
        at: datetime,
        *,
        turn_id: TurnId | None,
        first_seq: int = 0,
        occasion: Occasion = "answer",
        tx: Transaction,
    ) -> None:
        """Owe a user those messages, in that order; what a turn already owes is not added twice."""
        await tx.execute_many(
            "INSERT INTO outbox"
            "(user_id, turn_id, seq, payload, state, tracker, occasion, created_at, available_at)"
            " VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?7, ?7) ON CONFLICT DO NOTHING",
            [
                (
                    user_id,
                    turn_id,
                    first_seq + index,
                    encode_outbound(message),
                    _new_tracker(),
                    occasion,
                    to_ms(at),
                )
                for index, message in enumerate(messages)
            ],
        )

    async def add_unasked(
        self,
        user_id: UserId,
        messages: Sequence[OutboundMessage],
        at: datetime,
        *,
        occasion: Literal["unasked", "warning"] = "unasked",
        tx: Transaction,
    ) -> None:
        """Owe a user messages that answer nothing they wrote."""
        await tx.execute_many(
            "INSERT INTO outbox(user_id, seq, payload, state, tracker, occasion, created_at, available_at)"
            " VALUES (?1, ?2, ?3, 'pending', ?4, ?5, ?6, ?6)",
            [
                (user_id, index, encode_outbound(message), _new_tracker(), occasion, to_ms(at))
                for index, message in enumerate(messages)
            ],
        )

    async def find_next(self, user_id: UserId) -> OutboxRow | None:
        """Return the oldest message that is still owed, whatever it waits for.

        None while the person is not trusted: what they are owed must not reach a stranger's phone.
        """
        row = await self._db.fetch_one(
            "SELECT o.id, o.tracker, o.payload, o.state, o.attempts, o.created_at, o.available_at,"
            " o.occasion, u.wa_id, u.bsuid FROM outbox o INDEXED BY outbox_open JOIN users u USING (user_id)"
            " WHERE o.user_id = ? AND u.trust = 'trusted' AND"
            " (o.state = 'pending' OR o.state = 'sending' OR o.state = 'unknown' OR o.state = 'held')"
            " ORDER BY o.id LIMIT 1",
            user_id,
        )
        if row is None:
            return None
        return OutboxRow(
            id=OutboxId(row["id"]),
            tracker=row["tracker"],
            message=decode_outbound(row["payload"]),
            recipient=Recipient(row["wa_id"], row["bsuid"]),
            state=row["state"],
            attempts=row["attempts"],
            created_at=from_ms(row["created_at"]),
            available_at=from_ms(row["available_at"]),
            occasion=row["occasion"],
        )

    async def mark_sending(self, user_id: UserId, row: OutboxRow) -> bool:
        """Note that the send is about to begin; False when the row changed meanwhile."""
        changed = await self._db.execute(
            "UPDATE outbox SET state = 'sending', attempts = attempts + 1"
            " WHERE id = ? AND user_id = ? AND state = ?",
            row.id,
            user_id,
            row.state,
        )
        return changed == 1

    async def stop(self, user_id: UserId, row: OutboxRow) -> None:
        """Put a row aside that the spending limit does not let go; those after it are not held up."""
        await self._db.execute(
            "UPDATE outbox SET state = 'stopped', error = 'spend_limit'"
            " WHERE id = ? AND user_id = ? AND state = 'pending'",
            row.id,
            user_id,
        )

    async def mark_sent(self, user_id: UserId, row_id: OutboxId, message_id: WaMessageId, at: datetime) -> bool:
        """Note Meta's acceptance; a status webhook may have been faster, which is no conflict."""
        changed = await self._db.execute(
            # Unknown, where another process took this for dead.
            "UPDATE outbox SET state = CASE state WHEN 'sending' THEN 'sent' WHEN 'unknown' THEN 'sent'"
            " ELSE state END,"
            " message_id = ?, sent_at = coalesce(sent_at, ?),"
            # A status may have told already that it was not delivered, and why.
            " error = CASE state WHEN 'failed' THEN error END"
            " WHERE id = ? AND user_id = ? AND state IN ('sending', 'unknown', 'sent', 'failed')",
            message_id,
            to_ms(at),
            row_id,
            user_id,
        )
        return changed == 1

    async def postpone(
        self,
        user_id: UserId,
        row_id: OutboxId,
        available_at: datetime,
        *,
        state: Literal["pending", "unknown", "held"],
        error: str,
    ) -> bool:
        """Put a row whose send failed aside until `available_at`."""
        return await self._move(
            "state = ?, available_at = ?, error = ?",
            user_id,
            row_id,
            leaving="sending",
            values=(state, to_ms(available_at), error),
        )

    async def mark_failed(self, user_id: UserId, row_id: OutboxId, error: str) -> bool:
        return await self._move("state = 'failed', error = ?", user_id, row_id, leaving="sending", values=(error,))

    async def _move(
        self, change: str, user_id: UserId, row_id: OutboxId, *, leaving: str, values: tuple[str | int, ...]
    ) -> bool:
        changed = await self._db.execute(
            f"UPDATE outbox SET {change} WHERE id = ? AND user_id = ? AND state = ?",
            *values,
            row_id,
            user_id,
            leaving,
        )
        return changed == 1

    async def list_lost(self, user_id: UserId, *, tx: Transaction) -> list[LostMessage]:
        """Return what answered nobody, did not reach the person, and was not told them yet."""
        rows = await tx.fetch_all(
            "SELECT id, user_id, payload, error, created_at FROM outbox INDEXED BY outbox_lost WHERE user_id = ?"
            f" AND {_IS_LOST} AND (person_told_at IS NULL OR admin_told_at IS NULL) AND person_told_at IS NULL"
            " ORDER BY id",
            user_id,
        )
        return [_lost(row) for row in rows]

    async def note_told(
        self, user_id: UserId, lost: Sequence[LostMessage], at: datetime, *, tx: Transaction
    ) -> None:
        """Note that the person was told of these."""
        await tx.execute(
            "UPDATE outbox SET person_told_at = ? WHERE user_id = ?"
            " AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
            to_ms(at),
            user_id,
            json.dumps([one.id for one in lost]),
        )


class OutboxQueue:
    """The side of the outbox that serves all users at once: open windows, statuses, recovery, figures."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def release_held(
        self, user_ids: Collection[UserId], at: datetime, *, tx: Transaction
    ) -> frozenset[UserId]:
        """These people wrote: Meta's window is open again. Returns those for whom something was held."""
        rows = await tx.fetch_all(
            "UPDATE outbox INDEXED BY outbox_open SET state = 'pending', available_at = ? WHERE state = 'held'"
            " AND user_id IN (SELECT value FROM json_each(?)) RETURNING user_id",
            to_ms(at),
            json.dumps(list(user_ids)),
        )
        return frozenset(UserId(row["user_id"]) for row in rows)

    async def record_statuses(self, statuses: Sequence[StatusUpdate], *, tx: Transaction) -> list[UserId]:
        """Let statuses move their messages forward, never back; returns the users concerned.

        A status is matched by our tracker, which Meta returns, or by Meta's message id: it may
        arrive before the answer to the send itself.
        """
        touched: list[UserId] = []
        for status in statuses:
            rows = await tx.fetch_all(
                _APPLY_STATUS,
                status.state,
                status.message_id,
                to_ms(status.at),
                f"graph_{status.error_code}" if status.error_code is not None else None,
                status.tracker,
            )
            touched.extend(UserId(row["user_id"]) for row in rows)
            if status.pricing_category is not None:
                # Whatever the order in which statuses arrive.
                await tx.execute(
                    _APPLY_PRICING,
                    None if status.is_billable is None else int(status.is_billable),
                    status.pricing_category,
                    status.pricing_type,
                    status.message_id,
                    status.tracker,
                )
        return touched

    async def release_stopped(self, occasions: Collection[Occasion]) -> frozenset[UserId]:
        """The spending limit lets these go on; returns for whom something waited."""
        if not await self._db.fetch_all(
            "SELECT 1 FROM outbox INDEXED BY outbox_stopped WHERE state = 'stopped' LIMIT 1"
        ):
            return frozenset()
        async with self._db.transaction() as tx:
            rows = await tx.fetch_all(
                "UPDATE outbox INDEXED BY outbox_stopped SET state = 'pending' WHERE state = 'stopped'"
                " AND occasion IN (SELECT value FROM json_each(?)) RETURNING user_id",
                json.dumps(list(occasions)),
            )
        return frozenset(UserId(row["user_id"]) for row in rows)

    async def find_sent(self, message_id: WaMessageId, *, tx: Transaction) -> FailedSend | None:
        row = await tx.fetch_one(
            "SELECT id, user_id, attempts, occasion FROM outbox WHERE message_id = ? AND state = 'sent'",
            message_id,
        )
        if row is None:
            return None
        return FailedSend(OutboxId(row["id"]), UserId(row["user_id"]), row["attempts"], row["occasion"])

    async def reopen(
        self,
        row_id: OutboxId,
        available_at: datetime,
        *,
        state: Literal["pending", "held", "failed"],
        tx: Transaction,
    ) -> None:
        """Decide about a message that Meta accepted and failed to deliver."""
        await tx.execute(
            "UPDATE outbox SET state = ?, available_at = ?, failed_message_id = message_id,"
            " message_id = NULL, delivery = NULL WHERE id = ? AND state = 'sent'",
            state,
            to_ms(available_at),
            row_id,
        )

    async def list_unreported(self, limit: int = 50) -> list[LostMessage]:
        """Return what answered nobody, was not delivered, and was not told the admins yet, the oldest first."""
        rows = await self._db.fetch_all(
            "SELECT id, user_id, payload, error, created_at FROM outbox INDEXED BY outbox_lost WHERE"
            f" {_IS_LOST} AND (person_told_at IS NULL OR admin_told_at IS NULL) AND admin_told_at IS NULL"
            " ORDER BY id LIMIT ?",
            limit,
        )
        return [_lost(row) for row in rows]

    async def note_reported(self, row_id: OutboxId, at: datetime, *, tx: Transaction) -> None:
        await tx.execute("UPDATE outbox SET admin_told_at = ? WHERE id = ?", to_ms(at), row_id)

    async def recover(self, unknown_until: datetime, user_ids: Collection[UserId] | None = None) -> None:
        """After a crash nobody knows whether a `sending` row went out: wait for its status first.

        Of everybody, or of these users.
        """
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE outbox INDEXED BY outbox_open SET state = 'unknown', available_at = ?1"
                " WHERE state = 'sending'"
                " AND (CAST(?2 AS TEXT) IS NULL OR user_id IN (SELECT value FROM json_each(?2)))",
                to_ms(unknown_until),
                None if user_ids is None else json.dumps(list(user_ids)),
            )

    async def users_with_work(self) -> list[UserId]:
        rows = await self._db.fetch_all(
            "SELECT DISTINCT user_id FROM outbox INDEXED BY outbox_open"
            " WHERE state = 'pending' OR state = 'sending' OR state = 'unknown'"
        )
        return [UserId(row["user_id"]) for row in rows]

    async def last_sent_at(self) -> datetime | None:
        """Return when one of the newest messages was last sent."""
        row = await self._db.fetch_one(
            "SELECT max(sent_at) AS at FROM (SELECT sent_at FROM outbox ORDER BY id DESC LIMIT 100) AS newest"
        )
        return from_ms(row["at"]) if row is not None and row["at"] is not None else None


def _lost(row: Row) -> LostMessage:
    return LostMessage(
        OutboxId(row["id"]),
        UserId(row["user_id"]),
        decode_outbound(row["payload"]),
        row["error"] or "",
        from_ms(row["created_at"]),
    )


def _new_tracker() -> str:
    """Return what identifies a send in its statuses: nobody else can know or guess it."""
    return secrets.token_hex(16)
