"""A note goes only where a message means it, and a wish to keep something keeps what it points back to."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")


@pytest.mark.parametrize(
    ("note", "said", "is_gone"),
    [
        ("el candado del galpón es 6120", "borrá el candado del galpón", True),
        ("el candado del galpón es 6120", "borrá lo del candado que ya lo cambiaron", True),
        ("el candado del galpón es 6120", "borrá la nota del candado", True),
        ("the boat key hangs by the stove", "delete the boat key", True),
        ("the boat key hangs by the stove", "scrap the stove one", True),
        ("el candado del galpón es 6120", "borrá el candado del baúl de mi abuelo cómo se hace", False),
        ("Iván trajo la carretilla", "elimina a Iván de mi vida jajaja", False),
        ("Wendy has the tent", "delete Wendy from my life lol", False),
        ("the boat key hangs by the stove", "erase the stove app off my tablet, how do I do it", False),
    ],
)
async def test_a_note_goes_only_where_it_is_named_mostly(
    tmp_path: Path, encoder: LocalEmbedder, note: str, said: str, is_gone: bool
) -> None:
    async with small_app(tmp_path, encoder, "Ok.") as (app, _):
        await app.say(ALICE, f"{'anotá que' if 'el ' in note or 'la ' in note else 'note that'} {note}")
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == ([] if is_gone else [note])


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The hen gets 2 drops a day. Keep a note of that for me. She was kind", "The hen gets 2 drops a day"),
        ("El tapicero cobra 340 por silla. Anotá eso porfa. Un divino el tipo", "El tapicero cobra 340 por silla"),
        ("anota que Elsa debe 9, qué calor hace", "Elsa debe 9"),
        ("note that Omar owes 9, gosh it's cold", "Omar owes 9"),
        ("note that the cellar code is 12B, it's cold down there", "the cellar code is 12B, it's cold down there"),
        ("anota que la tela costó 610, ah no, fueron 640", "la tela costó 640"),
        ("anota que le debo 70 a Nico. No, mentira, ya se los pagué", None),
        ("my uncle says delete the one about tyres, I say keep it", None),
    ],
)  # fmt: skip
async def test_a_note_holds_what_is_meant_and_no_talk(
    tmp_path: Path, encoder: LocalEmbedder, said: str, kept: str | None
) -> None:
    async with small_app(tmp_path, encoder, "Ok.") as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == ([] if kept is None else [kept])
