"""What of a message is an item, where a wish begins and ends, and what a correction changes."""

import pytest

from app.skills.tools.lists.dictating import read_bare, read_dictated
from app.skills.tools.lists.lacking import read_lacking
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.repository import Item, NamedList

ON_IT = (
    "leche descremada",
    "30 bolsas",
    "pan blanco",
    "yogur natural",
    "skimmed milk",
    "red onions",
    "beef mince",
    "caño de 20",
    "washers 8mm",
)
LIST = NamedList(1, "Super", tuple(Item(number, text, is_done=False) for number, text in enumerate(ON_IT)))


@pytest.mark.parametrize(
    ("said", "lists"),
    [
        (
            "on the trip list stick maps, hats. oh and tea on the market list before i forget",
            "trip: maps|hats; market: tea",
        ),
        ("start a list called fete: quiche, sausage rolls, napkins", "fete: quiche|sausage rolls|napkins"),
        (
            "so make a list called Loft: rope, tape. and on the shopping list put tea",
            "Loft: rope|tape; shopping: tea",
        ),
        ("lista del picnic: uvas, queso. el vino lo lleva Teo", "picnic: uvas|queso"),
        # one more list, whose name stands behind a mark
        (
            "lista camping: carpa y pilas. y en otra lista, la de la farmacia, poné gasas",
            "camping: carpa|pilas; farmacia: gasas",
        ),
        ("on the beach list put hats, and on another one, the groceries, put ham", "beach: hats; groceries: ham"),
        (
            "add tuna to the shopping list. and in another list, the hardware one, glue",
            "shopping: tuna; hardware: glue",
        ),
        # what leads to things is none
        ("en la lista de la farmacia van gasas y curitas", "farmacia: gasas|curitas"),
        ("lista del super: primero leche, después pan y por último huevos", "super: leche|pan|huevos"),
        ("shopping list: first bread, then eggs", "shopping: bread|eggs"),
        ("packing list: first aid kit, torch", "packing: first aid kit|torch"),
        ('a la lista de libros pa leer métele "El túnel"', "libros pa leer: El túnel"),
        ('put "The Dig" on my books to read list', "books to read: The Dig"),
        # slips in the words of the wish
        ("ad tomatos n scotch bonet to teh market list", "market: tomatos|scotch bonet"),
        ("agrgá leche y pan a la lsita del super", "super: leche|pan"),
        ("poné en la lista pan, jugo y té", ": pan|jugo|té"),
        # how much stands behind
        ("in the tuck list add besan 2 kg, jeera 200 g and salt", "tuck: besan 2 kg|jeera 200 g|salt"),
    ],
)
def test_each_list_gets_its_things(said: str, lists: str) -> None:
    placed = read_placed(said, ())
    assert "; ".join(f"{one.list_name}: {'|'.join(one.items or [])}" for one in placed) == lists


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("el sábado hay q comprar carbón, hielo, ah y vasos. ponelo en la lista. la carne no q la trae Beto", 3),
        ("we've people over so we need crisps, beer, oh and ice, stick it on the groceries list please", 3),
        ("tomorrow we bake so we need flour and eggs, add that to the shopping list", 2),
    ],
)
def test_a_wish_points_to_what_stands_before_it(said: str, items: int) -> None:
    found = read_lacking(said)
    assert read_dictated(said) is None
    assert found is not None
    assert len(found.items) == items


def test_a_story_before_a_wish_is_no_item() -> None:
    said = (
        "hoy se nos cayó el toldo, igual vamos a comer, échame a la lista harina y comino, aceitunas no que tengo"
    )
    found = read_dictated(said)
    assert found is not None
    assert found.items == ["harina", "comino"]


@pytest.mark.parametrize(
    "said",
    [
        "ponelo en la lista",
        "no lo pongas en la lista todavía, hay que comprar carbón y hielo",
        "please don't put the beer on the list, put juice",
        "echo de menos la lista que hacía mi abuela, harina y manteca",
        "guest list: the Reillys are coming, 4 of them",
        "lista playa: toallas y paletas. y en otra poné pan",
        "en la lista del súper van 20 cosas",
        "we need to talk about the roof, put it on the list",
        "hay que llevar el auto al taller y pagar el seguro, ponelo en la lista",
    ],
)
def test_what_is_no_item_is_not_put_down(said: str) -> None:
    assert not any(one.items for one in read_placed(said, ()))
    assert (read_dictated(said), read_bare(said), read_lacking(said)) == (None, None, None)


@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        ("uy, descremada no, entera. lo otro queda", "leche descremada", "leche entera"),
        ("leche descremada no, entera", "leche descremada", "leche entera"),
        ("mejor no blanco, integral", "pan blanco", "pan integral"),
        ("natural no, de frutilla", "yogur natural", "yogur de frutilla"),
        ("not skimmed, semi", "skimmed milk", "semi milk"),
        ("whole, not skimmed", "skimmed milk", "whole milk"),
        ("sorry, white onions not red. rest is fine", "red onions", "white onions"),
        ("pork instead of beef", "beef mince", "pork mince"),
        ("pan blanco no, poné tortillas en vez de pan blanco", "pan blanco", "tortillas"),
        ("las bolsas que sean 18 mejor", "30 bolsas", "18 bolsas"),
        ("actually two of the skimmed milk", "skimmed milk", "two skimmed milk"),
        ("20 bolsas mejor", "30 bolsas", "20 bolsas"),
        ("el caño tiene que ser de 25, lo compré mal", "caño de 20", "caño de 25"),
        ("oye el caño debe ser de 3/4", "caño de 20", "caño de 3/4"),
        ("the washers must be 10mm, i measured again", "washers 8mm", "washers 10mm"),
        ("the washers ought to be 10 mm tbh", "washers 8mm", "washers 10 mm"),
    ],
)
def test_a_correction_changes_the_thing_in_its_place(said: str, old: str, new: str) -> None:
    [act] = read_near(said, LIST, is_last=True)
    assert (act.deed, act.item and act.item.text, act.new) == ("reword", old, new)


@pytest.mark.parametrize(
    "said",
    [
        "I like it whole not skimmed",
        "two of the kids are sick",
        "el pan que no sea blanco",
        "descremada no sé si hay",
    ],
)
def test_what_only_sounds_like_a_correction_changes_nothing(said: str) -> None:
    assert read_near(said, LIST, is_last=True) == []


@pytest.mark.parametrize("said", ["descremada no, gracias", "descremada no, Juan", "descremada no. mañana voy"])
def test_what_is_no_kind_only_takes_off(said: str) -> None:
    assert [(act.deed, act.new) for act in read_near(said, LIST, is_last=True)] == [("remove", "")]
