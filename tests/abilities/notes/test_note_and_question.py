"""What a note is to say ends where the next wish begins, and never before its number."""

from itertools import product
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.parting import question_beside
from app.skills.tools.notes.leading import note_in
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")

WISHES = (
    (
        ("write in a note that", "note that", "put in a note that", "make a note saying", "jot down that"),
        (
            "the gasket costs 38",
            "the gaskets are 12.50 each",
            "the alarm code is 7731",
            "the hose goes for 19 euros",
            "the rope is 30 metres at 2.40 a metre",
            "they're 45 each at the depot",
            "it costs 220 to have it mended",
            "this pump takes 3 litres",
        ),
        (
            "and tell me how much I have left if I have 500",
            "and how much would three be",
            "and what is 15% of that",
            "and tell me if 500 is enough",
            "and also tell me what time it is in Lima",
        ),
    ),
    (
        (
            "anotá en una nota que",
            "anota que",
            "escribí en una nota que",
            "poné en una nota que",
            "haceme una nota que diga que",
        ),
        (
            "el burlete cuesta 4500",
            "los burletes valen 120 cada uno",
            "la clave de la alarma es 7731",
            "la soga está a 30 el metro",
            "el turno sale 15000 con la obra social",
            "este motor lleva 3 litros",
        ),
        (
            "y decime cuánto me queda si tengo 50000",
            "y dime cuanto me sobra si traigo 9000",
            "y cuánto sería el doble",
            "y decime si me alcanza con 20000",
            "y de paso decime qué hora es en Lima",
        ),
    ),
)


@pytest.mark.parametrize(("lead", "clause", "second"), [one for language in WISHES for one in product(*language)])
def test_a_note_beside_another_wish_keeps_every_word(lead: str, clause: str, second: str) -> None:
    beside = question_beside(f"{lead} {clause} {second}")
    assert beside is not None
    assert note_in(beside[1]) == clause


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("poné clavos en la lista, salen 300, decime cuánto son 4", "poné clavos en la lista"),
        ("put nails on the list, they're 3 each, and tell me how much 4 are", "put nails on the list"),
    ],
)
def test_a_thing_goes_on_a_list_without_its_price(said: str, wish: str) -> None:
    beside = question_beside(said)
    assert beside is not None
    assert beside[1] == wish


async def test_the_note_is_kept_with_its_price_and_the_rest_is_answered(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    said = "apuntá en una nota que el cerrojo cuesta 3900 y decime cuánto me queda si tengo 10000"
    async with small_app(tmp_path, encoder, *["te quedan 6100"] * 2) as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == ["el cerrojo cuesta 3900"]
