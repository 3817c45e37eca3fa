"""Charts of the home, as bars that the page colours itself: by day and by night, and without JavaScript."""

from dataclasses import dataclass
from typing import Final

from app.charts.charts import Chart

_HEIGHT: Final = 100.0
_GAP: Final = 0.2
"""How much of the width of a place stays free."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle: `x` and `width` in places, `y` and `height` in hundredths of the drawing, from the top."""

    x: float
    y: float
    width: float
    height: float
    series: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """`most` is what the top of the drawing stands for."""

    chart: Chart
    bars: tuple[Bar, ...]
    most: float

    @property
    def places(self) -> int:
        return max(1, len(self.chart.labels))

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """Return the same as a table: each label with the value of each series."""
        return [
            (label, [_told(one.values[place]) for one in self.chart.series])
            for place, label in enumerate(self.chart.labels)
        ]

    @property
    def top(self) -> str:
        return _told(self.most)


def draw(chart: Chart) -> Drawn:
    """Put the series of a chart on top of each other, one bar for each label."""
    sums = [sum(one.values[place] or 0 for one in chart.series) for place in range(len(chart.labels))]
    most = max([*sums, 1])
    bars = []
    for place in range(len(chart.labels)):
        top = _HEIGHT
        for number, one in enumerate(chart.series):
            if not (value := one.values[place] or 0):
                continue
            height = value / most * _HEIGHT
            top -= height
            bars.append(Bar(round(place + _GAP / 2, 3), round(top, 3), 1 - _GAP, round(height, 3), number))
    return Drawn(chart, tuple(bars), most)


def _told(value: float | None) -> str:
    return f"{value or 0:g}"
