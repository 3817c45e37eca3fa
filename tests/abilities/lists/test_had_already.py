"""What somebody who dictates a list finds to be there already, and things that stand side by side before it."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.had_already import without_had
from app.skills.tools.lists.placed import as_dictated, read_placed
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("I need flour hold on we have it already so only yeast and jam", "I need yeast and jam"),
        ("i need pegs and rope no hang on weve got some already so just a tarp", "i need pegs, a tarp"),
        ("necesito velas no espera ya las tengo así que solo harina", "necesito harina"),
        ("poné yerba y miel, no pará, ya tenemos miel, entonces solo pan", "poné yerba, pan"),
    ],
)
def test_what_is_there_already_is_not_dictated(said: str, left: str) -> None:
    assert without_had(said) == left


@pytest.mark.parametrize(
    "said",
    [
        "I need flour no wait we have visitors so just tea",
        "I need flour and jam",
        "I need flour, we've got it on offer so buy jam too",
        "put flour on the list no wait we have it already",
        "necesito velas para la torta que ya tenemos",
        "have we got flour already or do I need it?",
    ],
)
def test_what_says_nothing_of_that_stays_as_it_is(said: str) -> None:
    assert without_had(said) == said


async def test_what_is_there_already_is_not_put_on_the_list(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(
            ALICE, "put on the shopping list I need candles hold on we have them already so only soap and jam"
        )
        assert await stored(app, "text", "list_items") == ["soap", "jam"]


@pytest.mark.parametrize(
    ("said", "items"),
    [
        (
            "put on the fair list lanterns banners a lemon cake and thirty mugs",
            "lanterns|banners|lemon cake|thirty mugs",
        ),
        ("add to the camp list pegs poles a gas stove and six mugs", "pegs|poles|gas stove|six mugs"),
        ("agregá a la lista de la feria globos guirnaldas y veinte vasos", "globos|guirnaldas|veinte vasos"),
        # Two of these are one thing.
        ("add to the school list mens gloves and a ruler", "mens gloves|ruler"),
        ("add to the tree list christmas lights and a star", "christmas lights|star"),
        ("agregá a la lista de la feria luces navideñas y velas blancas", "luces navideñas|velas blancas"),
        ("put vitamins twice a day on the health list", "vitamins twice a day"),
    ],
)
def test_two_nouns_in_the_plural_are_two_things(said: str, items: str) -> None:
    assert [one.items for one in read_placed(said, ())] == [items.split("|")]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("delete the rope one, going with wire instead", ["pegs", "wire"]),
        ("borra rope, voy con cable en su lugar", ["pegs", "cable"]),
        ("delete the rope one, going with mum on the bus", ["pegs"]),
    ],
)
async def test_what_is_wanted_instead_is_put_down_without_what_leads_to_it(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder, "Fine.") as (app, _):
        await app.say(ALICE, "make a list for the fair: pegs and rope")
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == left


@pytest.mark.parametrize(
    ("said", "taken", "items"),
    [
        (
            "my cousin rang and she comes on friday so get candles rice soap honey and she may stay",
            ["candles", "soap"],
            ["candles", "rice", "soap", "honey"],
        ),
        (
            "vino mi tía y dijo que faltan jabón fósforos velas arroz y yerba en la lista",
            ["jabón", "velas"],
            ["jabón", "fósforos", "velas", "arroz", "yerba"],
        ),
        # What is only told of is no ware.
        ("get eggs for the pancakes, the soap is on offer elsewhere", ["eggs"], ["eggs"]),
        ("put eggs on the list, the bread is fine", ["eggs"], ["eggs"]),
        ("get candles no soap rice for the trip", ["candles", "rice"], ["candles", "rice"]),
    ],
)
def test_wares_that_a_model_passed_over_are_not_lost(said: str, taken: list[str], items: list[str]) -> None:
    assert as_dictated(taken, "shopping", said, ())[0] == items
