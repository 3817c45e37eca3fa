"""The atoms of one text, by what they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.when.atoms import (
    Ahead,
    AtEdge,
    Atom,
    Clock,
    DayAtom,
    During,
    Each,
    Earlier,
    Except,
    OnDate,
    OnNth,
    OnWeekday,
    PartOfDay,
    Since,
    Times,
    Until,
    Vaguely,
)

_WEEK: Final = 7


@dataclass(slots=True)
class Parts:
    """The atoms of one text by what they are."""

    days: list[DayAtom] = field(default_factory=list)
    clocks: list[Clock] = field(default_factory=list)
    parts: list[PartOfDay] = field(default_factory=list)
    aheads: list[Ahead] = field(default_factory=list)
    earlier: list[Earlier] = field(default_factory=list)
    each: list[Each] = field(default_factory=list)
    until: list[DayAtom] = field(default_factory=list)
    since: list[DayAtom] = field(default_factory=list)
    excepted: list[int] = field(default_factory=list)
    during: list[Ahead] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    vague: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, atoms: Sequence[Atom]) -> "Parts":
        parts = cls()
        for atom in atoms:
            parts._put(atom)
        if parts.excepted and not parts.each:  # "not on Monday but Tuesday"
            parts.days.extend(OnWeekday(day) for day in parts.excepted)
            parts.excepted = []
        return parts

    def _put(self, atom: Atom) -> None:
        match atom:
            case Clock():
                self.clocks.append(atom)
            case PartOfDay():
                self.parts.append(atom)
            case Ahead():
                self.aheads.append(atom)
            case Earlier():
                self.earlier.append(atom)
            case Each():
                self.each.append(atom)
            case Until() | Since() | Except() | During() | Times() | Vaguely():
                self._bind(atom)
            case _:
                self.days.append(atom)

    def _bind(self, atom: Until | Since | Except | During | Times | Vaguely) -> None:
        match atom:
            case Until(day):
                self.until.append(day)
            case Since(day):
                self.since.append(day)
            case Except(weekdays):
                self.excepted.extend(weekdays)
            case During(span):
                self.during.append(span)
            case Times(count):
                self.times.append(count)
            case Vaguely(kind):
                self.vague.append(kind)

    def without_bounds(self) -> "Parts":
        """The same without where it ends; from when on it counts is its day."""
        return Parts(days=[*self.days, *self.since], clocks=self.clocks, parts=self.parts, aheads=self.aheads)

    def without_earlier(self) -> "Parts":
        return replace(self, earlier=[])

    def is_empty(self) -> bool:
        return not (self.days or self.clocks or self.parts or self.aheads or self.each or self.vague)


def joined(said: Parts) -> Each | None:
    """One rule of what was said in pieces: "every week", "on Friday"."""
    each: Each | None = said.each[0]
    for other in said.each[1:]:
        each = None if each is None else _both(_in_weeks(each, other), _in_weeks(other, each))
    if each is None:
        return None
    for day in said.days:
        match day:
            case OnWeekday(weekday, "" | "this", 0) if each.frequency == "WEEKLY" and not each.weekdays:
                each = replace(each, weekdays=((0, weekday),))
            case OnDate(number, 0, 0, -1) if each.frequency == "MONTHLY" and not each.month_day:
                each = replace(each, month_day=number)
            case OnDate(number, month, 0) if month and each.frequency == "YEARLY" and not each.month:
                each = replace(each, month_day=number, month=month)
            case OnNth(nth, weekday, 0) if each.frequency == "MONTHLY" and not each.weekdays:
                each = replace(each, weekdays=((nth, weekday),))
            case AtEdge(edge, "month", 0) if each.frequency == "MONTHLY" and not each.month_day:
                each = replace(each, month_day=-1 if edge in {"end", "last_day"} else 1)
            case _:
                return None
    return _without(each, said.excepted) if said.excepted else each


def _without(each: Each, excepted: Sequence[int]) -> Each | None:
    """The rule without some days of the week; None where it is not one of days, or none is left."""
    all_days = tuple((0, day) for day in range(_WEEK)) if each.frequency == "DAILY" else each.weekdays
    weekdays = tuple((nth, day) for nth, day in all_days if day not in excepted)
    is_by_day = each.frequency in {"DAILY", "WEEKLY"} and each.interval == 1
    return replace(each, frequency="WEEKLY", weekdays=weekdays) if is_by_day and weekdays else None


def _both(each: Each, other: Each) -> Each | None:
    if each.frequency == other.frequency == "DAILY" or each.times_a_day or other.times_a_day:
        rule = other if each.times_a_day else each
        return replace(rule, times_a_day=each.times_a_day or other.times_a_day)
    if other.weekdays and each.frequency == "WEEKLY" and not each.weekdays and other.interval == 1:
        return replace(other, interval=each.interval)
    if each.weekdays and other.frequency == "WEEKLY" and not other.weekdays and each.interval == 1:
        return replace(each, interval=other.interval)
    return None


def _in_weeks(each: Each, other: Each) -> Each:
    """Every 14 or 15 days are two weeks, if a weekday is said beside them: "cada 15 días, los sábados"."""
    weeks = {7: 1, 8: 1, 14: 2, 15: 2}.get(each.interval, 0)
    return Each("WEEKLY", weeks) if each.frequency == "DAILY" and weeks and other.weekdays else each
