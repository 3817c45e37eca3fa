"""What repeats, on the calendar: as RFC 5545 writes it, and when it comes."""

from collections.abc import Iterator
from datetime import UTC, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from app.when.meanings import Rule

_DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_ALWAYS_THERE: Final = 28


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


def next_local(rule_text_: str, first: datetime, after: datetime) -> datetime | None:
    """Return the first wall-clock time of an RRULE after `after`; None when it is over."""
    return rrulestr(rule_text_, dtstart=first).after(after)


def to_utc(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment at which a wall clock of that zone shows a time.

    A time that the clocks skip comes as much later; of one that comes twice the first is meant.
    """
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def to_local(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return what a wall clock of that zone shows, naive."""
    return moment.astimezone(zone).replace(tzinfo=None)
