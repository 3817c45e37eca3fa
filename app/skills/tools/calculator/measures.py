"""Amounts with what they are measured in, as people tell them: "kilo y medio", "3/4 inch", "250g"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Protocol

from app.domain.wording import fold
from app.skills.tools.calculator.lexicon import (
    JOINED_MEASURE,
    MEASURE_WORDS,
    ONE_AND_PARTS,
    PARTS_ALONE,
    PARTS_OF_ONE,
    SQUARED,
    WRITTEN,
    with_parts,
)
from app.skills.tools.calculator.spoken import DIGITS, has_number, ways, with_dollars
from app.skills.tools.calculator.units import SIZES

PART: Final = "part"
_SQUARE: Final = "sq"
_SIGNS: Final = (
    (re.compile(r"(?<=\d)(?:\"|″|''| ?'')"), " inch "),
    (re.compile(r"(?<=\d)(?:'|′|’)(?!\w?[a-z])"), " foot "),
    (re.compile(r"(?<=\d) ?(?:[°º]|(?:grados|degrees|degs?|deg)(?!\w)) ?(?=[cf](?!\w)|centi|celsius|fahr)"), " "),
    (re.compile(r"(?<!\w)(?:grados|degrees) (?=(?:c|f|celsius|centigrados|fahrenheit)(?!\w))"), ""),
    (re.compile(r"(?<=\d) ?/ ?(?=[a-z])"), " per "),
    (re.compile(r"(?<=[€$£]) ?/ ?(?=[a-z])"), " per "),
)
# The short name of the side of a square measure, by its name.
_SIDES: Final = MappingProxyType(
    {
        "centimetre": "cm",
        "metre": "m",
        "kilometre": "km",
        "inch": "in",
        "foot": "ft",
        "yard": "yd",
        "mile": "mi",
    }
)
_GLYPHS: Final = MappingProxyType(
    str.maketrans(
        {
            "²": "2",
            "½": " 1/2",
            "¼": " 1/4",
            "¾": " 3/4",
            "⅓": " 1/3",
            "⅔": " 2/3",
            "⅛": " 1/8",
            "⅜": " 3/8",
            "⅝": " 5/8",
            "⅞": " 7/8",
        }
    )
)
AMOUNT: Final = re.compile(
    r"(?<![\w.,:/#+-])(?:[$€£] ?)?(?:(?:(?P<whole>\d{1,3})(?:[ -]| and | y ))?"
    r"(?P<top>\d{1,3})/(?P<bottom>[1-9]\d{0,2})(?![\w/])"
    rf"|(?P<number>{DIGITS})(?! ?[€£$]\w)(?![\w:/]|-\w)(?: ?[€£$])?)"
)
_WORD: Final = re.compile(r" (?:(?:de|of an?|of) )?(?P<word>[^\W\d_]\w*)")
_EACH: Final = "each"
_LIKE_GROUPED: Final = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_PER_HUNDRED: Final = "per_hundred"
_DIVISIBLE: Final = frozenset({"mass", "volume", "length", "area"})


class Place(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it was written, or a fraction of two; `unit` is the name of its measure, "" without one."""

    value: str
    unit: str
    start: int
    end: int


@lru_cache(maxsize=16)
def measured_ways(text: str) -> tuple[str, ...]:
    """Return a text in the ways it can be read, halves in digits, measures apart from numbers."""
    plain = fold(with_dollars(text).translate(_GLYPHS))
    for sign, written in _SIGNS:
        plain = sign.sub(written, plain)
    plain = SQUARED.sub(_squared, plain)
    plain = with_parts(JOINED_MEASURE.sub(r"\g<number> \g<unit>", " ".join(plain.split())))
    for table in (ONE_AND_PARTS, PARTS_OF_ONE):
        for pattern, part in table:
            plain = pattern.sub(partial(_in_digits, part), plain)
    for pattern, part in PARTS_ALONE:
        plain = pattern.sub(f"{part} {_PART_WORD}", plain)
    return ways(plain)


