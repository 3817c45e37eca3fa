"""A sum of goods at a price, or of things for each, goes on with another price, amount or number of people."""

import pytest

from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.each_gets import read_each_gets, with_people
from app.skills.tools.calculator.instead import read_instead
from app.skills.tools.calculator.repriced import each_with_price, with_count, with_told_price
from tests.abilities.calculator.test_everyday import _EN, _ES


@pytest.mark.parametrize(
    ("told", "then", "answer"),
    [
        ("8 hives of honey at 90 each, how much is that", "and if I let it go at 75?", "8 × 75 = 600"),
        ("8 hives of honey at 90 each, how much is that", "n if i drop it to 80", "8 × 80 = 640"),
        ("15 trays of eggs at 12 each how much", "and if it were 22?", "22 × 12 = 264"),
        ("15 trays of eggs at 12 each how much", "what if I let them have it for 11?", "15 × 11 = 165"),
        (
            "i take 35 kilos of prawns and they pay me 7 a kilo, what do i get",
            "and if they pay 8?",
            "8 × 35 = 280",
        ),
        ("i take 35 kilos of prawns and they pay me 7 a kilo, what do i get", "and if i take 50?", "7 × 50 = 350"),
    ],
)
def test_another_price_or_amount_takes_the_place_of_the_first(told: str, then: str, answer: str) -> None:
    changed = read_instead(then, told)
    reply = answer_alone(changed, _EN) if changed else None
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    ("told", "then", "answer"),
    [
        ("vendo 9 chivos a 60 cada uno, cuánto saco", "y si se los dejo a 52?", "52 × 9 = 468"),
        ("vendo 9 chivos a 60 cada uno, cuánto saco", "y si fueran 14?", "60 × 14 = 840"),
        ("16 litros de leche a 3 el litro cuánto es", "¿y si la doy a 2.5?", "16 × 2.5 = 40"),
        ("llevo 45 kilos de yuca y me pagan 2 por kilo, cuánto me queda", "y si me pagan 3?", "3 × 45 = 135"),
        ("llevo 45 kilos de yuca y me pagan 2 por kilo, cuánto me queda", "y si llevo 60?", "2 × 60 = 120"),
    ],
)
def test_another_price_or_amount_in_spanish(told: str, then: str, answer: str) -> None:
    changed = read_instead(then, told)
    reply = answer_alone(changed, _ES) if changed else None
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ("i bring 14 pounds of crab and they pay me 9 a pound, what am i left with", "9 × 14 = 126"),
        ("i had 300 and bought 4 kilos at 6 a kilo, what am i left with", "300 - 4 × 6 = 276"),
        ("if 7 cousins each get 4 stickers how many stickers", "7 × 4 = 28"),
        ("each of the 13 waiters gets 2 shirts, how many shirts", "13 × 2 = 26"),
        ("my 4 aunts each have 3 kids how many kids", "4 × 3 = 12"),
    ],
)
def test_what_others_pay_for_and_what_each_gets_is_a_product(told: str, answer: str) -> None:
    reply = answer_alone(told, _EN)
    assert reply is not None
    assert reply.literal == answer


@pytest.mark.parametrize(
    ("told", "then", "calculation"),
    [
        ("if 7 cousins each get 4 stickers how many stickers", "and if 11 turn up?", "11 * 4"),
        ("if 7 cousins each get 4 stickers how many stickers", "and if they get 6 each?", "7 * 6"),
        ("si 12 peones comen 3 arepas cada uno cuántas arepas", "y si vienen 17?", "17 * 3"),
        ("18 alumnos, a cada uno 5 hojas, cuántas hojas", "y si se apuntan 20", "20 * 5"),
    ],
)
def test_who_comes_takes_the_place_of_those_told(told: str, then: str, calculation: str) -> None:
    changed = with_people(then, told)
    assert changed is not None
    assert read_each_gets(changed) == calculation


@pytest.mark.parametrize(
    "told",
    [
        "if 12 people share 24 tacos how many tacos each",
        "if 12 people each get 3 tacos how many people",
        "6 kids each get 4 sweets how many packs",
        "if each of 5 friends gets 3 slices how many are left over",
        "4 kids each ate 3 biscuits from 20 how many biscuits",
        "12 people came and each had a story",
    ],
)
def test_what_is_shared_or_left_is_no_such_product(told: str) -> None:
    assert read_each_gets(told) is None


@pytest.mark.parametrize(
    "then",
    [
        "and if I let him go at 5 he will be happy",
        "and if they pay 20% less?",
        "and if 3 more turn up?",
        "y si me la dejan para el 12 de mayo?",
        "and if they pay on the 5th?",
        "remind me if they pay 8",
    ],
)
def test_what_says_no_other_price_changes_nothing(then: str) -> None:
    assert read_instead(then, "8 hives of honey at 90 each, how much is that") is None


def test_a_bare_product_has_no_price_for_each() -> None:
    """It had one: "6 por 14,50" was a price of six for each "14", and the new count took the place of 14.50."""
    assert with_count("y si son 11?", "cuánto es 6 por 14,50") is None
    assert with_count("y si son 11?", "6 mesas a 14,50 cada una cuánto es") == "11 mesas a 14,50 each cuanto es"


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("my aunt sells felt at 7.25 a metre", "how much is 6 metres?", "7.25 × 6 = 43.5"),
        ("el queso de Abel está a 5400 el kilo", "cuánto son 3 kilos?", "5400 × 3 = 16200"),
        ("she charges 22 an hour", "how much for 4 hours?", "22 × 4 = 88"),
    ],
)
def test_so_much_is_asked_at_the_price_that_was_told_before(told: str, asked: str, answer: str) -> None:
    priced = with_told_price(asked, told)
    reply = None if priced is None else answer_alone(priced, _ES if "cu" in asked else _EN)
    assert reply is not None
    assert reply.literal == answer
    assert each_with_price([told, asked]) == [told, priced]


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("my aunt weighs 70 kilos", "how much is 4 kilos?"),
        ("she lives at 22 Mill Lane", "how much for 4 hours?"),
        ("my aunt sells felt at 7.25 a metre", "how much is 6 kilos?"),
        ("is felt 7.25 a metre?", "how much is 6 metres?"),
        ("my aunt sells felt at 7.25 a metre", "I need 6 metres"),
    ],
)
def test_what_was_told_before_is_not_always_a_price(told: str, asked: str) -> None:
    assert with_told_price(asked, told) is None
