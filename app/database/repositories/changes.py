"""What people change about messages that they sent: edits and revocations, in whatever order they arrive."""

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.database.db import Database, Transaction
from app.database.repositories.inbox import REVOKED_PAYLOAD
from app.domain.clock import to_ms
from app.domain.ids import TurnId, UserId, WaMessageId
from app.domain.inbound import Edit, InboundMessage, Purpose, decode_message, encode_message

_ANSWERED: Final = frozenset({"done", "dead"})
_ASKING: Final = frozenset({None, "conversation", "command"})


@dataclass(frozen=True, slots=True)
class Edited:
    """A message that an edit speaks of, as it is stored; `message` is None where its text is gone."""

    message: InboundMessage | None
    state: str
    purpose: Purpose | None
    turn_id: TurnId | None

    @property
    def is_answered(self) -> bool:
        """It asked for something, and its turn is over."""
        return self.message is not None and self.state in _ANSWERED and self.purpose in _ASKING


class Changes:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def edit_pending(
        self, user_id: UserId, original_id: WaMessageId, message: InboundMessage, *, tx: Transaction
    ) -> bool:
        """Give a message that nobody has begun the content of this one; returns whether there was one.

        An answer stays one: what was typed for a question must not reach the model.
        """
        row = await tx.fetch_one(
            "SELECT payload FROM inbox WHERE user_id = ? AND message_id = ? AND state IN ('pending', 'missed')",
            user_id,
            original_id,
        )
        if row is None:
            return False
        edited = replace(decode_message(row["payload"]), content=message.content)
        await tx.execute(
            "UPDATE inbox SET payload = ?, purpose = CASE purpose WHEN 'answer' THEN purpose END"
            " WHERE user_id = ? AND message_id = ? AND state IN ('pending', 'missed')",
            encode_message(edited),
            user_id,
            original_id,
        )
        return True

    async def note_applied(self, user_id: UserId, edit_id: WaMessageId, *, tx: Transaction) -> None:
        """Note of an edit that its text will be answered with its message, so that it is not answered itself."""
        await tx.execute(
            "UPDATE inbox SET purpose = 'change' WHERE user_id = ? AND message_id = ? AND state = 'pending'"
            " AND purpose = 'rewrite'",
            user_id,
            edit_id,
        )

    async def is_superseded(self, user_id: UserId, edit: InboundMessage, *, tx: Transaction) -> bool:
        """Tell whether a later edit of the same message has arrived; of one second, the one stored last counts."""
        if not isinstance(edit.content, Edit):
            return False
        row = await tx.fetch_one(
            "SELECT 1 FROM inbox WHERE user_id = ?1 AND ref_id = ?2 AND kind = 'edit' AND payload <> ?3"
            " AND (sent_at > ?4 OR (sent_at = ?4 AND id > (SELECT id FROM inbox WHERE message_id = ?5)))",
            user_id,
            edit.content.original_id,
            REVOKED_PAYLOAD,
            to_ms(edit.sent_at),
            edit.id,
        )
        return row is not None

    async def find_edited(self, user_id: UserId, original_id: WaMessageId, *, tx: Transaction) -> Edited | None:
        row = await tx.fetch_one(
            "SELECT payload, state, purpose, turn_id FROM inbox WHERE user_id = ? AND message_id = ?",
            user_id,
            original_id,
        )
        if row is None:
            return None
        return Edited(
            None if row["payload"] == REVOKED_PAYLOAD else decode_message(row["payload"]),
            row["state"],
            row["purpose"],
            None if row["turn_id"] is None else TurnId(row["turn_id"]),
        )

    async def list_turns(self, user_id: UserId, turn_id: TurnId, *, tx: Transaction) -> list[TurnId]:
        """Return the turns in which the messages of that turn were answered, the latest first: it, and edits."""
        rows = await tx.fetch_all(
            "SELECT turn_id FROM inbox WHERE user_id = ?1 AND kind = 'edit' AND purpose = 'rewrite'"
            " AND turn_id IS NOT NULL AND ref_id IN (SELECT message_id FROM inbox WHERE turn_id = ?2)"
            " ORDER BY turn_id DESC",
            user_id,
            turn_id,
        )
        return [*(TurnId(row["turn_id"]) for row in rows), turn_id]

    async def put_content(self, user_id: UserId, message: InboundMessage, *, tx: Transaction) -> None:
        """Store what a message that was answered says now."""
        await tx.execute(
            "UPDATE inbox SET payload = ? WHERE user_id = ? AND message_id = ? AND payload <> ?",
            encode_message(message),
            user_id,
            message.id,
            REVOKED_PAYLOAD,
        )

    async def revoke(
        self, user_id: UserId, original_id: WaMessageId, at: datetime, *, tx: Transaction
    ) -> TurnId | None:
        """Erase a message's content and that of its edits; what nobody has begun will not be answered.

        A turn that is running and has done nothing yet ends without the message: its other messages go back in
        the queue. Returns that turn, whose task must be stopped. One that has done something goes on, to tell of
        it, and keeps its row; the revocation's own row, which is queued behind it, erases it then.
        """
        running = await tx.fetch_one(
            "SELECT turn_id FROM inbox WHERE user_id = ?1 AND (message_id = ?2 OR (ref_id = ?2 AND kind = 'edit'"
            " AND purpose = 'rewrite')) AND lane = 'turn' AND state = 'running'"
            " AND NOT EXISTS (SELECT 1 FROM tool_journal j WHERE j.turn_id = inbox.turn_id)",
            user_id,
            original_id,
        )
        await tx.execute(
            "UPDATE inbox SET payload = ?1, finished_at = coalesce(finished_at, ?2),"
            " state = CASE WHEN state IN ('pending', 'missed', 'running') THEN 'cancelled' ELSE state END"
            " WHERE user_id = ?3 AND (message_id = ?4 OR (ref_id = ?4 AND kind = 'edit'))"
            " AND (state <> 'running' OR turn_id = ?5)",
            REVOKED_PAYLOAD,
            to_ms(at),
            user_id,
            original_id,
            None if running is None else running["turn_id"],
        )
        if running is None:
            return None
        await tx.execute(
            "UPDATE inbox SET state = 'pending', attempts = attempts - 1"
            " WHERE user_id = ? AND turn_id = ? AND state = 'running'",
            user_id,
            running["turn_id"],
        )
        return TurnId(running["turn_id"])

    async def find_changes(
        self, ids: Collection[WaMessageId], *, tx: Transaction
    ) -> list[tuple[UserId, InboundMessage]]:
        """Return edits and revocations, in the order in which they were made, of messages that arrive only now.

        Those that were revoked themselves are left out.
        """
        rows = await tx.fetch_all(
            "SELECT user_id, payload FROM inbox WHERE kind IN ('edit', 'revoke') AND payload <> ?"
            " AND ref_id IN (SELECT value FROM json_each(?)) ORDER BY sent_at, id",
            REVOKED_PAYLOAD,
            json.dumps(list(ids)),
        )
        return [(UserId(row["user_id"]), decode_message(row["payload"])) for row in rows]