_PART_WORD: Final = "partedeeso"


def amounts(text: str) -> Iterator[Amount]:
    """Yield what is counted or measured in such a text."""
    for found in AMOUNT.finditer(text):
        word = _WORD.match(text, found.end())
        unit = unit_named(word["word"]) if word and word["word"] != _EACH else ""
        yield Amount(_value(found), unit, found.start(), word.end() if word and unit else found.end())


def number_end(text: str, one: Amount) -> int:
    """Return where the number of an amount ends, without its measure."""
    found = AMOUNT.match(text, one.start)
    return found.end() if found else one.end


def has_more(text: str, found: Sequence[Place]) -> bool:
    """Whether a number is left that was not read: a time, a date, a word for it."""
    return any(map(has_number, around(text, found)))


def around(text: str, found: Sequence[Place]) -> list[str]:
    """Return what stands before, between and behind such places of a text."""
    places = [0, *(place for one in found for place in (one.start, one.end)), len(text)]
    return [text[start:end] for start, end in list(pairwise(places))[::2]]


def unit_named(word: str) -> str:
    """Return the name of the measure that a word is for; "" where it is for none."""
    return PART if word == _PART_WORD else MEASURE_WORDS.get(word, "")


def dimension(unit: str) -> str:
    """Return what a measure is of; "" for none."""
    return SIZES[unit][0] if unit in SIZES else ""


def size_of(unit: str) -> Fraction:
    """Return how much one of a measure is of the smallest of its dimension."""
    return Fraction(SIZES[unit][1])


def is_divisible(unit: str) -> bool:
    """Whether people buy a half of it, and say no more than "the half"."""
    return dimension(unit) in _DIVISIBLE


def converted(value: str, unit: str, into: str) -> str:
    """Return the calculation from one measure to another of the same dimension, exact as they are defined."""
    if unit == into:
        return value
    if unit == "celsius":
        return f"{value} * 9 / 5 + 32"
    if unit == "fahrenheit":
        return f"({value} - 32) * 5 / 9"
    if dimension(unit) == "fuel":  # The more of one, the less of the other.
        return f"{SIZES[unit if into == _PER_HUNDRED else into][1]} / {value}"
    ratio = Fraction(SIZES[unit][1]) / Fraction(SIZES[into][1])
    if (shown := _decimal(ratio)) is not None:
        return f"{value} * {shown}"
    if (shown := _decimal(1 / ratio)) is not None and "/" not in shown:
        return f"{value} / {shown}"
    return f"{value} * {SIZES[unit][1]} / {SIZES[into][1]}"


def _decimal(ratio: Fraction) -> str | None:
    if ratio < 1 and ratio.numerator == 1:
        return None
    scaled = ratio * 10**12
    if scaled.denominator != 1:
        return None
    told = format((Decimal(scaled.numerator) / 10**12).normalize(), "f")
    # "1.852" may be read as a number of thousands.
    return f"{told.replace('.', '')} / 1000" if _LIKE_GROUPED.fullmatch(told) else told


def _value(found: re.Match[str]) -> str:
    if found["number"]:
        return found["number"]
    part = f"{found['top']} / {found['bottom']}"
    return f"({found['whole']} + {part})" if found["whole"] else part


def shown(unit: str) -> str:
    """Return how a measure that was read is written: "sqm" as "m²"."""
    if unit in WRITTEN:
        return WRITTEN[unit]
    return f"{unit.removeprefix(_SQUARE)}²" if unit.startswith(_SQUARE) else unit


def _squared(found: re.Match[str]) -> str:
    side = _SIDES.get(unit_named(found["unit"] or found["side"]))
    return found[0] if side is None else f"{_SQUARE}{side}"


def _in_digits(part: str, found: re.Match[str]) -> str:
    return f"{part} {found['unit']}"
