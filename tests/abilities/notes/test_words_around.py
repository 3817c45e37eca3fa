"""Of a wish to keep something, the thing is kept whole, and nothing of what only leads to it."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.notes.asking import whether_in
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    ("said", "taken", "kept"),
    [
        (
            "señora anote esto, el candado del galpón abre con 5518",
            "señora anote esto, el candado del galpón abre con 5518",
            "el candado del galpón abre con 5518",
        ),
        (
            "hey mate write this down b4 i lose it, the boiler man is Raj on 0161 555",
            "write this down b4 i lose it, the boiler man is Raj on 0161 555",
            "the boiler man is Raj on 0161 555",
        ),
        (
            "would you kindly note this down: the spare hose is at Nan's",
            "would you kindly note this down: the spare hose is at Nan's",
            "the spare hose is at Nan's",
        ),
        (
            "guardá que la contraseña de la casilla es Pez_44 con mayúscula",
            "Pez_44 con mayúscula",
            "la contraseña de la casilla es Pez_44 con mayúscula",
        ),
        ("note that the lockbox code is 8812 then hash", "8812 then hash", "the lockbox code is 8812 then hash"),
        (
            "anotá esto antes de que se me olvide, el turno de la perra es el 14",
            "anotá esto antes de que se me olvide, el turno de la perra es el 14",
            "el turno de la perra es el 14",
        ),
    ],
)
async def test_the_thing_is_kept_whole_without_what_leads_to_it(
    tmp_path: Path, encoder: LocalEmbedder, said: str, taken: str, kept: str
) -> None:
    async with small_app(tmp_path, encoder, call("save_note", content=taken)) as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [kept]
        [title] = await stored(app, "title", "notes")
        assert kept.startswith(title)


def test_a_note_is_read_where_its_number_is_asked_about() -> None:
    notes = ["la potranca 218 parece preñada, falta que lo confirme el veterinario", "el portón usa el 4417"]
    assert whether_in("che, y la potranca 218 está preñada o no", notes) == 0
    assert whether_in("cuánto es 218 por 3?", notes) is None
    assert whether_in("y la 500 está preñada?", notes) is None
