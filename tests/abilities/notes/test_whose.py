"""Figures are kept with whose they are, and one more note behind a note word for word."""

from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")

FIGURES: Final[tuple[tuple[str, list[str]], ...]] = (
    (
        "Mr Boyle dropped in, jot his sizes down: collar 17, sleeve 35.5",
        ["Mr Boyle dropped in, his sizes: collar 17, sleeve 35.5"],
    ),
    ("aunt Fern rang so note her number: 020 7946 0018", ["aunt Fern rang, her number: 020 7946 0018"]),
    (
        "vino doña Remedios, apunta sus medidas: busto 92, cadera 101",
        ["vino doña Remedios, sus medidas: busto 92, cadera 101"],
    ),
    (
        "me llamó Chela la del vivero, anotá el número: 341 555 0192",
        ["me llamó Chela la del vivero, el número: 341 555 0192"],
    ),
    ("anota las medidas: espalda 41, manga 60", ["las medidas: espalda 41, manga 60"]),
    ("Mr Boyle dropped in, he told me about 2 dogs: Rex 4 and Bo 12", []),
    ("vino doña Remedios y anotó mal su número: qué letra", []),
    ("Mr Boyle dropped in, put on my shopping list: 3 limes, 12 rolls", []),
    ("vino doña Remedios, anotá el gasto: 1500 de gas", []),
)
MORE: Final[tuple[tuple[tuple[str, ...], list[str]], ...]] = (
    (
        (
            "make a note: the loft key is blue",
            "an another one: Gus is allergic to nuts",
            "and another note: tap drips",
        ),
        ["the loft key is blue", "Gus is allergic to nuts", "tap drips"],
    ),
    (
        (
            "anotá: la clave del galpón es 7714",
            "y otra nota: el pozo se limpia en abril",
            "otra: la bomba es Rowa",
        ),
        ["la clave del galpón es 7714", "el pozo se limpia en abril", "la bomba es Rowa"],
    ),
    (("anotá: la clave del galpón es 7714", "otra: contame un cuento"), ["la clave del galpón es 7714"]),
    (
        ("make a note: the loft key is blue", "my sister got a new job at the docks", "another one: about frogs"),
        ["the loft key is blue"],
    ),
    (("y otra: ayer me caí de la bici",), []),
)


@pytest.mark.parametrize(("said", "kept"), FIGURES)
async def test_figures_are_kept_with_whose_they_are(
    tmp_path: Path, encoder: LocalEmbedder, said: str, kept: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 9) as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == kept


@pytest.mark.parametrize(("turns", "kept"), MORE)
async def test_one_more_note_has_the_words_behind(
    tmp_path: Path, encoder: LocalEmbedder, turns: tuple[str, ...], kept: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 9) as (app, _):
        for said in turns:
            await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == kept
