"""The grammar: from a text to atoms, one after the other, each as long as it can be."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.language.lexicon import COMMON_WORDS
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
    PartOfDay,
    Since,
    Times,
    Until,
    Vaguely,
)
from app.when.days import DayReader
from app.when.meanings import Frequency

_MOST_DAYS: Final = 7
_LAST_HOUR: Final = 24
_WORKDAYS: Final = tuple((0, day) for day in range(5))
_WEEKEND: Final = ((0, 5), (0, 6))
_FREQUENCIES: Final[Mapping[str, tuple[Frequency, int]]] = MappingProxyType(
    {
        "minute": ("MINUTELY", 1),
        "hour": ("HOURLY", 1),
        "day": ("DAILY", 1),
        "week": ("WEEKLY", 1),
        "fortnight": ("WEEKLY", 2),
        "month": ("MONTHLY", 1),
        "year": ("YEARLY", 1),
    }
)


@dataclass(frozen=True, slots=True)
class Found:
    """An atom, and the pieces that it was read from."""

    atom: Atom
    first: int
    last: int


class Parser(DayReader):
    """Finds what is about time in a text."""

    def atoms(self) -> Iterator[Found]:
        """Yield what is about time, in its order; everything else is passed over."""
        while self.place < len(self.pieces):
            first = self.place
            atom = self._atom() if self._may_begin() else None
            if atom is None:
                self.place = first + 1
            else:
                yield Found(atom, first, self.place)

    def spans(self) -> Iterator[Found]:
        """Yield the distances that are said, whatever they are counted from."""
        while self.place < len(self.pieces):
            first = self.place
            if (span := self._try(self._span)) is None:
                self.place = first + 1
            else:
                yield Found(span, first, self.place)

    def clock_at(self, place: int) -> Clock | None:
        """Return a number that may be an hour: "8 llevar el auto", "1530 llamar", not "12.50 pesos"."""
        self.place = place
        number = self._small() if self._key().isdecimal() else None
        if number is None or self._joined() or self._can("measure", "unit", "times"):
            return None
        return Clock(number) if 0 < number < _LAST_HOUR else self._run_of(number)

    def doubted_at(self) -> int | None:
        """Return where a number stands behind "at" and a word that is not understood: "at tan to 8"."""
        for place in range(1, len(self.pieces) - 1):
            self.place = place
            if not self._is_behind("at") or self._meanings[place] or not self.pieces[place].key.isalpha():
                continue
            self.place = place + 1
            self._take("past", "to", "minus")
            following = self.pieces[self.place + 1].key if self.place + 1 < len(self.pieces) else ""
            if self.clock_at(number := self.place) is not None and following not in {"am", "pm", ":", "."}:
                return number
        return None

    def _atom(self) -> Atom | None:
        return self._try_atoms(
            self._times_a_day,
            self._vague,
            self._times,
            self._every,
            self._bound,
            self._earlier,
            self._ahead,
            self._clock,
            self._day_or_rule,
            self._part,
            self._hour_behind_day,
        )

    def _try_atoms(self, *readers: Callable[[], Atom | None]) -> Atom | None:
        return self._try(*readers)

    def _times_a_day(self) -> Each | None:
        """ "twice a day", "3 veces por día"."""
        number = 1 if self._take("once_a_day") is not None else 2 if self._take("twice_a_day") is not None else 0
        if not number and ((said := self._small()) is None or self._take("times_a_day") is None):
            return None
        return Each("DAILY", times_a_day=number or said or 0)

    def _vague(self) -> Atom | None:
        if self._can("part", "at"):
            return None  # "después" is vague, "después del trabajo" and "después de las 5" are not
        if self._gives_reason():
            return None
        self._try(self._small)
        kind = self._take("vague")
        return None if kind is None else Vaguely(kind)

    def _gives_reason(self) -> bool:
        """Tell whether what stands here says why: "… q luego se enoja", but not "recordame que luego …"."""
        is_joined = self.place > 1 and self.pieces[self.place - 1].key in COMMON_WORDS["joining_reason"]
        return is_joined and "asks" not in self._meanings[self.place - 2]

    def _times(self) -> Atom | None:
        number = self._small()
        return Times(number) if number is not None and self._take("times") is not None else None

    def _part(self) -> PartOfDay | None:
        if (name := self._take("today_part")) is not None:
            return PartOfDay(name, is_today=True)
        name = self._take("part")
        return None if name is None else PartOfDay(name)

    def _earlier(self) -> Earlier | None:
        """ "una hora antes", "the day before at 10"; of "before Friday", which follows, the first word alone."""
        if self._can("day"):
            return None  # "the day before yesterday"
        is_asked = self._is_behind("asks")
        if (found := self._try(self._before_a_day)) is not None:
            return found
        span, part = self._try(self._span), None
        if span is None:
            is_day = self._take("on", "the", "near") is not None and self._is_behind("unit")  # "el día antes"
            if not is_day and self._take("unit", value="day") is None:
                if (name := self._take("part")) is None:
                    return None
                part = PartOfDay(name)
            span = Ahead(days=1)
        place = self.place
        if self._take("before") is None:
            return None
        # "un día antes del turno a las 15": that is the hour of what comes, not of the reminder.
        is_of = self.place > place + 1 or self._can("of")
        clock = self._try(self._clock) if not is_of and not span.minutes else None
        part = part or (self._try(self._part) if not is_of and clock is None else None)
        return Earlier(span, clock, part, is_asked)

    def _before_a_day(self) -> Earlier | None:
        if self._take("before") is None:
            return None
        place = self.place
        is_time = self._try(self._day) is not None or self._try(self._clock) is not None
        self.place = place
        return Earlier(None) if is_time else None

    # What comes again.

    def _day_or_rule(self) -> Atom | None:
        day = self._day()
        if day is None:
            return None
        return self._try(lambda: self._of_each(day)) or day

    def _of_each(self, day: DayAtom) -> Each | None:
        """ "… de cada mes": the day before it comes again each month."""
        self._take("of", "in")
        if self._take("each") is None or (unit := self._take("unit")) not in {"month", "year"}:
            return None
        match day:
            case OnNth(nth, weekday, 0, -1) if unit == "month":
                return Each("MONTHLY", weekdays=((nth, weekday),))
            case OnDate(number, 0, 0, -1) if unit == "month":
                return Each("MONTHLY", month_day=number)
            case OnDate(number, month, 0, -1) if unit == "year" and month:
                return Each("YEARLY", month_day=number, month=month)
            case AtEdge(edge, "month", 0):
                return Each("MONTHLY", month_day=_edge_day(edge))
            case AtEdge(edge, "year", 0):
                return Each("YEARLY", month_day=31, month=12) if edge in {"end", "last_day"} else None
            case _:
                return None

    def _every(self) -> Atom | None:
        return self._try(
            self._each_adverb, self._each_span, self._each_days, self._listed_days, self._day_in_between
        )

    def _each_adverb(self) -> Each | None:
        for unit, (frequency, interval) in _FREQUENCIES.items():
            if self._take(f"each_{unit}") is not None:
                return Each(frequency, interval)
        if self._take("each_morning") is not None:
            return Each("DAILY", part="morning")
        self._take("on", "the")
        if self._take("workdays") is not None:
            return Each("WEEKLY", weekdays=_WORKDAYS)
        if self._take("weekends") is not None:
            return Each("WEEKLY", weekdays=_WEEKEND)
        return None

    def _each_span(self) -> Each | None:
        """ "cada día", "every two weeks", "every half hour"."""
        is_other = self._take("every_other") is not None
        if (not is_other and self._take("each") is None) or self._can("workdays"):
            return None
        if self._take("half_of", "half") is not None:
            return Each("MINUTELY", 30) if self._take("unit", value="hour") else None
        said = self._try(self._small)
        number = 2 if is_other else said or 1
        unit = self._take("unit")
        if unit is None:
            return None
        if unit == "day" and said is None and (day := self._try(self._bare_day)) is not None:
            return Each("MONTHLY", month_day=day.day)  # "cada día 5"
        frequency, interval = _FREQUENCIES[unit]
        return Each(frequency, interval * (2 if self._take("every_other") is not None else number))

    def _bare_day(self) -> OnDate | None:
        day = self._day_number(is_marked=True) if self._key().isdecimal() else None
        return None if self._can("times", "times_a_day") else day

    def _each_days(self) -> Each | None:
        """ "cada lunes", "every Monday and Friday", "todas las noches", "every May 3rd"."""
        is_other = self._take("every_other") is not None
        if not is_other and self._take("each") is None:
            return None
        if self._take("workdays") is not None:
            return Each("WEEKLY", weekdays=_WORKDAYS)
        if self._take("weekends") is not None or self._take("weekend") is not None:
            return Each("WEEKLY", weekdays=_WEEKEND)
        if (part := self._take("plural_part") or self._take("part")) is not None:
            return Each("DAILY", part=part)
        if (days := self._weekday_list()) is not None:
            interval = 2 if is_other or self._take("every_other") is not None else 1
            part = self._take("part") or ""
            return Each("WEEKLY", interval, weekdays=days, part=part)
        return self._each_date()

    def _each_date(self) -> Each | None:
        day = self._try(
            self._edge,
            lambda: self._nth(is_each=True),
            self._written_date,
            lambda: self._day_number(is_marked=True),
        )
        match day:
            case OnDate(number, 0, 0, -1 | 0):
                return Each("MONTHLY", month_day=number)
            case OnDate(number, month, 0):
                return Each("YEARLY", month_day=number, month=month)
            case OnNth(nth, weekday, 0):
                return Each("MONTHLY", weekdays=((nth, weekday),))
            case AtEdge(edge, "month", 0):
                return Each("MONTHLY", month_day=_edge_day(edge))
            case _:
                return None

    def _listed_days(self) -> Each | None:
        """ "los martes y jueves", "Mondays and Fridays", "de lunes a viernes"."""
        is_plural = self._take("the") is not None
        self._take("on", "of", "since")
        place = self.place
        is_plural = is_plural or self._can("weekdays")
        first = self._take("weekday")
        if first is not None and self._take("through") is not None and (last := self._take("weekday")) is not None:
            return Each("WEEKLY", weekdays=tuple((0, day) for day in _range(int(first), int(last))))
        self.place = place
        days = self._weekday_list() if is_plural else None
        if days is None:
            return None
        interval = 2 if self._take("every_other") is not None else 1
        return Each("WEEKLY", interval, weekdays=days, part=self._take("part") or "")

    def _weekday_list(self) -> tuple[tuple[int, int], ...] | None:
        days: list[int] = []
        while len(days) < _MOST_DAYS and (name := self._take("weekday", "weekdays")) is not None:
            days.append(int(name))
            place = self.place
            self._take("filler")
            self._take("plus")
            self._take("on", "the", "each")
            if not self._can("weekday", "weekdays"):
                self.place = place
                break
        return tuple((0, day) for day in sorted(set(days))) or None

    def _day_in_between(self) -> Each | None:
        """ "día por medio", "un lunes sí y otro no"."""
        self._take("number", value="1")
        place = self.place
        if self._take("unit", value="day") is not None and self._take("every_other") is not None:
            return Each("DAILY", 2)
        self.place = place
        self._take("on")
        days = self._weekday_list()
        if days is None or self._take("every_other") is None:
            return None
        return Each("WEEKLY", 2, weekdays=days)

    # Where it ends, and from when on.

    def _bound(self) -> Atom | None:
        return self._try_atoms(self._until, self._since, self._except, self._during)

    def _until(self) -> Atom | None:
        if self._take("until") is None:
            return None
        if self._try(self._clock) is not None:
            return Vaguely("often")  # "hasta las 21": until an hour is no rule of ours
        day, is_hour = self._day(), self._is_behind("near")
        if day is None and is_hour and self._small() is not None:
            return Vaguely("often")
        return None if day is None else Until(day)

    def _since(self) -> Atom | None:
        if self._take("since") is None or self._try(self._clock) is not None:
            return None  # "starting at 8" is no day
        day = self._day()
        return None if day is None else Since(day)

    def _except(self) -> Except | Vaguely | None:
        """ "menos los domingos", "but Friday"; of holidays nothing is known here."""
        if self._take("except") is None:
            return None
        self._take("the", "on", "each")
        if self._take("holidays") is not None:
            return Vaguely("often")
        if self._take("weekends", "weekend") is not None:
            return Except(tuple(day for _, day in _WEEKEND))
        days = self._weekday_list()
        return None if days is None else Except(tuple(day for _, day in days))

    def _during(self) -> Atom | None:
        span = self._span() if self._take("during") is not None else None
        return None if span is None or span.minutes else During(span)


def _edge_day(edge: str) -> int:
    return {"start": 1, "first_day": 1, "middle": 15}.get(edge, -1)


def _range(first: int, last: int) -> list[int]:
    return [(first + step) % 7 for step in range((last - first) % 7 + 1)]
