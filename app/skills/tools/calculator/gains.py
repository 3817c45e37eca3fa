"""What somebody gains who buys and sells so many, and so much for each of so many people a day."""

import re
from typing import Final

from app.skills.tools.calculator.lexicon import BEFORE, MEASURE_WORDS, PHRASES, TOLD_WISHES
from app.skills.tools.calculator.measures import Amount, amounts, dimension, has_more
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, behind, has_word, says

_PAIR: Final = 2
_TRIPLE: Final = 3
_MOST: Final = 4
_PRICES: Final = ("cost", "price")
_SOLD_BY: Final = frozenset({"mass", "volume", "count"})
_WHOLE: Final = re.compile(r"[1-9]\d{0,5}")


def read_gain(text: str) -> str | None:
    """Return the calculation of what is gained on all that was sold; None for any other message."""
    if not says(text, "gain.asks") or has_word(text, *TOLD_WISHES):
        return None
    found = list(amounts(text))
    if not _PAIR <= len(found) <= _MOST or has_more(text, found) or not all(_is_plain(text, one) for one in found):
        return None
    roles = {topic: [one for one in found if _role(text, one) == topic] for topic in _PRICES}
    if len(roles["cost"]) != 1 or len(roles["price"]) != 1:
        return None
    cost, price = roles["cost"][0], roles["price"][0]
    left = [one for one in found if one not in (cost, price)]
    if len({one.value for one in left}) != 1 or not all(is_sold(text, one) for one in left):
        return None
    return f"({price.value} - {cost.value}) * {left[0].value}"


def _is_plain(text: str, one: Amount) -> bool:
    return "/" not in one.value and not PERCENT_SIGN.match(text, one.end)


def _role(text: str, one: Amount) -> str:
    """Return of which price the verb nearest before a number tells; "" where of none."""
    before = text[: one.start] if one.unit in ("", "pound") else ""
    said = [(head.start(), topic) for topic in _PRICES if (head := BEFORE[f"gain.{topic}"].search(before))]
    return max(said, default=(0, ""))[1]


def is_sold(text: str, one: Amount) -> bool:
    """Whether so many were sold: pieces, or as much of a measure as the prices are for."""
    units = {name for word in WORD.findall(text) if dimension(name := MEASURE_WORDS.get(word, "")) in _SOLD_BY}
    is_same = units <= {one.unit or "piece"} and (one.unit in ("", "piece") or dimension(one.unit) in _SOLD_BY)
    is_said = BEFORE["gain.sold"].search(text[: one.start]) or PHRASES["gain.pieces"].match(text, one.end + 1)
    is_count = _WHOLE.fullmatch(one.value) is not None and not behind("money", text, one.end)
    return is_same and is_count and (bool(is_said) or not text[: one.start].strip() or bool(one.unit))


def read_daily(text: str) -> str | None:
    """Return what so many people, or beasts, come to in so many days at so much for each and day."""
    found = list(amounts(text))
    if has_more(text, found) or has_word(text, *TOLD_WISHES) or not says(text, "told.asks"):
        return None
    days = [one for one in found if one.unit in ("day", "night")]
    rest = [one for one in found if one not in days and not one.unit and _is_plain(text, one)]
    each = [one for one in rest if PHRASES["gain.for_each"].match(text, one.end + 1)]
    if not len(days) == len(each) == 1 or len(rest) != _PAIR or len(found) != _TRIPLE:
        return None
    people = next(one for one in rest if one not in each)
    is_many = BEFORE["told.between"].search(text[: people.start]) or not behind("amount", text, people.end)
    product = f"{each[0].value} * {people.value} * {days[0].value}"
    return product if is_many and _WHOLE.fullmatch(people.value) else None
