"""Lists by message, from the webhook to the bubble, in both languages and with both protocols."""

from pathlib import Path

from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app


def call(name: str, arguments: str) -> str:
    """What a small model answers when it calls one tool."""
    return f'{{"{name}": {{{arguments}}}}}'


async def test_a_household_keeps_its_list_by_message(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "lists"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        llm.add(call("add_to_list", '"items": ["detergente, esponjas y velas"]'))
        await app.say(ALICE, "a la lista: detergente, esponjas y velas")
        llm.add(call("check_off", '"items": ["las velas"]'))
        await app.say(ALICE, "las velas ya las traje")
        llm.add(call("show_list", ""))
        await app.say(ALICE, "¿qué me falta?")
        assert app.replies_to(ALICE) == [
            "Compras:\n☐ detergente\n☐ esponjas\n☐ velas",
            "Listo: velas\nCompras:\n☐ detergente\n☐ esponjas\n☑ velas",
            "Compras:\n☐ detergente\n☐ esponjas",
        ]


async def test_two_people_have_a_list_of_the_same_name_each(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "lists"
    async with running_app(tmp_path, llm=llm) as app:
        for person, thing in ((ALICE, "candles"), (BOB, "nails")):
            llm.add(calls(("add_to_list", {"items": [thing], "list_name": "shopping list"})), "Done.")
            await app.say(person, f"put {thing} on my shopping list")
        for person, own in ((ALICE, "candles"), (BOB, "nails")):
            llm.add(calls(("show_list", {"list_name": "shopping"})), "There you are.")
            await app.say(person, "what is on my shopping list?")
            shown = next(m.content for m in llm.requests[-1].messages if m.role == "tool")
            assert shown == f"☐ {own}"


async def test_several_lists_survive_a_restart(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "lists"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        llm.add(call("add_to_list", '"items": ["tent", "stove"], "list_name": "camping"'))
        await app.say(ALICE, "start a list for camping: tent and stove")
        llm.add(call("add_to_list", '"items": ["oats"], "list_name": "groceries"'))
        await app.say(ALICE, "and oats on the groceries")
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        llm.add(call("show_lists", ""))
        await app.say(ALICE, "which lists do I have?")
        assert app.replies_to(ALICE)[-1] == "Groceries: 1 thing left\nCamping: 2 things left"


async def test_how_much_of_the_last_thing_is_wanted_is_said_of_that_thing(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "lists"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        llm.add(call("add_to_list", '"items": ["oats", "birdseed"]'))
        await app.say(ALICE, "oats and birdseed on the list")
        for said, quantity in (("make it 3 bags", "3 bags"), ("no, 4 bags", "4 bags")):
            llm.add(call("add_to_list", f'"items": ["{quantity}"], "list_name": "shopping"'))
            await app.say(ALICE, said)
        assert app.replies_to(ALICE)[-1] == "Shopping:\n☐ oats\n☐ birdseed (4 bags)"


async def test_a_part_of_a_name_finds_the_list_and_a_longer_name_is_another_one(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "lists"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for thing, name in (
            ("Zama", "films to watch"),
            ("Roma", "the films"),
            ("Nope", "films to watch with Ann"),
        ):
            llm.add(call("add_to_list", f'"items": ["{thing}"], "list_name": "{name}"'))
            await app.say(ALICE, f"add {thing} to {name}")
        assert app.replies_to(ALICE)[1:] == [
            "Films to watch:\n☐ Zama\n☐ Roma",
            "Films to watch with Ann:\n☐ Nope",
        ]
