"""What is told beside a list that is dictated, and what changes a thing just dictated."""

import pytest

from app.skills.tools.lists.dictating import read_bare, read_dictated
from app.skills.tools.lists.lacking import read_lacking
from app.skills.tools.lists.naming import name_of
from app.skills.tools.lists.picked import asks_count
from app.skills.tools.lists.placed import Placed, as_dictated, read_placed
from app.skills.tools.lists.talk import dictated_in


@pytest.mark.parametrize(
    ("said", "name", "items"),
    [
        # a story before, or what is planned behind, is no thing
        ("awful night, the dog was sick. stick bleach and wipes on the shopping list", "shopping", "bleach|wipes"),
        ("se cortó la luz otra vez. sumá velas y pilas a la lista del súper", "súper", "velas|pilas"),
        ("put figs, rice, dal on the list. driving up to my nan's on sunday", "", "figs|rice|dal"),
        ("anotá gorra y repelente en la lista, las llevamos al río el finde", "", "gorra|repelente"),
        ("sumá globos a la lista. vienen todos, ojalá no llueva", "", "globos"),
        # sounds, and a search for a word
        ("agregá a la lista pan, ahh y leche, uyy y huevos", "", "pan|leche|huevos"),
        ("put on the list foil, whats it called, cling film, er, bin bags", "", "foil|cling film|bin bags"),
        ("pon en la lista ajo, cómo le dicen, laurel", "", "ajo|laurel"),
        ("put on the list foil and uh what's it called, for the drains, soda crystals", "", "foil|soda crystals"),
        ("pon en la lista ajo y ay cómo se llama eso para tapar grietas, sellador", "", "ajo|sellador"),
        # why it is said just now, and what somebody else brings
        ("put oat milk on the list while im thinking of it", "", "oat milk"),
        ("anota lejía en la lista antes de que se me olvide", "", "lejía"),
        ("lista para el asado: pan, carbón. la sal la pone mi tío, esa no va", "asado", "pan|carbón"),
        # slips in what leads to a list
        ("hi cud u put on my lst bred and buter pls", "", "bred|buter"),
        ("ola agrega ala lista de la feria arros y papas grasias", "feria", "arros|papas"),
        # brackets belong to their thing
        ("put on the list screws (brass, not steel), glue", "", "screws (brass, not steel)|glue"),
        ("ad mlk bred an chese to teh lst plz", "", "mlk|bred|chese"),
        ("pon lehce pna y uevos en la lsita", "", "lehce|pna|uevos"),
        # what somebody did is told without a mark, too
        ("add to the list nails and glue the dog chewed the table leg", "", "nails|glue"),
        ("lista de la farmacia: gasas, alcohol. el peque se cayo de la bici jaja", "farmacia", "gasas|alcohol"),
        ("chemist list: plasters, tissues. wee Ava coughing all night", "chemist", "plasters|tissues"),
        # what only looks so is a thing
        ("add rice, an egg and the smoked ham to the list", "", "rice|egg|smoked ham"),
        ("add milk for an omelette to the list", "", "milk for an omelette"),
        ("put a sleeping bag, running shoes and string on the camping list", "camping", None),
        ("agregá traje de baño, vino tinto y bolsa de dormir a la lista", "", None),
        ("poné en la lista del taller tornillos de 8 mm y cinta", "taller", "tornillos de 8 mm|cinta"),
        # what a list is for is no part of its name
        ("haz una lista que se llame Rita para el camping: saco, termo", "Rita", "saco|termo"),
        ("make one called beach for the weekend: towels, hats", "beach", "towels|hats"),
        ("make a list called things for Ann: towels, hats", "things for Ann", "towels|hats"),
    ],
)
def test_only_things_are_dictated(said: str, name: str, items: str | None) -> None:
    [placed] = read_placed(said, ())
    if items is None:
        assert placed.items is None or len(placed.items) == 3
    else:
        assert placed == Placed(name, items.split("|"))


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("add nuts 4, bolts 10 to the list. no wait make the nuts 8", "nuts 8|bolts 10"),
        ("agregá 2 de leche, pan y miel a la lista. no, mejor que sean 3 de leche", "3 de leche|pan|miel"),
        ("pon pan, leche y queso en la lista. ay no, pan no", "leche|queso"),
        ("put 6 eggs, bread and ham on the list, actually make it 12 eggs", "12 eggs|bread|ham"),
        ("add cola, juice and ice to the list. actually no juice", "cola|ice"),
        ("agrega jamón a la lista. ay no, mejor pavo", "pavo"),
        ("put bread and wine on the list. sorry not the wine", "bread"),
        ("put bread and yeast on the list, no i have yeast, salt", "bread|salt"),
        ("lista del picnic: pan, jamon y cola.. no para la cola la lleva el Chino, sin cola", "pan|jamon"),
        ("bbq list: buns, ribs, cola, rolls oh hang on Kev's bringing the cola, no cola", "buns|ribs|rolls"),
        ("anota pan y ajo en la lista, no, ajo tengo, sal", "pan|sal"),
    ],
)
def test_a_thing_just_dictated_is_put_right(said: str, items: str) -> None:
    found = read_dictated(said)
    assert found is not None
    assert found.items == items.split("|")


