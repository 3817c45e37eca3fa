"""Plain proportions beside other numbers, prices for one of anything, and the same sum for others."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.instead import read_instead
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


@pytest.mark.parametrize(
    "said",
    [
        # another price, an hour, a street: no more of the first
        "4 metres of rope cost 12 and the hooks are 5, how much?",
        "8 lemons cost 4 and i live at 20, how much?",
        "8 lemons cost 4, how many for 20?",
        "a pair of laces costs 4, how much for 6 laces",
        "half a dozen buns cost 5, how much for 30 buns",
        "30 g per metre, the bed is 2 metres by 5 metres, how many grams",
        # parts, what is for each, what is left
        "4 of every 9 tulips are red, how many tulips in 90",
        "3 of the 8 mugs broke, how many mugs in 40",
        "24 pupils, 3 pens per pupil and 4 spare, how many pens",
        "15 guests, 1 jug serves 6, how many jugs",
        "3 kg for 12 hens, 20 hens by June, how many kg extra",
        # recipes with other numbers
        "stew recipe for 4, 300 g beans, we are 6 plus 2 toddlers, how much beans",
        "page 18 recipe for 4, 300 g rice, for 10 how much rice",
        "recipe for 4 with 300 g rice, i only have 250 g, how much for 6",
        "serves 6, 320 calories each, how many calories for 4",
        # there and back
        "the van does 9 km per litre, 200 km each way, how many litres",
        "uses 7 litres per 100 km, 300 km each way, how many litres",
        "8 limones salen 4 y vivo en el 20, cuanto es?",
        "10 litros salen 18 y pague con 50, cuanto me dan?",
        "2 de cada 7 vecinos votaron, cuantos vecinos de 210",
        "receta del 1960 para 4, 300 g de arroz, cuanto arroz para 10",
        "gasta 9 litros cada 100 km, 200 km cada tramo, cuantos litros",
    ],
)
def test_what_only_sounds_like_more_of_the_same_is_left_to_the_model(said: str) -> None:
    assert answer_alone(said, _EN) is None
    assert answer_alone(said, _ES) is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("8 lemons cost 4, what would 20 lemons be?", "4 × 20 / 8 = 10"),
        ("10 litres cost 18, how much will 45 be?", "18 × 45 / 10 = 81"),
        ("3 tickets cost 60 and we are 5, how much is that?", "60 × 5 / 3 = 100"),
        ("uses 9 litres per 100 km, the tank is 45 litres, how many km", "100 × 45 / 9 = 500 km"),
        ("12 guests, 1 jug for 6 guests, how many jugs", "1 × 12 / 6 = 2 jug"),
    ],
)
def test_more_of_the_same_is_asked_for_by_name_or_right_behind_the_question(said: str, told: str) -> None:
    reply = answer_alone(said, _EN)
    assert reply is not None
    assert reply.literal == told


_POTS = "15 pots at 45 each how much is that"
_HALL = "the hall charges 6 a kid and there are 18 of them, how much is that"
_SYRUP = "200 mg in 5 ml, need 600 mg, how many ml"
_PLUMS = "5 kilos cost 40, how much are 12 kilos"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        *(
            (_POTS, now)
            for now in ("i have 100", "they want 60", "so that's 675", "they want 2 each", "it was 60")
        ),
        *(
            (_SYRUP, now)
            for now in ("it's past 8", "we're 9", "it poured, 20", "with 4 more", "so it's 7", "son las 8")
        ),
        *((_PLUMS, now) for now in ("we're 6", "i have 20", "somos 6", "tengo 12")),
        *((_HALL, now) for now in ("i have 50", "make it 200", "so that's 108", "it rained, at 8")),
    ],
)
def test_what_somebody_has_or_counts_is_no_other_sum(before: str, now: str) -> None:
    assert read_instead(now, before) is None


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        (_HALL, "so we're 7", "the hall charges 6 a kid and there are 7 of them, how much is that"),
        (_HALL, "now there are 8", "the hall charges 6 a kid and there are 8 of them, how much is that"),
        (_POTS, "2 more want some so make it 50", "50 pots at 45 each how much is that"),
        (_SYRUP, "and for 400?", "200 mg in 5 ml, need 400 mg, how many ml"),
    ],
)
def test_who_counts_says_how_many_and_no_price(before: str, now: str, changed: str) -> None:
    assert read_instead(now, before) == changed
