"""What a text about time can be read as: a moment, something that comes again, or a question back."""

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Literal

Frequency = Literal["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]
Why = Literal["vague", "which", "past", "impossible", "not_time", "too_often", "notation"]
"""Why nothing is taken without asking: no exact time, several meanings, over already, no such time, no time at
all, more often than anybody can want, or cron's notation that is more than one rule."""

MAX_LIKELY = 3


@dataclass(frozen=True, slots=True)
class Point:
    """A moment on the wall clock of whoever said it. `has_clock` is False where the time of day is our choice;
    `has_day` where the day is."""

    at: datetime
    has_clock: bool = True
    has_day: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    """What repeats, on the wall clock.

    `weekdays` are (which in its month or 0, Monday 0 … Sunday 6); `month_days` count from the end where they are
    negative. Of a day that a month lacks, its last day is meant. Minutes and hours are counted from the start.
    """

    frequency: Frequency
    interval: int = 1
    weekdays: tuple[tuple[int, int], ...] = ()
    month_day: int = 0
    month: int = 0
    hours: tuple[int, ...] = ()
    until: date | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Repeat:
    """A rule, and its first time, which sets the minute and what intervals count from."""

    rule: Rule
    first: datetime
    has_clock: bool = True


@dataclass(frozen=True, slots=True)
class Unsure:
    """Nothing to act upon: why, and what was probably meant, the likeliest first."""

    why: Why
    likely: tuple[Point | Repeat, ...] = ()


When = Point | Repeat | Unsure


def likely_of(when: When | None) -> tuple[Point | Repeat, ...]:
    """Return what is meant, or what probably is; nothing where no time is."""
    return () if when is None else when.likely if isinstance(when, Unsure) else (when,)


def says_hour(when: When | None) -> bool:
    """Tell whether a time of day was said, whatever else is open."""
    likely = likely_of(when)
    return bool(likely) and all(one.has_clock for one in likely)


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish with its time taken out of it. `when` is None where there is none in it."""

    what: str
    when: When | None


@dataclass(frozen=True, slots=True)
class Habits:
    """What people mean who leave it open. `day` is a day to keep where only a clock time is said.

    `wakes`: it is about getting up, so that a bare hour is one of the morning. `near` is the time of day that
    another one takes the place of: "make it 9" of something at eight in the evening is nine in the evening.
    """

    time_of_day: time = time(9)
    day: date | None = None
    wakes: bool = False
    near: time | None = None
