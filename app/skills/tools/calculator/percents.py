"""What percentage one number is of another, by how much it changed, and an amount without the tax in it."""

import re
from collections.abc import Sequence
from typing import Final

from app.skills.tools.calculator.lexicon import ORDERS, PARTS_OF_HUNDRED, PARTS_OF_HUNDRED_BEFORE, TAX_OF
from app.skills.tools.calculator.measures import Amount, amounts, has_more, measured_ways
from app.skills.tools.calculator.scaling import Scaled
from app.skills.tools.calculator.spoken import WORD

_MAX_CHARS: Final = 300
_PAIR: Final = 2
_FAR: Final = 40
_NUMBERS: Final = re.compile(r"\d[\d.,]*+ ?%?")
_SIGN: Final = re.compile(r" ?%(?!\w)")


def read_percentage(text: str) -> Scaled | None:
    """Return what percentage a message asks for, as a calculation; None for any other message."""
    if len(text) > _MAX_CHARS:
        return None
    return next(filter(None, map(_percentage, measured_ways(text))), None)


def read_without_tax(text: str) -> str | None:
    """Return the calculation of an amount without the tax in it, or of that tax; None for any other message."""
    if len(text) > _MAX_CHARS:
        return None
    return next(filter(None, (_tax_of(one) or _without_tax(one) for one in measured_ways(text))), None)


def _percentage(text: str) -> Scaled | None:
    asked = PARTS_OF_HUNDRED["asks"].search(text)
    if asked is None or not ORDERS.isdisjoint(WORD.findall(text)):
        return None
    found = list(amounts(text))
    if has_more(text, found) or any(_SIGN.match(text, one.end) for one in found):
        return None
    if len(found) == 1 and "/" in found[0].value and not found[0].unit:
        return Scaled(f"{found[0].value} * 100", "%")
    if len(found) != _PAIR or any("/" in one.value for one in found) or found[0].unit != found[1].unit:
        return None
    return _of_two(text, found, asked.start())


def _of_two(text: str, found: Sequence[Amount], asked: int) -> Scaled | None:
    one, other = found
    before, between = text[: one.start], text[one.end : other.start]
    if len(between) > _FAR or not other.value.strip("0.,"):
        return None
    if PARTS_OF_HUNDRED_BEFORE["begin"].search(before) and PARTS_OF_HUNDRED_BEFORE["end"].search(between):
        if PARTS_OF_HUNDRED["changes"].search(text) is None:
            return None
        if not one.value.strip("0.,"):
            return None
        return Scaled(f"({other.value} - {one.value}) / {one.value} * 100", "%")
    if PARTS_OF_HUNDRED_BEFORE["whole"].search(before) and PARTS_OF_HUNDRED_BEFORE["equals"].search(between):
        return Scaled(f"{other.value} / {one.value} * 100", "%") if one.value.strip("0.,") else None
    if PARTS_OF_HUNDRED_BEFORE["out_of"].search(between):
        return Scaled(f"{one.value} / {other.value} * 100", "%")
    return None


def _tax_of(text: str) -> str | None:
    """Read "how much is 21% vat on 3,640": the tax alone."""
    found, share = list(amounts(text)), TAX_OF.search(text)
    if share is None or len(found) != _PAIR or has_more(text, found) or not ORDERS.isdisjoint(WORD.findall(text)):
        return None
    is_of = found[0].start == share.start() and found[1].start <= share.end() <= found[1].end
    return f"{found[0].value}% of {found[1].value}" if is_of else None


def _without_tax(text: str) -> str | None:
    """Read "240 including 20% vat, what is it without": the tax is in hundred and so much."""
    said = " ".join(_NUMBERS.sub(" ", text).split())
    is_in, is_with = (PARTS_OF_HUNDRED[topic].search(said) is not None for topic in ("included", "with_tax"))
    if not ORDERS.isdisjoint(WORD.findall(text)):
        return None
    is_net, is_tax = (PARTS_OF_HUNDRED[topic].search(said) is not None for topic in ("asks_net", "asks_tax"))
    if not (is_in or (is_with and is_net)):
        return None
    found = list(amounts(text))
    rates = [one for one in found if _SIGN.match(text, one.end)]
    wholes = [one for one in found if one not in rates and one.unit in ("", "pound")]
    if is_net == is_tax or len(found) != _PAIR or not len(rates) == len(wholes) == 1 or has_more(text, found):
        return None
    net = f"{wholes[0].value} / (1 + {rates[0].value}%)"
    return net if is_net else f"{wholes[0].value} - {net}"
