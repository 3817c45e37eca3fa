"""Which of several offers is cheaper for the same amount: "6 for 4.20 or 10 for 6.50"."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.calculator.arithmetic import show_briefly
from app.skills.tools.calculator.calculator_tools import in_words
from app.skills.tools.calculator.lexicon import BEFORE
from app.skills.tools.calculator.measures import Amount, amounts, dimension, has_more, size_of
from app.skills.tools.calculator.spoken import has_word, is_grouped, plain_value, says
from app.skills.tools.calculator.texts import CALCULATOR

_MOST_HOURS: Final = 24
_RIGHT_BEHIND: Final = (" ", ", ", ": ")
_COUNTS: Final = (4, 6, 8)
_DIMENSIONS: Final = frozenset({"mass", "volume", "length", "count"})
_SHOWN: Final = MappingProxyType({"gram": "kilo", "millilitre": "litre", "": "piece"})


@dataclass(frozen=True, slots=True)
class _Offer:
    """So much for a price; `named` is both as they were written, `word` the measure."""

    named: str
    price: Fraction
    much: Fraction
    unit: str
    word: str


def answer_offers(text: str, ctx: TurnContext) -> str | None:
    """Say what each offer comes to for one, and which is cheaper; None for any other message."""
    if not says(text, "offer.asks") or has_word(text, "told.wishes"):
        return None
    found = list(amounts(text))
    if len(found) not in _COUNTS or has_more(text, found):
        return None
    read = [_offer(text, *pair, ctx) for pair in zip(found[::2], found[1::2], strict=True)]
    offers = [one for one in read if one is not None and one.price and one.much]
    units = {one.unit for one in offers if one.unit}
    is_small = all(one.price <= _MOST_HOURS and one.much <= _MOST_HOURS for one in offers)
    if not units and is_small and all(" a " in one.named for one in offers):
        return None  # From so many to so many o'clock.
    if len(offers) != len(read) or len({dimension(unit) for unit in units}) > 1:
        return None
    first = next((one.unit for one in offers if one.unit), "")
    shown = _SHOWN.get(first, first)
    return _told(offers, first, shown, ctx, is_local=is_grouped(text, ctx))


def _offer(text: str, one: Amount, other: Amount, ctx: TurnContext) -> _Offer | None:
    """Return an offer of two numbers, the price behind or before what there is of it."""
    between = text[one.end : other.start]
    is_joined = BEFORE["offer.price"].search(between) is not None or (one.unit != "" and between in _RIGHT_BEHIND)
    much, price = (other, one) if other.unit and not one.unit else (one, other)
    is_price = price.unit in ("", "pound") and "/" not in price.value + much.value
    if not is_joined or not is_price or (much.unit and dimension(much.unit) not in _DIMENSIONS):
        return None
    named = text[one.start : other.end].strip()
    word = text[much.start : much.end].split()[-1] if much.unit else ""
    return _Offer(named, plain_value(price.value, ctx), plain_value(much.value, ctx), much.unit, word)


def _told(offers: Sequence[_Offer], unit: str, shown: str, ctx: TurnContext, *, is_local: bool) -> str:
    sentence = {"kilo": CALCULATOR.per_kilo, "litre": CALCULATOR.per_litre, "piece": CALCULATOR.per_piece}
    per = say(
        sentence.get(shown, CALCULATOR.per_unit),
        ctx.language,
        unit=next(one.word for one in offers if one.unit == unit),
    )
    each = [one.price / one.much * size_of(shown) / size_of(one.unit or unit or "piece") for one in offers]
    lines = []
    for one, value in zip(offers, each, strict=True):
        number, is_exact = show_briefly(value)
        lines.append(f"{one.named} {'=' if is_exact else '≈'} {in_words(number, ctx, is_local=is_local)} {per}")
    best = min(each)
    if each.count(best) > 1:
        return "\n".join((*lines, say(CALCULATOR.same_price, ctx.language)))
    return "\n".join((*lines, say(CALCULATOR.cheaper, ctx.language, best=offers[each.index(best)].named)))
