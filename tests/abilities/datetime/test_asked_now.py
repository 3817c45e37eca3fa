"""A message that only asks for the time or the day."""

import pytest

from app.skills.tools.datetime.asked_now import asks_now


@pytest.mark.parametrize(
    "said", ["what's the time love", "day today", "qué hora tenés", "che la hora?", "me dices la hora porfa"]
)
def test_the_clock_is_asked_for(said: str) -> None:
    assert asks_now(said)


@pytest.mark.parametrize(
    "said",
    [
        "la hora de la verdad llegó",
        "what's the time in Lima",
        "the time I spent with him",
        "qué día es el partido",
        "what day is it due",
    ],
)
def test_what_says_more_is_not_for_the_clock(said: str) -> None:
    assert not asks_now(said)
