"""Two wishes in one message: both are done with the person's own words, both told, and one button undoes both."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from app.database.db import Database
from app.llm.local_embedder import LocalEmbedder
from app.llm.profiles import ModelProfile
from app.pipeline.answering.parting import parts_of_kinds, question_behind, question_beside
from app.simulator.payloads import button_reply
from tests.builders import ALICE
from tests.e2e.asking import calls
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, NATIVE, PEOPLE, AppUnderTest, running_app

__all__ = ["encoder"]

NOON: Final = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)
Wanted = tuple[str, Mapping[str, object]]
WISHES: Final[tuple[tuple[str, str, tuple[Wanted, Wanted], tuple[str, str]], ...]] = (
    # message, categories, what a model makes of it, what is stored
    (
        "anotá que el gas vence el 12 y recordame mañana a las 9 llamar al plomero",
        "notes, reminders",
        (
            ("save_note", {"content": "el gas vence el 13"}),
            ("set_reminder", {"text": "llamar al plomero", "when": "mañana a las 8"}),
        ),
        ("el gas vence el 12", "llamar al plomero 2026-11-19T09:00:00"),
    ),
    (
        "sumá yerba a la lista y anotá que Caro debe 3500",
        "lists, notes",
        (("add_to_list", {"items": ["yerba"]}), ("save_note", {"content": "Caro debe 3.500"})),
        ("yerba", "Caro debe 3500"),
    ),
    (
        "recordame a las 18 sacar la basura y a las 20 regar",
        "reminders",
        (
            ("set_reminder", {"text": "sacar la basura", "when": "a las 18"}),
            ("set_reminder", {"text": "regar", "when": "a las 20"}),
        ),
        ("sacar la basura 2026-11-18T18:00:00", "regar 2026-11-18T20:00:00"),
    ),
    (
        "note the gate code 7719 and the wifi key roble4417",
        "notes",
        (
            ("save_note", {"content": "the gate code 7791"}),
            ("save_note", {"content": "the wifi key roble4471"}),
        ),
        ("the gate code 7719", "the wifi key roble4417"),
    ),
    (
        "remember that I'm allergic to nuts and remind me tomorrow at 8 to water the plants",
        "memory, reminders",
        (
            ("remember_fact", {"fact": "I'm allergic to nuts"}),
            ("set_reminder", {"text": "water the plants", "when": "tomorrow at 8"}),
        ),
        ("I'm allergic to nuts", "water the plants 2026-11-19T08:00:00"),
    ),
)
STORED: Final = (
    "SELECT content AS kept FROM notes UNION ALL SELECT text FROM list_items UNION ALL SELECT text FROM memories"
    " UNION ALL SELECT text || ' ' || due_local FROM reminders"
)


async def stored(app: AppUnderTest) -> set[str]:
    async with Database.open(app.database) as db:
        return {str(row["kept"]) for row in await db.fetch_all(STORED)}


@pytest.mark.needs("lists", "memory", "notes", "reminders")
@pytest.mark.parametrize("profile", [CONSTRAINED, NATIVE], ids=["small", "native"])
@pytest.mark.parametrize(("message", "categories", "wanted", "kept"), WISHES, ids=[one[1] for one in WISHES])
async def test_both_are_done_and_told_and_undone_by_one_button(
    tmp_path: Path,
    profile: ModelProfile,
    message: str,
    categories: str,
    wanted: tuple[Wanted, Wanted],
    kept: tuple[str, str],
) -> None:
    llm, is_small = ScriptedChatModel(), profile is CONSTRAINED
    llm.category = categories
    async with running_app(
        tmp_path, llm=llm, profile=profile, clock=FrozenClock(NOON), max_tools_per_call=16
    ) as app:
        both = json.dumps({"calls": [{name: arguments} for name, arguments in wanted]})
        llm.add(both if is_small else calls(*wanted), *([] if is_small else ["Done, both."]))
        await app.say(ALICE, message)
        assert await stored(app) == set(kept)
        [answer] = app.graph.sends
        if is_small:
            assert all(one.partition(" 2026-")[0] in answer.text for one in kept), "told by the tools themselves"
        interactive: Any = answer.payload["interactive"]
        [button] = interactive["action"]["buttons"]
        await app.graph.receive(PEOPLE[ALICE], button_reply(button["reply"]["id"], "x"))
        await app.idle()
        assert await stored(app) == set()


@pytest.mark.needs("notes", "reminders")
@pytest.mark.parametrize("when", ["mañana a las 10", "mañana"])
async def test_what_belongs_to_one_wish_does_not_slip_into_the_other(tmp_path: Path, when: str) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes, reminders"
    message, _, _, kept = WISHES[0]
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=FrozenClock(NOON)) as app:
        wanted = [
            {"save_note": {"content": "el gas vence"}},
            {"set_reminder": {"text": "llamar al plomero", "when": when}},
        ]
        llm.add(json.dumps({"calls": wanted}))
        await app.say(ALICE, message)
        assert await stored(app) <= set(kept)
        assert "el gas vence el 12" in await stored(app)


@pytest.mark.needs("notes", "reminders")
async def test_one_that_lacks_something_is_asked_about_and_the_other_done(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes, reminders"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=FrozenClock(NOON)) as app:
        wanted = [
            {"save_note": {"content": "la clave es 7719"}},
            {"set_reminder": {"text": "llamar a Ana", "when": ""}},
        ]
        llm.add(json.dumps({"calls": wanted}))
        await app.say(ALICE, "anotá que la clave es 7719 y recordame llamar a Ana")
        assert await stored(app) == {"la clave es 7719"}
        [told] = app.replies_to(ALICE)
        assert "7719" in told
        assert "llamar a Ana" in told
        assert "?" in told


NOTE: Final = {"save_note": {"content": "la cerca salió 8300"}}


@pytest.mark.needs("lists", "notes", "reminders")
@pytest.mark.parametrize(
    ("message", "lines", "kept"),
    [
        (
            "anotá que la cerca salió 8300, y mañana 9 d la noche haceme acordar de cerrar el gallinero",
            [],
            {"la cerca salió 8300", "cerrar el gallinero 2026-11-19T21:00:00"},
        ),
        (
            "put glue on the shed list and on friday at 6pm remind me to fetch the ladder",
            [],
            {"glue", "fetch the ladder 2026-11-20T18:00:00"},
        ),
        (
            "anotá que la cerca salió 8300, y quita.. no quita no, PON en la lista del taller pintura. "
            "que mañana voy temprano",
            [NOTE],
            {"la cerca salió 8300", "pintura"},
        ),
    ],
    ids=["time-before", "time-before-en", "taken-back"],
)
async def test_each_wish_has_its_own_words_and_what_is_taken_back_is_none(
    tmp_path: Path, encoder: LocalEmbedder, message: str, lines: list[object], kept: set[str]
) -> None:
    clock = FrozenClock(NOON)
    async with small_app(tmp_path, encoder, *map(json.dumps, lines), clock=clock) as (app, llm):
        await app.say(ALICE, message)
        assert len(llm.requests) == len(lines)
        assert await stored(app) == kept
        told = "\n".join(app.replies_to(ALICE))
        assert "?" not in told


@pytest.mark.needs("notes", "calculator")
@pytest.mark.parametrize(
    ("message", "kept", "result"),
    [
        (
            "anota que la señora Paz me debe 900 del arreglo, y decime cuanto es si paga en 4 partes iguales",
            "la señora Paz me debe 900 del arreglo",
            "900 / 4 = 225",
        ),
        (
            "note that the shed key hangs behind the boiler, and how much is 15% of 240",
            "the shed key hangs behind the boiler",
            "= 36",
        ),
        (
            "right so look note that the cat gets her drops at 8 and while you're at it tell me how much is "
            "9 times 15 that's the tins",
            "the cat gets her drops at 8",
            "= 135",
        ),
    ],
)
async def test_a_question_behind_a_note_is_answered_and_is_no_part_of_it(
    tmp_path: Path, encoder: LocalEmbedder, message: str, kept: str, result: str
) -> None:
    call = json.dumps({"calls": [{"save_note": {"content": kept}}]})
    async with small_app(tmp_path, encoder, call, call) as (app, _):
        await app.say(ALICE, message)

        assert await stored(app) == {kept}
        assert result in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    ("message", "asked", "rest"),
    [
        ("sumá jabón al súper, y cuánto es 40 menos 15%?", "cuánto es 40 menos 15%?", "sumá jabón al súper"),
        ("sumá cal a la lista, cada una sale 8400, decime cuánto es", "decime cuánto es", "sumá cal a la lista"),
        ("llueve mañana? y decime cuánto es 900 entre 4", "decime cuánto es 900 entre 4", "llueve mañana?"),
        ("how much is 3 times 4? also put tape on the list", "how much is 3 times 4?", "put tape on the list"),
        ("write to Jim that I added milk and what is 40 less 15%", "", ""),
    ],
)
def test_a_question_beside_a_wish_leaves_the_wish(message: str, asked: str, rest: str) -> None:
    found = question_beside(message)
    assert (found[0].text, found[1]) == (asked, rest) if found else not asked


@pytest.mark.parametrize(
    "message",
    [
        "note what I owe and how much he owes me",
        "remind me at 5 to see what is on the shelf and how much it costs",
        "anotá que no sé cuánto es y cuánto falta",
    ],
)
def test_a_question_that_is_a_part_of_what_is_kept_stays_in_it(message: str) -> None:
    assert question_behind(message) == []


@pytest.mark.needs("lists", "calculator")
@pytest.mark.parametrize(
    ("message", "items", "result"),
    [
        ("put foil on the shopping list and what's 20% off a 45 kettle", {"foil"}, "45 - 20% = 36"),
        ("agregá pilas a la lista del super y cuánto es 12 x 45", {"pilas"}, "= 540"),
        (
            "no me da la cabeza, poné pilas en la lista y de paso decime cuánto es 12 por 45 que me apuran",
            {"pilas"},
            "= 540",
        ),
        ("poné pilas en la lista del super. ¿Y cuánto es 12 x 45?", {"pilas"}, "= 540"),
    ],
)
async def test_a_sum_beside_another_wish_is_computed_without_a_model(
    tmp_path: Path, encoder: LocalEmbedder, message: str, items: set[str], result: str
) -> None:
    async with small_app(tmp_path, encoder, json.dumps({"calls": [{"add_to_list": {"items": [*items]}}]})) as (
        app,
        llm,
    ):
        await app.say(ALICE, message)

        assert await stored(app) == items
        assert result in app.replies_to(ALICE)[-1]
        assert len(llm.requests) <= 1


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "haceme un recordatorio para mañana a las 9, pagar el gas, y agregá a la lista velas",
            ["haceme un recordatorio para mañana a las 9, pagar el gas", "agregá a la lista velas"],
        ),
        (
            "el jueves a las 6 recordame cargar la sube y en la lista del mercado poneme acelga",
            ["el jueves a las 6 recordame cargar la sube", "en la lista del mercado poneme acelga"],
        ),
        (
            "on monday at 9 remind me to post the form, and on the food list put leeks",
            ["on monday at 9 remind me to post the form", "on the food list put leeks"],
        ),
        ("recordame el martes comprar pan y en la lista mañana vemos", []),
        (
            "agregá lijar la puerta al proyecto Cocina y guardame una nota: el sifón pierde",
            ["agregá lijar la puerta al proyecto Cocina", "guardame una nota: el sifón pierde"],
        ),
        (
            "add the task paint the fence to the Garden project, and put soap on the shop list",
            ["add the task paint the fence to the Garden project", "put soap on the shop list"],
        ),
        (
            "el esmalte es el 3310, guardalo, y poneme dos pinceles en la lista",
            ["el esmalte es el 3310, guardalo", "poneme dos pinceles en la lista"],
        ),
        (
            "anotame que el código es 8812 y tené en cuenta que soy diabético",
            ["anotame que el código es 8812", "tené en cuenta que soy diabético"],
        ),
        (
            "how much is 12 times 45? also put tape on the list",
            ["how much is 12 times 45?", "put tape on the list"],
        ),
        (
            "cuánto son 9 kilos en libras y de paso anotá cloro en la lista del mercado",
            ["cuánto son 9 kilos en libras", "anotá cloro en la lista del mercado"],
        ),
        (
            "what's 14% of 80 and while you're at it add tape to the shopping list",
            ["what's 14% of 80", "add tape to the shopping list"],
        ),
        ("what's 5 miles in km and save a note: Al owes 20", ["what's 5 miles in km", "save a note: Al owes 20"]),
        ("anotá que fui al banco y de paso compré cloro", []),
        ("remind me at 5 to ring Dave and make a note of what he says", []),
        ("add the tasks paint and put up a shelf to the Garden project", []),
    ],
)
def test_each_wish_of_a_message_for_several_places_is_a_part(message: str, parts: list[str]) -> None:
    assert [one.text for one in parts_of_kinds(message)] == parts


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    ("message", "item", "asked"),
    [
        (
            'agregá velas a la lista del super, y decime cómo se dice "feliz cumple" en inglés',
            "velas",
            'decime cómo se dice "feliz cumple" en inglés',
        ),
        ("put foil on the shopping list. how do I clean a burnt pot", "foil", "how do I clean a burnt pot"),
        ("poné alpiste en la lista y contame un chiste de loros", "alpiste", "contame un chiste de loros"),
        ("add jam jars to the list and give me a recipe for plums", "jam jars", "give me a recipe for plums"),
    ],
)
async def test_what_is_asked_beside_another_wish_is_talked_about(
    tmp_path: Path, encoder: LocalEmbedder, message: str, item: str, asked: str
) -> None:
    answer = "Esto es lo que sé de eso." if " y " in message else "This is what I know of it."
    async with small_app(tmp_path, encoder, answer) as (app, llm):
        await app.say(ALICE, message)

        assert await stored(app) == {item}
        assert answer in app.replies_to(ALICE)
        assert asked in llm.requests[-1].messages[-1].content
        assert len(llm.requests) == 1


async def test_what_goes_on_from_general_knowledge_is_talk(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "El Pacífico.", "El Ártico.") as (app, llm):
        await app.say(ALICE, "cuál es el océano más grande")
        await app.say(ALICE, "y el más frío?")

        assert app.replies_to(ALICE) == ["El Pacífico.", "El Ártico."]
        assert "y el más frío?" in llm.requests[-1].messages[-1].content
        assert llm.requests[-1].response_schema is None


@pytest.mark.parametrize(
    "message",
    [
        "note that Ann asked how do I clean it, and how much it was",
        "remind me at 5 to tell him how to get there",
        "anotá que la profe preguntó cómo se escribe",
        "put explain fractions on the list",
    ],
)
def test_no_question_stands_behind_what_only_tells_of_one(message: str) -> None:
    assert question_behind(message) == []
