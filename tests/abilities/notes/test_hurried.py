"""A wish for a note that was typed in haste keeps what is to be noted, and whose it is."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.notes.hurried import as_meant, noted_of
from app.skills.tools.notes.leading import note_in
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "quick before the bus comes, put this in a note for me would you, locker 12 is 88K-41",
            "locker 12 is 88K-41",
        ),
        ("quick before i board, put this in a note for me if you can, seat 14C gate B22", "seat 14C gate B22"),
        ("before the kids wake up stick this in a note, heater reset is 3-2-1", "heater reset is 3-2-1"),
        (
            "rápido antes de que salga el tren, anotame en una nota, casillero 12 clave 88K",
            "casillero 12 clave 88K",
        ),
        ("apuntame en una nota si no es molestia, la orden es 5521-C", "la orden es 5521-C"),
        ("tkae me a ntoe plz, plumber van plate KJ22 ORT", "plumber van plate KJ22 ORT"),
        ("can you tkae a ntoe: gate 4417", "gate 4417"),
        ("apntame una nota, el filtro es HX-200 medida 40", "el filtro es HX-200 medida 40"),
        ("haceme una ntoa de q el medidor es 4471-B", "el medidor es 4471-B"),
        ("guradame uan nota: talle 42 de Leo", "talle 42 de Leo"),
        ("quick question before the bus comes, what's my locker code?", ""),
        ("before the bus comes, remind me to call Ann", ""),
        ("before lunch tomorrow, make a note that Ann calls", ""),
        ("he made me a noet, it was full of slips", ""),
        ("did u make me a noet?", ""),
        ("anoche hice una notta, quedó linda", ""),
        ("vote for a note", ""),
    ],
)
def test_the_opening_and_slips_are_no_part_of_a_note(said: str, kept: str) -> None:
    assert note_in(as_meant(said)) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "apúntame en una nota lo de don Ernesto: viene los jueves, clave 7712",
            "don Ernesto: viene los jueves, clave 7712",
        ),
        ("guardame en una nota lo de doña Tere, cobra 400", "doña Tere, cobra 400"),
        ("put in a note the thing about Mr Hale: comes Thursdays, gate 44", "Mr Hale: comes Thursdays, gate 44"),
        ("apuntame lo de la feria: tomates, papas", ""),
        ("anotá en una nota lo del seguro, es caro", ""),
        ("leí una nota sobre Messi: jugó bien", ""),
    ],
)
def test_a_note_of_somebody_holds_whose_it_is(said: str, kept: str) -> None:
    assert noted_of(said) == kept


async def test_it_is_kept_without_asking_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "quick before I board, tkae me a ntoe plz, seat 14C gate B22")
        await app.say(ALICE, "apúntame en una nota lo de don Ernesto: viene los jueves, clave 7712")
        kept = ["seat 14C gate B22", "don Ernesto: viene los jueves, clave 7712"]
        assert await stored(app, "content", "notes") == kept
        assert llm.requests == []
