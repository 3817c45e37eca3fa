"""What was last done is taken back once, in time, by its owner; and "that one" is what was last done."""

import json
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from app.database.db import Database
from app.domain.chat import ChatResponse
from app.language.catalogue import say
from app.skills.tools.undo.texts import UNDO
from tests.builders import ALICE, BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, AppUnderTest, running_app


def call(name: str, arguments: Mapping[str, object]) -> ChatResponse:
    return ChatResponse(json.dumps({name: arguments}))


async def does(app: AppUnderTest, person: str, message: str, tool: str, /, **arguments: object) -> str:
    """Let a person write, and a small model answer with one call; returns what they read."""
    app.llm.category = CATEGORY[tool]
    app.llm.add(call(tool, arguments), '{"reply": "Ok."}')
    await app.say(person, message)
    app.llm.drop_lines()
    return app.replies_to(person)[-1]


async def says(app: AppUnderTest, person: str, message: str) -> str:
    await app.say(person, message)
    return app.replies_to(person)[-1]


CATEGORY = {
    **dict.fromkeys(("remember_fact", "correct_fact", "forget_fact"), "memory"),
    **dict.fromkeys(("save_note", "list_notes", "correct_note", "delete_note", "get_note"), "notes"),
    **dict.fromkeys(
        ("add_to_list", "check_off", "clear_list", "show_list", "correct_item", "rename_list"), "lists"
    ),
    **dict.fromkeys(("create_project", "add_task", "update_task", "correct_task", "delete_task"), "projects"),
    **dict.fromkeys(("get_project", "rename_project", "update_project_status", "add_project_note"), "projects"),
}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with running_app(
        tmp_path, llm=ScriptedChatModel(), profile=CONSTRAINED, max_tools_per_call=16
    ) as running:
        yield running


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    ("said", "is_undone"),
    [
        ("oh wait undo that, we have some already", True),
        ("uy no, deshacé eso que ya lo tengo", True),
        ("undo that because it was wrong", True),
        ("ay no, deshacé eso, porque resulta que el service lo termina pagando mi cuñado", True),
        ("ah undo that the missus is paying it", True),
        ("undo that, add salt instead", False),
        ("deshacelo y poneme pan", False),
    ],
)
async def test_a_reason_may_stand_behind_it_but_no_other_wish(
    app: AppUnderTest, said: str, is_undone: bool
) -> None:
    await does(app, ALICE, "anotá que el service sale 80", "save_note", content="el service sale 80")
    app.llm.add('{"reply": "Ok."}')
    await app.say(ALICE, said)
    app.llm.drop_lines()
    left = await does(app, ALICE, "¿qué notas tengo?", "list_notes")
    assert ("80" not in left) is is_undone


ENDINGS = [
    ("hmm no the vet says it's fine. undo that", True),
    ("uy al final mi tío sí lo quiere. deshacé eso", True),
    ("no, me equivoqué de coche, déjalo como estaba", True),
    ("wait, she hasn't paid yet! undo it please", True),
    ("ah pero eso era de la otra casa, volvé atrás", True),
    ("once he has paid, undo that", False),
    ("cuando vuelva mi tío, deshacelo", False),
    ("what do I press in the editor? undo that", False),
    ("my ex lied and now I can't undo that", False),
]


@pytest.mark.needs("notes")
@pytest.mark.parametrize(("said", "is_undone"), ENDINGS)
async def test_a_reason_may_stand_before_it(app: AppUnderTest, said: str, is_undone: bool) -> None:
    await does(app, ALICE, "anotá que el service sale 80", "save_note", content="el service sale 80")
    app.llm.add('{"reply": "Ok."}')
    await app.say(ALICE, said)
    app.llm.drop_lines()
    left = await does(app, ALICE, "¿qué notas tengo?", "list_notes")
    assert ("80" not in left) is is_undone


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    ("said", "is_undone"),
    [("jaja era broma, no lo hagas", True), ("lol jk dont", True), ("no es broma", False), ("what a joke", False)],
)
async def test_a_joke_is_taken_back_right_behind_it_and_not_later(
    app: AppUnderTest, said: str, is_undone: bool
) -> None:
    await does(app, ALICE, "anotá que el service sale 80", "save_note", content="el service sale 80")
    app.llm.add('{"reply": "Ok."}')
    assert (await says(app, ALICE, said)).startswith("Ok") is not is_undone
    app.llm.drop_lines()
    await does(app, ALICE, "anotá que la luz sale 30", "save_note", content="la luz sale 30")
    app.llm.add("Of course.", "Ha.")
    await says(app, ALICE, "my boss says we are all fired")
    await says(app, ALICE, said)
    app.llm.drop_lines()
    assert "30" in await does(app, ALICE, "¿qué notas tengo?", "list_notes")


