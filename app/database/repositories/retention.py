"""What was dealt with long ago: rows of the machinery, never what people keep."""

import json
from datetime import datetime
from typing import Final

from app.database.db import Database
from app.domain.clock import to_ms

_PAGE: Final = 500
_IDS: Final = "(SELECT CAST(value AS BIGINT) FROM json_each(?))"
_HANDLED: Final = "state IN ('done', 'cancelled', 'dead')"


class OldRows:
    """Deletes a page at a time, in the order of the ids, which is that of arrival.

    What was said stays in the conversations, and what was sent can still be quoted: its id moves there. A person's
    newest row in the inbox stays, because what is forgotten is forgotten up to it.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._inbox_after = self._outbox_after = 0

    def rewind(self) -> None:
        """Begin with the oldest again."""
        self._inbox_after = self._outbox_after = 0

    async def delete_handled(self, before: datetime) -> int:
        """Delete messages that came or went and were dealt with, and questions that are over."""
        received, sent = await self.delete_received(before), await self.delete_sent(before)
        return received + sent + await self.delete_questions(before)

    async def delete_received(self, before: datetime) -> int:
        """Delete handled messages, and what keeps Meta from delivering them twice; returns how many."""
        page = await self._db.fetch_all(
            "SELECT id, user_id, message_id, state, received_at,"
            " id = (SELECT max(n.id) FROM inbox n WHERE n.user_id = inbox.user_id) AS is_newest"
            " FROM inbox WHERE id > ? ORDER BY id LIMIT ?",
            self._inbox_after,
            _PAGE,
        )
        old = [row for row in page if row["received_at"] < to_ms(before)]
        gone = [row for row in old if not row["is_newest"] and row["state"] in {"done", "cancelled", "dead"}]
        self._inbox_after = old[-1]["id"] if old else self._inbox_after
        if not gone:
            return len(old)
        ids, message_ids = json.dumps([row["id"] for row in gone]), json.dumps([row["message_id"] for row in gone])
        async with self._db.transaction() as tx:
            await tx.execute(f"DELETE FROM inbox WHERE id IN {_IDS} AND {_HANDLED}", ids)
            await tx.execute(
                "DELETE FROM processed_messages WHERE message_id IN (SELECT value FROM json_each(?))", message_ids
            )
            await tx.execute(f"DELETE FROM tool_journal WHERE turn_id IN {_IDS}", ids)
        return len(old)

    async def delete_sent(self, before: datetime) -> int:
        """Delete what was sent or given up; an answer keeps the id of its first message. Returns how many."""
        page = await self._db.fetch_all(
            "SELECT id, state, created_at FROM outbox WHERE id > ? ORDER BY id LIMIT ?", self._outbox_after, _PAGE
        )
        old = [row for row in page if row["created_at"] < to_ms(before)]
        gone = json.dumps([row["id"] for row in old if row["state"] in {"sent", "failed"}])
        self._outbox_after = old[-1]["id"] if old else self._outbox_after
        if old:
            async with self._db.transaction() as tx:
                await tx.execute(
                    "UPDATE messages SET message_id = o.message_id FROM outbox AS o"
                    f" WHERE o.id IN {_IDS} AND o.seq = 0 AND o.message_id IS NOT NULL"
                    " AND messages.turn_id = o.turn_id AND messages.user_id = o.user_id"
                    " AND messages.role = 'assistant' AND messages.message_id IS NULL"
                    " AND messages.id = (SELECT min(m.id) FROM messages AS m WHERE m.turn_id = o.turn_id"
                    "  AND m.user_id = o.user_id AND m.role = 'assistant' AND m.message_id IS NULL)"
                    " AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.message_id = o.message_id)",
                    gone,
                )
                await tx.execute(f"DELETE FROM outbox WHERE id IN {_IDS}", gone)
        return len(old)

    async def delete_traces(self, before: datetime) -> int:
        """Delete what turns were offered, used and cost, but for the newest of each person; returns how many."""
        async with self._db.transaction() as tx:
            return await tx.execute(
                "DELETE FROM turn_traces WHERE turn_id IN (SELECT turn_id FROM turn_traces AS t"
                " INDEXED BY turn_traces_created WHERE created_at < ? AND turn_id <>"
                " (SELECT max(n.turn_id) FROM turn_traces n WHERE n.user_id = t.user_id) LIMIT ?)",
                to_ms(before),
                _PAGE,
            )

    async def delete_questions(self, before: datetime) -> int:
        """Delete questions that are over, and those that nobody answered in their time; returns how many."""
        async with self._db.transaction() as tx:
            over = await tx.execute(
                "DELETE FROM questions WHERE token IN (SELECT token FROM questions INDEXED BY questions_over"
                " WHERE state <> 'pending' AND asked_at < ? LIMIT ?)",
                to_ms(before),
                _PAGE,
            )
            return over + await tx.execute(
                "DELETE FROM questions WHERE token IN (SELECT token FROM questions INDEXED BY questions_lapsed"
                " WHERE state = 'pending' AND expires_at < ? LIMIT ?)",
                to_ms(before),
                _PAGE,
            )

    async def delete_strangers(self, before: datetime) -> int:
        """Forget who was turned away and has not come again; returns how many."""
        async with self._db.transaction() as tx:
            return await tx.execute("DELETE FROM strangers WHERE last_at < ?", to_ms(before))
