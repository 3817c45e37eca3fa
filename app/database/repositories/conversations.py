"""Conversations: what was said by whom, per user; `/clear` ends one and opens the next."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import from_ms, to_ms
from app.domain.ids import ConversationId, TurnId, UserId, WaMessageId
from app.domain.outbound import Buttons, ListMenu, OutMedia, OutText, decode_outbound


@dataclass(frozen=True, slots=True)
class StoredMessage:
    role: Literal["user", "assistant"]
    text: str
    turn_id: TurnId
    created_at: datetime
    reaction: str | None = None


@dataclass(frozen=True, slots=True)
class NewMessage:
    """`message_id` is Meta's, for the user's side; ours are found through the outbox."""

    role: Literal["user", "assistant"]
    text: str
    message_id: WaMessageId | None = None


@dataclass(frozen=True, slots=True)
class ToolState:
    """What a conversation remembers of its tools: categories for some time, and which skills were explained."""

    sticky: tuple[str, ...] = ()
    given_skills: tuple[str, ...] = ()


class Conversations:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def ensure_open(self, user_id: UserId, at: datetime) -> ConversationId:
        """Return the user's open conversation, beginning one where there is none."""
        row = await self._db.fetch_one(
            "SELECT id FROM conversations WHERE user_id = ? AND ended_at IS NULL", user_id
        )
        if row is not None:
            return ConversationId(row["id"])
        async with self._db.transaction() as tx:
            await tx.execute(
                "INSERT INTO conversations(user_id, started_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                user_id,
                to_ms(at),
            )
            row = await tx.fetch_one(
                "SELECT id FROM conversations WHERE user_id = ? AND ended_at IS NULL", user_id
            )
        assert row is not None, "the insert above makes sure of it"  # noqa: S101
        return ConversationId(row["id"])

    async def end_open(self, user_id: UserId, at: datetime, *, tx: Transaction) -> None:
        """Close the open conversation; its messages stay, and are no longer shown to the model."""
        await tx.execute(
            "UPDATE conversations SET ended_at = ? WHERE user_id = ? AND ended_at IS NULL", to_ms(at), user_id
        )

    async def set_tool_state(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        state: ToolState,
        *,
        sticky_until: datetime,
        tx: Transaction,
    ) -> None:
        """Remember the categories until that time, and the skills for the rest of the conversation."""
        await tx.execute(
            "UPDATE conversations SET sticky = ?, sticky_until = ?, given_skills = ? WHERE user_id = ? AND id = ?",
            json.dumps(state.sticky),
            to_ms(sticky_until),
            json.dumps(state.given_skills),
            user_id,
            conversation_id,
        )

    async def append(
        self,
        user_id: UserId,
        conversation_id: ConversationId,
        messages: tuple[NewMessage, ...],
        at: datetime,
        *,
        turn_id: TurnId,
        tx: Transaction,
    ) -> None:
        """Add one finished turn. History never holds half of one."""
        await tx.execute_many(
            "INSERT INTO messages(user_id, conversation_id, turn_id, role, text, message_id, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (user_id, conversation_id, turn_id, message.role, message.text, message.message_id, to_ms(at))
                for message in messages
            ],
        )

    async def list_recent(
        self, user_id: UserId, conversation_id: ConversationId, *, limit: int = 200
    ) -> list[StoredMessage]:
        """Return the last messages of a conversation, oldest first."""
        rows = await self._db.fetch_all(
            "SELECT role, text, turn_id, created_at, reaction FROM messages"
            " WHERE user_id = ? AND conversation_id = ? ORDER BY id DESC LIMIT ?",
            user_id,
            conversation_id,
            limit,
        )
        return [_stored(row) for row in reversed(rows)]

    async def count(self, user_id: UserId, conversation_id: ConversationId) -> int:
        row = await self._db.fetch_one(
            "SELECT count(*) AS n FROM messages WHERE user_id = ? AND conversation_id = ?",
            user_id,
            conversation_id,
        )
        return int(row["n"]) if row is not None else 0

    async def find_turn(self, user_id: UserId, message_id: WaMessageId) -> TurnId | None:
        """Return the turn in which a person's message was read; None when it never was, or is not theirs."""
        row = await self._db.fetch_one(
            "SELECT turn_id FROM messages WHERE user_id = ?1 AND message_id = ?2 UNION ALL"
            " SELECT * FROM (SELECT turn_id FROM inbox WHERE user_id = ?1 AND ref_id = ?2 AND kind = 'edit'"
            " AND purpose = 'rewrite' AND state = 'done' ORDER BY turn_id DESC LIMIT 1) AS answered UNION ALL"
            " SELECT turn_id FROM inbox WHERE user_id = ?1 AND message_id = ?2 AND turn_id IS NOT NULL LIMIT 1",
            user_id,
            message_id,
        )
        return None if row is None else TurnId(row["turn_id"])

    async def texts_of(self, user_id: UserId, turn_ids: Collection[TurnId]) -> dict[TurnId, str]:
        """Return what the user wrote in those turns, for those that are still there."""
        rows = await self._db.fetch_all(
            "SELECT turn_id, group_concat(text, char(10)) AS said FROM messages INDEXED BY messages_turn"
            " WHERE user_id = ? AND role = 'user' AND turn_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
            " GROUP BY turn_id",
            user_id,
            json.dumps(list(turn_ids)),
        )
        return {TurnId(row["turn_id"]): row["said"] for row in rows}

    async def find_quoted(self, user_id: UserId, message_id: WaMessageId) -> StoredMessage | None:
        """Return the message of either side that a person quoted; never somebody else's."""
        row = await self._db.fetch_one(
            "SELECT role, text, turn_id, created_at, reaction FROM messages WHERE user_id = ? AND message_id = ?",
            user_id,
            message_id,
        )
        if row is not None:
            return _stored(row)
        row = await self._db.fetch_one(
            "SELECT payload, turn_id, created_at FROM outbox WHERE user_id = ? AND message_id = ?",
            user_id,
            message_id,
        )
        if row is None:
            return None
        return StoredMessage(
            "assistant", _spoken(row["payload"]), TurnId(row["turn_id"] or 0), from_ms(row["created_at"])
        )

    async def edit(self, user_id: UserId, message_id: WaMessageId, text: str, *, tx: Transaction) -> bool:
        """Let history follow an edit; returns whether the message was there."""
        return bool(
            await tx.execute(
                "UPDATE messages SET text = ? WHERE user_id = ? AND message_id = ?", text, user_id, message_id
            )
        )

    async def erase(self, user_id: UserId, message_id: WaMessageId, *, tx: Transaction) -> bool:
        """Forget a revoked message; returns whether it was there."""
        return bool(
            await tx.execute("DELETE FROM messages WHERE user_id = ? AND message_id = ?", user_id, message_id)
        )

    async def erase_turns(self, user_id: UserId, turn_ids: Collection[TurnId], *, tx: Transaction) -> None:
        """Forget both sides of turns whose messages are answered anew."""
        await tx.execute(
            "DELETE FROM messages WHERE user_id = ?"
            " AND turn_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
            user_id,
            json.dumps(list(turn_ids)),
        )

    async def react(self, user_id: UserId, message_id: WaMessageId, emoji: str | None, *, tx: Transaction) -> bool:
        """Store a reaction on the message of either side it was given to."""
        changed = await tx.execute(
            "UPDATE messages SET reaction = ?1 WHERE user_id = ?2 AND (message_id = ?3 OR (role = 'assistant'"
            " AND turn_id = (SELECT turn_id FROM outbox WHERE user_id = ?2 AND message_id = ?3)))",
            emoji,
            user_id,
            message_id,
        )
        return bool(changed)


def _stored(row: Row) -> StoredMessage:
    return StoredMessage(
        row["role"], row["text"], TurnId(row["turn_id"]), from_ms(row["created_at"]), row["reaction"]
    )


def _spoken(payload: str) -> str:
    match decode_outbound(payload):
        case OutText(body=body) | Buttons(body=body) | ListMenu(body=body):
            return body
        case OutMedia(caption=caption):
            return caption or ""
        case _:
            return ""
