"""Distances: "two hours and a half", "media hora"."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.when.atoms import Ahead
from app.when.cursor import Cursor

_MOST_PARTS: Final = 3
_SPANS: Final[Mapping[str, Ahead]] = MappingProxyType(
    {
        "minute": Ahead(minutes=1),
        "hour": Ahead(minutes=60),
        "day": Ahead(days=1),
        "week": Ahead(days=7),
        "fortnight": Ahead(days=14),
        "month": Ahead(months=1),
        "year": Ahead(months=12),
    }
)


class SpanReader(Cursor):
    def _ahead(self) -> Ahead | None:
        return self._try(self._ahead_in, self._ahead_from_now, self._timer_span)

    def _timer_span(self) -> Ahead | None:
        """ "timer for 20 minutes": beside a timer, every distance is one from now."""
        if not self.mentions("timer"):
            return None
        self._take("during", "of", "near", "at")
        return self._span()

    def _ahead_in(self) -> Ahead | None:
        return self._span() if self._take("in") is not None else None

    def _ahead_from_now(self) -> Ahead | None:
        span = self._span()
        if span is None or (self._take("from_now") is None and self._take("from_today") is None):
            return None
        return span

    def _span(self) -> Ahead | None:
        total = self._span_part()
        for _ in range(_MOST_PARTS):
            added = None if total is None else self._try(self._more_span)
            if total is None or added is None:
                break
            total = _added(total, added)
        return total

    def _more_span(self) -> Ahead | None:
        self._take("plus")
        if self._key() == ",":
            self.place += 1
        return self._span_part()

    def _span_part(self) -> Ahead | None:
        return self._try(self._three_quarters, self._half_span, self._and_a_half_before, self._counted_span)

    def _three_quarters(self) -> Ahead | None:
        if self._take("three_quarters") is None:
            return None
        self._take("number", value="1")
        return Ahead(minutes=45) if self._take("unit", value="hour") else None

    def _half_span(self) -> Ahead | None:
        """ "media hora", "half an hour", "un cuarto de hora", "hora y media"."""
        if self._take("half", "half_of") is not None and self._take("unit", value="hour"):
            return Ahead(minutes=30)
        return self._try(self._quarter_span, self._bare_and_half)

    def _quarter_span(self) -> Ahead | None:
        if self._take("quarter") is None or self._take("of") is None:
            return None
        self._take("number", value="1")
        return Ahead(minutes=15) if self._take("unit", value="hour") else None

    def _bare_and_half(self) -> Ahead | None:
        unit = self._take("unit")
        return _halved(unit) if unit is not None and self._and_half() else None

    def _and_half(self) -> bool:
        if self._take("plus") is None:
            return False
        self._take("number", value="1")
        return self._take("half") is not None

    def _and_a_half_before(self) -> Ahead | None:
        """ "two and a half hours"."""
        number = self._small()
        if number is None or not self._and_half() or (unit := self._take("unit")) is None:
            return None
        half = _halved(unit)
        return None if half is None else _added(_times(_SPANS[unit], number - 1), half)

    def _counted_span(self) -> Ahead | None:
        number = self._small()
        unit = self._take("unit") if number is not None else None
        if number is None or unit is None:
            return None
        span = _times(_SPANS[unit], number)
        place = self.place
        if self._and_half() and (half := _halved(unit)) is not None:
            return _added(_times(_SPANS[unit], number - 1), half)
        self.place = place
        if unit == "hour" and self._take("plus") is not None and self._take("quarter") is not None:
            return _added(span, Ahead(minutes=15))
        self.place = place
        if unit == "hour" and self._joined(-1) and self._joined() and (minutes := self._digits(2)) is not None:
            span = _added(span, Ahead(minutes=minutes))
        return span


def _added(one: Ahead, other: Ahead) -> Ahead:
    return Ahead(one.minutes + other.minutes, one.days + other.days, one.months + other.months)


def _times(span: Ahead, number: int) -> Ahead:
    return Ahead(span.minutes * number, span.days * number, span.months * number)


def _halved(unit: str) -> Ahead | None:
    """One and a half of a unit that can be halved."""
    return {"hour": Ahead(minutes=90), "year": Ahead(months=18)}.get(unit)
