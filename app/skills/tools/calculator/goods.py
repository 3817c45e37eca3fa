"""Things at a price each: "12 boxes at 350 each" is 12 × 350."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES, UNITS, WORDS
from app.skills.tools.calculator.spoken import (
    NUMBER,
    WORD,
    behind,
    ends_at,
    first_read,
    has_number,
    has_word,
    ways,
    word_at,
)

_MOST_WORDS_OF_A_STORY: Final = 12
_THINGS: Final = re.compile(rf" (?P<things>(?:[^\W\d_]+\.? ){{1,4}}?){PHRASES['at'].pattern} (?=[$€£]? ?\d)")
# "Llevé 3 de 1250", "bought 14 at 73".
_OF_NO_NAME: Final = re.compile(r" (?P<things>)(?:a|de|at) (?=[$€£]? ?\d)")
_PER: Final = re.compile(
    rf"(?: of)?,? ?(?:{PHRASES['per'].pattern} )?(?P<unit>each)(?!\w)"
    rf"| {PHRASES['per'].pattern} (?P<named>[^\W\d_]+)"
)


@dataclass(frozen=True, slots=True)
class Goods:
    """`product` is "12 * 350", with the numbers as they were written; `start` and `end` are where it stands."""

    product: str
    start: int
    end: int
    is_each: bool


def read_priced(text: str) -> str | None:
    """Return the calculation of a message that asks what things at a price come to; None for any other."""
    return first_read(_read, ways(text))


def find_goods(text: str, *, is_named: bool = True) -> Iterator[Goods]:
    """Yield what is counted and has a price, in a folded text; "bought 3 at 40" only where not `is_named`."""
    end = 0
    for number in NUMBER.finditer(text):
        is_next = end > 0 and text[end : number.start()].strip(" ,") in WORDS["joining"]
        is_bought = is_next or BEFORE["told.bought_many"].search(text[: number.start()]) is not None
        is_bought = is_bought and not is_named
        goods = goods_at(text, number, is_bought=is_bought) if number.start() >= end else None
        # "Entre 4 la cena de 18400": who shares it is not counted at a price.
        if goods is not None and (goods.is_each or not BEFORE["told.between"].search(text[: number.start()])):
            yield goods
            end = goods.end


def _of_no_name(text: str) -> Iterator[Goods]:
    numbers = [one for one in NUMBER.finditer(text) if not BEFORE["told.between"].search(text[: one.start()])]
    found = goods_at(text, numbers[0], is_bought=True) if len(numbers) > 1 else None
    if found is not None and not text[: found.start].endswith((" de ", " from ")):
        yield found


def goods_at(text: str, count: re.Match[str], *, is_bought: bool = False) -> Goods | None:
    """Return the goods whose count is that number; None where no price follows, or one for another measure."""
    things = _THINGS.match(text, count.end())
    if things is None and is_bought:
        things = _OF_NO_NAME.match(text, count.end())
    price = things and NUMBER.match(text, things.end())
    if things is None or price is None:
        return None
    product = f"{count['number']} * {price['number']}"
    end = behind("money", text, price.end()) or price.end()
    if (hours := word_at(text, end)) in UNITS["hour"]:
        end += len(f" {hours}")
    if (per := _PER.match(text, end)) is not None:
        fits = _fits(per["named"], WORD.findall(things["things"]))
        return Goods(product, count.start(), per.end(), is_each=True) if fits else None
    if ends_at(text, end) or behind("amount", text, end):
        return Goods(product, count.start(), end, is_each=False)
    return None


def _fits(unit: str | None, things: list[str]) -> bool:
    """Whether a price is for one of what is counted: not "2 dozen at 3 each", nor "30 eggs at 4 a dozen"."""
    if unit is None:
        return UNITS["dozen"].isdisjoint(things)
    names = next((names for names in UNITS.values() if unit in names), frozenset({unit}))
    return any(one in names or stem(one) == stem(unit) for one in things)


def _read(text: str) -> str | None:
    # "80 at 25 each, how much is it": of no name, but each has its price.
    goods = list(find_goods(text)) or [one for one in _of_no_name(text) if one.is_each]
    if not goods:
        return None
    before, after = text[: goods[0].start], text[goods[-1].end :]
    between = [text[one.end : following.start] for one, following in pairwise(goods)]
    around = " ".join((before, *between, after))
    if has_number(around) or has_word(around, "elsewhere", "periods") or any(map(_unknown, between)):
        return None
    is_asked = (
        _asks(before, after)
        if PHRASES["asks_sum"].search(around)
        else all(one.is_each for one in goods) and not (_unknown(before) or _unknown(after))
    )
    return " + ".join(one.product for one in goods) if is_asked else None


def _asks(before: str, after: str) -> bool:
    """Whether the question for the sum is all that stands behind the goods, or right before them."""
    if (asking := PHRASES["asks_sum"].search(before)) is not None:
        return not _unknown(before[asking.end() :]) and not _unknown(after)
    return len(_unknown(before)) <= _MOST_WORDS_OF_A_STORY and not _unknown(PHRASES["asks_sum"].sub(" ", after))


def _unknown(text: str) -> list[str]:
    return [word for word in WORD.findall(text) if word not in WORDS["around"] and word not in WORDS["joining"]]
