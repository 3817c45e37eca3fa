"""Messages that say in words of their own what becomes of the thing just done, or ask for it; by message."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import open_encoder, small_app
from tests.e2e.test_brief import call
from tests.e2e.test_words_kept import stored

pytestmark = pytest.mark.needs("lists", "reminders", "notes", "memory")
ITEMS = "☐ towels\n☐ kite\n☐ flask"


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


async def test_items_go_are_got_and_become_others(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "steel flask", "kite from the moon") as (app, llm):
        await app.say(ALICE, "start a beach list: towels, kite, flask, stove")
        await app.say(ALICE, "the stove can stay at home, gran has one there, so off it comes")
        assert app.replies_to(ALICE)[-1].endswith(ITEMS)
        await app.say(ALICE, "flask has to be the steel one or it leaks")
        assert await stored(app, "text", "list_items") == ["towels", "kite", "steel flask"]
        # What the model makes up is not done.
        await app.say(ALICE, "kite has to be a stronger one, this time")
        assert "moon" not in "".join(await stored(app, "text", "list_items"))
        await app.say(ALICE, "towels are in the boot already, ticked by me")
        assert "☑ towels" in app.replies_to(ALICE)[-1]
        del llm


async def test_what_comes_on_a_list_is_in_the_persons_words(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "cuerdas de nailon para el banjo") as (app, _):
        await app.say(ALICE, "nueva lista banda: lija, goma laca, alcohol fino")
        await app.say(ALICE, "ah y cuerdas de nailon para el banjo del cura")
        assert await stored(app, "text", "list_items") == [
            "lija",
            "goma laca",
            "alcohol fino",
            "cuerdas de nailon para el banjo",
        ]


async def test_what_was_just_set_is_told_again_and_no_clock(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "remind me tomorrow at 6 in the morning to wake the lads")
        for asked in (
            "which time is that now then",
            "sorry was on the phone, whom must i wake and what time",
        ):
            await app.say(ALICE, asked)
            assert "wake the lads\ntomorrow" in app.replies_to(ALICE)[-1]
            assert "6:00" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "no hang on, at 6 i'm driving to the depot. make it quarter to five in the morning")
        assert "4:45" in app.replies_to(ALICE)[-1]
        assert len(await stored(app, "text", "reminders")) == 1
        await app.say(ALICE, "what time is it?")
        assert "wake the lads" not in app.replies_to(ALICE)[-1]
        assert not llm.requests


async def test_a_change_and_a_question_behind_it_are_one_answer(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "recordame mañana a las 4 de la mañana abrir el puesto")
        await app.say(ALICE, "no, mejor a las 4 y media que abre mi tía. entonces cuándo me avisás?")
        assert "4:30" in app.replies_to(ALICE)[-1]
        assert len(await stored(app, "text", "reminders")) == 1
        assert not llm.requests


async def test_a_project_is_read_back(tmp_path: Path, encoder: LocalEmbedder) -> None:
    line = json.dumps({"create_project": {"name": "Shed", "tasks": ["felt for the roof", "pick hinges"]}})
    async with small_app(tmp_path, encoder, line) as (app, _):
        await app.say(ALICE, "create a project called Shed with the tasks: felt for the roof, pick hinges")
        await app.say(ALICE, "tell me what that one has by now")
        assert "pick hinges" in app.replies_to(ALICE)[-1]


async def test_a_list_and_a_reminder_that_is_asked_politely(tmp_path: Path, encoder: LocalEmbedder) -> None:
    line = call("set_reminder", text="llamar a Elba", when="mañana a las 7 pm")
    async with small_app(tmp_path, encoder, line) as (app, _):
        await app.say(
            ALICE, "poneme velas y focos en la lista del chino y me avisas mañana a las 7 pm llamar a Elba"
        )
        assert await stored(app, "text", "list_items") == ["velas", "focos"]
        assert await stored(app, "text", "reminders") == ["llamar a Elba"]


async def test_a_note_is_read_where_part_of_it_is_asked_for(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "anotá que el coche quedó en la planta 3 plaza 118 columna verde")
        await app.say(ALICE, "ya llegué al garaje, dónde lo dejé")
        assert "plaza 118 columna verde" in app.replies_to(ALICE)[-1]
        assert llm.requests == []


async def test_what_changed_is_kept_beside_what_was_told(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Good for him.", "Well done.") as (app, _):
        await app.say(ALICE, "my brother in law Wes drives a crane for Bolt & Sons")
        await app.say(ALICE, "nah hang on he left them, he's with Harrow Lifting now")
        await app.say(ALICE, "so who is Wes driving for?")
        assert "Harrow Lifting" in app.replies_to(ALICE)[-1]


async def test_what_is_so_no_longer_is_quoted_with_what_is(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "¡Qué lejos!", "¡Qué bien!") as (app, _):
        await app.say(ALICE, "mi cuñada Ema enseña inglés y vive en Tandil")
        await app.say(ALICE, "ya no, se mudó a Bragado en mayo")
        await app.say(ALICE, "dónde vive Ema ahora")
        assert "Bragado" in app.replies_to(ALICE)[-1]


async def test_a_project_with_a_task_and_a_list_are_done(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        project = "armame un proyecto que se llame Gala con la tarea alquilar las mesas"
        await app.say(ALICE, f"{project}, y en la lista del súper poné velas")
        await app.say(ALICE, "creame el proyecto Patio y sumale la tarea pedir baldosas")
        assert await stored(app, "title", "project_tasks") == ["alquilar las mesas", "pedir baldosas"]
        assert await stored(app, "text", "list_items") == ["velas"]


async def test_a_text_is_changed_in_any_words(tmp_path: Path, encoder: LocalEmbedder) -> None:
    first = "Hola, seño Carla. Bruno no va al jardín hoy porque levantó fiebre. ¡Gracias!"
    second = "Hola, seño Carla. Bruno no va al jardín hoy porque levantó fiebre. El lunes sí va. ¡Gracias!"
    async with small_app(tmp_path, encoder, first, second) as (app, _):
        await app.say(
            ALICE, "haceme un mensajito para la seño Carla que Bruno no va hoy al jardín, levantó fiebre"
        )
        await app.say(ALICE, "y ponele q el lunes si va")
        assert "El lunes sí va" in app.replies_to(ALICE)[-1]


async def test_a_list_that_the_model_draws_is_no_answer(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Casa:\n☐ luna", "Casa:\n☐ luna", "Casa:\n☐ luna") as (app, _):
        await app.say(ALICE, "contame algo lindo")
        assert "☐" not in app.replies_to(ALICE)[-1]
