"""Another list that is named in passing, questions for what is on a named one, and all but some of it."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.picking.reading import read_wish
from app.skills.tools.lists.lacking import read_lacking
from app.skills.tools.lists.picked import asked_on, asked_where, asked_whether
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.recounted import read_recounted
from app.skills.tools.lists.repository import Item, NamedList
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("lists")
KNOWN = (
    NamedList(1, "Attic", (Item(1, "old lamps", is_done=False),)),
    NamedList(2, "Vivero", (Item(2, "tierra", is_done=False), Item(3, "malla de 6", is_done=False))),
)


@pytest.mark.parametrize(
    ("said", "name", "items"),
    [
        ("pon la escalera en una lista aparte, que se llame Altillo", "Altillo", ["escalera"]),
        ("put string on another list call it Kite", "Kite", ["string"]),
        ("mete velas en otra lista y llámala Apagón", "Apagón", ["velas"]),
        ("put rope on a separate list, name it Dry Dock please", "Dry Dock", ["rope"]),
        ("anota yeso en otra lista, ponle de nombre Obra", "Obra", ["yeso"]),
        ("las tuercas van en otra lista, ponele Taller", "Taller", ["tuercas"]),
        ("the putty belongs on a different list, title it Glazing", "Glazing", ["putty"]),
        ("otra lista, Herbolario, apunta tila y romero", "Herbolario", ["tila", "romero"]),
        ("another list, Kennel Trip, put leads and bowls there", "Kennel Trip", ["leads", "bowls"]),
    ],
)
def test_another_list_is_named_in_passing(said: str, name: str, items: list[str]) -> None:
    assert [(one.list_name, one.items) for one in read_placed(said, ())] == [(name, items)]


@pytest.mark.parametrize(
    "said",
    [
        "rope on a different list",
        "velas en otra lista",
        "on another list, please, put string",
        "poné yeso en otra lista, ponele Leche entera y pan",
        "mi hermano tiene una lista aparte, ponle que es desconfiado",
        "the twins are on a different list, call it bad luck",
        "my cousin has another list, Dublin people, add that to the drama",
        "mi prima tiene otra lista, la de la boda, y pone a todo el mundo",
        "switch the gravel for bark on the garden list",
    ],
)
def test_what_names_no_other_list_puts_nothing_down(said: str) -> None:
    assert not any(one.items for one in read_placed(said, ()))
    assert read_lacking(said) is None


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("is there a hose on the garden list?", ("hose", "garden")),
        ("did I put stakes on the allotment list", ("stakes", "allotment")),
        ("está la tierra en la lista del vivero?", ("tierra", "vivero")),
        ("can you put twine on the garden list?", ("", "")),
        ("is the garden list long?", ("", "")),
        ("did Moira add bulbs to the garden list?", ("", "")),
        ("what's on the garden list?", ("", "")),
    ],
)
def test_it_is_asked_whether_a_thing_is_on_a_named_list(said: str, asked: tuple[str, str]) -> None:
    assert asked_on(said) == asked
    assert asked_whether(said) == asked[0]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("which list has the old lamps?", ["Attic"]),
        ("en qué lista está la tierra", ["Vivero"]),
        ("on which list did I put the lamps", ["Attic"]),
        ("which list am I on at the clinic?", []),
        ("the list has old lamps", []),
    ],
)
def test_it_is_asked_which_list_has_a_thing(said: str, names: list[str]) -> None:
    assert [one.name for one in asked_where(said, KNOWN)] == names


@pytest.mark.parametrize("said", ["tick off all but the hose", "remove all but the hose"])
def test_all_but_one_thing_is_meant(said: str) -> None:
    wish = read_wish(said)
    assert wish is not None
    assert wish.is_all
    assert wish.kept == ("the hose",)
    assert not wish.targets


def test_a_size_is_no_number_of_a_thing() -> None:
    assert read_recounted("la malla que sea de 8", KNOWN[1].items) is None


async def test_the_list_in_talk_stays_as_it_is(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        for said in (
            "add twine, gloves and canes to the garden list",
            "the ladder goes on a separate list, call it Attic",
            "read me the garden one mate",
            "show me the garden list lah",
            "everything but the gloves is bought",
            "is ladder on the attic list?",
        ):
            await app.say(ALICE, said)
        shown = "Garden:\n☐ twine\n☐ gloves\n☐ canes"
        assert app.replies_to(ALICE) == [
            shown,
            "Attic:\n☐ ladder",
            shown,
            shown,
            "Done: twine, canes\nGarden:\n☐ gloves\n☑ twine\n☑ canes",
            "Yes, “ladder” is on it.\nAttic:\n☐ ladder",
        ]
