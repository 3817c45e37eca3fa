"""A note of what a thing is and its code is kept as that; one more like it has its own code."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.notes.labelled import another_labelled, labelled_in
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
            "keep me a note with the chassis number of the scooter CH-77120K",
            "chassis number of the scooter CH-77120K",
        ),
        ("please save a note with my library card number 4410 8821", "library card number 4410 8821"),
        (
            "haceme una nota con el número de afiliada de la abuela 7-55210-3",
            "número de afiliada de la abuela 7-55210-3",
        ),
        ("save a note with the plate number of the bus LK19 ORA please", "plate number of the bus LK19 ORA"),
        ("me haces una nota con la clave del depósito 8890?", ""),
        ("hazme una nota con el código del casillero 40B21", "código del casillero 40B21"),
        ("make a note with the best of chapter 12", ""),
        ("guardame una nota con lo que dijimos de la clave 4500", ""),
        ("tenía una nota con el número de la libreta 44551", ""),
        ("she wants me to make a note with the number of the bus 4471", ""),
        ("did you keep a note with the number of the bus 4471?", ""),
        ("keep a note with the number of the bus 4471 and remind me on Friday", ""),
    ],
)
def test_a_note_with_a_code_is_kept_without_what_leads_to_it(said: str, kept: str) -> None:
    assert labelled_in(said) == kept


@pytest.mark.parametrize(
    ("said", "before", "kept"),
    [
        (
            "y otra con el de la lancha LX-204",
            "número de matrícula del velero VR-118",
            "número de matrícula de la lancha LX-204",
        ),
        ("and another with the one of the shed 7714", "key code of the garage 5521", "key code of the shed 7714"),
        (
            "and another note with the tax number of the shop 88-102",
            "key code of the garage 5521",
            "tax number of the shop 88-102",
        ),
        # What the note before it says is no code of anything.
        ("and another with the one of the shed 7714", "the hose is behind the shed", ""),
        ("y otra con el de la lancha", "número de matrícula del velero VR-118", ""),
        ("y otra con el de la lancha LX-204 y recordame pagarla", "número de matrícula del velero VR-118", ""),
        ("otra cosa, el de la lancha LX-204 no anda", "número de matrícula del velero VR-118", ""),
    ],
)
def test_one_more_says_what_its_code_is(said: str, before: str, kept: str) -> None:
    assert another_labelled(said, before) == kept


async def test_one_more_is_kept_with_its_own_code(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "no") as (app, _):
        await app.say(ALICE, "guardá una nota con el número de socio del club 20417")
        await app.say(ALICE, "y otra con el de la biblioteca B-3308")
        assert await stored(app, "content", "notes") == [
            "número de socio del club 20417",
            "número de socio de la biblioteca B-3308",
        ]
