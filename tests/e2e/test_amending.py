"""Corrections of what was just kept, from the webhook to the database: no model is asked for what is certain."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.database.db import Database
from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.e2e.test_words_kept import stored
from tests.fakes.clock import FrozenClock

__all__ = ["encoder"]


@pytest.mark.needs("notes")
async def test_a_wrong_name_in_a_note_is_put_right_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    kept = "el gasista se llama Ramiro y cobra 18000"
    async with small_app(tmp_path, encoder, call("save_note", content=kept)) as (app, llm):
        await app.say(ALICE, f"anotá que {kept}")
        asked = len(llm.requests)
        await app.say(ALICE, "perdón, se llama Rodolfo, Ramiro es el plomero")
        assert len(llm.requests) == asked
        assert await stored(app, "content", "notes") == ["el gasista se llama Rodolfo y cobra 18000"]
        assert "Rodolfo" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "/undo")
        assert await stored(app, "content", "notes") == [kept]


@pytest.mark.needs("notes")
async def test_a_correction_whose_turn_is_cut_off_is_told_and_not_made_again(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, call("save_note", content="the farrier wants 65 a horse")) as (
        app,
        llm,
    ):
        await app.say(ALICE, "note that the farrier wants 65 a horse")
        asked = len(llm.requests)
        async with Database.open(app.database) as db:
            await db.execute_script(
                "CREATE TRIGGER cut_off BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'pulled away'); END;"
            )
            await app.say(ALICE, "sorry, 75 a horse")
            assert await stored(app, "content", "notes") == ["the farrier wants 75 a horse"]
            assert len(app.replies_to(ALICE)) == 1
            await db.execute_script("DROP TRIGGER cut_off;")
        await app.clock.advance(10)
        await app.idle()
        assert len(llm.requests) == asked
        assert await stored(app, "content", "notes") == ["the farrier wants 75 a horse"]
        assert "75" in app.replies_to(ALICE)[-1]
        assert len(app.replies_to(ALICE)) == 2


@pytest.mark.needs("notes")
async def test_a_correction_of_a_quoted_message_is_not_taken_for_one_of_the_last_act(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lines = "Qué bien.", "Ahora sí."
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        first = await app.say(ALICE, "hoy corrí 7 kilómetros en el parque")
        await app.say(ALICE, "anotá que el candado es 3304")
        await app.say(ALICE, "perdón, fueron 9", quote=first)
        assert await stored(app, "content", "notes") == ["el candado es 3304"]


@pytest.mark.needs("lists")
async def test_an_amount_on_a_list_is_put_right_and_the_rest_stays(tmp_path: Path, encoder: LocalEmbedder) -> None:
    wanted = call("add_to_list", items=["rice", "diapers size 3", "soap"], list_name="shopping list")
    async with small_app(tmp_path, encoder, wanted) as (app, llm):
        await app.say(ALICE, "put rice, diapers size 3 and soap on the shopping list")
        asked = len(llm.requests)
        await app.say(ALICE, "oops i meant size 4, he grew")
        assert len(llm.requests) == asked
        assert await stored(app, "text", "list_items") == ["rice", "diapers size 4", "soap"]


@pytest.mark.needs("projects")
async def test_a_wrong_name_in_a_task_is_put_right(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = {"name": "Supper", "tasks": ["ask Bridget for the big pot", "fold napkins"]}
    wanted = json.dumps({"create_project": made})
    async with small_app(tmp_path, encoder, wanted) as (app, _):
        await app.say(ALICE, "start a project Supper with the tasks ask Bridget for the big pot, fold napkins")
        await app.say(ALICE, "sorry it's Breda who has the pot, not Bridget")
        assert await stored(app, "title", "project_tasks") == ["ask Breda for the big pot", "fold napkins"]


@pytest.mark.needs("lists")
async def test_things_go_to_another_list_that_may_be_new(tmp_path: Path, encoder: LocalEmbedder) -> None:
    wanted = call("add_to_list", items=["clavos", "repelente de mosquitos", "harina"], list_name="compras")
    async with small_app(tmp_path, encoder, wanted) as (app, llm):
        await app.say(ALICE, "agregá clavos, repelente de mosquitos y harina a la lista de compras")
        asked = len(llm.requests)
        await app.say(ALICE, "ah, el repelente mejor pasalo a una lista que se llame Campamento, gracias")
        assert len(llm.requests) == asked
        assert "Campamento" in app.replies_to(ALICE)[-1]
        assert await stored(app, "text", "list_items") == ["clavos", "harina", "repelente de mosquitos"]
        assert await stored(app, "name", "lists") == ["Compras", "Campamento"]
        await app.say(ALICE, "/undo")
        assert await stored(app, "name", "lists") == ["Compras"]
        assert len(await stored(app, "text", "list_items")) == 3


@pytest.mark.needs("lists")
async def test_what_is_described_and_not_named_is_found_by_its_meaning(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    wanted = call("add_to_list", items=["hammer", "canary seed", "soap"], list_name="shopping list")
    removed = call("remove_from_list", items=["the stuff for the birds"])
    async with small_app(tmp_path, encoder, wanted, removed) as (app, _):
        await app.say(ALICE, "add hammer, canary seed and soap to the shopping list")
        await app.say(ALICE, "remove the stuff for the birds from the shopping list")
        assert await stored(app, "text", "list_items") == ["hammer", "soap"]


@pytest.mark.needs("projects")
async def test_a_project_gets_another_name(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = json.dumps({"create_project": {"name": "Patio", "tasks": ["comprar baldosas"]}})
    async with small_app(tmp_path, encoder, made) as (app, llm):
        await app.say(ALICE, "creá un proyecto Patio con la tarea comprar baldosas")
        asked = len(llm.requests)
        await app.say(ALICE, "cambiale el nombre al proyecto, ponele Jardín de Invierno")
        assert len(llm.requests) == asked
        assert await stored(app, "name", "projects") == ["Jardín de Invierno"]


@pytest.mark.needs("notes")
async def test_a_question_about_the_note_that_was_just_kept_is_answered_with_it(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    kept = "the farrier is Colm, ring before 8, 087 555 0142"
    async with small_app(tmp_path, encoder, call("save_note", content=kept)) as (app, llm):
        await app.say(ALICE, f"note that {kept}")
        asked = len(llm.requests)
        await app.say(ALICE, "what was the farrier's number again?")
        assert len(llm.requests) == asked
        assert "087 555 0142" in app.replies_to(ALICE)[-1]


@pytest.mark.needs("reminders")
async def test_a_wrong_name_in_a_reminder_is_put_right_and_a_day_moves_it(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    made = call("set_reminder", text="pasar por lo de Elvira a buscar la torta", when="el sábado a las 11")
    moved = call("change_reminder", when="el domingo")
    wednesday = FrozenClock(datetime(2026, 11, 25, 15, tzinfo=UTC))  # on a Saturday, which is meant is asked
    async with small_app(tmp_path, encoder, made, moved, clock=wednesday) as (app, llm):
        await app.say(ALICE, "recordame el sábado a las 11 pasar por lo de Elvira a buscar la torta")
        asked = len(llm.requests)
        await app.say(ALICE, "no, era en lo de Nélida, Elvira hace las empanadas")
        assert len(llm.requests) == asked
        assert await stored(app, "text", "reminders") == ["pasar por lo de Nélida a buscar la torta"]
        await app.say(ALICE, "no, el domingo")
        assert await stored(app, "text", "reminders") == ["pasar por lo de Nélida a buscar la torta"]
        assert "11" in app.replies_to(ALICE)[-1]