@pytest.mark.needs("notes")
async def test_behind_a_reason_it_is_talk_where_nothing_was_done_of_late(app: AppUnderTest) -> None:
    app.llm.add("Poor you.")
    assert await says(app, ALICE, "my hair is green now. undo that") == "Poor you."
    await does(app, ALICE, "anotá que el service sale 80", "save_note", content="el service sale 80")
    await app.clock.advance(timedelta(minutes=11).total_seconds())
    app.llm.add("Oh no.")
    assert await says(app, ALICE, "my hair is green now. undo that") == "Oh no."


@pytest.mark.needs("notes")
async def test_what_was_added_is_taken_back_once(app: AppUnderTest) -> None:
    await does(app, ALICE, "anotá que el service sale 80", "save_note", content="el service sale 80")
    assert await says(app, ALICE, "/undo") == "Deshecho. Quité lo que había agregado: el service sale 80"
    assert await does(app, ALICE, "¿qué notas tengo?", "list_notes") == "Todavía no tienes notas."
    assert await says(app, ALICE, "/undo") == "Eso ya está deshecho: el service sale 80"


@pytest.mark.needs("notes")
@pytest.mark.parametrize("words", ["Deshacé eso", "undo that", "Undo that please!"])
async def test_words_alone_undo_without_a_model(app: AppUnderTest, words: str) -> None:
    await does(app, ALICE, "note that the service costs 80", "save_note", content="the service costs 80")
    asked = len(app.llm.requests)
    assert await says(app, ALICE, words) in {
        say(UNDO.added, language, subject="the service costs 80") for language in ("es", "en")
    }
    assert len(app.llm.requests) == asked
    assert "80" not in await does(app, ALICE, "what notes do I have?", "list_notes")


@pytest.mark.needs("lists", "projects", "notes")
async def test_a_deletion_is_undone_with_all_that_hung_on_it(app: AppUnderTest) -> None:
    await does(app, ALICE, "a la lista: clavos, 2 tornillos", "add_to_list", items=["clavos", "2 tornillos"])
    await does(app, ALICE, "los clavos ya los tengo", "check_off", items=["clavos"])
    before = await does(app, ALICE, "¿qué hay en la lista?", "show_list")
    assert before == "Compras:\n☐ 2 tornillos\n☑ clavos"
    await does(app, ALICE, "borrá la lista de compras", "clear_list", list_name="compras")
    assert await says(app, ALICE, "/undo") == "Deshecho. Volvió lo que había borrado: Compras"
    assert await does(app, ALICE, "¿qué hay en la lista?", "show_list") == before

    await does(app, ALICE, "anotá la patente AB123CD", "save_note", content="la patente AB123CD")
    await does(app, ALICE, "borrala", "delete_note", note="la nota")
    await says(app, ALICE, "/undo")
    assert "AB123CD" in await does(app, ALICE, "¿qué notas tengo?", "list_notes")

    await does(
        app,
        ALICE,
        "proyecto Mudanza con las tareas cajas, flete y limpieza",
        "create_project",
        name="Mudanza",
        tasks=["cajas, flete y limpieza"],
    )
    shown = await does(app, ALICE, "¿cómo está Mudanza?", "get_project", project="Mudanza")
    await does(app, ALICE, "sacá la tarea flete", "delete_task", task="flete", project="Mudanza")
    await says(app, ALICE, "/undo")
    assert await does(app, ALICE, "¿cómo está Mudanza?", "get_project", project="Mudanza") == shown


@pytest.mark.needs("projects")
async def test_a_project_and_its_tasks_come_in_one_sentence_and_go_in_one_act(app: AppUnderTest) -> None:
    reply = await does(
        app,
        ALICE,
        "proyecto Patio con las tareas pasto, 3 macetas y riego",
        "create_project",
        name="Patio",
        tasks=["pasto", "macetas", "riego"],
    )
    tasks = "1. pasto (pendiente)\n2. 3 macetas (pendiente)\n3. riego (pendiente)"
    assert reply == f"Creé el proyecto 1: Patio\nTareas:\n{tasks}"
    assert (
        await says(app, ALICE, "/undo") == "Deshecho. Quité lo que había agregado: Patio, pasto, 3 macetas, riego"
    )
    await does(app, ALICE, "proyecto Patio", "create_project", name="Patio")
    assert "Creé el proyecto 2" in app.replies_to(ALICE)[-1], "no number is given twice"


