"""Curves over one axis as a picture of our own: a few lines of SVG need no library."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

WIDTH: Final = 640
HEIGHT: Final = 220
MARGIN: Final = 70
COLOURS: Final = ("#0b7285", "#c92a2a", "#5f3dc4", "#2b8a3e")

Points = Sequence[tuple[float, float]]


def draw(path: Path, title: str, panels: Sequence[tuple[str, Mapping[str, Points]]], *, x_label: str) -> None:
    """Write one picture with a panel for each quantity; x is drawn as given, y begins at 0."""
    drawn = [_panel(number, name, curves) for number, (name, curves) in enumerate(panels)]
    height = 60 + len(panels) * HEIGHT
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif"'
        f' font-size="12"><rect width="100%" height="100%" fill="white"/><text x="{MARGIN}" y="24" font-size="15">'
        f"{escape(title)}</text>"
    )
    foot = f'<text x="{WIDTH / 2}" y="{height - 10}" text-anchor="middle">{escape(x_label)}</text></svg>'
    path.write_text("\n".join([head, *drawn, foot]) + "\n", "utf-8")


def _panel(number: int, name: str, curves: Mapping[str, Points]) -> str:
    top, bottom = 55 + number * HEIGHT, 55 + number * HEIGHT + HEIGHT - 60
    xs = [x for points in curves.values() for x, _ in points]
    highest = max((y for points in curves.values() for _, y in points), default=1.0) * 1.15 or 1.0
    left, right = min(xs), max(*xs, min(xs) + 1e-9)

    def place(x: float, y: float) -> str:
        across = MARGIN + (x - left) / (right - left) * (WIDTH - 2 * MARGIN)
        return f"{across:.1f},{bottom - y / highest * (bottom - top):.1f}"

    parts = [
        f'<text x="{MARGIN}" y="{top - 6}">{escape(name)}</text>',
        f'<path d="M{MARGIN},{top} V{bottom} H{WIDTH - MARGIN}" fill="none" stroke="#888"/>',
        f'<text x="{MARGIN - 6}" y="{top + 10}" text-anchor="end">{highest:,.4g}</text>',
        f'<text x="{MARGIN - 6}" y="{bottom}" text-anchor="end">0</text>',
        f'<text x="{MARGIN}" y="{bottom + 16}">{left:,.4g}</text>',
        f'<text x="{WIDTH - MARGIN}" y="{bottom + 16}" text-anchor="end">{right:,.4g}</text>',
    ]
    for index, (label, points) in enumerate(curves.items()):
        colour = COLOURS[index % len(COLOURS)]
        line = " ".join(place(x, y) for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += (
            [
                f'<circle cx="{at.split(",")[0]}" cy="{at.split(",")[1]}" r="3" fill="{colour}"/>'
                for at in line.split()
            ]
            if len(points) < 20
            else []
        )
        parts.append(
            f'<text x="{WIDTH - MARGIN + 6}" y="{top + 14 * (index + 1)}" fill="{colour}">{escape(label)}</text>'
        )
    return "".join(parts)
