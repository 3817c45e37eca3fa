"""Several notes in one message are kept each in its own words, and taken back together."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.notes.several import notes_in
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")


@pytest.mark.parametrize(
    ("said", "notes"),
    [
        (
            "note that the chimney draws badly and also note that the sweep is Mr Ash",
            ["the chimney draws badly", "the sweep is Mr Ash"],
        ),
        (
            "jot down that the kiln runs at 1040 and please also note the glaze is Celadon",
            ["the kiln runs at 1040", "the glaze is Celadon"],
        ),
        ("save two notes: the raft is Ed's and the oars are Pat's", ["the raft is Ed's", "the oars are Pat's"]),
        (
            "make 3 notes: hall is 4 m; attic is 6 m; cellar is 5 m",
            ["hall is 4 m", "attic is 6 m", "cellar is 5 m"],
        ),
        (
            "take two notes, one saying Ike has the jack and another saying the spare is flat",
            ["Ike has the jack", "the spare is flat"],
        ),
        (
            "note: the hens are moulting. And another note: the cock limps",
            ["the hens are moulting", "the cock limps"],
        ),
        (
            "anotá que el techista viene con su hijo y anotá también que la escalera es de Lito",
            ["el techista viene con su hijo", "la escalera es de Lito"],
        ),
        (
            "anóteme que el pozo tiene 30 metros, y por favor anote también que la bomba es Grundfos",
            ["el pozo tiene 30 metros", "la bomba es Grundfos"],
        ),
        (
            "guardá dos notas: una que la silla es de roble y otra que la mesa es de pino",
            ["la silla es de roble", "la mesa es de pino"],
        ),
        ("anota que Saúl es zurdo, y otra nota que diga que Iris es zurda", ["Saúl es zurdo", "Iris es zurda"]),
        ("note that the gate sticks", []),
        ("note that Ann wants to note that down", []),
        ("note that Jo limps and also remind me at 5 to ring the vet", []),
        ("note that we need salt and also note that we need rice", []),
        ("I noted that the gate sticks and also noted that the hinge is bent", []),
        ("did you note that it leaks and also note that it drips?", []),
        ("save two notes", []),
        ("save two notes: milk and eggs", []),
        ("save two notes: Al is in and Bo is out and Cy is away and Di is ill", []),
        ("anotá leche y también anotá pan", []),
        ("anotá que falta leche y también anotá que falta pan", []),
    ],
)
def test_each_of_several_notes_is_read_in_its_own_words(said: str, notes: list[str]) -> None:
    assert notes_in(said) == notes


@pytest.mark.parametrize(
    ("said", "undo", "notes"),
    [
        (
            "save two notes: the kiln: 1040 and the glaze is Jade",
            "undo that",
            ["the kiln: 1040", "the glaze is Jade"],
        ),
        (
            "anotá que el pozo es hondo y anotá también que la bomba es Grundfos",
            "deshacelo",
            ["el pozo es hondo", "la bomba es Grundfos"],
        ),
    ],
)
async def test_several_notes_are_kept_and_taken_back_together(
    tmp_path: Path, encoder: LocalEmbedder, said: str, undo: str, notes: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == notes
        await app.say(ALICE, undo)
        assert not await stored(app, "content", "notes")
