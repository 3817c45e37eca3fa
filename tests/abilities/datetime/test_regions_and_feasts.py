"""A town is told with its region, an age with its year, and a feast by the date that Easter gives it."""

from datetime import date

import pytest

from app.domain.errors import UnknownPlace
from app.domain.places import Places
from app.skills.tools.datetime.ages import tell_age
from app.skills.tools.datetime.movable import with_date

TODAY = date(2026, 11, 18)


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("dover in delaware", "America/New_York"),
        ("geneva in illinois", "America/Chicago"),
        ("toledo in ohio", "America/New_York"),
        ("trujillo en extremadura", "Europe/Madrid"),
        ("trujillo en peru", "America/Lima"),
        ("pensacola in florida", "America/Chicago"),
        ("cafayate en salta", "America/Argentina/Buenos_Aires"),
        ("santa rosa en la pampa", "America/Argentina/Buenos_Aires"),
        ("dingle in county kerry", "Europe/Dublin"),
    ],
)
def test_a_town_in_a_region_has_the_clock_of_that_region(said: str, zone: str) -> None:
    places = Places()
    name, size = places.with_region(said.split())
    assert size == len(said.split())
    assert places.zone(name, default="UTC").key == zone


@pytest.mark.parametrize("said", ["oslo in may", "the other one in dublin", "lyon please", "bath in the evening"])
def test_what_names_no_region_is_none(said: str) -> None:
    assert Places().with_region(said.split()) == ("", 0)


def test_a_town_in_a_region_of_two_clocks_is_not_guessed() -> None:
    with pytest.raises(UnknownPlace):
        Places().zone("Panama City, Florida", default="UTC")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("my gran was born in 1944, how old will she be in 2031", "Turns 87 in 2031."),
        ("my lad was born in march of 2012, how old is he", "14 years old."),
        ("my lad was born in december 2012, how old is he?", "13 years old."),
        ("born in november 1980, how old is she?", "46 if the birthday is over this year; 45 if not."),
        ("my gran was born in may of 41, how old is she next may?", "Turns 86 in 2027."),
        ("he was born in 1944 and died in 2001, how old was he", None),
        ("born on 3 march 1980, how old is she", None),
        ("she was born in 1944 and moved here in 1971", None),
    ],
)
def test_an_age_is_told_for_the_year_that_is_named(said: str, told: str | None) -> None:
    assert tell_age(said, TODAY, "en") == told


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("how many days to maundy thursday", "how many days to 25 March 2027"),
        ("when is easter monday in 2028", "when is 17 April 2028"),
        ("how long to the fair", "how long to the fair"),
    ],
)
def test_a_movable_feast_is_asked_for_by_its_date(said: str, asked: str) -> None:
    assert with_date(said, TODAY, "en").strip() == asked
