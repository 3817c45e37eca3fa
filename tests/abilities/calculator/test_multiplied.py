"""Products among messy words, and dozens at a price each, which the answer says how it read."""

import pytest

from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.instead import read_instead
from tests.abilities.calculator.test_everyday import _EN


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("could you crunch 65 x 210, the foreman wants it for the tender", "65 × 210 = 13650"),
        ("what's 36 trays times 18 plants", "36 × 18 = 648"),
        ("pls work out 54 by 25, it's for turf", "54 × 25 = 1350"),
        ("multiply 27 and 31 please", "27 × 31 = 837"),
        ("cuánto es 140 porr 15", "140 × 15 = 2100"),
        ("22 palets por 40 bolsas cuánto es", "22 × 40 = 880"),
        ("sacame la cuenta 260 por 18 es lo de los fletes", "260 × 18 = 4680"),
        ("16 dozen at 2.50 each how much is that", "16 × 2.50 = 40 (at 2.50 a dozen)"),
        ("5 dozen tulips at 0.80 each tulip, total?", "5 × 12 × 0.80 = 48"),
        ("4 dozen tulips at 0.50 apiece, what's the total", "4 × 12 × 0.50 = 24"),
        ("45 at 12 each, how much is that", "45 × 12 = 540"),
    ],
)
def test_a_product_among_other_words_is_reckoned(said: str, told: str) -> None:
    reply = answer_alone(said, _EN)
    assert reply is not None
    assert reply.literal == told


@pytest.mark.parametrize(
    "said",
    [
        "a 5 by 7 rug would suit the landing",
        "what's a 4 by 2",
        "what's the 4 times 3 rule",
        "the match ended 4 times 2, no wait, 4 to 2",
        "work out 20 and 40 minutes",
        "I've called them 4 times 3 days in a row",
        "la mesada mide 60 por 140",
        "cuánto cuesta una alfombra 5 por 7",
        "mi interno es 14 por 32",
        "saca 14 por 3 de la lista",
        "sold 16 dozen at 2.50 each this morning, chuffed",
        "comieron de 2 a 3 cada uno, qué hambre",
    ],
)
def test_what_only_sounds_like_a_product_is_none(said: str) -> None:
    assert answer_alone(said, _EN) is None


@pytest.mark.parametrize(
    ("before", "now", "then"),
    [
        ("18% of 720", "and if it were at 25?", "25% of 720"),
        ("cuánto es el 14% de 6400", "y si fuera al 16?", "cuanto es el 16% de 6400"),
        ("cuánto es el 14% de 6400", "y si me cobran el 16?", "cuanto es el 16% de 6400"),
    ],
)
def test_a_percentage_is_told_again_with_another_rate(before: str, now: str, then: str) -> None:
    assert read_instead(now, before) == then
