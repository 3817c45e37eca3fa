"""Figures to a picture, by matplotlib's objects. Child process only."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_INK: Final = "#1f2933"
_PAPER: Final = "#ffffff"
_GRID: Final = "#d5dbe1"
_COLOURS: Final = ("#0b6bcb", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#be185d")
_MAX_LABELS: Final = 12


def run(
    *, title: str, labels: Sequence[str], series: Sequence[Mapping[str, Any]], kind: str, unit: str, target: str
) -> Mapping[str, object]:
    """Draw a chart into a PNG file at `target`; returns its `width` and `height`.

    It has a paper of its own, so that it is legible on the light and the dark page alike.
    """
    figure = Figure(figsize=(7.2, 4.4), dpi=150, facecolor=_PAPER, layout="constrained")
    canvas: Any = FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot(facecolor=_PAPER)
    places = list(range(len(labels)))
    for number, one in enumerate(series):
        values = [float("nan") if value is None else float(value) for value in one["values"]]
        colour = _COLOURS[number % len(_COLOURS)]
        name = _plain(one["name"])
        if kind == "line":
            axes.plot(places, values, color=colour, linewidth=2.5, marker="o", markersize=5, label=name)
        else:
            width = 0.8 / len(series)
            shifted = [place + (number - (len(series) - 1) / 2) * width for place in places]
            bars = axes.bar(shifted, values, width * 0.92, color=colour, label=name)
            axes.bar_label(bars, fmt="{:g}", fontsize=9, color=_INK, padding=2)
    axes.set_title(_plain(title), color=_INK, fontsize=14, loc="left", pad=12)
    axes.set_ylabel(_plain(unit), color=_INK, fontsize=11)
    step = max(1, -(-len(labels) // _MAX_LABELS))
    axes.set_xticks(places[::step], [_plain(label) for label in labels[::step]], fontsize=10)
    axes.tick_params(colors=_INK, length=0)
    axes.grid(axis="y", color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_GRID)
    if len(series) > 1:
        axes.legend(frameon=False, fontsize=10, labelcolor=_INK, ncols=len(series), loc="upper right")
    canvas.print_png(target)
    width_px, height_px = canvas.get_width_height()
    return {"width": width_px, "height": height_px}


def _plain(text: object) -> str:
    """Return a text as it is: a dollar would begin a formula."""
    return str(text).replace("$", r"\$")
