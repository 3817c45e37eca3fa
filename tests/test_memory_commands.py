"""/remember, /forget and /memories, as their person sees them."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from itertools import count

import pytest

from app.commands.registry import CommandRegistry, parse_command
from app.database.db import Database
from app.database.repository import Repository
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.outbound import (
    MAX_BUTTON_ID_CHARS,
    MAX_BUTTON_TITLE_CHARS,
    MAX_INTERACTIVE_BODY_CHARS,
    MAX_ROW_DESCRIPTION_CHARS,
    MAX_ROW_TITLE_CHARS,
    Buttons,
    ListMenu,
    Reply,
)
from app.domain.turn import TurnContext
from app.language.catalogue import Language
from app.memory import commands as memory
from app.memory.repository import MemoryRepository
from app.memory.service import MAX_FACT_CHARS, MemoryService
from app.whatsapp.render import render
from tests.fakes.clock import FrozenClock

ANN = UserId("ann")
BOB = UserId("bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)


class Chat:
    """Commands typed by people, each in a turn of its own."""

    def __init__(self, db: Database) -> None:
        self.registry = CommandRegistry()
        memory.register(self.registry, MemoryService(MemoryRepository(Repository(db), db), FrozenClock(NOW)))
        self._turns = count(1)

    async def send(self, text: str, *, user: UserId = ANN, language: Language = "en") -> Reply:
        command = parse_command(text)
        assert command is not None
        spec = self.registry.find(command.name)
        assert spec is not None
        turn = TurnId(next(self._turns))
        return await spec.run(
            command.args, TurnContext(turn, user, ConversationId(1), 1, NOW, language, is_admin=False)
        )

    async def says(self, text: str, *, user: UserId = ANN, language: Language = "en") -> str:
        reply = await self.send(text, user=user, language=language)
        assert reply.messages == ()
        return reply.markdown

    async def tap(self, choice_id: str) -> str:
        assert choice_id.startswith("/")
        return await self.says(choice_id)


@pytest.fixture
async def chat(database: str) -> AsyncIterator[Chat]:
    async with Database.open(database) as db:
        async with db.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)",
                    user_id,
                )
        yield Chat(db)


async def test_a_fact_is_remembered_corrected_and_recognised(chat: Chat) -> None:
    assert await chat.says("/remember I live in Madrid") == "I'll remember (1): I live in Madrid"
    assert await chat.says("/remember i live in MADRID") == "I already knew that (1): I live in Madrid"
    assert await chat.says("/remember I live in Lisbon") == (
        "Updated (2): I live in Lisbon\nNo longer true: I live in Madrid"
    )
    assert await chat.says("/remember I live in Lisbon, Portugal") == (
        "I'll remember (3): I live in Lisbon, Portugal\nThis replaces: I live in Lisbon"
    )


async def test_commands_answer_in_the_persons_language(chat: Chat) -> None:
    assert await chat.says("/remember soy celíaca", language="es") == "Lo recordaré (1): soy celíaca"
    assert "*Salud*" in render(await chat.says("/memories", language="es"))


@pytest.mark.parametrize("text", ["/remember", "/remember \n ", "/forget", "/memories", "/memory 7"])
async def test_a_command_without_anything_to_work_on_says_what_to_do(chat: Chat, text: str) -> None:
    assert "/remember" in (said := await chat.says(text)) or "/forget" in said


async def test_a_text_that_is_no_fact_any_more_is_refused_with_the_limit(chat: Chat) -> None:
    assert str(MAX_FACT_CHARS) in await chat.says("/remember " + "word " * MAX_FACT_CHARS)
    assert "I don't know anything about you" in await chat.says("/memories")


async def test_a_fact_is_forgotten_by_number_and_by_text(chat: Chat) -> None:
    await chat.says("/remember I have a dog")
    await chat.says("/remember I like tea")
    assert await chat.says("/forget 1") == "Forgotten (1): I have a dog"
    assert await chat.says("/forget i like TEA") == "Forgotten (2): I like tea"
    assert await chat.says("/forget 1") == "I don't know anything like “1”. /memories shows what I remember."


async def test_a_few_close_matches_are_offered_as_buttons_that_forget_them(chat: Chat) -> None:
    await chat.says("/remember my dog is called Toby, he is a very old labrador")
    await chat.says("/remember I walk the dog of my neighbour every Sunday")
    reply = await chat.send("/forget dog")
    (message,) = reply.messages
    assert isinstance(message, Buttons)
    assert "Toby, he is a very old labrador" in message.body
    assert len(message.body) <= MAX_INTERACTIVE_BODY_CHARS
    for button in message.buttons:
        assert len(button.title) <= MAX_BUTTON_TITLE_CHARS
        assert len(button.id) <= MAX_BUTTON_ID_CHARS
    pressed = next(one for one in message.buttons if one.title.startswith("2."))
    assert (await chat.tap(pressed.id)).startswith("Forgotten (2): I walk the dog")
    assert (await chat.tap(pressed.id)).startswith("I don't know anything like")
    assert "Toby" in await chat.says("/memories")


async def test_many_close_matches_are_offered_as_a_list(chat: Chat) -> None:
    for number in range(12):
        await chat.says(
            f"/remember the dog of house number {number} with a rather long description" + " and so on" * 9
        )
    (message,) = (await chat.send("/forget dog")).messages
    assert isinstance(message, ListMenu)
    rows = message.sections[0].rows
    assert len(rows) == 10
    assert all(len(row.title) <= MAX_ROW_TITLE_CHARS for row in rows)
    assert all(len(row.description) <= MAX_ROW_DESCRIPTION_CHARS for row in rows)
    assert (await chat.tap(rows[0].id)).startswith("Forgotten (")


async def test_facts_are_listed_by_category_and_page(chat: Chat) -> None:
    await chat.says("/remember my daughter is called Ana")
    for number in range(memory.PAGE_FACTS):
        await chat.says(f"/remember thing{number} stands on shelf {number}")
    first = await chat.says("/memories")
    assert first.startswith(f"I know {memory.PAGE_FACTS + 1} things about you:")
    assert first.index("**Family and friends**") < first.index("**Other facts**")
    assert "- `1` my daughter is called Ana" in first
    assert first.endswith("Page 1 of 2. For the next one: `/memories 2`")
    second = await chat.says("/memories 2")
    assert [line for line in second.split("\n") if line.startswith("- ")] == ["- `31` thing29 stands on shelf 29"]
    assert await chat.says("/memories 3") == "There are only 2 pages."


async def test_one_fact_is_one_thing_on_one_page(chat: Chat) -> None:
    await chat.says("/remember I have a dog")
    assert (await chat.says("/memories")).startswith("I know one thing about you:")
    assert (await chat.says("/memories", language="es")).startswith("Sé una cosa de ti:")
    assert await chat.says("/memories 2") == "There is only one page."


async def test_nobody_sees_or_forgets_what_is_not_theirs(chat: Chat) -> None:
    await chat.says("/remember the key is under the mat")
    assert await chat.says("/memories", user=BOB) == (
        "I don't know anything about you yet. Tell me something, or use /remember."
    )
    assert "I don't know anything like" in await chat.says("/forget 1", user=BOB)
    assert "I don't know anything like" in await chat.says("/forget the key is under the mat", user=BOB)
    assert "mat" in await chat.says("/memories")
