"""Summaries: the text that stands for the older part of a conversation, and what history is left beside it."""

import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, NewType

from app.database.db import Database, Row, Transaction
from app.database.repositories.conversations import StoredMessage, ToolState
from app.domain.clock import from_ms, to_ms
from app.domain.ids import ConversationId, TurnId, UserId

HistoryId = NewType("HistoryId", int)
"""Our number of a stored message: grows with time, also across conversations. Not Meta's `WaMessageId`."""


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    id: HistoryId
    stored: StoredMessage

    @property
    def is_users(self) -> bool:
        return self.stored.role == "user"


@dataclass(frozen=True, slots=True)
class Summary:
    """`text` stands for every message up to and including `through`."""

    text: str
    through: HistoryId


@dataclass(frozen=True, slots=True)
class Standing:
    """A conversation at one moment: its marks, its summary, and messages behind one of the two marks.

    `revision` grows when a message is taken back or rewritten.
    """

    revision: int
    extracted_through: HistoryId
    started_at: datetime
    ended_at: datetime | None
    summary: Summary | None
    messages: tuple[HistoryMessage, ...]
    tools: ToolState = field(default_factory=ToolState)
    sticky_until: datetime | None = None

    def tools_at(self, at: datetime) -> ToolState:
        """Return what is remembered of tools then: categories that no longer stick are left out."""
        is_over = self.sticky_until is None or self.sticky_until <= at
        return replace(self.tools, sticky=()) if is_over else self.tools

    @property
    def folded_through(self) -> HistoryId:
        return HistoryId(0) if self.summary is None else self.summary.through


class Summaries:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def read(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        *,
        behind: Literal["summary", "extraction"] = "summary",
        side: Literal["oldest", "newest"] = "newest",
        limit: int = 200,
    ) -> Standing | None:
        """Return the conversation, with up to `limit` messages behind that mark, oldest first.

        Summary and messages are read in one statement: a fold in between would show a message in both or
        in neither. `side` says which of the messages count when there are more.
        """
        floor = "coalesce(s.through_message_id, 0)" if behind == "summary" else "c.extracted_through_message_id"
        order = "ASC" if side == "oldest" else "DESC"
        rows = await self._db.fetch_all(
            "SELECT c.revision, c.extracted_through_message_id, c.started_at, c.ended_at,"
            " c.sticky, c.sticky_until, c.given_skills,"
            " s.text AS summary, s.through_message_id, m.id, m.role, m.text, m.turn_id, m.created_at, m.reaction"
            " FROM conversations AS c"
            " LEFT JOIN summaries AS s ON s.conversation_id = c.id"
            f" LEFT JOIN messages AS m ON m.conversation_id = c.id AND m.id > {floor}"
            f" WHERE c.user_id = ? AND c.id = ? ORDER BY m.id {order} LIMIT ?",
            user_id,
            conversation_id,
            max(1, limit),
        )
        return _standing(rows if side == "oldest" else rows[::-1]) if rows else None

    async def fold(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        summary: Summary,
        *,
        base: Standing,
        at: datetime,
    ) -> bool:
        """Replace the summary that `base` was read with; returns whether that was still true.

        Changes nothing when somebody else folded meanwhile, a message was taken back or rewritten, or facts
        were not yet taken out of all that the new summary stands for.
        """
        async with self._db.transaction() as tx:
            changed = await tx.execute(
                "INSERT INTO summaries(conversation_id, user_id, text, through_message_id, updated_at)"
                " SELECT id, user_id, ?3, ?4, ?5 FROM conversations WHERE user_id = ?1 AND id = ?2"
                " AND revision = ?6 AND extracted_through_message_id >= ?4 AND ?7 < ?4 AND ?7 = coalesce("
                "  (SELECT through_message_id FROM summaries WHERE conversation_id = ?2), 0)"
                " ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text,"
                "  through_message_id = excluded.through_message_id, updated_at = excluded.updated_at",
                user_id,
                conversation_id,
                summary.text,
                summary.through,
                to_ms(at),
                base.revision,
                base.folded_through,
            )
        return changed == 1

    async def mark_extracted(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        through: HistoryId,
        *,
        base: Standing,
        tx: Transaction,
    ) -> bool:
        """Move the mark of what facts were taken out of; returns whether `base` was still true."""
        return (
            await tx.execute(
                "UPDATE conversations SET extracted_through_message_id = ? WHERE user_id = ? AND id = ?"
                " AND revision = ? AND extracted_through_message_id = ?",
                through,
                user_id,
                conversation_id,
                base.revision,
                base.extracted_through,
            )
            == 1
        )

    async def list_turn(self, user_id: UserId, turn_id: TurnId) -> list[HistoryMessage]:
        """Return what is still kept of a turn, oldest first."""
        rows = await self._db.fetch_all(
            "SELECT id, role, text, turn_id, created_at, reaction FROM messages"
            " WHERE user_id = ? AND turn_id = ? ORDER BY id",
            user_id,
            turn_id,
        )
        return [_message(row) for row in rows]


def _standing(rows: list[Row]) -> Standing:
    first = rows[0]
    through = first["through_message_id"]
    return Standing(
        revision=first["revision"],
        extracted_through=HistoryId(first["extracted_through_message_id"]),
        started_at=from_ms(first["started_at"]),
        ended_at=None if first["ended_at"] is None else from_ms(first["ended_at"]),
        summary=None if through is None else Summary(first["summary"], HistoryId(through)),
        messages=tuple(_message(row) for row in rows if row["id"] is not None),
        tools=ToolState(tuple(json.loads(first["sticky"])), tuple(json.loads(first["given_skills"]))),
        sticky_until=from_ms(first["sticky_until"]),
    )


def _message(row: Row) -> HistoryMessage:
    stored = StoredMessage(
        row["role"], row["text"], TurnId(row["turn_id"]), from_ms(row["created_at"]), row["reaction"]
    )
    return HistoryMessage(HistoryId(row["id"]), stored)
