"""Text and QR codes in pictures: turned upright, read, and put in rows. Child process only."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import zxingcpp
from PIL import Image, ImageOps, UnidentifiedImageError
from rapidocr import RapidOCR

from app.media.heavy.faults import Fault

MAX_PIXELS: Final = 50_000_000
_LONGEST_SIDE: Final = 2600
_SHORTEST_SIDE: Final = 700
_MIN_SCORE: Final = 0.5
_MAX_CODES: Final = 10
_CODE_CHARS: Final = 500
_ASKED_LINES: Final = 5
_SMALLEST_SIDE: Final = 8


def run(*, path: str) -> Mapping[str, object]:
    """Read a picture; returns its `text` in rows, its QR `codes`, `width` and `height`."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    try:
        with Image.open(path) as opened:
            width, height = opened.size
            if width * height > MAX_PIXELS:
                raise Fault("too_many_pixels", str(MAX_PIXELS // 1_000_000))
            picture = ImageOps.exif_transpose(opened).convert("RGB")
    except Fault:
        raise
    except Image.DecompressionBombError as exc:
        raise Fault("too_many_pixels", str(MAX_PIXELS // 1_000_000)) from exc
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, TypeError) as exc:
        raise Fault("damaged", type(exc).__name__) from exc
    codes = [one.text[:_CODE_CHARS] for one in zxingcpp.read_barcodes(np.asarray(picture)) if one.text][
        :_MAX_CODES
    ]
    return {"text": Reader().read(picture), "codes": codes, "width": width, "height": height}


@dataclass(frozen=True, slots=True)
class _Line:
    """A box of text, in pixels. `span` is left, top, right, bottom; `height` that of its letters."""

    text: str
    span: tuple[int, int, int, int]
    height: float

    @property
    def left(self) -> int:
        return self.span[0]

    @property
    def middle(self) -> float:
        return (self.span[1] + self.span[3]) / 2

    @property
    def is_tall(self) -> bool:
        return len(self.text) > 2 and self.span[3] - self.span[1] > 1.5 * (self.span[2] - self.span[0])


class Reader:
    """One engine for all pages of a document."""

    def __init__(self) -> None:
        logging.disable(logging.CRITICAL)
        self._engine: Any = RapidOCR()

    def read(self, picture: Image.Image) -> str:
        """Return the text of a picture, also of one that lies on its side or its head."""
        picture = _sized(picture)
        if min(picture.size) < _SMALLEST_SIDE:
            return ""
        found = self._lines(picture)
        if sum(line.is_tall for line in found) > len(found) / 2:
            picture = picture.rotate(90, expand=True)
            found = self._lines(picture)
        # The engine reads lines that stand on their heads as well, but from the last to the first.
        if self._is_on_its_head(picture, found):
            found = self._lines(picture.rotate(180))
        return _rows(found)

    def _is_on_its_head(self, picture: Image.Image, found: Sequence[_Line]) -> bool:
        longest = sorted(found, key=lambda line: -len(line.text))[:_ASKED_LINES]
        strips = [np.asarray(picture.crop(line.span)) for line in longest]
        if not strips:
            return False
        labels = [str(label) for label, _ in self._engine.text_cls(strips).cls_res]
        return labels.count("180") > len(labels) / 2

    def _lines(self, picture: Image.Image) -> list[_Line]:
        answer: Any = self._engine(np.asarray(picture))
        if answer is None or answer.boxes is None or answer.txts is None:
            return []
        return [
            _line(np.asarray(box, float), str(text))
            for box, text, score in zip(answer.boxes, answer.txts, answer.scores, strict=True)
            if float(score) >= _MIN_SCORE and str(text).strip()
        ]


def _sized(picture: Image.Image) -> Image.Image:
    """Make small pictures larger and large ones smaller: letters are read best at about 30 pixels."""
    long = max(picture.size)
    factor = _LONGEST_SIDE / long if long > _LONGEST_SIDE else max(1.0, _SHORTEST_SIDE / long)
    if factor == 1.0:
        return picture
    size = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
    return picture.resize(size, Image.Resampling.LANCZOS)


def _line(box: Any, text: str) -> _Line:
    (left, top), (right, bottom) = box.min(axis=0), box.max(axis=0)
    sides = np.hypot(*(box[1] - box[0])), np.hypot(*(box[3] - box[0]))
    return _Line(text.strip(), (max(0, int(left)), max(0, int(top)), int(right) + 1, int(bottom) + 1), min(sides))


def _rows(lines: Sequence[_Line]) -> str:
    """Put boxes that stand beside each other in one row, left to right, rows from top to bottom."""
    rows: list[list[_Line]] = []
    for line in sorted(lines, key=lambda one: one.middle):
        if rows and abs(_middle(rows[-1]) - line.middle) < 0.5 * min(line.height, rows[-1][-1].height):
            rows[-1].append(line)
        else:
            rows.append([line])
    return "\n".join("  ".join(one.text for one in sorted(row, key=lambda one: one.left)) for row in rows)


def _middle(row: Sequence[_Line]) -> float:
    return sum(one.middle for one in row) / len(row)