@pytest.mark.needs("notes", "lists", "projects")
async def test_a_correction_changes_what_was_said_last_and_can_be_undone(app: AppUnderTest) -> None:
    await does(app, ALICE, "anotá que el flete sale 300 pesos", "save_note", content="el flete sale 300 pesos")
    assert (
        await does(app, ALICE, "perdón, eran 350", "correct_note", new="eran 350")
        == "Corregí la nota 1. el flete sale 350 pesos"
    )
    await says(app, ALICE, "/undo")
    assert "300 pesos" in await does(app, ALICE, "¿qué notas tengo?", "list_notes")

    await does(app, BOB, "put soap and 4 candles on the list", "add_to_list", items=["soap", "4 candles"])
    assert "☐ 6 candles" in await does(app, BOB, "sorry, 6 candles", "correct_item", new="6 candles")
    assert await says(app, BOB, "undo") in {
        say(UNDO.changed, language, subject="4 candles") for language in ("es", "en")
    }

    await does(
        app,
        BOB,
        "project Shed with the tasks paint and roof",
        "create_project",
        name="Shed",
        tasks=["paint", "roof"],
    )
    assert "gutter" in await does(app, BOB, "make that gutter", "correct_task", new="gutter")
    assert (
        await does(app, BOB, "call it Cabin", "rename_project", name="Cabin")
        == "The project Shed is now called Cabin"
    )
    shown = await does(app, BOB, "show Cabin", "get_project", project="Cabin")
    assert "paint" in shown
    assert "gutter" in shown
    assert "roof" not in shown


async def test_facts_are_corrected_forgotten_and_brought_back(app: AppUnderTest) -> None:
    await does(app, ALICE, "acordate: mi talle es 42", "remember_fact", fact="mi talle es 42")
    assert "mi talle es 44" in await does(app, ALICE, "perdón, 44", "correct_fact", new="44")
    assert await says(app, ALICE, "/undo") == "Deshecho. Quedó como antes: mi talle es 42"
    await does(app, ALICE, "olvidalo", "forget_fact", number="1")
    assert "mi talle es 42" not in await says(app, ALICE, "/memories")
    assert await says(app, ALICE, "/undo") == "Deshecho. Volvió lo que había borrado: mi talle es 42"
    assert "mi talle es 42" in await says(app, ALICE, "/memories")
    await app.let_time_pass()
    [kept] = app.data_dir.glob("users/*/MEMORY.md")
    assert "mi talle es 42" in kept.read_text("utf-8"), "the file follows"


@pytest.mark.needs("notes")
async def test_each_person_undoes_only_their_own(app: AppUnderTest) -> None:
    await does(app, ALICE, "note that the pump is blue", "save_note", content="the pump is blue")
    assert await says(app, BOB, "/undo") in {say(UNDO.none, "en"), say(UNDO.none, "es")}
    await does(app, BOB, "note that the bin is red", "save_note", content="the bin is red")
    await says(app, BOB, "/undo")
    assert "the pump is blue" in await does(app, ALICE, "what notes do I have?", "list_notes")


@pytest.mark.needs("notes")
async def test_after_ten_minutes_it_is_too_late_and_no_copy_is_left(app: AppUnderTest) -> None:
    await does(app, ALICE, "note that the safe is 4711", "save_note", content="the safe is 4711")
    await does(app, ALICE, "delete it", "delete_note", note="it")
    await app.clock.advance(timedelta(minutes=10, seconds=1).total_seconds())
    assert await says(app, ALICE, "/undo") == say(UNDO.expired, "en", subject="the safe is 4711")
    app.llm.category = "none"
    app.llm.add('{"reply": "Hi."}')
    await app.say(ALICE, "hello")
    await app.let_time_pass()
    async with Database.open(app.database) as db:
        assert await db.fetch_all("SELECT * FROM act_rows WHERE before IS NOT NULL") == []


@pytest.mark.needs("notes")
async def test_the_last_act_survives_a_restart(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        await does(
            app, ALICE, "note that the shed key is at Ana's", "save_note", content="the shed key is at Ana's"
        )
        clock = app.clock
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=clock) as app:
        assert (
            await does(app, ALICE, "sorry, at Ava's", "correct_note", new="at Ava's")
            == "Corrected note 1. the shed key is at Ava's"
        )
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=clock) as app:
        await says(app, ALICE, "/undo")
        assert "Ana's" in await does(app, ALICE, "what notes do I have?", "list_notes")


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    "named", ["scrap that note, my aunt found another", "make a note that the tuner charges 90"]
)
async def test_a_reason_behind_the_words_that_point_to_a_note_is_no_name(app: AppUnderTest, named: str) -> None:
    await does(app, ALICE, "make a note that the tuner charges 90", "save_note", content="the tuner charges 90")
    told = await does(app, ALICE, "scrap that note, my aunt found another", "delete_note", note=named)
    assert told == "Deleted note 1. the tuner charges 90"
