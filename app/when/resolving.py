"""From atoms to the calendar: what was said is put on days and hours, or refused with what was probably meant.

All times are wall-clock times of the person.
"""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Final

from dateutil.relativedelta import relativedelta

from app.language.catalogue import Language
from app.when.atoms import (
    Ahead,
    Atom,
    Clock,
    DayAtom,
    Each,
    Earlier,
    InDays,
    Loosely,
    OnWeekday,
    PartOfDay,
)
from app.when.earlier import before_only, day_before, each_before, events_of, minutes_before
from app.when.finding import DayFinder
from app.when.hours import Moment, hours_of, near_old, of_morning
from app.when.meanings import MAX_LIKELY, Habits, Point, Repeat, Rule, Unsure, When, likely_of
from app.when.parts import Parts, joined
from app.when.rules import occurrences

_WEEK: Final = 7
_LEAP_YEAR: Final = 2000
_SHORTEST_MINUTES: Final = 10
_EARLY: Final = 6
_NOTHING: Final = Unsure("not_time")


def resolve(atoms: Sequence[Atom], now: datetime, language: Language, habits: Habits) -> When:
    """Put what was said on the calendar. `now` is the naive local time of whoever said it."""
    now = now.replace(second=0, microsecond=0, tzinfo=None)
    said = Parts.of(atoms)
    if habits.wakes and not said.parts and InDays(0) not in said.days:
        said.clocks = [of_morning(one) for one in said.clocks]
    if habits.near is not None and not said.parts:
        said.clocks = [near_old(one, habits.near) for one in said.clocks]
    return _Calendar(now, language, habits).read(said)


