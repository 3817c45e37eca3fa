"""Reminders whose thing holds an hour, too: the first one counts, and the other stays in the words."""

from datetime import datetime

import pytest

from app.skills.tools.reminders.own_hour import read_own_hour
from app.when.meanings import Point, likely_of

NOW = datetime(2026, 11, 26, 12)


@pytest.mark.parametrize(
    ("said", "what", "hours"),
    [
        ("avísame a las 17:30 que a las 18:10 llega el afinador", "a las 18:10 llega el afinador", {17}),
        ("remind me at 16:00 to tell Mark the 21:30 crew is 3 not 4", "tell Mark the 21:30 crew is 3 not 4", {16}),
        ("remind me at 6 that the 7:40 ferry is off", "the 7:40 ferry is off", {6, 18}),
        ("recordame mañana a las 8 llamar a Sol por el turno de las 9:30", None, {8}),
        ("remind me at 10 to 5 to ring Will about the 6:15 dive", "ring Will about the 6:15 dive", {16}),
        ("recuérdame a las 16 que mañana a las 6 viene el herrero", "mañana a las 6 viene el herrero", {16}),
    ],
)
def test_the_hour_of_the_thing_stays_in_its_words(said: str, what: str | None, hours: set[int]) -> None:
    found = read_own_hour(said, NOW, "en" if said.startswith("remind") else "es")

    assert found is not None
    assert found.what == (what or "llamar a Sol por el turno de las 9:30")
    assert {one.at.hour for one in likely_of(found.when) if isinstance(one, Point)} == hours


@pytest.mark.parametrize(
    "said",
    [
        "remind me at 7 to take the pill and at 9 to feed the goat",
        "remind me at 7 to take the pill and again at 9",
        "avisame a las 5 y a las 7 para regar",
        "remind me tomorrow at 9:20 to ring the tuner + saturday 3pm fetch the flag",
        "remind me to phone at 5 that the 7:40 is late",
        "remind me at 8 to take 2 pills",
        "recordame a las 9 podar la parra, y el viernes a las 10 lavar la red",
        "will you remind me at 6 that the 7:40 is off?",
        "he told me at 6 that the 7:40 was off",
        "remind me at 8 to stretch every day at 8",
    ],
)
def test_what_says_no_such_hour_is_read_as_before(said: str) -> None:
    assert read_own_hour(said, NOW, "en") is None
