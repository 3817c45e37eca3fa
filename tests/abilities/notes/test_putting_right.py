"""What is said of a note right after it was kept: put right, added to, taken from, asked; no model is asked."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.asking import until_asked
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")
NESTOR = "el electricista Néstor cobra {} la hora"
VET = "the vet is called {} and sees us {} at the clinic"
ARIEL = "el plomero es Ariel, cobra 900{}"
COLM = "the gardener Colm does hedges and charges 40 euro"
CODES = "porton 5512, alarma 30-887, caja fuerte 9041"


@pytest.mark.parametrize(
    ("kept", "said", "afterwards"),
    [
        (NESTOR.format(1200), "uy no disculpame 1500, 1200 era el otro que vino ayer", NESTOR.format(1500)),
        (NESTOR.format(1200), "ah me confundí, 1450. el otro es el que cobra 1200", NESTOR.format(1450)),
        (VET.format("Catherine", "Thursday"), "no, it's with a K", VET.format("Katherine", "Thursday")),
        (VET.format("Cathy", "Thursday"), "that was Tuesday not Thursday", VET.format("Cathy", "Tuesday")),
        ("la profe se llama Yesica y da clase", "es con J, Jesica", "la profe se llama Jesica y da clase"),
        ("el veterinario es Bautista", "es con V corta perdón", "el veterinario es Vautista"),
        ("su vecina es Thania", "va sin h", "su vecina es Tania"),
        (
            "don Beto arregla lavadoras, 555 210 3344",
            "ay no, es 555 210 3443, el otro es de mi comadre",
            "don Beto arregla lavadoras, 555 210 3443",
        ),
        (
            "barniz Ocaso 3.85 con 20 minutos",
            "ay me equivoqué, es el 3.58, cámbialo",
            "barniz Ocaso 3.58 con 20 minutos",
        ),
        (
            "the kayak paddles are with Frederik",
            "change Frederik to Fredrik please",
            "the kayak paddles are with Fredrik",
        ),
        (
            "la podadora está donde Eulalia",
            "cambia Eulalia por Rosalía en esa nota",
            "la podadora está donde Rosalía",
        ),
        ("the hall seats 60 on benches", "change benches to stools", "the hall seats 60 on stools"),
        ("the kiln code is 6093", "6039 sorry, fat fingers", "the kiln code is 6039"),
        ("el candado es 5518", "5581 perdón", "el candado es 5581"),
        ("the kiln is at 900", "change the note about the kiln to kiln sold to Bea", "kiln sold to Bea"),
        ("pump seal R-204 and 5 bolts", "argh sorry it's R-240", "pump seal R-240 and 5 bolts"),
        ("Uli wears 73, ordered 2 pairs", "no, it was 37 the number", "Uli wears 37, ordered 2 pairs"),
        (COLM, "add that he only takes cash", f"{COLM}; he only takes cash"),
        (COLM, "oh and put in that he brings his own ladder please", f"{COLM}; he brings his own ladder"),
        (ARIEL.format(""), "agregale que no labura los feriados", ARIEL.format("; no labura los feriados")),
        (ARIEL.format(", horario de 8 a 14"), "quita lo del horario", ARIEL.format("")),
        (ARIEL.format(", atiende de 8 a 14"), "sacale lo del horario porfa", ARIEL.format("")),
        (
            "the sitter is Aoife, 12 euro an hour, free on weekends",
            "scrap the part about weekends she told me she cant anymore",
            "the sitter is Aoife, 12 euro an hour",
        ),
    ],
)
async def test_the_note_has_afterwards_what_was_meant(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, said: str, afterwards: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, f"guarda esta nota: {kept}")
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [afterwards]


@pytest.mark.parametrize(
    "said",
    [
        "ay no, se me quemó el arroz",
        "perdon, llego 20 minutos tarde",
        "uf no, hoy trabajé 11 horas",
        "con K de kilo",
        "20 minutos tarde, perdón",
        "3 gatos, perdón por la demora",
    ],
)
async def test_other_talk_leaves_the_note_as_it_is(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    async with small_app(tmp_path, encoder, *["Qué cosa."] * 3) as (app, _):
        await app.say(ALICE, f"guarda esta nota: {NESTOR.format(1200)}")
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [NESTOR.format(1200)]


async def test_which_of_two_numbers_is_put_right_is_asked(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, "take a note: shed key 31, barn key 75")
        await app.say(ALICE, "sorry, it's 48, change it")
        asked = app.replies_to(ALICE)[-1]
        assert "shed key 48, barn key 75" not in await stored(app, "content", "notes")
        assert "1. shed key 48, barn key 75" in asked
        assert "2. shed key 31, barn key 48" in asked
        await app.say(ALICE, "the second one")
        assert await stored(app, "content", "notes") == ["shed key 31, barn key 48"]


@pytest.mark.parametrize(
    "said",
    [
        "uy no, pará, borrá esa nota, me acabo de acordar que ya no va",
        "no wait scrap that, turns out he retired",
        "hang on delete that",
    ],
)
async def test_a_note_is_taken_back_behind_what_is_called_out(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, f"take a note: {COLM}")
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == []


async def test_a_part_that_is_not_clear_is_asked_about_before_the_note_goes(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, f"take a note: {COLM}")
        await app.receive(ALICE, "take out the bit about the hedges")
        await until_asked(app, ALICE)
        assert await stored(app, "content", "notes") == [COLM]


@pytest.mark.parametrize(
    ("kept", "asked", "told"),
    [
        (COLM, "so how much does he charge?", "40"),
        (COLM, "and what does he charge again", "40"),
        (NESTOR.format(1200), "entonces cuanto cobra nestor", "1200"),
        (NESTOR.format(1200), "y cuanto me cobra?", "1200"),
        (CODES, "cuál era el de la alarma", "30-887"),
        (CODES, "estoy en la puerta, cual era el del porton", "5512"),
    ],
)
async def test_a_question_is_answered_from_it_also_after_another(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, asked: str, told: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, f"guarda esta nota: {kept}")
        await app.say(ALICE, "cuánto es 12 por 8?" if "cu" in asked else "what is 12 times 8?")
        await app.say(ALICE, asked)
        assert told in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    "asked", ["qué hora es?", "cuanto cobra un maestro en francia?", "quién inventó la radio?"]
)
async def test_a_question_about_something_else_is_not(tmp_path: Path, encoder: LocalEmbedder, asked: str) -> None:
    async with small_app(tmp_path, encoder, *["Un maestro inventó mucho."] * 3) as (app, _):
        await app.say(ALICE, f"guarda esta nota: {NESTOR.format(1200)}")
        await app.say(ALICE, asked)
        assert "1200" not in app.replies_to(ALICE)[-1]
