"""What conversations of anybody still owe: a shorter history, facts not yet taken out, a snapshot."""

from dataclasses import dataclass
from datetime import datetime

from app.database.db import Database, Row
from app.domain.clock import to_ms
from app.domain.ids import ConversationId, UserId


@dataclass(frozen=True, slots=True)
class Due:
    """One conversation of one person."""

    user_id: UserId
    conversation_id: ConversationId


class Backlog:
    """Derived from what is stored, so that no crash can lose an entry."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_long(self, *, over_messages: int, over_bytes: int, limit: int) -> list[Due]:
        """Return open conversations with more than either behind their summary, the longest first."""
        rows = await self._db.fetch_all(
            "SELECT c.user_id, c.id FROM conversations AS c"
            " LEFT JOIN summaries AS s ON s.conversation_id = c.id"
            " JOIN messages AS m ON m.conversation_id = c.id AND m.id > coalesce(s.through_message_id, 0)"
            " WHERE c.ended_at IS NULL GROUP BY c.id"
            " HAVING count(*) > ?1 OR sum(length(CAST(m.text AS BLOB))) > ?2"
            " ORDER BY count(*) DESC, c.id LIMIT ?3",
            over_messages,
            over_bytes,
            limit,
        )
        return _due(rows)

    async def list_unread(self, *, at_least: int, quiet_since: datetime, limit: int) -> list[Due]:
        """Return conversations that facts should be taken out of, the longest waiting first.

        They ended, or hold `at_least` unread messages of the person, or some and nothing new since
        `quiet_since`.
        """
        rows = await self._db.fetch_all(
            "SELECT c.user_id, c.id FROM conversations AS c"
            " JOIN messages AS m ON m.conversation_id = c.id AND m.id > c.extracted_through_message_id"
            " GROUP BY c.id HAVING sum(m.role = 'user') > 0"
            " AND (c.ended_at IS NOT NULL OR sum(m.role = 'user') >= ?1 OR max(m.created_at) <= ?2)"
            " ORDER BY min(m.id) LIMIT ?3",
            at_least,
            to_ms(quiet_since),
            limit,
        )
        return _due(rows)

    async def list_unkept(self, *, limit: int) -> list[Due]:
        """Return ended conversations, in which the person said something, without a snapshot, oldest first."""
        rows = await self._db.fetch_all(
            "SELECT c.user_id, c.id FROM conversations AS c"
            " LEFT JOIN snapshots AS s ON s.conversation_id = c.id"
            " WHERE c.ended_at IS NOT NULL AND s.id IS NULL AND EXISTS"
            " (SELECT 1 FROM messages AS m WHERE m.conversation_id = c.id AND m.role = 'user')"
            " ORDER BY c.ended_at, c.id LIMIT ?",
            limit,
        )
        return _due(rows)


def _due(rows: list[Row]) -> list[Due]:
    return [Due(UserId(row["user_id"]), ConversationId(row["id"])) for row in rows]
