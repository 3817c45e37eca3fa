"""Two lists that were just spoken of, and orders that stand behind what is told."""

import pytest

from app.skills.tools.lists.both import asks_both, asks_other, for_both
from app.skills.tools.lists.item_acts import ItemAct
from app.skills.tools.lists.leaving import leaves_some, read_left, without_left
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.recounted import read_measured
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.rewording import tells_when
from app.skills.tools.lists.storied import only_told, tells_story

TEXTS = ("tofu", "olives", "sardinas", "yogur", "mop the hall")
LIST = NamedList(1, "Compras", tuple(Item(number, text, is_done=False) for number, text in enumerate(TEXTS)))


@pytest.mark.parametrize(
    ("said", "things"),
    [
        ("stick sponges on both", ["sponges"]),
        ("add foil to both lists please", ["foil"]),
        ("agrega jabón a las dos", ["jabón"]),
        ("agrega dentista a las dos", []),
        ("anota hielo en ambas listas", ["hielo"]),
        ("add it to both", []),
        ("both lists look good", None),
        ("add foil", None),
        ("agrega pan a las dos de la tarde", []),
    ],
)
def test_what_goes_on_both(said: str, things: list[str] | None) -> None:
    assert for_both(said) == things


@pytest.mark.parametrize(
    "said", ["show me the other one", "what's on the other list?", "y la otra?", "a ver la otra"]
)
def test_the_other_is_asked_for(said: str) -> None:
    assert asks_other(said)
    assert not asks_both(said)


@pytest.mark.parametrize(
    "said", ["show both", "muéstrame las dos", "muéstrame la otra receta", "on the other hand"]
)
def test_other_words_ask_for_no_other_list(said: str) -> None:
    assert not asks_other(said)


@pytest.mark.parametrize(
    "said",
    [
        "the nurse told me to cut out the olives, take them off please",
        "la nutrióloga me dijo que deje las sardinas así que quítalas",
        "got the tofu for their kids, cross it off",
        "take the olives off the weekly shop",
        "quita las sardinas de lata",
        "take off the sardinas in oil, they smell",
        "forget the tofu, look, we have some",
        "olvida el yogur, fíjate que queda",
    ],
)
def test_an_order_is_no_story(said: str) -> None:
    assert not tells_story(said, [LIST])


@pytest.mark.parametrize(
    "said",
    [
        "rang the landlord but nobody answered",
        "compré el yogur pero se me cayó en la calle",
        "fui por las sardinas y estaba cerrado",
        "my cousin got the olives, they were rotten",
        "ya saqué el yogur del refri",
        "the nurse told me to cut out the olives",
        "drop the sardinas in hot oil",
        "la doctora me dijo que quite el yogur",
    ],
)
def test_a_failed_try_and_a_story_change_nothing(said: str) -> None:
    assert tells_story(said, [LIST])


def test_a_thing_that_is_told_not_to_go_stays() -> None:
    assert without_left("take off not the tofu, the olives") == "take off the olives"
    assert without_left("quita no el yogur sino las sardinas") == "quita las sardinas"
    assert without_left("remove not the tofu") == ""
    assert without_left("take off the tofu, not the olives") == "take off the tofu, not the olives"


def test_all_but_one_is_cleared() -> None:
    left = read_left("clear everything except the tofu", LIST)
    assert left is not None
    assert [act.item.text for act in left if act.item] == list(TEXTS[1:])
    assert leaves_some("empty it all except the tofu")
    assert not leaves_some("take off the tofu")


def test_how_pressing_a_thing_is_names_it_no_other() -> None:
    assert tells_when("make the hall one urgent")
    assert tells_when("make the hall one for Tuesday")
    assert not tells_when("make the hall one the landing")


def test_another_thing_than_was_meant_is_added_by_nobody() -> None:
    assert read_near("make it three crates", LIST, is_last=True) == []
    silken = ItemAct("reword", LIST.items[0], "silken tofu")
    assert read_near("make that silken tofu", LIST, is_last=True) == [silken]
    assert only_told("oh and napkins, no wait we've got those", [ItemAct("add", new="napkins")])
    assert not only_told("oh and napkins", [ItemAct("add", new="napkins")])


@pytest.mark.parametrize(
    ("said", "put", "new"),
    [
        ("make it 2 packs, the cat is back", ["putty"], "2 packs of putty"),
        ("just make it one tin thanks", ["4 putty"], "one tin of putty"),
        ("make it 2 packs", ["putty", "tacks"], None),
        ("make it 2 packs?", ["putty"], None),
        ("make it 2 packs of tacks", ["putty"], None),
        ("make it 5 on Friday", ["putty"], None),
    ],
)
def test_an_amount_alone_is_of_what_was_just_put(said: str, put: list[str], new: str | None) -> None:
    assert read_measured(said, put, "of") == (None if new is None else (new, put[0]))
