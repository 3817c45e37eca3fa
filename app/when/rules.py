"""What repeats, on the calendar: as RFC 5545 writes it, and when it comes."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from app.when.meanings import Frequency, Rule

_DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_ALWAYS_THERE: Final = 28
_STEPS: Final = MappingProxyType({"HOURLY": timedelta(hours=1), "MINUTELY": timedelta(minutes=1)})
_LONGEST_CHANGE: Final = timedelta(hours=3)
"""No clock was ever put forward by more at once, but where a country changed sides of the date line."""


def rule_text(rule: Rule) -> str:
    """Write a rule as an RRULE (RFC 5545). Of a day that a month lacks, its last one is meant."""
    parts = [f"FREQ={rule.frequency}"]
    if rule.interval > 1:
        parts.append(f"INTERVAL={rule.interval}")
    if rule.month:
        parts.append(f"BYMONTH={rule.month}")
    if rule.month_day > _ALWAYS_THERE:
        days = ",".join(str(day) for day in range(_ALWAYS_THERE, rule.month_day + 1))
        parts.append(
            f"BYMONTHDAY={days};BYSETPOS={-max(1, len(rule.hours))}" if not rule.hours else f"BYMONTHDAY={days}"
        )
    elif rule.month_day:
        parts.append(f"BYMONTHDAY={rule.month_day}")
    if rule.weekdays:
        parts.append("BYDAY=" + ",".join(f"{nth or ''}{_DAYS[day]}" for nth, day in rule.weekdays))
    if rule.hours:
        parts.append("BYHOUR=" + ",".join(map(str, rule.hours)))
    if rule.until:
        parts.append(f"UNTIL={datetime.combine(rule.until, time(23, 59, 59)):%Y%m%dT%H%M%S}")
    if rule.count:
        parts.append(f"COUNT={rule.count}")
    return ";".join(parts)


def occurrences(rule: Rule, first: datetime) -> Iterator[datetime]:
    """Yield the wall-clock times of a rule from `first` on, which is one only if it fits the rule."""
    return iter(rrulestr(rule_text(rule), dtstart=first))


def to_utc(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment at which a wall clock of that zone shows a time.

    A time that the clocks skip comes as much later; of one that comes twice the first is meant.
    """
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def to_local(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return what a wall clock of that zone shows, naive."""
    return moment.astimezone(zone).replace(tzinfo=None)


def next_time(text: str, first: datetime, zone: ZoneInfo, after: datetime) -> datetime | None:
    """Return the wall-clock time at which an RRULE comes next after a moment; None when it is over.

    `first` is its first wall-clock time. Days and longer are counted on the wall clock; hours and minutes as they
    pass, also over a change of the clocks.
    """
    parts = dict(part.split("=") for part in text.split(";"))
    if parts["FREQ"] in _STEPS:
        return _next_step(parts, first, zone, after)
    before = to_local(after, zone) - _LONGEST_CHANGE
    found = rrulestr(text, dtstart=first).xafter(before, inc=True)
    return next((one for one in found if to_utc(one, zone) > after), None)


def _next_step(parts: dict[str, str], first: datetime, zone: ZoneInfo, after: datetime) -> datetime | None:
    start, step = to_utc(first, zone), _STEPS[parts["FREQ"]] * int(parts.get("INTERVAL", 1))
    passed = max(0, (after - start) // step + 1)
    local = to_local(start + passed * step, zone)
    is_over = ("COUNT" in parts and passed >= int(parts["COUNT"])) or (
        "UNTIL" in parts and local > datetime.strptime(parts["UNTIL"], "%Y%m%dT%H%M%S")  # wall clock
    )
    return None if is_over else local


def rule_of(text: str) -> Rule:
    """Read a rule back that `rule_text` wrote."""
    parts = dict(part.split("=") for part in text.split(";"))
    days = [int(day) for day in parts.get("BYMONTHDAY", "0").split(",")]
    frequency: Frequency = parts["FREQ"]  # type: ignore[assignment]  # one of those that were written
    until = parts.get("UNTIL")
    return Rule(
        frequency=frequency,
        interval=int(parts.get("INTERVAL", 1)),
        weekdays=tuple(
            (int(day[:-2] or 0), _DAYS.index(day[-2:])) for day in parts.get("BYDAY", "").split(",") if day
        ),
        month_day=max(days) if days[0] >= 0 else days[0],
        month=int(parts.get("BYMONTH", 0)),
        hours=tuple(int(hour) for hour in parts.get("BYHOUR", "").split(",") if hour),
        until=date.fromisoformat(f"{until[:4]}-{until[4:6]}-{until[6:8]}") if until else None,
        count=int(parts.get("COUNT", 0)),
    )