class _Calendar:
    def __init__(self, now: datetime, language: Language, habits: Habits) -> None:
        self._now = now
        self._today = now.date()
        self._finder = DayFinder(now, language)
        self._habits = habits

    def read(self, said: Parts) -> When:
        if said.earlier:
            return self._before(said)
        if said.is_empty():
            return _NOTHING
        if said.vague:
            return self._vague(said)
        if any(isinstance(day, InDays) and day.days < 0 for day in said.days):
            return Unsure("past")
        if said.each:
            return self._repeat(said)
        if said.until or said.since or said.excepted or said.during or said.times:
            return Unsure("which", likely_of(self._point(said.without_bounds())))
        return self._point(said)

    def _before(self, said: Parts) -> When:
        """A moment before another. Where the words may belong to what is to be done, the person is asked."""
        event, earlier = self.read(said.without_earlier()), said.earlier[0]
        events = events_of(event)
        if not events:
            return each_before(event, earlier) if isinstance(event, Repeat) else Unsure("which")
        if len(said.earlier) > 1 or earlier.span is None:
            return _which([point for one in events for point in before_only(one) if point.at > self._now])
        found = [self._at_earlier(one, earlier) for one in events]
        if len(found) == 1 and earlier.is_asked and isinstance(event, Point):
            return found[0]
        shifted = [point for one in found for point in events_of(one)]
        return _which([*shifted, *events] if not earlier.is_asked else shifted)

    def _at_earlier(self, event: Point, earlier: Earlier) -> When:
        if earlier.span is None:
            return Unsure("which")
        if earlier.span.minutes:
            point = minutes_before(event, earlier)
            return (
                Unsure("which", (event,)) if point is None else point if point.at > self._now else Unsure("past")
            )
        day = day_before(event.at.date(), earlier.span)
        if earlier.clock or earlier.part or not event.has_clock:
            return self._with_time([day], earlier.clock, earlier.part, is_sure=True)
        same_hour = Point(datetime.combine(day, event.at.time()))
        return _which([*events_of(self._whole_days([day], is_sure=True)), same_hour])

    def _vague(self, said: Parts) -> Unsure:
        match said.vague[0]:
            case "soon":
                steps = (Ahead(minutes=15), Ahead(minutes=30), Ahead(minutes=60))
            case "later":
                steps = (Ahead(minutes=60), Ahead(minutes=180), Ahead(days=1))
            case "sometime":
                steps = (Ahead(days=1), Ahead(days=2), Ahead(days=7))
            case _:
                return Unsure("vague")
        return Unsure("vague", tuple(point for step in steps for point in likely_of(self._in(step, None))))

    # One moment.

    def _point(self, said: Parts) -> When:
        if len(said.clocks) > 1 or len(said.aheads) > 1 or len(said.parts) > 1:
            return Unsure("which", self._one_by_one(said))
        clock = said.clocks[0] if said.clocks else None
        part = said.parts[0] if said.parts else None
        if said.aheads:
            return self._ahead(said, clock, part)
        days = list(dict.fromkeys(said.days))
        if len(days) > 1 and (merged := _merged(days)) is not None:
            days = [merged]
        if len(days) > 1:
            likely: tuple[Point | Repeat, ...] = (*self._weekly(said, days), *self._one_by_one(said))
            return Unsure("which", likely[:MAX_LIKELY])
        if days and part is not None and part.is_today and days[0] != InDays(0):
            return Unsure("which", self._one_by_one(said))
        if not days and part is not None and part.is_today:
            days = [InDays(0)]
        return self._on(days[0] if days else None, clock, part)

    def _weekly(self, said: Parts, days: Sequence[DayAtom]) -> tuple[Repeat, ...]:
        """What several weekdays in a row may be, too: "martes y jueves 17:30"."""
        names = [
            one.weekday
            for one in days
            if isinstance(one, OnWeekday) and one.which in {"", "this"} and not one.weeks
        ]
        if len(names) < len(days):
            return ()
        found = self._repeat(
            replace(said, days=[], each=[Each("WEEKLY", weekdays=tuple((0, day) for day in sorted(names)))])
        )
        return (found,) if isinstance(found, Repeat) else ()

    def _one_by_one(self, said: Parts) -> tuple[Point, ...]:
        """What each of several days, or of several times, would be alone."""
        clock = said.clocks[0] if said.clocks else None
        part = next((one for one in said.parts if not one.is_today), None)
        if len(said.clocks) > 1:
            found = [self._on(said.days[0] if said.days else None, one, None) for one in said.clocks]
        else:
            found = [self._on(day, clock, part) for day in said.days]
        points = [point for one in found for point in likely_of(one) if isinstance(point, Point)]
        return tuple(dict.fromkeys(points))[:MAX_LIKELY]

    def _ahead(self, said: Parts, clock: Clock | None, part: PartOfDay | None) -> When:
        ahead = said.aheads[0]
        if said.days or (ahead.minutes and (clock or part)):
            return Unsure("which", likely_of(self._in(ahead, None)))
        if clock is None and part is None:
            return self._in(ahead, None)
        return self._with_time([self._day_in(ahead)], clock, part, is_sure=True)

    def _day_in(self, ahead: Ahead) -> date:
        return self._today + relativedelta(days=ahead.days, months=ahead.months)

    def _in(self, ahead: Ahead, at: time | None) -> When:
        if ahead.minutes == ahead.days == ahead.months == 0:
            return Unsure("past")
        try:
            if ahead.minutes:
                moment = self._now + relativedelta(minutes=ahead.minutes, days=ahead.days, months=ahead.months)
                return Point(moment)
            return Point(datetime.combine(self._day_in(ahead), at or self._habits.time_of_day), has_clock=False)
        except (OverflowError, ValueError):
            return Unsure("impossible")

    def _on(self, day: DayAtom | None, clock: Clock | None, part: PartOfDay | None) -> When:
        if day is None and self._habits.day is not None:
            return self._with_time([self._habits.day], clock, part, is_sure=True)
        if day is None:
            return self._next_time(clock, part)
        found = self._finder.find(day, clock, part)
        if not found.likely:
            return Unsure(found.why)
        is_today = day == InDays(0)
        return self._with_time(found.likely, clock, part, is_sure=found.is_sure, is_today=is_today)

    def _with_time(
        self,
        days: Sequence[date],
        clock: Clock | None,
        part: PartOfDay | None,
        *,
        is_sure: bool,
        is_today: bool = False,
    ) -> When:
        if clock is None and part is None:
            return self._whole_days(days, is_sure=is_sure)
        found = hours_of(clock, part, has_day=not is_today)
        if not found.likely:
            return Unsure("impossible")
        points = [self._point_at(day, moment, clock is not None) for day in days for moment in found.likely]
        ahead = [point for point in points if point.at > self._now]
        if not ahead:
            later = tuple(replace(point, at=point.at + timedelta(days=1)) for point in points)
            return Unsure("past", tuple(one for one in later if one.at > self._now)[:MAX_LIKELY])
        if is_today and clock is not None and len(found.likely) > 1 and is_sure:
            # "today at 8", said at ten: only the evening is left. Before that, the morning is what was said.
            return ahead[0] if len(ahead) == 1 or clock.hour >= found.earliest_plain else _which(ahead)
        return ahead[0] if is_sure and found.is_sure and len(ahead) == len(points) else _which(ahead)

    def _whole_days(self, days: Sequence[date], *, is_sure: bool) -> When:
        points = [Point(datetime.combine(day, self._habits.time_of_day), has_clock=False) for day in days]
        ahead = [point for point in points if point.at > self._now]
        if is_sure and len(points) == 1 and len(ahead) == 1:
            return ahead[0]
        if not ahead and self._today in days:
            # Today, and our hour for it is over: the evening is left, perhaps.
            evenings = [self._now + timedelta(hours=1), self._now + timedelta(hours=3)]
            same = [one for one in evenings if one.date() == self._today]
            return Unsure("which", tuple(Point(one) for one in same))
        return Unsure("past" if not ahead else "which", tuple(ahead[:MAX_LIKELY]))

    def _point_at(self, day: date, moment: Moment, has_clock: bool, has_day: bool = True) -> Point:
        at = datetime.combine(day + timedelta(days=moment.days), time(moment.hour, moment.minute))
        return Point(at, has_clock, has_day)

    def _next_time(self, clock: Clock | None, part: PartOfDay | None) -> When:
        """A time without a day: the next one, if it is clear which that is."""
        found = hours_of(clock, part, has_day=False)
        if not found.likely:
            return Unsure("impossible")
        today = [self._point_at(self._today, one, clock is not None, has_day=False) for one in found.likely]
        ahead = [one for one in today if one.at > self._now]
        tomorrow = [replace(one, at=one.at + timedelta(days=1)) for one in today]
        if found.is_sure and len(found.likely) == 1:
            return ahead[0] if ahead else tomorrow[0]
        if found.has_plain and ahead and ahead[0] == today[0]:
            return ahead[0]  # "at 11", said at ten
        if clock is not None and 0 < clock.hour < _EARLY and len(ahead) == 1 and not self._habits.wakes:
            return ahead[0]  # "at 3", said at ten: nobody means the night
        return _which([*ahead, *tomorrow])

    # What comes again.

    def _repeat(self, said: Parts) -> When:
        each = joined(said)
        if each is None or said.aheads or len(said.parts) > 1:
            return Unsure("which")
        if each.frequency == "MINUTELY" and each.interval < _SHORTEST_MINUTES:
            return Unsure("too_often")
        bound = self._bound(said)
        if isinstance(bound, Unsure):
            return bound
        since, until = bound
        if each.frequency in {"MINUTELY", "HOURLY"}:
            return self._within_days(each, said, since, until)
        part = said.parts[0] if said.parts else PartOfDay(each.part) if each.part else None
        return self._on_days(each, said, part, since, until)

    def _bound(self, said: Parts) -> tuple[date, date | None] | Unsure:
        """From when on, and until when."""
        since, until = self._today, None
        for day in said.since[:1]:
            found = self._finder.find(day, None, None)
            if not found.is_sure or len(found.likely) != 1:
                return Unsure("which")
            since = found.likely[0]
        for day in said.until[:1]:
            found = self._finder.find(day, None, None)
            if not found.is_sure or len(found.likely) != 1:
                return Unsure("which")
            until = found.likely[0]
        if said.during and until is None:
            until = (
                since + relativedelta(days=said.during[0].days, months=said.during[0].months) - timedelta(days=1)
            )
        return (since, until) if until is None or until >= since else Unsure("impossible")

    def _within_days(self, each: Each, said: Parts, since: date, until: date | None) -> When:
        rule = Rule(each.frequency, each.interval, until=until, count=said.times[0] if said.times else 0)
        if said.clocks:
            first = self._next_time(said.clocks[0], said.parts[0] if said.parts else None)
            if not isinstance(first, Point):
                return first
            return Repeat(rule, first.at)
        minutes = each.interval * (60 if each.frequency == "HOURLY" else 1)
        start = self._now if since == self._today else datetime.combine(since, self._habits.time_of_day)
        return Repeat(rule, start + timedelta(minutes=minutes if since == self._today else 0), has_clock=False)

    def _on_days(self, each: Each, said: Parts, part: PartOfDay | None, since: date, until: date | None) -> When:
        choices = _all_hours(said.clocks, part, self._habits.time_of_day)
        if choices is None or not _is_in_some_year(each):
            return Unsure("impossible")
        count = said.times[0] if said.times else 0
        found: list[Repeat] = []
        for moments, _ in choices:
            days_later = moments[0].days
            if each.times_a_day not in {0, len(moments)}:
                return Unsure("vague")
            if len({one.minute for one in moments}) > 1 or len({one.days for one in moments}) > 1:
                return Unsure("which")
            rule = Rule(
                each.frequency,
                each.interval,
                _moved(each.weekdays, days_later),
                each.month_day,
                each.month,
                tuple(sorted({one.hour for one in moments})) if len(moments) > 1 else (),
                until,
                count,
            )
            if days_later and (each.month_day or any(nth for nth, _ in each.weekdays)):
                return Unsure("which")
            first = self._first(rule, moments, since)
            if first is None:
                return Unsure("impossible")
            found.append(Repeat(rule, first, has_clock=bool(said.clocks)))
        is_sure = all(sure for _, sure in choices) and len(found) == 1
        needs_anchor = each.interval > 1 and each.frequency in {"MONTHLY", "YEARLY"}
        if each.frequency in {"WEEKLY", "MONTHLY", "YEARLY"} and not (each.weekdays or each.month_day):
            return Unsure("which", tuple(_anchored(one) for one in found)[:MAX_LIKELY])
        return found[0] if is_sure and not needs_anchor else Unsure("which", tuple(found[:MAX_LIKELY]))

    def _first(self, rule: Rule, moments: Sequence[Moment], since: date) -> datetime | None:
        start = datetime.combine(since, time(min(one.hour for one in moments), moments[0].minute))
        base = replace(rule, interval=1) if rule.frequency in {"WEEKLY", "DAILY"} else rule
        return next((one for one in occurrences(base, start) if one > self._now), None)


