"""What somebody gains who buys at one price and sells at another, of the cost and of the price."""

import re
from dataclasses import dataclass
from typing import Final

from app.skills.tools.calculator.lexicon import ELSEWHERE, TOLD, TOLD_BEFORE
from app.skills.tools.calculator.measures import Amount, amounts, has_more, measured_ways
from app.skills.tools.calculator.spoken import WORD

_MAX_CHARS: Final = 300
_ASKS_SHARE: Final = re.compile(r"(?<!\w)(?:que|what|cuanto) ?%")
_MOST_CLAIMED: Final = 2
_MOST_PERCENT: Final = 100
_NOT_IN_THE_WAY: Final = frozenset(
    {
        "margen",
        "ganancia",
        "margin",
        "profit",
        "quien",
        "quienes",
        "who",
        "yo",
        "hoy",
        "ayer",
        "today",
        "lista",
        "compra",
    }
)


@dataclass(frozen=True, slots=True)
class Trade:
    """Both prices as they were written."""

    cost: str
    price: str


def read_trade(text: str) -> Trade | None:
    """Return at which prices a message says that one buys and sells, where it asks for the gain."""
    if len(text) > _MAX_CHARS:
        return None
    return next(filter(None, map(_read, measured_ways(text))), None)


def _read(text: str) -> Trade | None:
    is_asked = TOLD["margin"].search(text) is not None or _ASKS_SHARE.search(text) is not None
    others = ELSEWHERE - _NOT_IN_THE_WAY
    if not is_asked or not others.isdisjoint(WORD.findall(text)):
        return None
    found = list(amounts(text))
    bought = [one for one in found if TOLD_BEFORE["bought"].search(text[: one.start])]
    sold = [one for one in found if TOLD_BEFORE["sold"].search(text[: one.start])]
    if has_more(text, found) or len(bought) != 1 or len(sold) != 1 or bought == sold:
        return None
    claimed = [one for one in found if one not in (*bought, *sold)]
    if len(claimed) > _MOST_CLAIMED or not all(_is_claimed(one) for one in claimed):
        return None
    return Trade(bought[0].value, sold[0].value)


def _is_claimed(one: Amount) -> bool:
    """Whether a number may be a percentage that somebody names: it changes nothing."""
    return not one.unit and one.value.isdecimal() and int(one.value) <= _MOST_PERCENT
