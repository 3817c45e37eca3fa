"""Which days are meant by "el lunes", "the 5th", "fin de mes", seen from today."""

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from dateutil.relativedelta import relativedelta

from app.language.catalogue import Language
from app.when.atoms import AtEdge, Clock, DayAtom, InDays, Loosely, OnDate, OnNth, OnWeekday, PartOfDay
from app.when.hours import Moment, hours_of
from app.when.meanings import Why

_WEEK: Final = 7
_LEAP_CYCLE: Final = 9
_SATURDAY: Final = 5
_MONTHS: Final = 12


@dataclass(frozen=True, slots=True)
class Days:
    """The days that may be meant; sure where it is one. `why` tells what is wrong where none is."""

    likely: tuple[date, ...]
    is_sure: bool = True
    why: Why = "which"


class DayFinder:
    """Knows what today is, and the hour: a day whose hour is over is another."""

    def __init__(self, now: datetime, language: Language) -> None:
        self._now = now
        self._today = now.date()
        self._language = language

    def find(self, day: DayAtom, clock: Clock | None, part: PartOfDay | None) -> Days:
        match day:
            case InDays(days):
                return Days((self._today + timedelta(days=days),))
            case OnWeekday():
                return self._weekday(day, clock, part)
            case OnDate():
                return self._date(day, clock, part)
            case OnNth():
                return self._nth(day)
            case AtEdge():
                return self._edge(day)
            case Loosely(span):
                return Days(self._loose(span), is_sure=False)

    def _coming(self, weekday: int) -> date:
        return self._today + timedelta(days=(weekday - self._today.weekday()) % _WEEK)

    def _weekday(self, said: OnWeekday, clock: Clock | None, part: PartOfDay | None) -> Days:
        week = timedelta(days=_WEEK)
        coming = self._coming(said.weekday)
        if said.which == "next_week":
            monday = self._today + timedelta(days=_WEEK - self._today.weekday())
            return Days((monday + timedelta(days=said.weekday),))
        if said.weeks:
            first = coming if coming != self._today else coming + week
            return Days((first + said.weeks * week,), is_sure=False)
        if said.which == "other":
            return Days((coming, coming + week) if coming != self._today else (coming + week,), is_sure=False)
        if said.which == "next":
            if coming == self._today:
                return Days((coming + week,))
            # In English, "next Friday" said on a Wednesday is the day after tomorrow for some and not for others.
            is_same_week = coming.weekday() > self._today.weekday()
            return (
                Days((coming, coming + week), is_sure=False) if self._is_english(is_same_week) else Days((coming,))
            )
        if coming != self._today:
            return Days((coming,))
        if self._is_over(clock, part):
            return Days((coming + week,))
        is_today = said.which == "this" and clock is not None
        return Days((coming,)) if is_today else Days((coming, coming + week), is_sure=False)

    def _is_english(self, is_doubtful: bool) -> bool:
        return is_doubtful and self._language == "en"

    def _is_over(self, clock: Clock | None, part: PartOfDay | None) -> bool:
        """Tell whether that time of today is over in its plain reading: "Wednesday at 9", said at ten."""
        found = hours_of(clock, part, has_day=True)
        if (clock is None and part is None) or not found.likely or not found.is_sure:
            return False
        return all(_moment_on(self._today, one) <= self._now for one in found.likely)

    def _date(self, said: OnDate, clock: Clock | None, part: PartOfDay | None) -> Days:
        days = self._dates(said)
        if not days:
            return Days((), why="impossible")
        day = days[0]
        if said.year and day < self._today:
            return Days((), why="past")
        if said.weekday >= 0 and day.weekday() != said.weekday:
            return Days((day, self._coming(said.weekday)), is_sure=False)
        if said.is_doubtful:
            other = self._dates(OnDate(said.month, said.day, said.year))
            return Days((day, *other[:1]), is_sure=False)
        is_leap_day = (said.month, said.day) == (2, 29)
        if day == self._today and self._is_over(clock, part):
            return Days(tuple(days[1:2]), is_sure=False)
        return Days((day,), is_sure=not is_leap_day or day.year == self._today.year)

    def _dates(self, said: OnDate) -> list[date]:
        """The days from today on that the date may be, the nearest first; of a given year only that one."""
        if said.year:
            return _existing([(said.year, said.month, said.day)])
        if said.month:
            years = range(self._today.year, self._today.year + _LEAP_CYCLE)
            found = _existing([(year, said.month, said.day) for year in years])
        elif said.months_ahead >= 0:
            month = self._today.replace(day=1) + relativedelta(months=said.months_ahead)
            found = _existing([(month.year, month.month, said.day)])
        else:
            months = [self._today.replace(day=1) + relativedelta(months=ahead) for ahead in range(_LEAP_CYCLE)]
            found = _existing([(month.year, month.month, said.day) for month in months])
        return [day for day in found if day >= self._today]

    def _nth(self, said: OnNth) -> Days:
        first = self._today.replace(day=1)
        if said.month:
            months = [date(first.year + ahead, said.month, 1) for ahead in range(2)]
        elif said.months_ahead > 0:
            months = [first + relativedelta(months=said.months_ahead)]
        else:
            months = [first, first + relativedelta(months=1)]
        found = [day for month in months if (day := _nth_of(month, said.nth, said.weekday)) is not None]
        ahead = [day for day in found if day > self._today]
        return Days(tuple(ahead[:1]), why="past" if found else "impossible")

    def _edge(self, said: AtEdge) -> Days:
        if said.unit == "week":
            monday = self._today - timedelta(days=self._today.weekday()) + timedelta(days=_WEEK * said.ahead)
            if said.edge in {"start", "first_day"}:
                days = [monday] if said.ahead else [monday + timedelta(days=_WEEK)]
                return Days(tuple(days))
            if said.edge == "middle":
                return Days((monday + timedelta(days=2),), is_sure=False)
            ends = [monday + timedelta(days=one) for one in (4, 6)]
            return Days(tuple(day for day in ends if day > self._today), is_sure=False)
        months = 12 if said.unit == "year" else 1
        if said.month:
            begin = date(self._today.year, said.month, 1)
        elif said.unit == "year":
            begin = date(self._today.year + said.ahead, 1, 1)
        else:
            begin = self._today.replace(day=1) + relativedelta(months=said.ahead)
        step = relativedelta(years=1) if said.month or said.unit == "year" else relativedelta(months=1)
        length = 1 if said.month else months
        day = _edge_of(begin, said.edge, length)
        while day <= self._today and not (day == self._today and said.edge in {"end", "last_day"}):
            begin += step
            day = _edge_of(begin, said.edge, length)
        return Days((day,), is_sure=said.edge != "middle" and day != self._today)

    def _loose(self, span: str) -> tuple[date, ...]:
        monday = self._today + timedelta(days=_WEEK - self._today.weekday())
        saturday = self._coming(_SATURDAY)
        match span:
            case "weekend":
                return (saturday, saturday + timedelta(days=1))
            case "next_weekend":
                return (saturday, saturday + timedelta(days=_WEEK))
            case "next_week":
                return (monday, monday + timedelta(days=2), monday + timedelta(days=4))
            case "next_month":
                return (
                    self._today.replace(day=1) + relativedelta(months=1),
                    self._today + relativedelta(months=1),
                )
            case _:
                return (date(self._today.year + 1, 1, 1),)


def _moment_on(day: date, moment: Moment) -> datetime:
    return datetime.combine(day + timedelta(days=moment.days), time(moment.hour, moment.minute))


def _existing(days: Sequence[tuple[int, int, int]]) -> list[date]:
    return [date(*one) for one in days if _exists(*one)]


def _exists(year: int, month: int, day: int) -> bool:
    return (
        date.min.year <= year <= date.max.year
        and 1 <= month <= 12
        and 1 <= day <= calendar.monthrange(year, month)[1]
    )


def _nth_of(month: date, nth: int, weekday: int) -> date | None:
    last = calendar.monthrange(month.year, month.month)[1]
    days = [month.replace(day=day) for day in range(1, last + 1)]
    same = [day for day in days if day.weekday() == weekday]
    return same[-1] if nth == -1 else same[nth - 1] if nth <= len(same) else None


def _edge_of(begin: date, edge: str, months: int) -> date:
    if edge in {"start", "first_day"}:
        return begin
    if edge == "middle":
        return begin + (relativedelta(months=6) if months == 12 else timedelta(days=14))
    return begin + relativedelta(months=months) - timedelta(days=1)
