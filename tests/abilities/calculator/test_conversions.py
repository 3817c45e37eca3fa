"""Measures of several words are not the ones in them; what differs between countries is said, or not computed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.language.catalogue import Language
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.corrections import without_excuse
from app.skills.tools.calculator.steps import read_step
from tests.abilities.calculator.test_going_on import told_without_a_model
from tests.builders import ALICE, BOB

_NOW: Final = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def _told(text: str, language: Language, zone: str = "UTC") -> str | None:
    ctx = TurnContext(TurnId(1), UserId("u1"), ConversationId(1), 1, _NOW, language, is_admin=False, timezone=zone)
    reply = answer_alone(text, ctx)
    return reply.literal if reply else None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("how many metres is 3 nautical miles", "en", "3 × 1852 = 5556 metres"),
        ("a cuantos metros equivalen 2 millas marinas", "es", "2 × 1852 = 3704 metros"),
        ("18 knots in km/h", "en", "18 × 1852 / 1000 = 33.336 km/h"),
        ("15 m/s a km/h", "es", "15 × 3.6 = 54 km/h"),
        ("50 mph in km/h", "en", "50 × 1.609344 = 80.4672 km/h"),
        ("how many litres in 7 imperial gallons", "en", "7 × 4.54609 ≈ 31.82 litres"),
        ("7 us gallons in litres", "en", "7 × 3.785411784 ≈ 26.5 litres"),
        ("4 troy ounces of silver in grams", "en", "4 × 31.1034768 ≈ 124.41 grams"),
        ("6 long tons in kilos", "en", "6 × 1016.0469088 ≈ 6096.28 kilos"),
        ("400 litres in cubic metres", "en", "400 / 1000 = 0.4 cubic metres"),
        ("8 oz in ml", "en", "8 × 29.5735295625 ≈ 236.59 ml (US measure)"),
        ("90 calories in kj", "en", "90 × 4184 / 1000 = 376.56 kj (food calories, kcal)"),
        ("40 mpg in l/100km", "en", "378.5411784 / 1.609344 / 40 ≈ 5.88 l/100km (US measure)"),
    ],
)
def test_a_measure_of_several_words_is_computed_as_it_is_defined(
    text: str, language: Language, expected: str
) -> None:
    assert _told(text, language) == expected


def test_a_pint_is_that_of_the_country() -> None:
    assert _told("how many ml is 3 pints", "en", "Europe/London") == "3 × 568.26125 ≈ 1704.78 ml (UK measure)"


@pytest.mark.parametrize("text", ["7 arrobas en kilos", "cuantas hectareas son 9 manzanas", "6 leguas a km"])
def test_what_differs_between_countries_is_not_computed(text: str) -> None:
    told = _told(text, "es")
    assert told is not None
    assert "=" not in told
    assert "≈" not in told


@pytest.mark.parametrize(
    "text",
    [
        "we beat them 5 to 2",
        "my locker is 41-7",
        "the lighthouse is 6 nautical miles away",
        "compramos 9 manzanas en el mercado",
        "5 kg/m3 en km",
    ],
)
def test_no_other_number_is_converted(text: str) -> None:
    assert _told(text, "es") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no wait, i typed it wrong, it was 61", "no, it was 61"),
        ("me confundí, eran 8 kilos", "no, eran 8 kilos"),
        ("it was 61, my mistake", "no, it was 61"),
        ("my mistake", "my mistake"),
        ("sorry, 9 came to dinner", "sorry, 9 came to dinner"),
    ],
)
def test_an_excuse_is_no_part_of_what_is_corrected(text: str, expected: str) -> None:
    assert without_excuse(text) == expected


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("ok and bung another 35 on for the porter", "{} + 35"),
        ("toss in 14 for the flowers", "{} + 14"),
        ("métele 60 del gas", "{} + 60"),
        ("chuck 6 onions on the shopping list", None),
        ("pop 3 in the oven", None),
        ("throw 5 darts", None),
        ("stick 8 more on the shelf", None),
        ("and stick 8 more on", "{} + 8"),
    ],
)
def test_what_is_stuck_on_is_added(text: str, step: str | None) -> None:
    assert read_step(text) == step


@pytest.mark.needs("calculator")
async def test_units_stories_and_excuses_go_on_without_a_model(tmp_path: Path) -> None:
    talks = {
        BOB: [
            ("how many km is 10 nautical miles", "10 × 1852 / 1000 = 18.52 km"),
            ("and 20?", "20 × 1852 / 1000 = 37.04 km"),
            ("hang on, I read it wrong, it was 5 and a half", "5.5 × 1852 / 1000 = 10.186 km"),
            (
                "the shift was 3 hours and a half without a pause, how many minutes is that",
                "3 h 30 min = 210 minutes",
            ),
            ("what is 20% of 650", "20% of 650 = 130"),
            ("my bad, it was 560", "20% of 560 = 112"),
        ],
        ALICE: [
            ("cuánto es 35 por 14", "35 × 14 = 490"),
            ("ay no, me equivoqué de número, eran 53", "53 × 14 = 742"),
            ("métele 60 del gas", "742 + 60 = 802"),
        ],
    }
    await told_without_a_model(tmp_path, talks)
