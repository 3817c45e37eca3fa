"""A new list whose things stand behind a comma, what is taken off it, slips, and notes beside it."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.slipped import household_word
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")


@pytest.mark.parametrize(
    ("said", "name", "items"),
    [
        (
            "need a bike shop list, patches, oil, a new pump cuz someone lost mine (her)",
            "bike shop",
            ["patches", "oil", "new pump"],
        ),
        (
            "necesito una lista de la mercería, hilo, botones, una aguja nueva porque se rompió la mía",
            "mercería",
            ["hilo", "botones", "aguja nueva"],
        ),
    ],
)
def test_things_stand_behind_a_comma(said: str, name: str, items: list[str]) -> None:
    assert read_placed(said, []) == [(name, items)]


@pytest.mark.parametrize(
    "said",
    [
        "need a guest list, my aunt is coming, Jo too",
        "need a packing list, any ideas, anything works",
        "quiero una lista, no sé, algo lindo",
    ],
)
def test_what_only_sounds_so_is_no_list(said: str) -> None:
    assert read_placed(said, []) == []


@pytest.mark.parametrize(
    ("kept", "said", "left"),
    [
        (
            "need a bike shop list: patches, oil, new pump",
            "found the pump in the shed lol. remove it off the list",
            ["patches", "oil"],
        ),
        (
            "put wax, list paper and twine on the craft list",
            "found the wax, long story. remove it off the list",
            ["list paper", "twine"],
        ),
        (
            "put wax, list paper and twine on the craft list",
            "it got lost, remove it off the list",
            ["wax", "list paper", "twine"],
        ),
    ],
)
async def test_what_is_taken_off_is_whole_and_named(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 3) as (app, _):
        await app.say(ALICE, kept)
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == left


@pytest.mark.parametrize("word", ["uebos", "seboya", "asucar", "arina", "qeso", "arros"])
def test_a_word_that_sounds_so_is_known(word: str) -> None:
    assert household_word(word)


@pytest.mark.parametrize("word", ["hola", "baca", "casa", "hijo", "cena", "home", "voy"])
def test_other_words_are_not(word: str) -> None:
    assert not household_word(word)


def test_a_reason_with_slips_ends_the_things() -> None:
    said = "ponme en la lsita uebos masa i qeso k vamos aser arepas"
    assert [one.items for one in read_placed(said, [])] == [["uebos", "masa", "qeso"]]


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    ("said", "note", "items"),
    [
        (
            "note that I owe Rui 35 for the bait and put line and floats on the pier list",
            "I owe Rui 35 for the bait",
            ["line", "floats"],
        ),
        (
            "anota que le debo 80 a Nora y ponme en la lista del muelle: cuerda, boyas",
            "le debo 80 a Nora",
            ["cuerda", "boyas"],
        ),
    ],
)
async def test_a_debt_is_noted_beside_a_list(
    tmp_path: Path, encoder: LocalEmbedder, said: str, note: str, items: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 3) as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [note]
        assert await stored(app, "text", "list_items") == items
