"""What was just put on a list comes off again, all of it, and things and lists that are written with a slip."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.naming import find_list, name_of
from app.skills.tools.lists.repository import NamedList
from app.skills.tools.lists.taken_again import taken_again
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
PUT = ("cinta", "hilo")
EVERY = ("lana", *PUT)


@pytest.mark.parametrize(
    ("said", "off"),
    [
        ("take both off", PUT),
        ("ah no, both off again, jen has some", PUT),
        ("oh never mind, remove them all", PUT),
        ("take those two off the list please", PUT),
        ("ay no quitá todo eso que ya trajo Rocío", PUT),
        ("sacame los dos porfa", PUT),
        ("mejor borralos", PUT),
        ("elimina ambos, ya tengo", PUT),
        ("could you take them off again?", PUT),
        ("saca los tres", EVERY),
        ("take all three off", EVERY),
        ("take all four off", ()),
        ("don't take them off", ()),
        ("ay no saques los dos", ()),
        ("she took both off the shelf", ()),
        ("both of them are off to school", ()),
        ("did you take both off?", ()),
        ("take both off but leave the thread", ()),
        ("sacá los dos menos el hilo", ()),
        ("take both off and add wool", ()),
        ("take off the wool", ()),
        ("quita todo", ()),
        ("las dos se fueron", ()),
        ("sacá turno a las dos", ()),
    ],
)
def test_all_that_was_just_put_there_comes_off_and_nothing_else(said: str, off: tuple[str, ...]) -> None:
    assert tuple(taken_again(said, PUT, EVERY)) == off


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("take both off again, my aunt has them", ["wool"]),
        ("nah remove all three", []),
        ("my aunt took both off her list", ["wool", "ribbon", "thread"]),
    ],
)
async def test_the_things_just_put_down_leave_the_list_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder, "Fine.") as (app, _):
        await app.say(ALICE, "put wool on the craft list")
        await app.say(ALICE, "add ribbon and thread to the craft list")
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == left


@pytest.mark.parametrize(
    ("first", "said", "items"),
    [
        ("add rice and tea to the shopping list", "nd honey", ["rice", "tea", "honey"]),
        ("add rice and tea to the shopping list", "adn honey", ["rice", "tea", "honey"]),
        ("ala lsita del mercdo avena, papas i queso", "", ["avena", "papas", "queso"]),
        ("for the shopping list razor blades, tissues", "", ["razor blades", "tissues"]),
        ("for the shopping list milk bread, tissues", "", ["milk", "bread", "tissues"]),
    ],
)
async def test_a_slip_in_what_joins_and_in_the_name_of_a_list_is_seen_through(
    tmp_path: Path, encoder: LocalEmbedder, first: str, said: str, items: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        for one in filter(None, (first, said)):
            await app.say(ALICE, one)
        assert await stored(app, "text", "list_items") == items
        assert llm.requests == []


def test_a_name_with_a_slip_is_that_of_a_shop_or_of_a_list_that_is_there() -> None:
    assert [name_of(said) for said in ("supr", "mercdo", "stone", "supper", "Mario")] == [
        "Super",
        "Mercado",
        "Stone",
        "Supper",
        "Mario",
    ]
    known = [NamedList(1, "Costurero", ()), NamedList(2, "María", ())]
    assert [find_list(known, said) for said in ("costurro", "Mario")] == [known[0], None]
