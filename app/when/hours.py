"""What hour is meant by "at 8", "8 in the evening" or "in the afternoon"."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import time
from types import MappingProxyType
from typing import Final

from app.when.atoms import Clock, PartOfDay

_NOON: Final = 12
EARLIEST_PLAIN: Final = 7
"""From this hour on a bare hour is believed as it is said: "tomorrow at 11" is before noon."""

_EARLIEST_UP: Final = 4
_LATEST_UP: Final = 9
"""Between these a bare hour at which somebody gets up is one of the morning."""
_NEAR_MINUTES: Final = 240

PARTS: Final[Mapping[str, int]] = MappingProxyType(
    {"early": 8, "morning": 9, "noon": 12, "afternoon": 16, "evening": 19, "night": 21}
)
"""The hour that stands for a part of the day."""

# Part of the day → (from hour, to hour as said, what is added). 24 and more are the next day; nobody says what is
# in no span.
_HALVES: Final[Mapping[str, tuple[tuple[int, int, int], ...]]] = MappingProxyType(
    {
        "am": ((12, 12, -12), (0, 11, 0)),
        "pm": ((12, 12, 0), (1, 11, 12), (13, 23, 0)),
        "dawn": ((12, 12, -12), (0, 6, 0)),
        "early": ((4, 11, 0),),
        "morning": ((1, 11, 0),),
        "noon": ((11, 12, 0), (1, 3, 12), (13, 15, 0)),
        "afternoon": ((12, 12, 0), (1, 8, 12), (13, 20, 0)),
        "evening": ((4, 11, 12), (16, 23, 0)),
        "night": ((12, 12, 12), (0, 2, 24), (6, 11, 12), (18, 23, 0)),
        "midnight": ((12, 12, 12), (0, 0, 24)),
    }
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of day, `days` after the day that was said."""

    hour: int
    minute: int = 0
    days: int = 0


@dataclass(frozen=True, slots=True)
class Hours:
    """The times that may be meant, the likeliest first; none where there is no such time.

    `has_plain`: the first is what was said, to the letter, at an hour at which people are up.
    """

    likely: tuple[Moment, ...]
    is_sure: bool = True
    has_plain: bool = False
    earliest_plain: int = EARLIEST_PLAIN


def hours_of(clock: Clock | None, part: PartOfDay | None, *, has_day: bool) -> Hours:
    """Tell what is meant by a clock time, a part of the day, or both.

    `has_day`: a day was said with it, so that midnight may be its begin or its end.
    """
    if clock is None:
        return _of_part(part.name, has_day=has_day) if part is not None else Hours(())
    if clock.minute > 59 or clock.hour > 23:
        return Hours(())
    half = clock.half or (part.name if part is not None else "")
    if not half:
        return _bare(clock)
    if clock.half and part is not None and part.name != clock.half and not _agree(clock, part):
        return Hours((), is_sure=False)
    return _of_half(clock, half, has_day=has_day and not (part is not None and part.is_today))


def of_morning(clock: Clock) -> Clock:
    """The hour at which somebody gets up, if it was said without its half of the day."""
    is_bare = not clock.half and _EARLIEST_UP <= clock.hour <= _LATEST_UP
    return replace(clock, is_24h=True) if is_bare else clock


def near_old(clock: Clock, old: time) -> Clock:
    """The half of the day in which a bare hour is near the old one, if one of the two is, and people are up.

    Whoever has it come at six in the morning is up then.
    """
    if clock.half or clock.is_24h or clock.minute > 59 or clock.hour > _NOON:
        return clock
    for hour in (clock.hour % _NOON, clock.hour % _NOON + _NOON):
        apart = 60 * (hour - old.hour) + clock.minute - old.minute
        if hour >= min(EARLIEST_PLAIN, old.hour - 1) and abs(apart) <= _NEAR_MINUTES:
            return replace(clock, hour=hour, is_24h=True)
    return clock


def _of_part(name: str, *, has_day: bool) -> Hours:
    if name == "midnight":
        begin, end = Moment(0), Moment(0, days=1)
        return Hours((end, begin), is_sure=False) if has_day else Hours((end,))
    if name == "dawn":
        return Hours((Moment(5), Moment(3)), is_sure=False)
    return Hours((Moment(PARTS[name]),))


def _bare(clock: Clock) -> Hours:
    said = Moment(clock.hour, clock.minute)
    if clock.is_24h:
        return Hours((said,))
    other = Moment((clock.hour + _NOON) % 24, clock.minute, days=clock.hour == _NOON)
    if clock.hour >= EARLIEST_PLAIN:
        return Hours((said, other), has_plain=True)
    return Hours((other, said), is_sure=False)


def _agree(clock: Clock, part: PartOfDay) -> bool:
    one, other = _meant(clock.half, clock.hour), _meant(part.name, clock.hour)
    return one is not None and one == other


def _of_half(clock: Clock, half: str, *, has_day: bool) -> Hours:
    hour = _meant(half, clock.hour)
    if hour is None:
        # "12 de la mañana" is noon for some; "5 de la noche" is nobody's, and probably the evening.
        options = [_NOON, 0] if (half, clock.hour) == ("morning", _NOON) else []
        if not options and half == "night" and 2 < clock.hour < 6:  # neither night nor morning
            options = [clock.hour + _NOON, clock.hour]
        return Hours(tuple(Moment(one, clock.minute) for one in options), is_sure=False)
    moment = Moment(hour % 24, clock.minute, days=hour // 24)
    if moment.days and has_day:
        return Hours((moment, Moment(moment.hour, moment.minute)), is_sure=False)
    return Hours((moment,))


def _meant(half: str, hour: int) -> int | None:
    return next((hour + added for first, last, added in _HALVES[half] if first <= hour <= last), None)
