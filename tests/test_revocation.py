"""What was learned from a message goes when the message is taken back; nothing else does."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from app.database.db import Database
from app.database.repositories.conversations import NewMessage
from app.database.repositories.inbox import NewRow
from app.database.repository import Repository
from app.domain.ids import TurnId, UserId, WaMessageId
from app.domain.inbound import InboundMessage, Sender, Text
from app.memory.extraction import Extractor
from app.memory.repository import MemoryRepository
from app.memory.service import MemoryService
from tests.builders import ALICE, BOB, PHONE_NUMBER_ID
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass
class World:
    repository: Repository
    memories: MemoryService
    extractor: Extractor
    alice: UserId
    bob: UserId

    async def say(self, user_id: UserId, message_id: str, text: str) -> TurnId:
        """Let a message go through its turn, in which its words were learned as they are."""
        message = InboundMessage(WaMessageId(message_id), PHONE_NUMBER_ID, Sender(wa_id="1"), NOW, Text(text))
        async with self.repository.transaction() as tx:
            row = NewRow(user_id, message, "turn", False, NOW, NOW)
            await self.repository.inbox_queue.accept([row], tx=tx)
        [pending] = await self.repository.inbox.list_pending(user_id, "turn")
        turn_id = TurnId(pending.id)
        await self.repository.inbox.claim(user_id, turn_id, [pending.id])
        conversation = await self.repository.conversations.ensure_open(user_id, NOW)
        async with self.repository.transaction() as tx:
            await self.repository.inbox.finish(user_id, turn_id, NOW, outcome="done", tx=tx)
            said = (NewMessage("user", text, message.id),)
            await self.repository.conversations.append(user_id, conversation, said, NOW, turn_id=turn_id, tx=tx)
        await self.memories.remember(user_id, text, turn_id=turn_id)
        return turn_id

    async def take_back(self, user_id: UserId, message_id: WaMessageId) -> None:
        await self.extractor.take_back(user_id, message_id, is_rewritten=False)

    async def facts(self, user_id: UserId) -> list[str]:
        return [memory.text for memory in await self.memories.list_active(user_id)]


@pytest.fixture
async def world(database: str) -> AsyncIterator[World]:
    async with Database.open(database) as db:
        repository = Repository(db)
        tables = MemoryRepository(repository, db)
        memories = MemoryService(tables, FrozenClock(NOW))
        extractor = Extractor(tables, ScriptedChatModel(), memories, prompt="", timezone="UTC")
        async with repository.transaction() as tx:
            alice = await repository.directory.create(Sender(wa_id=ALICE), "es", NOW, tx=tx)
            bob = await repository.directory.create(Sender(wa_id=BOB), "es", NOW, tx=tx)
        yield World(repository, memories, extractor, alice, bob)


async def test_facts_of_the_message_go_and_others_stay(world: World) -> None:
    await world.say(world.alice, "wamid.1", "Mi perro se llama Toby")
    await world.say(world.alice, "wamid.2", "Soy alérgica a las nueces")
    await world.take_back(world.alice, WaMessageId("wamid.2"))
    assert await world.facts(world.alice) == ["Mi perro se llama Toby"]
    await world.take_back(world.alice, WaMessageId("wamid.2"))
    assert await world.facts(world.alice) == ["Mi perro se llama Toby"]


async def test_it_works_after_history_forgot_the_message(world: World) -> None:
    await world.say(world.alice, "wamid.1", "Soy alérgica a las nueces")
    async with world.repository.transaction() as tx:
        assert await world.repository.conversations.erase(world.alice, WaMessageId("wamid.1"), tx=tx)
        await world.repository.changes.revoke(world.alice, WaMessageId("wamid.1"), NOW, tx=tx)
    await world.take_back(world.alice, WaMessageId("wamid.1"))
    assert await world.facts(world.alice) == []


async def test_nobody_takes_back_what_somebody_else_said(world: World) -> None:
    await world.say(world.alice, "wamid.1", "Soy alérgica a las nueces")
    await world.take_back(world.bob, WaMessageId("wamid.1"))
    await world.take_back(world.alice, WaMessageId("wamid.unknown"))
    assert await world.facts(world.alice) == ["Soy alérgica a las nueces"]
