"""Days: "el lunes que viene", "May 3rd", "fin de mes", "the last Friday of March"."""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from app.language.lexicon import STOP_WORDS
from app.when.atoms import AtEdge, DayAtom, Edge, InDays, Loosely, OnDate, OnNth, OnWeekday
from app.when.clocks import ClockReader

_MOST_LEADS: Final = 4
"""Words: "for this on the" is more than anybody says; a text full of them would be read again from each."""
_MONTHS: Final = 12
_WEEK: Final = 7
_WEEKS: Final = MappingProxyType({"week": 1, "fortnight": 2})
_AFTER_TOMORROW: Final = "2"
_LAST_DAY: Final = 31
_FIRST_YEAR: Final = 1900
_CENTURY: Final = 2000
_EDGES: Final[tuple[Edge, ...]] = ("start", "middle", "end", "last_day", "first_day")


class DayReader(ClockReader):
    def _day(self) -> DayAtom | None:
        return self._try_days(
            self._in_days,
            self._edge,
            self._nth,
            self._weekday,
            self._date,
            self._feast,
            self._loosely,
        )

    def _try_days(self, *readers: Callable[[], DayAtom | None]) -> DayAtom | None:
        return self._try(*readers)

    def _lead(self) -> bool:
        """Take what may stand before a day; tells whether something did."""
        place = self.place
        for _ in range(_MOST_LEADS):
            if self._take("on", "this", "the", "at") is None:
                break
        return self.place > place

    def _in_days(self) -> DayAtom | None:
        before = self._try(self._weeks_before)
        if self._take("on", "for", "since") is None and not self._can("day", "after_tomorrow"):
            return None
        days = self._take("day") or self._try(self._day_after_tomorrow)
        if days is None:
            return None
        behind = None if before else self._try(lambda: self._weeks_on(is_end=True))
        return InDays(int(days) + (before or behind or 0) * _WEEK)

    def _day_after_tomorrow(self) -> str | None:
        """ "recordame pasado llevar …", "pasado a las 9"; not "el lunes pasado", "ha pasado por la mañana"."""
        is_asked = self._is_behind("asks")
        if self._is_behind("unit", "weekday", "month", "has") or self._take("after_tomorrow") is None:
            return None
        is_day = not self._can("on", "the", "near") if is_asked else self._can("at", "part")
        return _AFTER_TOMORROW if is_day else None

    def _weeks_before(self) -> int | None:
        """ "a week tomorrow", "a fortnight on Monday"."""
        self._take("number", value="1")
        return _WEEKS.get(self._take("unit") or "")

    def _weeks_on(self, *, is_end: bool = False) -> int | None:
        """ "Thursday week", "tomorrow fortnight", "de hoy en ocho"."""
        said = self._take("weeks_on")
        weeks = int(said) if said is not None else _WEEKS.get(self._take("unit") or "")
        if self._can("unit") if said is not None else (self._can("on") or (is_end and not self._ends_here())):
            return None  # "lunes en 8 minutos", "tomorrow week planning"
        return weeks

    def _edge(self) -> DayAtom | None:
        self._lead()
        edge = next((one for one in _EDGES if self._take("edge", value=one) is not None), None)
        if edge is None:
            return None
        # "fin de cada mes" is left to `_of_each`, which sees "cada" next.
        place = self.place
        self._take("of", "in")
        if self._can("each"):
            self.place = place
            return AtEdge(edge, "month")
        self._take("the", "on", "this")
        ahead = 1 if self._take("next") is not None else 0
        if (month := self._take("month")) is not None:
            return AtEdge(edge, "month", int(month))
        unit = self._take("unit")
        if unit not in {"week", "month", "year"}:
            return None
        ahead += self._take("next") is not None
        return AtEdge(edge, unit, ahead=ahead)

    def _nth(self, *, is_each: bool = False) -> DayAtom | None:
        self._lead()
        nth = self._take("ordinal")
        weekday = self._take("weekday") if nth is not None else None
        if nth is None or weekday is None:
            return None
        place = self.place
        if self._take("of", "in") is None:
            return OnNth(int(nth), int(weekday), months_ahead=0) if nth != "1" or is_each else None
        if self._can("each"):
            self.place = place
            return OnNth(int(nth), int(weekday))
        self._take("the", "on", "this")
        ahead = 1 if self._take("next") is not None else 0
        if (month := self._take("month")) is not None:
            return OnNth(int(nth), int(weekday), int(month))
        if self._take("unit", value="month") is None:
            return None
        return OnNth(int(nth), int(weekday), months_ahead=ahead + (self._take("next") is not None))

    def _weekday(self) -> DayAtom | None:
        before = self._try(self._weeks_before)
        self._lead()
        is_this = self._is_behind("this_one")
        is_other = self._take("one_after") is not None
        is_next = self._take("next") is not None
        name = self._take("weekday")
        if name is None:
            return None
        weekday = int(name)
        if (dated := self._try(lambda: self._date_behind(weekday))) is not None:
            return dated
        if self._try(self._of_next_week):
            return OnWeekday(weekday, "next_week")
        if self._take("next") is not None or is_next:
            return OnWeekday(weekday, "next")
        behind = None if before else self._try(self._weeks_on)
        if weeks := before or behind:
            return OnWeekday(weekday, weeks=weeks)
        return OnWeekday(weekday, "other" if is_other else "this" if is_this else "")

    def _date_behind(self, weekday: int) -> DayAtom | None:
        self._take("filler")
        self._take("on")
        found = self._try(self._numeric_date, self._written_date, lambda: self._day_number(is_marked=True))
        return replace(found, weekday=weekday) if isinstance(found, OnDate) else None

    def _of_next_week(self) -> bool | None:
        self._take("of", "in")
        self._take("the", "on")
        is_next = self._take("next") is not None
        self._take("near")  # "la" of "la semana"
        is_next = self._take("next") is not None or is_next
        if self._take("unit", value="week") is None:
            return None
        return True if is_next or self._take("next") is not None else None

    def _date(self) -> DayAtom | None:
        is_marked = self._lead()
        return self._try_days(
            self._numeric_date, self._written_date, lambda: self._day_number(is_marked=is_marked)
        )

    def _numeric_date(self) -> OnDate | None:
        return self._try(self._iso_date, self._slashed_date)

    def _iso_date(self) -> OnDate | None:
        year = self._digits()
        month = self._sign_and_digits("-") if year is not None and year > _FIRST_YEAR else None
        day = self._sign_and_digits("-") if month is not None else None
        if year is None or month is None or day is None:
            return None
        if self._key() == "t" and self._joined():
            self.place += 1
        return OnDate(day, month, year)

    def _slashed_date(self) -> OnDate | None:
        first = self._digits(2)
        sign = self._key()
        second = self._sign_and_digits("/-.") if first is not None else None
        if first is None or second is None or (sign == "." and self._key() != "."):
            return None
        year = self._try(lambda: self._sign_and_digits(sign)) or 0
        if sign == "-" and not year:
            return None
        year += _CENTURY if 0 < year < 100 else 0
        if self._reads_month_first and first <= _MONTHS:
            return OnDate(second, first, year, is_doubtful=second <= _MONTHS and first != second)
        return OnDate(first, second, year)

    def _sign_and_digits(self, signs: str) -> int | None:
        if not self._key() or self._key() not in signs or not self._joined() or not self._joined(1):
            return None
        self.place += 1
        return self._digits()

    def _written_date(self) -> OnDate | None:
        return self._try(self._day_of_month, self._month_and_day)

    def _ordinal_day(self) -> int | None:
        if (ordinal := self._take("ordinal")) is not None:
            return int(ordinal) if int(ordinal) > 0 else None
        number = self._small()
        if number is not None and self._joined() and self._can("ordinal_mark"):
            self._take("ordinal_mark")
        return number

    def _day_of_month(self) -> OnDate | None:
        """ "3 de mayo de 2027", "the 3rd of May"; "el 3 del mes que viene"."""
        day = self._ordinal_day()
        if day is None or not 1 <= day <= _LAST_DAY:
            return None
        self._take("of")
        if (month := self._take("month")) is not None:
            year = self._try(self._year)
            return OnDate(day, int(month), year or 0)
        self._take("the", "on", "this")
        is_next = self._take("next") is not None
        if self._take("unit", value="month") is None:
            return None
        is_next = self._take("next") is not None or is_next
        return OnDate(day, months_ahead=1 if is_next else 0)

    def _year(self) -> int | None:
        self._take("of", "filler")
        year = self._digits()
        return year if year is not None and year > _FIRST_YEAR else None

    def _month_and_day(self) -> OnDate | None:
        """ "May 3rd", "May the 3rd, 2027"."""
        month = self._take("month")
        if month is None:
            return None
        self._take("of", "on")
        place = self.place
        day = self._ordinal_day()
        if day is None or not 1 <= day <= _LAST_DAY or self._key() == ":":
            self.place = place
            return None
        year = self._try(self._year)
        return OnDate(day, int(month), year or 0)

    def _day_number(self, *, is_marked: bool) -> OnDate | None:
        """ "el 5", "the 5th": a number alone is none."""
        place = self.place
        if self._is_behind("at") and not self._is_behind("on"):
            return None  # "ese día a las 9"
        day = self._ordinal_day()
        has_mark = place < self.place - 1 or (day is not None and not self.pieces[place].key.isdecimal())
        if day is None or not 1 <= day <= _LAST_DAY or not is_marked:
            return None
        if self._can("oclock"):
            return None  # "the 6 o'clock news"
        if not has_mark and (self._can("unit", "weekday", "half") or (self._can("of") and self._can("part"))):
            return None  # "Friday 3pm", "el viernes 11 de la mañana"
        if self.pieces[place].key in STOP_WORDS:
            return None  # "on an early shift"
        if not self.pieces[place].key.isdecimal() and not self._ends_here():
            return None
        return OnDate(day)

    def _feast(self) -> DayAtom | None:
        self._lead()
        self._take("in")
        feast = self._take("feast")
        if feast is None:
            return None
        month, day = map(int, feast.split("-"))
        return OnDate(day, month)

    def _loosely(self) -> DayAtom | None:
        self._lead()
        self._take("near")
        if self._take("weekend") is not None:
            is_next = self._take("next") is not None
            return Loosely("next_weekend" if is_next else "weekend")
        is_next = self._take("next") is not None
        if self._take("weekend") is not None:
            return Loosely("next_weekend")
        unit = self._take("unit")
        is_next = self._take("next") is not None or is_next
        return Loosely(f"next_{unit}") if unit in {"week", "month", "year"} and is_next else None
