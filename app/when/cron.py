"""Times in cron's notation, "0 8 * * 1-5", where they can be kept as one rule."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from types import MappingProxyType
from typing import Final

from app.when.meanings import Repeat, Rule, Unsure, When
from app.when.rules import occurrences

_NAME: Final = r"(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_ONE: Final = rf"(?:\d{{1,2}}|{_NAME})"
_PART: Final = rf"(?:\*|{_ONE}(?:-{_ONE})?)(?:/\d{{1,2}})?"
_FIELD: Final = rf"{_PART}(?:,{_PART}){{0,20}}+"
_WRITTEN: Final = re.compile(
    rf"(?<![^\s\"'`«“(:=,]){_FIELD}(?:[ \t]+{_FIELD}){{4,5}}(?![^\s\"'`»”).,;:?!])|"
    r"(?<!\S)@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_NICKNAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "@hourly": "0 * * * *",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *",
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
    }
)
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTHS: Final = ("", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIELDS: Final = 5
_ALWAYS_THERE: Final = 28
"""A rule of ours means the last day of a month where cron leaves the month out."""
_SHORTEST_MINUTES: Final = 10
_WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Written:
    """A notation and where it stands in a text."""

    start: int
    end: int
    notation: str


def find_cron(text: str) -> Written | None:
    """Return the first notation in a text; five bare numbers are none: one field at least is open."""
    found = next((one for one in _WRITTEN.finditer(text) if one[0][0] == "@" or "*" in one[0]), None)
    return None if found is None else Written(found.start(), found.end(), found[0].lower())


def read_cron(notation: str, now: datetime) -> When:
    """Read a notation; `now` is naive and local.

    Refused, as `notation`, is what would need several rules, seconds, or the 29th to 31st of a month: those
    would come at other times than the notation says.
    """
    now = now.replace(second=0, microsecond=0, tzinfo=None)
    fields = _NICKNAMES.get(notation, notation).split()
    if len(fields) != _FIELDS:
        return Unsure("notation")
    minutes, hours = _values(fields[0], 0, 59), _values(fields[1], 0, 23)
    days, months = _values(fields[2], 1, 31), _values(fields[3], 1, 12, _MONTHS)
    weekdays = _values(fields[4], 0, 7, _DAYS)
    if minutes is None or hours is None or days is None or months is None or weekdays is None:
        return Unsure("impossible")
    if "*" not in (fields[2][0], fields[4][0]):
        return Unsure("notation")  # a day of the month or one of the week: that is two rules
    on = sorted({(day - 1) % _WEEK for day in weekdays})
    if len(minutes) > 1:
        is_always = len(hours) == 24 and len(days) == 31 and len(months) == 12 and len(on) == _WEEK
        return _steps(minutes, now) if is_always else Unsure("notation")
    rule = _rule(days, months, on)
    return Unsure("notation") if rule is None else _at(rule, hours, minutes[0], now)


def _values(field: str, low: int, high: int, names: tuple[str, ...] = ()) -> list[int] | None:
    """The values that a field stands for; None where one of them is none."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            begin, end = low, high
        else:
            begin = _number(first, names)
            end = _number(last, names) if last else high if step else begin
        every = int(step) if step else 1
        if not low <= begin <= end <= high or every == 0:
            return None
        found.update(range(begin, end + 1, every))
    return sorted(found)


def _number(text: str, names: tuple[str, ...]) -> int:
    """-1 where it is none."""
    return int(text) if text.isdecimal() else names.index(text) if text in names else -1


def _steps(minutes: list[int], now: datetime) -> When:
    """Every so many minutes, all day long."""
    apart = {later - one for one, later in zip(minutes, [*minutes[1:], minutes[0] + 60], strict=True)}
    if min(apart) < _SHORTEST_MINUTES:
        return Unsure("too_often")
    if len(apart) > 1:
        return Unsure("notation")
    begin = now.replace(minute=minutes[0])
    step = timedelta(minutes=apart.pop())
    while begin <= now:
        begin += step
    return Repeat(Rule("MINUTELY", int(step.total_seconds()) // 60), begin)


def _rule(days: list[int], months: list[int], weekdays: list[int]) -> Rule | None:
    """The days as one rule, where they are one."""
    is_any_day, is_any_weekday = len(days) == 31, len(weekdays) == _WEEK
    if len(months) < 12 and (len(months) > 1 or is_any_day):
        return None
    if is_any_day:
        return Rule("DAILY") if is_any_weekday else Rule("WEEKLY", weekdays=tuple((0, one) for one in weekdays))
    if not is_any_weekday or len(days) > 1 or days[0] > _ALWAYS_THERE:
        return None
    if len(months) == 1:
        return Rule("YEARLY", month_day=days[0], month=months[0])
    return Rule("MONTHLY", month_day=days[0])


def _at(rule: Rule, hours: list[int], minute: int, now: datetime) -> When:
    if len(hours) == 24 and rule == Rule("DAILY"):
        begin = now.replace(minute=minute)
        return Repeat(Rule("HOURLY"), begin if begin > now else begin + timedelta(hours=1))
    if len(hours) > 1:
        rule = Rule(rule.frequency, weekdays=rule.weekdays, month_day=rule.month_day, month=rule.month,
                    hours=tuple(hours))  # fmt: skip
    start = datetime.combine(now.date(), time(hours[0], minute))
    first = next((one for one in occurrences(rule, start) if one > now), None)
    return Unsure("impossible") if first is None else Repeat(rule, first)
