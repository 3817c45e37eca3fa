"""Durations and times of day as people write them: "2h45", "hora y media", "half past 7", "a las 7 y cuarto"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.late import LatePattern
from app.skills.tools.calculator.lexicon import HALF_OF_DAY, MEASURE_WORDS, NUMBERS, TIMES, any_of
from app.skills.tools.calculator.measures import measured_ways
from app.skills.tools.calculator.spoken import plain_value

HOUR: Final = 60
HALF_DAY: Final = 12 * HOUR
DAY: Final = 2 * HALF_DAY
_HALVES: Final = frozenset({"am", "pm"})
MINUTE_S: Final = 60
# In seconds.
SIZES: Final = MappingProxyType(
    {"second": 1, "minute": MINUTE_S, "hour": HOUR * MINUTE_S, "day": DAY * MINUTE_S, "week": 7 * DAY * MINUTE_S}
)
NAMES: Final = MappingProxyType({word: name for name in SIZES for word in TIMES[name]})
_ONE: Final = re.compile(rf"(?<!\w)(?<!half )(?<!of )(?:una|un|one|an|a) (?=(?:{any_of(TIMES['hour'])})(?!\w))")
_HOURS_SAID: Final = MappingProxyType(
    {"una": 1, **{word: int(hour) for word, hour in NUMBERS.items() if int(hour) <= 12}}
)
_HOUR_SAID: Final = rf"(\d{{1,2}}|{any_of(_HOURS_SAID)})(?!\w)"
_NO_MEASURE: Final = rf"(?!\w)(?! (?:de )?(?:{any_of(MEASURE_WORDS)})(?!\w))"
_SPOKEN_CLOCKS: Final = (
    (LatePattern(rf"(?<!\w)half past {_HOUR_SAID}", flags=0), 0, "30"),
    (LatePattern(rf"(?<!\w)quarter past {_HOUR_SAID}", flags=0), 0, "15"),
    (LatePattern(rf"(?<!\w)quarter to {_HOUR_SAID}", flags=0), -1, "45"),
    (LatePattern(rf"(?<!\w){_HOUR_SAID} y media{_NO_MEASURE}", flags=0), 0, "30"),
    (LatePattern(rf"(?<!\w){_HOUR_SAID} y cuarto{_NO_MEASURE}", flags=0), 0, "15"),
    (LatePattern(rf"(?<!\w){_HOUR_SAID} menos cuarto{_NO_MEASURE}", flags=0), -1, "45"),
)
_SPAN: Final = LatePattern(
    rf"(?<![\w.,:/+-])(?P<count>\d{{1,6}}(?:[.,]\d{{1,2}})?) ?(?:(?P<hour>{any_of(TIMES['hour'])})"
    rf"(?: ?(?:(?:y|and|con) )?(?P<more>\d{{1,2}})(?: ?(?:{any_of(TIMES['minute'])})(?!\w)"
    rf"|(?![\w%:/]|[.,]\d| ?(?:{any_of(MEASURE_WORDS)})(?!\w)(?! the(?!\w)))))?"
    rf"|(?P<other>{any_of(NAMES)}))(?!\w)",
    flags=0,
)
_CLOCK: Final = re.compile(
    r"(?<![\w.,:/+-])(?:(?P<mark>las|la|at|@|its|it's) )?(?P<hour>\d{1,2})(?:(?P<sign>[:.h])(?P<minute>\d{2}))?"
    rf"(?: ?(?P<half>am|pm|hs|h)(?!\w)| (?:{HALF_OF_DAY.pattern}))?(?![\w:%/]|[.,]\d)"
)


@dataclass(frozen=True, slots=True)
class Span:
    """So many minutes; `unit` is the largest in which they were told."""

    minutes: Fraction
    unit: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clock:
    """A minute of the day; `half` is "am" or "pm" where that was said."""

    minute: int
    half: str
    start: int
    end: int


@lru_cache(maxsize=16)
def timed_ways(text: str) -> tuple[str, ...]:
    """Return a text in the ways it can be read, its times of day and "an hour" in digits."""
    plain = fold(text.replace("a.m.", "am").replace("p.m.", "pm"))
    return tuple(dict.fromkeys(_in_digits(way) for one in (_in_digits(plain),) for way in measured_ways(one)))


def spans(text: str, ctx: TurnContext) -> list[Span]:
    """Return the durations in such a text.

    Raises:
        ToolFault: a number can be read in two ways.
    """
    return [_span(one, ctx) for one in _SPAN.finditer(text)]


def clocks(text: str) -> Iterator[Clock]:
    """Yield the times of day of such a text."""
    for found in _CLOCK.finditer(text):
        half = found["half"] if found["half"] in _HALVES else ""
        minute = minute_of(found["hour"], found["minute"], "pm" if found["afternoon"] else half)
        if minute is not None and (found["mark"] or found["minute"] or half):
            yield Clock(minute % DAY, half, found.start(), found.end())


def minute_of(hour: str, minute: str | None, half: str | None) -> int | None:
    """Return the minute of the day that a clock shows; None for what none does."""
    hours, minutes = int(hour), int(minute or 0)
    if hours > 24 or minutes >= HOUR:
        return None
    if half in _HALVES:
        hours = hours % 12 + (12 if half == "pm" else 0)
    return hours * HOUR + minutes


def in_hours(minutes: Fraction | int) -> str:
    """Return a duration as people say it, to the minute."""
    hours, rest = divmod(round(minutes), HOUR)
    if not hours:
        return f"{rest} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def at_clock(minute: Fraction | int, *, halves: bool = False) -> str:
    """Return a time of day; `halves`: as it is said with "am" and "pm"."""
    hour, rest = divmod(round(minute) % DAY, HOUR)
    if not halves:
        return f"{hour}:{rest:02}"
    return f"{(hour + 11) % 12 + 1}:{rest:02} {'am' if hour < 12 else 'pm'}"


def _span(found: re.Match[str], ctx: TurnContext) -> Span:
    unit = "hour" if found["hour"] else NAMES[found["other"]]
    minutes = plain_value(found["count"], ctx) * SIZES[unit] / MINUTE_S + int(found["more"] or 0)
    return Span(minutes, unit, found.start(), found.end())


def _in_digits(text: str) -> str:
    for pattern, earlier, minute in _SPOKEN_CLOCKS:
        text = pattern.sub(lambda one: _as_clock(one, earlier, minute), text)  # noqa: B023 - called at once
    return _ONE.sub(lambda one: one[0] if _is_per(text, one.start()) else "1 ", text)


def _is_per(text: str, at: int) -> bool:
    """Whether "an hour" there says for what something is: "10 km an hour", "12.50 an hour"."""
    before = text[:at].split()[-1:]
    return bool(before) and (before[0] in MEASURE_WORDS or before[0][-1].isdecimal())


def _as_clock(found: re.Match[str], earlier: int, minute: str) -> str:
    hour = _HOURS_SAID.get(found[1]) or int(found[1])
    return f"{(hour + earlier) % 24}:{minute}"