def _is_in_some_year(each: Each) -> bool:
    """Tell whether the month has such a day in a leap year, where one is named."""
    return not each.month or each.month_day <= monthrange(_LEAP_YEAR, each.month)[1]


def _all_hours(
    clocks: Sequence[Clock], part: PartOfDay | None, default: time
) -> list[tuple[list[Moment], bool]] | None:
    """The sets of hours that may be meant, the likeliest first; None where one of them does not exist."""
    if not clocks and part is None:
        return [([Moment(default.hour, default.minute)], True)]
    wanted: Sequence[Clock | None] = clocks or [None]
    found = [hours_of(clock, part, has_day=True) for clock in wanted]
    if any(not one.likely for one in found):
        return None
    if all(one.is_sure for one in found):
        return [([one.likely[0] for one in found], True)]
    if len(found) == 1:
        return [([moment], False) for moment in found[0].likely]
    return [([one.likely[0] for one in found], False)]


def _moved(weekdays: tuple[tuple[int, int], ...], days: int) -> tuple[tuple[int, int], ...]:
    """ "Fridays at midnight" are Saturdays at 0:00."""
    return tuple(sorted((nth, (day + days) % _WEEK) for nth, day in weekdays))


def _anchored(repeat: Repeat) -> Repeat:
    """The same rule on the day on which it begins: "every week" is every week on that weekday."""
    first, rule = repeat.first, repeat.rule
    match rule.frequency:
        case "WEEKLY":
            return replace(repeat, rule=replace(rule, weekdays=((0, first.weekday()),)))
        case "MONTHLY":
            return replace(repeat, rule=replace(rule, month_day=first.day))
        case _:
            return replace(repeat, rule=replace(rule, month_day=first.day, month=first.month))


def _merged(days: Sequence[DayAtom]) -> DayAtom | None:
    """One day of two that belong together: "on Monday, next week"."""
    weekdays = [one for one in days if isinstance(one, OnWeekday)]
    others = [one for one in days if not isinstance(one, OnWeekday)]
    if len(weekdays) == 1 and others == [Loosely("next_week")] and not weekdays[0].weeks:
        return OnWeekday(weekdays[0].weekday, "next_week")
    return None


def _which(points: Sequence[Point]) -> Unsure:
    return Unsure("which", tuple(dict.fromkeys(points))[:MAX_LIKELY])
