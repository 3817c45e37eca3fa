"""Questions for the weather that do not name it."""

import pytest

from app.skills.tools.weather.asked import asks_outside


@pytest.mark.parametrize(
    "said",
    [
        "is it safe to hang the washing out",
        "puedo tender o viene aguacero?",
        "saco paraguas o no?",
        "está feo afuera?",
    ],
)
def test_what_the_weather_is_wanted_for_asks_for_it(said: str) -> None:
    assert asks_outside(said)


@pytest.mark.parametrize(
    "said",
    [
        "is it safe to hang a heavy mirror on plasterboard?",
        "hay abejas colgando afuera de la colmena con este calor, ¿es normal?",
        "my cat is outside in the heat and pants a lot, is that normal?",
    ],
)
def test_a_question_about_something_else_does_not(said: str) -> None:
    assert not asks_outside(said)
