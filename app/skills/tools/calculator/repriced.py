"""What so much brings at a price: "40 kilos, and they pay me 3 a kilo", then "and if I let it go at 2?"."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from app.skills.tools.calculator.apiece import price_of_one
from app.skills.tools.calculator.goods import find_goods
from app.skills.tools.calculator.lexicon import BEFORE, NO_SUM, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, dimension, has_more, measured_ways, number_end
from app.skills.tools.calculator.spoken import WORD, has_word, says
from app.skills.tools.calculator.told import unit_priced
from app.skills.tools.calculator.yields import with_yield

_PAIR: Final = 2
_MAX_CHARS: Final = 100
_MOST_TOLD: Final = 300
_EDGES: Final = " .,;:!?¡¿"
_MOST_BEHIND: Final = 3


def read_paid_for(text: str) -> str | None:
    """Return what one gets for so much of a measure that others pay at a price; None for any other message."""
    found = list(amounts(text))
    if len(found) != _PAIR or has_more(text, found) or has_word(text, *NO_SUM, "periods"):
        return None
    priced = [(one, per[0]) for one in found if (per := unit_priced(text, one)) is not None]
    if len(priced) != 1 or not says(text, "brings.asks"):
        return None
    price, unit = priced[0]
    much = next(one for one in found if one != price)
    is_paid = BEFORE["brings.paid"].search(text[: price.start]) is not None
    return f"{price.value} * {much.value}" if is_paid and much.unit == unit else None


def with_told_price(text: str, before: str) -> str | None:
    """Return a question for so much behind the price of one that the message `before` only tells: "honey is 9 a
    kilo", "how much are 4 kilos?"; None for any other."""
    if len(text) > _MAX_CHARS or len(before) > _MOST_TOLD or "?" in before.rstrip(_EDGES):
        return None
    if (of_many := with_yield(text, before)) is not None:
        return of_many
    if "?" in before:
        return None
    for way in measured_ways(text):
        found = list(amounts(way))
        if len(found) != 1 or has_more(way, found) or not ("?" in way or says(way, "told.asks")):
            continue
        if any(_tells_price_of(earlier, found[0]) for earlier in measured_ways(before)):
            return f"{before.rstrip(_EDGES)}, {text}"
    return None


def each_with_price(said: Sequence[str]) -> list[str]:
    """Return what was said, oldest first, each question for so much behind the price that was told before it."""
    return [with_told_price(one, before) or one for before, one in pairwise(("", *said))]


def _tells_price_of(text: str, much: Amount) -> bool:
    """Whether a text has no number but what one of such a measure, or one thing, costs."""
    told = list(amounts(text))
    if len(told) != 1 or has_more(text, told) or has_word(text, *NO_SUM) or says(text, "told.asks"):
        return False
    if (per := unit_priced(text, told[0])) is not None:
        return dimension(per[0]) == dimension(much.unit) or per[0] == much.unit
    return not much.unit and price_of_one(text, told[0]) is not None


def with_price(text: str, before: str) -> str | None:
    """Return the message `before` with the price that `text` says instead; None where it says no other price."""
    if len(text) > _MAX_CHARS:
        return None
    for way in measured_ways(text):
        new = _alone(way)
        if new is None or BEFORE["brings.let_go"].fullmatch(way[: new.start].lstrip("¿¡ ")) is None:
            continue
        for earlier in measured_ways(before):
            if (old := _price(earlier)) is not None:
                return _put(new.value, old, earlier)
    return None


def with_count(text: str, before: str) -> str | None:
    """Return the message `before` with another count of what has a price: "and if it were 20?"."""
    for way in measured_ways(text) if len(text) <= _MAX_CHARS else ():
        new = _alone(way)
        if new is None or BEFORE["brings.it_were"].fullmatch(way[: new.start].lstrip("¿¡ ")) is None:
            continue
        for earlier in measured_ways(before):
            price, found = _price(earlier), list(amounts(earlier))
            if price is not None and len(found) == _PAIR and not has_more(earlier, found):
                return _put(new.value, next(one for one in found if one.start != price.start), earlier)
    return None


def _alone(text: str) -> Amount | None:
    """Return the only number of a message that says no more behind it than of what one it is the price."""
    found = list(amounts(text))
    if len(found) != 1 or has_more(text, found) or "%" in text or "/" in found[0].value:
        return None
    known = WORDS["around"] | WORDS["brings.beside"]
    told = [word for word in WORD.findall(text[number_end(text, found[0]) :]) if word not in known]
    is_of_one = len(told) == 1 and (unit_priced(text, found[0]) or price_of_one(text, found[0]))
    return found[0] if not told or (is_of_one and len(told) <= _MOST_BEHIND) else None


def _price(text: str) -> Amount | None:
    """Return the only price for each that a message tells."""
    found = list(amounts(text))
    prices = [one for one in found if unit_priced(text, one) or price_of_one(text, one)]
    if not prices and len(goods := list(find_goods(text))) == 1:
        prices = [one for one in found if goods[0].start < one.start < goods[0].end][-1:]
    return prices[0] if len(prices) == 1 else None


def _put(new: str, old: Amount, before: str) -> str:
    return f"{before[: old.start]}{new}{before[number_end(before, old) :]}"
