"""A year in four zones, both changes of the clock, the leap day, month ends: against a calculation of its own."""

from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from app.when.meanings import Repeat
from app.when.reading import read_when
from app.when.rules import next_time, rule_text, to_utc

BEGIN: Final = datetime(2027, 12, 1, 0, 5)
END: Final = date(2028, 12, 31)
ZONES: Final = ("America/Argentina/Buenos_Aires", "Europe/Madrid", "America/New_York", "Australia/Lord_Howe")
Fits = Callable[[date], bool]


def last_of_month(day: date) -> int:
    return monthrange(day.year, day.month)[1]


RULES: Final[tuple[tuple[str, str, tuple[time, ...], Fits], ...]] = (
    ("es", "todos los días a las 2:30 de la mañana", (time(2, 30),), lambda day: True),
    ("en", "every day at 1:45am", (time(1, 45),), lambda day: True),
    ("es", "todos los días a las 8 y a las 20", (time(8), time(20)), lambda day: True),
    ("es", "los lunes y viernes a las 9", (time(9),), lambda day: day.weekday() in {0, 4}),
    ("en", "weekdays at 7am", (time(7),), lambda day: day.weekday() < 5),
    ("es", "el 31 de cada mes a las 10", (time(10),), lambda day: day.day == last_of_month(day)),
    ("es", "el 30 de cada mes a las 10", (time(10),), lambda day: day.day == min(30, last_of_month(day))),
    ("en", "on the last day of every month at 6pm", (time(18),), lambda day: day.day == last_of_month(day)),
    ("en", "every 29 February at 9am", (time(9),), lambda day: (day.month, day.day) == (2, 29)),
    ("es", "el primer lunes de cada mes a las 11", (time(11),), lambda day: day.weekday() == 0 and day.day <= 7),
    (
        "en",
        "the last Sunday of every month at 2:30am",
        (time(2, 30),),
        lambda day: day.weekday() == 6 and day.day + 7 > last_of_month(day),
    ),
)


def moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    """When a clock of that zone first shows a time; a time that is skipped is counted from before the change."""
    wall = datetime.combine(day, at)
    before, after = (
        datetime.combine(day, one, tzinfo=UTC).astimezone(zone).utcoffset() or timedelta()
        for one in (time(0), time(23, 59))
    )
    offsets = {
        (datetime.combine(day, time(0), tzinfo=UTC) + timedelta(hours=hour)).astimezone(zone).utcoffset()
        or timedelta()
        for hour in range(-14, 39)
    }
    shown = [
        found
        for offset in offsets
        if (found := (wall - offset).replace(tzinfo=UTC)).astimezone(zone).replace(tzinfo=None) == wall
    ]
    return min(shown) if shown else (wall - min(before, after)).replace(tzinfo=UTC)


def expected(times: tuple[time, ...], fits: Fits, zone: ZoneInfo) -> list[datetime]:
    days = (BEGIN.date() + timedelta(days=step) for step in range((END - BEGIN.date()).days + 1))
    return sorted(moment(day, at, zone) for day in days if fits(day) for at in times)


def fired(found: Repeat, zone: ZoneInfo) -> Iterator[datetime]:
    """Every time at which the reminder comes, as the loop goes on from one to the next."""
    local: datetime | None = found.first
    while local is not None and local.date() <= END:
        at = to_utc(local, zone)
        yield at
        local = next_time(rule_text(found.rule), found.first, zone, at)


@pytest.mark.parametrize("key", ZONES)
@pytest.mark.parametrize(("language", "said", "times", "fits"), RULES, ids=[one[1] for one in RULES])
def test_a_year_of_firings_is_what_the_calendar_says(
    key: str, language: str, said: str, times: tuple[time, ...], fits: Fits
) -> None:
    found = read_when(said, BEGIN, language)
    assert isinstance(found, Repeat), found
    zone = ZoneInfo(key)
    assert list(fired(found, zone)) == expected(times, fits, zone)


@pytest.mark.parametrize("key", ZONES)
def test_hours_are_counted_as_they_pass_also_over_a_change_of_the_clocks(key: str) -> None:
    found = read_when("cada 8 horas", BEGIN, "es")
    assert isinstance(found, Repeat)
    times = list(fired(found, ZoneInfo(key)))
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(hours=8)}
