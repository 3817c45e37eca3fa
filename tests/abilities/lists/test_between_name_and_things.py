"""What stands between a list and its things, or between these, and is none: why, when, a second thought."""

import pytest

from app.skills.tools.lists.occasions import without_occasion
from app.skills.tools.lists.placed import read_placed
from app.skills.tools.lists.recounted import read_recounted
from app.skills.tools.lists.repository import Item
from app.skills.tools.lists.slipped import asked_in

ITEMS = tuple(
    Item(number, text, is_done=False)
    for number, text in enumerate(("4 coliflores", "3 mangos", "5 pears", "2 kilos de batata", "rice"))
)


@pytest.mark.parametrize(
    ("said", "bare"),
    [
        ("on the market list for sunday as nan is over: figs, ham", "on the market list: figs, ham"),
        ("poné en la lista del súper para el feriado que hay visitas: soda", "poné en la lista del súper: soda"),
        ("agregá a la lista porque mañana cierran: velas", "agregá a la lista: velas"),
        ("apunta en la lista de la compra, que viene mi cuñada: uvas", "apunta en la lista de la compra: uvas"),
        ("add to the tesco list before they shut: buns", "add to the tesco list: buns"),
        ("make a list for the hike: rope, tape", "make a list for the hike: rope, tape"),
        ("haceme una lista para la mudanza: cajas", "haceme una lista para la mudanza: cajas"),
        ("una lista que se llame boda: velas", "una lista que se llame boda: velas"),
        ("lista de cosas que me faltan: velas", "lista de cosas que me faltan: velas"),
        ("the in-laws made a list of faults: mine", "the in-laws made a list of faults: mine"),
    ],
)
def test_why_and_for_when_things_go_on_a_list_are_left_out(said: str, bare: str) -> None:
    assert without_occasion(said) == bare


@pytest.mark.parametrize(
    ("said", "items"),
    [
        (
            "pon en la lista lejía, eh, estropajos y ah sí también uvas porque le gustan a Iker",
            "lejía estropajos uvas",
        ),
        ("anotá en la lista harina, este... miel, y ah cierto también velas", "harina miel velas"),
        ("put on the list mops, um, bleach and oh yeah also figs because tom is over", "mops bleach figs"),
        ("add to the list flour, er, honey, hang on, and one more thing, candles", "flour honey candles"),
        ("anotá miel en la lista. ah y otra cosa: velas", "miel velas"),
        ("put honey on the list, candles and soap", "honey candles soap"),
        ("put honey on the list. bread is dear today", "honey"),
        ("add honey to the list, oh and another thing the car broke", "honey"),
    ],
)
def test_a_second_thought_is_one_more_thing(said: str, items: str) -> None:
    assert [" ".join(one.items or ()) for one in read_placed(said, ())] == [items]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("wats on my lsit", "whats on my list"),
        ("q ay en la lsita", "q hay en la lista"),
        ("remvoe teh figs from my lsit", "remove the figs from my list"),
        ("scaa las uvas d la lsta", "saca las uvas de la lista"),
        ("wats on tv", "wats on tv"),
        ("ay la tele", "ay la tele"),
    ],
)
def test_a_question_for_a_list_is_read_through_its_slips(said: str, meant: str) -> None:
    assert asked_in(said) == meant


@pytest.mark.parametrize(
    ("said", "new"),
    [
        ("que la coliflor sea una sola", "una coliflor"),
        ("al final solo dos mangos", "dos mangos"),
        ("just one pear in the end", "one pear"),
        ("better make the pears eight", "eight pears"),
        ("mejor con un mango alcanza", "un mango"),
        ("ayer comimos un solo mango", None),
        ("no quiero un solo mango", None),
        ("i only have one pear", None),
        ("one pear was bad", None),
        ("just rice in the end", None),
        ("con un kilo de batata alcanza", None),
        ("only one pear?", None),
    ],
)
def test_there_are_to_be_more_or_fewer_of_one_thing(said: str, new: str | None) -> None:
    found = read_recounted(said, ITEMS)
    assert (found and found[0]) == new
