"""A price that goes up or down by a percentage: "20% off a 90 coat", "and the 45 one?"."""

import re
from dataclasses import dataclass, replace
from typing import Final

from app.skills.tools.calculator.lexicon import PHRASES, WORDS
from app.skills.tools.calculator.spoken import NUMBER, PERCENT_SIGN, WORD, first_read, has_word, size, ways

_MOST: Final = 100
# Without "%" or "el", 5 on 40 may be an amount; 15 on 900 is none.
_CLEARLY_SMALLER: Final = 20
_TOLD: Final = re.compile(r"(?P<price>\d+(?:\.\d+)?) (?P<sign>[+-]) (?P<percent>\d+(?:\.\d+)?)%")
_SIGNS: Final = (("up", "+"), ("down", "-"))


@dataclass(frozen=True, slots=True)
class Markup:
    """Numbers are as they were written; `price` is "" where a message names none.

    `is_percent`: "%" or an article says so; else only the price can tell. `is_further`: it goes on from what the
    one before made, "and another 10% off", and does not take its place.
    """

    sign: str
    percent: str
    price: str = ""
    is_percent: bool = True
    is_further: bool = False

    @property
    def sum(self) -> str:
        """The calculation; `{}` stands in it for the result that it goes on from."""
        return f"{self.price or '{}'} {self.sign} {self.percent}%"

    def after(self, told: str) -> "Markup | None":
        """Return what it makes of the calculation just told.

        Another percentage of a price takes the place of the one before. Where the price goes the other way, and
        where something else was told, it goes on from the result.
        """
        before = _read_told(told)
        if self.price:
            return before and replace(before, price=self.price)
        if before is not None and before.sign == self.sign and not self.is_further:
            return replace(self, price=before.price)
        return self if self.is_percent or before is not None else None


def read_markup(text: str) -> Markup | None:
    """Return by how much a message lets a price go up or down; None where it says anything else."""
    return first_read(_read, ways(text))


def read_marked(text: str) -> str | None:
    """Return the calculation of a message that asks what a price comes to so; None for any other."""
    found = read_markup(text)
    return found.sum if found is not None and found.price else None


def read_following(text: str) -> Markup | None:
    """Return what goes on from a price just told: another percentage, or only another price."""
    found = read_markup(text)
    if found is not None:
        return None if found.price else found
    price = first_read(_next_price, ways(text))
    return Markup("", "", price) if price else None


def _read_told(told: str) -> Markup | None:
    found = _TOLD.fullmatch(told)
    return Markup(found["sign"], found["percent"], found["price"]) if found else None


def _read(text: str) -> Markup | None:
    numbers = list(NUMBER.finditer(text))
    marks = [mark for one in numbers if (mark := _mark(text, one)) is not None]
    if len(marks) != 1 or len(numbers) > 2 or has_word(text, "elsewhere"):
        return None
    mark = marks[0]
    if float(mark.percent.replace(",", ".")) > _MOST:
        return None
    price = next((one["number"] for one in numbers if one["number"] != mark.percent), "")
    if not price:
        return replace(mark, is_further=has_word(text, "further")) if len(numbers) == 1 else None
    is_small = size(price) >= _CLEARLY_SMALLER * size(mark.percent)
    return replace(mark, price=price) if (mark.is_percent or is_small) and _is_asked(text) else None


def _mark(text: str, number: re.Match[str]) -> Markup | None:
    """Return what a number means behind a verb for raising or lowering, or before "% off"."""
    percent = PERCENT_SIGN.match(text, number.end())
    for kind, sign in _SIGNS:
        for head in PHRASES[f"marks.{kind}"].finditer(text):
            if head.end() + 1 == number.start():
                return Markup(
                    sign, number["number"], is_percent=bool(percent) or head[0].split()[-1] in WORDS["marked"]
                )
        behind = PHRASES[f"marks.{kind}_behind"].match(text, percent.end() + 1 if percent else number.end() + 1)
        if behind is not None:
            return Markup(sign, number["number"], is_percent=percent is not None)
    return None


def _next_price(text: str) -> str | None:
    """Return the price of "and the 45 one?", "y a la de 3200"."""
    numbers = list(NUMBER.finditer(text))
    if len(numbers) != 1 or PHRASES["next_price"].fullmatch(text[: numbers[0].start()].rstrip(" $€£")) is None:
        return None
    rest = WORD.findall(text[numbers[0].end() :])
    return numbers[0]["number"] if WORDS["next_price_end"].issuperset(rest) else None


def _is_asked(text: str) -> bool:
    """Whether a message asks for the result, or is nothing but the calculation: "25% off 180"."""
    words = WORD.findall(text)
    told = [one for one in words if one not in WORDS["around"] and not any(map(str.isdigit, one))]
    return "?" in text or has_word(text, "asking_how_much") or len(told) <= 1
