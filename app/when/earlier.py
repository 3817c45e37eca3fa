"""So long before something: "remind me the day before", "una hora antes del turno"."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from dateutil.relativedelta import relativedelta

from app.when.atoms import Ahead, Earlier
from app.when.meanings import Point, Repeat, Unsure, When, likely_of

_SHORTLY: Final = timedelta(hours=1)


def day_before(at: date, span: Ahead) -> date:
    return at - relativedelta(days=span.days, months=span.months)


def events_of(found: When) -> tuple[Point, ...]:
    """The moments that something else may be; none where it comes again, which nothing can come before."""
    return tuple(one for one in likely_of(found) if isinstance(one, Point))


def before_only(event: Point) -> tuple[Point, ...]:
    """What "before Friday" may be: the day before, or that day; of a clock time an hour before, or then."""
    if event.has_clock:
        return Point(event.at - _SHORTLY), event
    return Point(event.at - timedelta(days=1), has_clock=False), event


def minutes_before(event: Point, earlier: Earlier) -> Point | None:
    """A moment some minutes or hours before another; None where that has no hour to count from."""
    span = earlier.span
    if span is None or not span.minutes or not event.has_clock:
        return None
    return Point(event.at - relativedelta(minutes=span.minutes, days=span.days, months=span.months))


def each_before(event: Repeat, earlier: Earlier) -> Repeat | Unsure:
    """Some minutes or hours before what comes again, where that is still on the same day."""
    span = earlier.span
    if span is None or not span.minutes or not event.has_clock or event.rule.hours or not earlier.is_asked:
        return Unsure("which")
    first = event.first - relativedelta(minutes=span.minutes, days=span.days, months=span.months)
    is_by_day = event.rule.frequency not in {"MINUTELY", "HOURLY"}
    return replace(event, first=first) if is_by_day and first.date() == event.first.date() else Unsure("which")
