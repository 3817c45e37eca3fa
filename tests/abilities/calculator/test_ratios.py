"""Plain proportions beside other numbers, prices for one of anything, and the same sum for others."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.others_now import with_others
from tests.abilities.calculator.test_everyday import _EN, _ES
from tests.abilities.calculator.test_going_on import told_without_a_model
from tests.builders import ALICE, BOB


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "the chilli takes 480 g of beans for 8, we are 11 and there are 3 cats, how many grams?",
            "480 × 11 / 8 = 660 g beans",
        ),
        ("24 loops make 6 inches, the hem is 40 inches, how many loops", "24 × 40 / 6 = 160 loops"),
        ("22 loops to 10 cm, the shawl is 1.5 metres, how many loops", "22 × 1.5 × 100 / 10 = 330 loops"),
        ("on the chart 4 cm stand for 6 km, the path is 10 cm, how many km", "6 × 10 / 4 = 15 km"),
        ("if 5 goats give 15 litres, how many litres do 9 goats give", "15 × 9 / 5 = 27 litres"),
        (
            "my niece is 6 years old, the slime takes 90 ml of glue for 3 kids and 20 kids come, how much glue",
            "90 × 20 / 3 = 600 ml glue",
        ),
        ("a sack of grout makes 9 litres, I need 72 litres, how many sacks", "72 / 9 = 8 sacks"),
        ("we are 10, the broth serves 4 with 600 g of carrots, how many grams", "600 × 10 / 4 = 1500 g carrots"),
    ],
)
def test_what_goes_with_others_is_computed_beside_other_numbers(said: str, told: str) -> None:
    reply = answer_alone(said, _EN)
    assert reply is not None
    assert reply.literal == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("20 ml por cada 3 litros, el bidón es de 15 litros, cuánto le echo", "20 × 15 / 3 = 100 ml"),
        (
            "mi tía teje 18 vueltitas en 8 cm y el poncho tiene 72 cm, cuántas vueltitas",
            "18 × 72 / 8 = 162 vueltitas",
        ),
        ("4 zafreros cortan 60 metros, cuántos metros cortan 7 zafreros", "60 × 7 / 4 = 105 metros"),
        ("en el plano 2 cm son 9 km, son 7 cm, cuántos km hay", "9 × 7 / 2 = 31.5 km"),
        (
            "para 5 la sopa lleva 400 g de zapallo, somos 8 y tengo 2 gatos, cuánto pongo",
            "400 × 8 / 5 = 640 g zapallo",
        ),
    ],
)
def test_what_goes_with_others_in_spanish(said: str, told: str) -> None:
    reply = answer_alone(said, _ES)
    assert reply is not None
    assert reply.literal == told


@pytest.mark.parametrize(
    "said",
    [
        "3 welders finish the gate in 8 hours, how many hours for 6 welders",
        "4 kids finish a pie in 10 minutes, how many minutes for 8 kids",
        "24 loops make 6 inches, the hem is 40 inches and the cuff 9 inches, how many loops",
        "24 loops make 6 inches, the hem is 40 inches, how many rows",
        "24 loops make 6 inches on each side, the hem is 40 inches, how many loops",
        "2 litres cover 9 metres, I have 30 metres and 1 litre already, how many more litres",
        "480 g of beans for 8, we are 11 and have 3 stoves, how many grams",
        "3 ferrets eat 2 kg, how many kg do 5 ferrets and 2 cats eat",
        "the chart says 4 cm, the path is 6 km, my hand is 10 cm, how many km",
        "6 bombas vacían la pileta en 9 horas, cuántas horas con 3 bombas",
        "con 2 litros pinto 9 metros, tengo 30 metros y doy 2 manos, cuántos litros",
        "2 perros comen 3 kilos, cuántos kilos para 5 perros y 2 gatos",
    ],
)
def test_what_is_no_plain_proportion_is_left_to_the_model(said: str) -> None:
    assert answer_alone(said, _EN) is None
    assert answer_alone(said, _ES) is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("45 the pallet and I need 6 of them, how much?", "45 × 6 = 270"),
        ("a drum of tar costs 70, I want 5, how much", "70 × 5 = 350"),
        ("19 a coil, how much for 8?", "19 × 8 = 152"),
        ("they want 7 a bundle, 13 bundles comes to what?", "7 × 13 = 91"),
        ("a 6 pesos el fajo, cuánto salen 20 fajos?", "6 × 20 = 120"),
        ("cuatro el ovillo, llevo once, cuánto pago", "4 × 11 = 44"),
        ("el tambor de cal está a 3200 y llevo 3, cuánto es", "3200 × 3 = 9600"),
        ("cada rollo a 9, quiero 14 rollos, cuánto es", "9 × 14 = 126"),
        ("las tejas a 80 cada una, cuánto son 25", "80 × 25 = 2000"),
    ],
)
def test_the_price_of_one_of_anything_is_read(said: str, told: str) -> None:
    reply = answer_alone(said, _ES)
    assert reply is not None
    assert reply.literal == told


@pytest.mark.parametrize(
    "said",
    [
        "a drum of tar costs 70, I want 5, how many drums",
        "a drum of limes costs 70, I want 5 limes, how much",
        "a drum is 12 limes, I want 60, how much",
        "the price is 12 and I want 10, how much",
        "the coat is 90, I want 2 sizes up, how much",
        "a 6 pesos el fajo, tengo 60, cuántos fajos",
        "cada tambor pesa 18, quiero 6, cuánto pesa",
        "la posada sale 300 y quiero 2 noches, cuánto es",
        "el colectivo es el 60, quiero 2, cuánto tarda",
    ],
)
def test_what_only_sounds_like_a_price_for_one_is_none(said: str) -> None:
    assert answer_alone(said, _EN) is None
    assert answer_alone(said, _ES) is None


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("19 a coil, how much for 8?", "and 12 knots?"),
        ("19 a coil, how much for 8?", "and with 20?"),
        ("19 a coil, how much for 8?", "we left at 12"),
        ("19 a coil, how much for 8?", "and 2 dollars for the tip"),
        ("90 ml of glue for 3 kids, how much glue for 20 kids", "and in 20 minutes?"),
        ("90 ml of glue for 3 kids, how much glue for 5 kids", "and if only half come"),
        ("90 ml of glue for 3 kids, how much glue for 20 kids", "half come from Rome"),
        ("el kilo de higos sale 800, cuánto por 3 kilos", "y 2 horas?"),
        ("el kilo de higos sale 800, cuánto por 3 kilos", "y tengo 15 primos"),
        ("split 90 between 6 of us", "and 9?"),
    ],
)
def test_what_names_something_else_changes_no_count(before: str, now: str) -> None:
    assert with_others(now, before) is None


@pytest.mark.needs("calculator")
async def test_the_same_sum_for_others_goes_on_without_a_model(tmp_path: Path) -> None:
    await told_without_a_model(
        tmp_path,
        {
            ALICE: [
                ("19.50 a coil, how much for 8 coils?", "19.50 × 8 = 156"),
                ("and 12?", "19.50 × 12 = 234"),
                ("and with 3 more?", "19.50 × 15 = 292.5"),
                ("now they are 21.50", "21.50 × 15 = 322.5"),
                ("and at the same price 6 of them?", "21.50 × 6 = 129"),
                ("90 ml of glue for 3 kids, how much glue for 20 kids", "90 × 20 / 3 = 600 ml glue"),
                ("and if only half come", "90 × 10 / 3 = 300 ml glue"),
                ("now they are 24", "90 × 24 / 3 = 720 ml glue"),
                ("split 90 between 6 of us", "90 / 6 = 15"),
                ("and if half of them cancel?", "90 / 3 = 30"),
            ],
            BOB: [
                ("el kilo de higos sale 800, cuánto por 3 kilos", "800 × 3 = 2400"),
                ("y por 4 y medio", "800 × 4.5 = 3600"),
                ("y 2?", "800 × 2 = 1600"),
                ("y si el kilo sube a 900?", "900 × 2 = 1800"),
                ("15 limas valen 600, cuánto salen 40 limas", "600 × 40 / 15 = 1600"),
                ("y 25?", "600 × 25 / 15 = 1000"),
                ("y si son 5 más?", "600 × 30 / 15 = 1200"),
            ],
        },
    )


@pytest.mark.parametrize(
    ("said", "then", "told"),
    [
        (
            "what's 34 x 5.75, it's scarves for the choir",
            "three more singers joined so make it 37",
            "37 × 5.75 = 212.75",
        ),
        ("cuánto es 22 por 410", "se anotaron dos más, que sean 24", "24 × 410 = 9840"),
        ("34 x 5.75", "at 6.25", "34 × 6.25 = 212.5"),
    ],
)
def test_what_a_story_comes_to_is_how_many_they_are_now(said: str, then: str, told: str) -> None:
    changed = with_others(then, said)
    assert changed is not None
    reply = answer_alone(changed, _EN) or answer_alone(f"what is {changed}", _EN)
    assert reply is not None
    assert reply.literal == told


@pytest.mark.parametrize("then", ["i have 2 dogs", "we have 50 chairs", "so make it quick", "the bus was 40 late"])
def test_a_story_with_a_number_is_no_other_sum(then: str) -> None:
    assert with_others(then, "what's 34 x 5.75, it's scarves for the choir") is None
