"""What only sounds as if it changed a list that was just shown: stories, talk, and lists of others."""

import pytest

from app.skills.tools.lists.item_acts import ItemAct
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.storied import is_of_others, only_told, tells_story, without_comment

TEXTS = ("leche", "pollo", "jabón", "fish", "wine", "soap", "glue")
LIST = NamedList(1, "Compras", tuple(Item(number, text, is_done=False) for number, text in enumerate(TEXTS)))


@pytest.mark.parametrize(
    "said",
    [
        "sacá el pollo del freezer a las 5",
        "quité el jabón de la pared con un trapo",
        "quité el olor a pollo con limón",
        "el médico me dijo que saque el pollo",
        "no, pará, la leche sí",
        "el pollo ya lo compré pero se lo comió el perro",
        "compró leche para sus hijos mi prima",
        "ojalá hubiera comprado leche ayer",
        "la leche la compra mi tía mañana",
        "she took the soap out of the kid's mouth haha",
        "drop the fish in hot oil, five minutes each side",
        "the dietitian says drop the wine",
        "I got the fish but the cat ate it",
        "got wine all over my shirt",
        "my uncle got glue from the depot last year",
        "forget the wine, imagine what soap costs there",
    ],
)
def test_what_is_told_of_a_thing_changes_no_list(said: str) -> None:
    assert tells_story(said, [LIST])


@pytest.mark.parametrize(
    "said",
    [
        "sacá el pollo",
        "sacá el pollo que queda uno en el freezer",
        "quitá el jabón del pedido",
        "la leche no, el pollo sí",
        "no, pará, sacá la leche",
        "ya compró mi hermana la leche",
        "compré jabón para el baño",
        "take the soap off, I have some in the cupboard",
        "take the fish off the shopping",
        "my doctor says no wine so take it off",
        "forget the wine",
        "got the fish",
        "my wife got the glue",
    ],
)
def test_what_is_wished_is_no_story(said: str) -> None:
    assert not tells_story(said, [LIST])


def told(said: str) -> bool:
    acts = read_near(said, LIST, is_last=True)
    return not acts or only_told(said, acts)


@pytest.mark.parametrize(
    "said",
    [
        "ayer cenamos pizza, papas, ensalada",
        "mi abuela vende empanadas, tamales, pan",
        "mi primo fue a la feria y compró queso, pan, de todo",
        "y nada, aquí andamos",
        "y también quería preguntarte algo",
        "at camp they give them bread, biscuits, fruit",
        "for supper I had eggs, toast, jam",
        "and well, here we are",
    ],
)
def test_a_story_puts_nothing_on_the_list(said: str) -> None:
    assert told(said)


@pytest.mark.parametrize(
    "said", ["y huevos", "queso, pan y arroz", "vienen mis suegros, carbón, vino tinto, pan", "and also batteries"]
)
def test_what_is_only_named_still_goes_on_it(said: str) -> None:
    assert not told(said)


def test_a_thing_said_again_is_no_story() -> None:
    assert not only_told("we drank the juice, also bread", [ItemAct("add", new="bread")])


def test_the_list_of_somebody_else_is_none_of_ones_own() -> None:
    assert is_of_others("My cousins wrote their list for Santa: a drone, a pony. God help us")
    assert is_of_others("The groom's list: a suit, a band, a horse. Madness")
    assert is_of_others("La lista de la novia: velo, carroza, cisnes. Qué locura")
    assert not is_of_others("My sister's list: soap, milk, jam")
    assert not is_of_others("Make my sister's list: soap, milk")


def test_a_comment_is_no_item() -> None:
    assert without_comment("Camping list: tent, stove, rope. Haha") == "Camping list: tent, stove, rope."
    assert without_comment("Camping list: tent, stove. Lantern") == "Camping list: tent, stove. Lantern"
