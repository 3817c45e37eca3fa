"""What a person has is counted from what is stored, and what is asked of a day is told of that day alone."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.counting import asks_how_many, asks_whether_any
from tests.abilities.reminders.test_reminders import NOW
from tests.builders import ALICE, BOB
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.fakes.clock import FrozenClock

__all__ = ["encoder"]
WISHES = (
    "recordame mañana a las 10 regar",
    "recordame mañana a las 15 llamar a Ema",
    "recordame hoy a las 20 sacar la basura",
    "recordame todos los días a las 22 cerrar el gas",
)


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("how many notes do I have?", "You have 2 notes."),
        ("cuántas notas tengo guardadas?", "Tienes 2 notas."),
        ("decime cuántos apuntes hay en total", "Tienes 2 notas."),
    ],
)
async def test_notes_are_counted_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str, told: str
) -> None:
    kept = "the boiler code is 4410", "la llave está en el cajón"
    lines = [call("save_note", content=one) for one in kept]
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, f"note that {kept[0]}")
        await app.say(ALICE, f"anotá que {kept[1]}")
        asked = len(llm.requests)
        await app.say(ALICE, said)
        await app.say(BOB, "how many notes do I have?")
        assert len(llm.requests) == asked
        assert app.replies_to(ALICE)[-1] == told
        assert app.replies_to(BOB)[-1] == "You have no notes yet."


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    "said", ["are there any notes in here yet", "ya tengo alguna nota?", "any notes saved, or is it empty?"]
)
async def test_whether_there_is_any_note_is_told_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "note: the boiler code is 4410")
        await app.say(ALICE, said)
        await app.say(BOB, said)
        assert app.replies_to(ALICE)[-1].endswith("1. the boiler code is 4410")
        assert app.replies_to(BOB)[-1] in {"You have no notes yet.", "Todavía no tienes notas."}
        assert not llm.requests


@pytest.mark.parametrize(
    "said",
    ["I have notes", "tengo notas de la obra?", "any notes on the roof", "is there a note for Ben? and ring him"],
)
def test_who_asks_for_something_in_notes_does_not_ask_whether_there_is_any(said: str) -> None:
    assert not asks_whether_any(said, {"note", "notes", "nota", "notas"})


@pytest.mark.needs("notes")
async def test_what_is_not_found_where_nothing_is_kept_is_no_miss(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, call("search_notes", query="club")) as (app, _):
        await app.say(ALICE, "my nephew put this on for me at the club, show me what notes it has")
        assert app.replies_to(ALICE) == ["You have no notes yet."]


@pytest.mark.needs("notes")
@pytest.mark.parametrize("said", ["do I have any notes on the boiler?", "oye hay alguna nota sobre boiler"])
async def test_notes_about_something_are_looked_for_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "note: the boiler code is 4410")
        await app.say(ALICE, "note: bags for the shed")
        await app.say(ALICE, said)
        assert app.replies_to(ALICE)[-1].endswith("\n1. the boiler code is 4410")
        assert not llm.requests


@pytest.mark.needs("reminders")
@pytest.mark.parametrize(
    ("said", "opening", "texts"),
    [
        (
            "cuántos recordatorios tengo para mañana?",
            "⏰ Tienes 3 recordatorios para mañana",
            ("regar", "llamar a Ema", "cerrar el gas"),
        ),
        ("qué me queda para hoy?", "⏰ Tienes 2 recordatorios para hoy", ("sacar la basura", "cerrar el gas")),
        ("what's left for today?", "⏰ You have 2 reminders for today", ("sacar la basura", "cerrar el gas")),
        ("how many alarms are set for friday?", "⏰ You have 1 reminder for", ("cerrar el gas",)),
        (
            "how many reminders do I have?",
            "⏰ You have 4 reminders to come",
            ("regar", "llamar a Ema", "sacar la basura", "cerrar el gas"),
        ),
    ],
)
async def test_reminders_of_a_day_are_counted_and_told_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str, opening: str, texts: tuple[str, ...]
) -> None:
    lines = [json.dumps({"set_reminder": {"text": one}}) for one in WISHES]
    async with small_app(tmp_path, encoder, *lines, clock=FrozenClock(NOW)) as (app, llm):
        for one in WISHES:
            await app.say(ALICE, one)
        asked = len(llm.requests)
        await app.say(ALICE, said)
        assert len(llm.requests) == asked
        told = app.replies_to(ALICE)[-1]
        assert told.startswith(opening)
        every = ("regar", "llamar a Ema", "sacar la basura", "cerrar el gas")
        assert {one for one in every if one in told} == set(texts)
        await app.say(BOB, "cuántos recordatorios tengo?")
        assert app.replies_to(BOB)[-1] == "No tienes recordatorios pendientes."


@pytest.mark.parametrize(
    "said",
    [
        "how many notes does a piano have?",
        "cuántas notas sacó Ema en el examen?",
        "how many musical notes are there?",
        "tengo muchas notas",
        "cuántos años tengo?",
    ],
)
def test_other_numbers_are_not_counted(said: str) -> None:
    assert not asks_how_many(said, frozenset({"nota", "notas", "note", "notes"}))
