"""The memory tools: what a model may keep, find and forget for its user, and nobody else's."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from app.database.db import Database
from app.database.repositories.acts import Acts
from app.database.repository import Repository
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.memory import memory_tools
from app.memory.repository import MemoryRepository
from app.memory.service import MemoryService
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from tests.fakes.clock import FrozenClock

ANN = UserId("ann")
BOB = UserId("bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)


class Desk:
    """The tools over a real database, called as the engine does."""

    def __init__(self, db: Database) -> None:
        self.service = MemoryService(MemoryRepository(Repository(db), db), FrozenClock(NOW))
        self.registry = SkillRegistry()
        memory_tools.register(self.registry, self.service, Acts(db), FrozenClock(NOW))

    async def call(self, user_id: UserId, tool_name: str, turn: int = 1, **arguments: object) -> ToolResult:
        tool = self.registry.tools.get(tool_name)
        ctx = TurnContext(TurnId(turn), user_id, ConversationId(1), 1, NOW, "en", is_admin=False)
        return await tool.execute(tool.validate_args(arguments), ctx=ctx)

    async def says(self, user_id: UserId, tool_name: str, turn: int = 1, **arguments: object) -> str:
        result = await self.call(user_id, tool_name, turn, **arguments)
        assert result.success, result.error
        return result.output

    async def refuses(self, user_id: UserId, tool_name: str, turn: int = 1, **arguments: object) -> str:
        result = await self.call(user_id, tool_name, turn, **arguments)
        assert not result.success, result.output
        return result.error or ""


@pytest.fixture
async def desk(database: str) -> AsyncIterator[Desk]:
    async with Database.open(database) as db:
        async with db.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)",
                    user_id,
                )
        yield Desk(db)


async def test_a_fact_is_kept_once_and_a_correction_names_what_it_replaces(desk: Desk) -> None:
    assert await desk.says(ANN, "remember_fact", fact="vivo en Madrid") == "Remembered 1. vivo en Madrid"
    assert await desk.says(ANN, "remember_fact", fact="Vivo en Madrid.") == "Already known: 1. vivo en Madrid"
    assert await desk.says(ANN, "remember_fact", 2, fact="vivo en Lisboa") == (
        "Remembered 2. vivo en Lisboa\nIt replaces: 1. vivo en Madrid"
    )


async def test_a_search_shows_what_fits_or_the_latest(desk: Desk) -> None:
    assert await desk.says(ANN, "search_memories", query="dog") == "Nothing is remembered about the user yet."
    await desk.says(ANN, "remember_fact", fact="I have a dog called Toby")
    await desk.says(ANN, "remember_fact", fact="I like tea")
    assert await desk.says(ANN, "search_memories", query="the dogs") == "1. I have a dog called Toby"
    assert await desk.says(ANN, "search_memories", query="zebra") == (
        'Nothing matches "zebra". The latest of 2 facts:\n1. I have a dog called Toby\n2. I like tea'
    )


async def test_forgetting_names_what_is_gone_and_never_guesses(desk: Desk) -> None:
    await desk.says(ANN, "remember_fact", fact="I have a dog called Toby")
    assert await desk.says(ANN, "forget_fact", number="the dog") == (
        'No fact is exactly "the dog". Nothing was forgotten. Ask which one:\n1. I have a dog called Toby'
    )
    assert "Nothing was forgotten" in await desk.says(ANN, "forget_fact", number="9")
    assert await desk.says(ANN, "forget_fact", number="1") == "Forgotten: 1. I have a dog called Toby"
    refused = await desk.refuses(ANN, "remember_fact", fact="I have a dog called Toby")
    assert refused == "The user asked to forget this. It was not kept."


@pytest.mark.parametrize(
    ("fact", "reason"),
    [("", "no text to remember"), (" \n", "no text to remember"), ("x" * 1001, "1001 characters")],
)
async def test_what_is_no_fact_is_refused_with_a_reason(desk: Desk, fact: str, reason: str) -> None:
    assert reason in await desk.refuses(ANN, "remember_fact", fact=fact)
    assert await desk.service.list_active(ANN) == []


async def test_two_people_with_the_same_words_never_meet(desk: Desk) -> None:
    for turn in range(1, 6):
        for person in (ANN, BOB):
            await desk.says(person, "remember_fact", turn, fact=f"my key number {turn} hangs at {person}'s door")
    assert "bob" not in await desk.says(ANN, "search_memories", query="key bob door")
    assert "ann's" not in await desk.says(BOB, "forget_fact", number="key ann")
    await desk.says(BOB, "forget_fact", number="1")
    assert "ann" in (await desk.service.list_active(ANN))[0].text


async def test_the_tools_are_short_and_say_what_changes_something(desk: Desk) -> None:
    tools = desk.registry.tools_of("memory")
    assert [tool.name for tool in tools] == ["remember_fact", "search_memories", "correct_fact", "forget_fact"]
    assert [tool.read_only for tool in tools] == [False, True, False, False]
    assert not any(tool.sensitive for tool in tools)
    skill = {skill.name: skill for skill in load_builtin()[0]}["memory"]
    assert skill.description
    assert 0 < len(skill.instructions.splitlines()) <= 12


async def test_what_a_person_wrote_is_marked_as_their_words(desk: Desk) -> None:
    marked = {tool.name: tool.word_parameters for tool in desk.registry.list_tools() if tool.word_parameters}
    assert marked == {
        "remember_fact": ("fact",),
        "search_memories": ("query",),
        "correct_fact": ("new", "old"),
    }
