"""Conversations in a real database, as the pipeline leaves them behind."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from app.database.db import Database
from app.database.repositories.conversations import NewMessage
from app.database.repository import Repository
from app.domain.ids import ConversationId, TurnId, UserId, WaMessageId
from app.memory.repository import MemoryRepository
from tests.databases import brief_database, migrated
from tests.fakes.clock import FrozenClock

ANN: Final = UserId("ann")
BOB: Final = UserId("bob")
NOON: Final = datetime(2026, 8, 4, 12, tzinfo=UTC)


class Talks:
    """People who talk; each turn is one message of the person and one answer."""

    def __init__(self, db: Database, *, turns: int = 0) -> None:
        self.db = db
        self.repository = MemoryRepository(Repository(db), db)
        self.clock = FrozenClock(NOON)
        self._turns = turns

    async def open(self, user_id: UserId = ANN) -> ConversationId:
        return await self.repository.conversations.ensure_open(user_id, self.clock.now())

    async def say(self, text: str, *, answer: str | None = "ok", user_id: UserId = ANN) -> TurnId:
        """Add one turn; the person's message has Meta's id `wamid.<turn>`."""
        self._turns += 1
        turn_id = TurnId(self._turns)
        answers = () if answer is None else (NewMessage("assistant", answer),)
        said = (NewMessage("user", text, WaMessageId(f"wamid.{turn_id}")), *answers)
        conversation_id = await self.open(user_id)
        async with self.db.transaction() as tx:
            await self.repository.conversations.append(
                user_id, conversation_id, said, self.clock.now(), turn_id=turn_id, tx=tx
            )
        return turn_id

    async def clear(self, user_id: UserId = ANN) -> None:
        async with self.db.transaction() as tx:
            await self.repository.conversations.end_open(user_id, self.clock.now(), tx=tx)

    async def revoke(self, turn_id: TurnId, user_id: UserId = ANN) -> None:
        async with self.db.transaction() as tx:
            await self.repository.conversations.erase(user_id, WaMessageId(f"wamid.{turn_id}"), tx=tx)

    async def edit(self, turn_id: TurnId, text: str, user_id: UserId = ANN) -> None:
        async with self.db.transaction() as tx:
            await self.repository.conversations.edit(user_id, WaMessageId(f"wamid.{turn_id}"), text, tx=tx)

    async def ids(self, user_id: UserId = ANN) -> list[int]:
        rows = await self.db.fetch_all("SELECT id FROM messages WHERE user_id = ? ORDER BY id", user_id)
        return [row["id"] for row in rows]


@asynccontextmanager
async def talking(path: Path | str | None = None) -> AsyncIterator[Talks]:
    """Open a migrated database with Ann and Bob in it."""
    async with migrated(await brief_database() if path is None else path) as db:
        async with db.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at)"
                    " VALUES (?, 'en', 0, 0) ON CONFLICT DO NOTHING",
                    user_id,
                )
        last = await db.fetch_one("SELECT coalesce(max(turn_id), 0) AS turn_id FROM messages")
        yield Talks(db, turns=0 if last is None else last["turn_id"])


class FactBook:
    """Where facts end up: idempotent by turn and text, as the memory service is."""

    def __init__(self) -> None:
        self.facts: dict[tuple[UserId, TurnId, str], None] = {}

    async def remember(self, user_id: UserId, text: str, *, turn_id: TurnId) -> None:
        self.facts[user_id, turn_id, text] = None

    async def forget_turn(self, user_id: UserId, turn_id: TurnId) -> None:
        self.facts = {key: None for key in self.facts if key[:2] != (user_id, turn_id)}

    def of(self, user_id: UserId = ANN) -> list[str]:
        return [text for owner, _, text in self.facts if owner == user_id]
