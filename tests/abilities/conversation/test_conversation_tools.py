"""What was said before, to the one who said it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from app.database.db import Database
from app.database.repositories.conversations import NewMessage
from app.database.repository import Repository
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.inbound import Sender
from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.skills.registry import SkillRegistry
from app.skills.tools.conversation import conversation_tools

AT = datetime(2026, 1, 2, 23, 30, tzinfo=UTC)


def context(user_id: UserId, conversation_id: ConversationId) -> TurnContext:
    return TurnContext(
        turn_id=TurnId(1),
        user_id=user_id,
        conversation_id=conversation_id,
        attempt=1,
        received_at=AT,
        language="en",
        is_admin=False,
        timezone="Europe/Madrid",
    )


NOBODY = context(UserId("nobody"), ConversationId(0))


async def call(registry: SkillRegistry, name: str, ctx: TurnContext = NOBODY, **arguments: object) -> ToolResult:
    tool = registry.tools.get(name)
    return await tool.execute(tool.validate_args(arguments), ctx=ctx)


@pytest.fixture
async def repo(database: str) -> AsyncIterator[Repository]:
    async with Database.open(database) as db:
        yield Repository(db)


@pytest.fixture
def talk(repo: Repository) -> SkillRegistry:
    registry = SkillRegistry()
    conversation_tools.register(registry, repo.conversations)
    return registry


async def someone(repo: Repository, name: str, *said: str) -> TurnContext:
    """A new person who wrote these texts, each answered with an echo."""
    async with repo.transaction() as tx:
        user_id = await repo.directory.create(Sender(wa_id=f"{name}1", name=name), "en", AT, tx=tx)
    conversation_id = await repo.conversations.ensure_open(user_id, AT)
    async with repo.transaction() as tx:
        for turn, text in enumerate(said):
            messages = (NewMessage("user", text), NewMessage("assistant", f"echo {text}"))
            await repo.conversations.append(user_id, conversation_id, messages, AT, turn_id=TurnId(turn), tx=tx)
    return context(user_id, conversation_id)


async def test_messages_are_shown_oldest_first_in_the_time_of_the_user(
    repo: Repository, talk: SkillRegistry
) -> None:
    alice = await someone(repo, "alice", "one", "two\nlines")
    shown = await call(talk, "get_recent_messages", alice, count=3)
    assert shown.content == (
        "[2026-01-03 00:30] assistant: echo one\n"
        "[2026-01-03 00:30] user: two lines\n"
        "[2026-01-03 00:30] assistant: echo two lines"
    )


async def test_nobody_sees_the_conversation_of_somebody_else(repo: Repository, talk: SkillRegistry) -> None:
    alice = await someone(repo, "alice", "my secret")
    bob = await someone(repo, "bob", "hello")
    mixed = context(bob.user_id, alice.conversation_id)
    assert "secret" not in (await call(talk, "get_recent_messages", bob)).content
    assert "Nothing was said" in (await call(talk, "get_recent_messages", mixed)).content


async def test_a_cleared_conversation_is_empty(repo: Repository, talk: SkillRegistry) -> None:
    alice = await someone(repo, "alice", "before")
    async with repo.transaction() as tx:
        await repo.conversations.end_open(alice.user_id, AT, tx=tx)
    fresh = context(alice.user_id, await repo.conversations.ensure_open(alice.user_id, AT))
    assert "Nothing was said" in (await call(talk, "get_recent_messages", fresh)).content


@pytest.mark.parametrize(("count", "expected"), [(-5, 1), (0, 1), (2, 2), ("4", 4), (10**6, 50), (None, 10)])
async def test_any_count_is_brought_into_its_limits(
    repo: Repository, talk: SkillRegistry, count: object, expected: int
) -> None:
    alice = await someone(repo, "alice", *map(str, range(40)))
    shown = await call(talk, "get_recent_messages", alice, count=count)
    assert len(shown.content.splitlines()) == expected


async def test_a_long_message_is_shortened(repo: Repository, talk: SkillRegistry) -> None:
    alice = await someone(repo, "alice", "word " * 1000)
    assert len((await call(talk, "get_recent_messages", alice)).content) < 800


def test_it_only_reads(talk: SkillRegistry) -> None:
    tool = talk.tools.get("get_recent_messages")
    assert (tool.read_only, tool.sensitive) == (True, False)
