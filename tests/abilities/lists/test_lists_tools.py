"""Lists: named as people name them, several things in one sentence, never somebody else's."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import Database
from app.database.repositories.acts import Acts
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.skills.registry import SkillRegistry
from app.skills.tools.lists import lists_tools
from app.skills.tools.lists.repository import Lists
from tests.fakes.clock import FrozenClock

ANN = UserId("ann")
BOB = UserId("bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)


class Desk:
    """The tools over a real database, called as the engine does; `reply` is what the person reads."""

    def __init__(self, db: Database) -> None:
        self.clock = FrozenClock(NOW)
        self.lists = Lists(db)
        self.registry = SkillRegistry()
        lists_tools.register(self.registry, self.lists, self.clock, Acts(db))

    async def reply(self, user_id: UserId, tool_name: str, language: str = "en", **arguments: object) -> str:
        await self.clock.advance(1)
        tool = self.registry.tools.get(tool_name)
        ctx = TurnContext(TurnId(1), user_id, ConversationId(1), 1, NOW, language, is_admin=False)
        result = await tool.execute(tool.validate_args(arguments), ctx=ctx)
        assert result.success, result.error
        return result.reply

    async def open_items(self, user_id: UserId) -> dict[str, list[str]]:
        every = await self.lists.list_all(user_id)
        return {one.name: [item.text for item in one.open_items] for one in every}


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


async def test_a_list_is_found_by_the_beginning_of_its_name(desk: Desk) -> None:
    await desk.reply(ANN, "add_to_list", items=["vendas"], list_name="Farmacia")
    await desk.reply(ANN, "add_to_list", items=["tierra"], list_name="Vivero")
    assert await desk.reply(ANN, "show_list", list_name="la farma") == "Farmacia:\n☐ vendas"


async def test_several_things_in_one_sentence_are_several_items(desk: Desk) -> None:
    reply = await desk.reply(ANN, "add_to_list", items=["pan, tomates y sal"], list_name="la lista del súper")
    assert reply == "Súper:\n☐ pan\n☐ tomates\n☐ sal"


async def test_without_a_name_the_list_used_last_is_meant(desk: Desk) -> None:
    assert await desk.reply(ANN, "add_to_list", language="es", items=["café"]) == "Compras:\n☐ café"
    await desk.reply(ANN, "add_to_list", items=["tent"], list_name="camping list")
    await desk.reply(ANN, "add_to_list", items=["torch"])
    assert await desk.open_items(ANN) == {"Camping": ["tent", "torch"], "Compras": ["café"]}


@pytest.mark.parametrize("said", ["compras", "la lista de compras", "supermercado", "el super", "grocery list"])
async def test_one_shopping_list_has_many_names(desk: Desk, said: str) -> None:
    await desk.reply(ANN, "add_to_list", items=["pan"], list_name="súper")
    await desk.reply(ANN, "add_to_list", items=["leche"], list_name=said)
    assert await desk.open_items(ANN) == {"Súper": ["pan", "leche"]}


async def test_what_was_bought_is_checked_and_no_longer_left(desk: Desk) -> None:
    await desk.reply(ANN, "add_to_list", items=["arroz", "fideos"])
    assert await desk.reply(ANN, "check_off", items=["el arroz"]) == "Done: arroz\nShopping:\n☐ fideos\n☑ arroz"
    assert "everything is checked off" in await desk.reply(ANN, "check_off", items=["fideo"])
    assert await desk.reply(ANN, "add_to_list", items=["Arroz"]) == ("Shopping:\n☐ arroz\n☑ fideos"), (
        "what is bought again is open again"
    )


async def test_an_item_is_found_on_the_list_that_has_it(desk: Desk) -> None:
    await desk.reply(ANN, "add_to_list", items=["sunscreen"], list_name="beach")
    await desk.reply(ANN, "add_to_list", items=["milk"], list_name="shopping")
    assert (await desk.reply(ANN, "remove_from_list", items=["the sunscreen"])).startswith("Removed: sunscreen")
    assert await desk.open_items(ANN) == {"Shopping": ["milk"], "Beach": []}


async def test_what_is_not_there_is_said_with_the_list(desk: Desk) -> None:
    await desk.reply(ANN, "add_to_list", items=["milk"])
    assert await desk.reply(ANN, "check_off", items=["bread"]) == (
        "I can't find “bread” on “Shopping”.\nShopping:\n☐ milk"
    )
    assert await desk.reply(ANN, "show_list", list_name="garden") == (
        "You don't have a list called “Garden”. Yours are: Shopping."
    )


async def test_a_list_is_cleared_of_what_is_done_or_deleted(desk: Desk) -> None:
    await desk.reply(ANN, "add_to_list", items=["a", "b"])
    await desk.reply(ANN, "check_off", items=["a"])
    assert await desk.reply(ANN, "clear_checked") == "Removed: a\nShopping:\n☐ b"
    assert await desk.reply(ANN, "clear_checked") == "Shopping:\n☐ b", "nothing is checked any more"
    assert [one.text for one in (await desk.lists.list_all(ANN))[0].items] == ["b"]
    assert await desk.reply(ANN, "clear_list") == "I deleted the list “Shopping”."
    assert await desk.reply(ANN, "show_lists") == "You don't have any lists yet. Tell me what to put on one."


async def test_lists_are_counted_in_the_persons_language(desk: Desk) -> None:
    await desk.reply(ANN, "add_to_list", items=["pan"])
    assert await desk.reply(ANN, "show_lists", language="es") == "Shopping: queda 1 cosa"
    await desk.reply(ANN, "add_to_list", items=["sal"])
    assert await desk.reply(ANN, "show_lists", language="es") == "Shopping: quedan 2 cosas"


async def test_each_person_sees_and_changes_only_their_own(desk: Desk) -> None:
    await desk.reply(ANN, "add_to_list", items=["milk"], list_name="shopping")
    await desk.reply(BOB, "add_to_list", items=["nails"], list_name="shopping")
    assert "☐ milk" not in await desk.reply(BOB, "check_off", items=["milk"])
    await desk.reply(BOB, "clear_list")
    assert await desk.open_items(ANN) == {"Shopping": ["milk"]}
    assert await desk.open_items(BOB) == {}


async def test_whatever_is_said_a_tool_answers(desk: Desk) -> None:
    said: list[tuple[list[str], str]] = []

    @given(st.lists(st.text(max_size=30), min_size=1, max_size=4), st.text(max_size=20))
    def collect(items: list[str], name: str) -> None:
        said.append((items, name))

    collect()
    for items, name in said:
        for tool_name in ("add_to_list", "check_off", "remove_from_list"):
            tool = desk.registry.tools.get(tool_name)
            ctx = TurnContext(TurnId(1), ANN, ConversationId(1), 1, NOW, "en", is_admin=False)
            arguments = tool.validate_args({"items": items, "list_name": name})
            result = await tool.execute(arguments, ctx=ctx)
            assert result.content
