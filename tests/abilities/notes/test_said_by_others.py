"""A note is put right by what somebody else says; only where that is wished for."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.notes.leading import note_in
from app.skills.tools.notes.notes_tools import _compose
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")
LAMP = "the lamp is for the porch"
BOX = "la caja está en el armario azul"


@pytest.mark.parametrize(
    ("kept", "said", "afterwards"),
    [
        (
            LAMP,
            "sorry, my dad says it is the landing, not the porch. fix it please",
            "the lamp is for the landing",
        ),
        (
            LAMP,
            "my aunt says it is the landing, not the porch. could you change it?",
            "the lamp is for the landing",
        ),
        (BOX, "dice mi abuela que es el armario verde, no el azul, arréglalo", "la caja está en el armario verde"),
        (LAMP, "my dad says it is the landing, not the porch, but he is wrong", LAMP),
        (LAMP, "my dad says it's lovely", LAMP),
        (BOX, "dice mi abuela que es el armario verde, no el azul, pero ella no ve bien", BOX),
    ],
)
async def test_somebody_else_knows_better(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, said: str, afterwards: str
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 3) as (app, _):
        await app.say(ALICE, f"note: {kept}")
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [afterwards]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("note that I owe Rui 35 for the bait", "I owe Rui 35 for the bait"),
        ("anota que le debo 80 a Nora", "le debo 80 a Nora"),
        ("anota que debo ir al dentista", ""),
        ("note that I owe her a call", ""),
    ],
)
def test_a_debt_is_a_note_where_it_says_how_much(said: str, kept: str) -> None:
    assert note_in(said) == kept


def test_no_note_has_its_first_line_twice() -> None:
    text = "the man from the water board comes with the new meter and wants somebody at home who can sign for it"
    assert _compose(text, text)[1] == text