@pytest.mark.parametrize(
    "said",
    [
        "add milk, eggs to the list, no sugar",
        "put soap on the list. I had no time",
        "put jam on the list. no wait",
        "pon pan, leche en la lista. no tengo coche hoy",
    ],
)
def test_what_denies_nothing_dictated_puts_nothing_right(said: str) -> None:
    assert read_dictated(said) is None


@pytest.mark.parametrize(
    "said",
    [
        "put milk on the list. is it raining in cork",
        "put milk on the list. is it raining?",
        "put milk on the list. i wonder how far cork is",
        "sumá pan a la lista. me decís la hora de Lima",
        "pon pan en la lista. hay trenes el lunes",
    ],
)
def test_what_may_be_asked_beside_a_list_is_left_in_the_message(said: str) -> None:
    assert dictated_in(said) == said


def test_what_a_model_took_from_a_story_is_no_thing() -> None:
    said = "so the boiler died again. can somebody put firelighters and logs on the list, we are frozen"
    assert as_dictated(["the boiler died again", "firelighters", "logs", "we are frozen"], "", said, ())[0] == [
        "firelighters",
        "logs",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Ana entró en la lista de invitados",
        "quedé segundo en la lista de mérito",
        "sali en la lista de admitidos",
        "vi pan en la lista de alérgenos",
        "dice que agregó pan a la lista, y no hay nada",
        "I was on the list of winners",
        "mi mamá hizo una lista larguísima de quejas",
        "la lista de espera de la clínica es eterna: semanas, meses",
        "the guest list for the gala was: 200 people, mad",
        "and . otra lista para que",
        "y cómo se llama eso de la lista",
    ],
)
def test_talk_that_has_the_words_puts_nothing_on_a_list(said: str) -> None:
    assert (read_lacking(said), read_placed(said, ()), read_dictated(said)) == (None, [], None)


@pytest.mark.parametrize(
    "said", ["how many things have i put down", "cuántas cosas hay en esta lista", "cuánto llevo anotado"]
)
def test_a_list_is_counted(said: str) -> None:
    assert asks_count(said)


@pytest.mark.parametrize(
    ("said", "items", "whole"),
    [
        ("put nurofen 200, plasters on the list", ["nurofen", "200", "plasters"], ["nurofen 200", "plasters"]),
        ("put milk 2 lemons on the list", ["milk", "2 lemons"], ["milk", "2 lemons"]),
    ],
)
def test_a_number_right_behind_a_thing_is_none_of_its_own(said: str, items: list[str], whole: list[str]) -> None:
    assert as_dictated(items, "", said, ())[0] == whole


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("aldi: crisps, squash, bin bags", ["crisps", "squash", "bin bags"]),
        ("farmacia: gasas, alcohol", ["gasas", "alcohol"]),
        ("tesco: what a queue, mad", None),
        ("aldi: it is shut, again", None),
        ("mum: tea, cake", None),
    ],
)
def test_a_shop_and_a_colon_open_a_list_of_its_own(said: str, items: list[str] | None) -> None:
    found = read_bare(said)
    assert (found and found.items) == items


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("gran's flat", "Gran's flat"),
        ("co-op", "Co-op"),
        ("the usual shopping list", "Shopping"),
        ("conpras", "Compras"),
        ("la lista del mercdo", "Mercado"),
    ],
)
def test_a_list_is_called_as_it_was_meant(said: str, name: str) -> None:
    assert name_of(said) == name
