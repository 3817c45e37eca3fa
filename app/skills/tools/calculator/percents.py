"""What percentage one number is of another, by how much it changed, what one gains, an amount without its tax."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.calculator.arithmetic import show_briefly
from app.skills.tools.calculator.gains import is_sold
from app.skills.tools.calculator.lexicon import BEFORE, NO_SUM, NOTHING_COUNTED, PHRASES, SHARE_OFF, TAX_OF, UNITS
from app.skills.tools.calculator.measures import Amount, amounts, has_more
from app.skills.tools.calculator.results import Quantity, worded
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, behind, has_word, plain_value, says, word_at
from app.skills.tools.calculator.texts import CALCULATOR
from app.skills.tools.calculator.told import is_amount

_HUNDRED: Final = 100
_MOST_CLAIMED: Final = 2
_ASKS_SHARE: Final = re.compile(r"(?<!\w)(?:que|what|cuanto) ?%")
_PAIR: Final = 2
_EACH: Final = "each"
_FAR: Final = 40
_NUMBERS: Final = re.compile(r"\d[\d.,]*+ ?%?")


def read_percentage(text: str) -> Quantity | None:
    """Return what percentage a message asks for, as a calculation; None for any other message."""
    if not says(text, "hundred.asks") or has_word(text, "told.wishes"):
        return None
    found = list(amounts(text))
    if has_more(text, found) or any(PERCENT_SIGN.match(text, one.end) for one in found):
        return None
    if len(found) == 1 and "/" in found[0].value and not found[0].unit:
        return Quantity(f"{found[0].value} * 100", "%")
    if len(found) != _PAIR or any("/" in one.value for one in found) or found[0].unit != found[1].unit:
        return None
    return _of_two(text, found)


def _of_two(text: str, found: Sequence[Amount]) -> Quantity | None:
    one, other = found
    before, between = text[: one.start], text[one.end : other.start]
    if len(between) > _FAR or not other.value.strip("0.,"):
        return None
    if BEFORE["hundred.begin"].search(before) and BEFORE["hundred.end"].search(between):
        if not says(text, "hundred.changes"):
            return None
        if not one.value.strip("0.,"):
            return None
        return Quantity(f"({other.value} - {one.value}) / {one.value} * 100", "%")
    if BEFORE["hundred.whole"].search(before) and BEFORE["hundred.equals"].search(between):
        return Quantity(f"{other.value} / {one.value} * 100", "%") if one.value.strip("0.,") else None
    if BEFORE["hundred.out_of"].search(between):
        return Quantity(f"{one.value} / {other.value} * 100", "%")
    return None


def answer_trade(text: str, ctx: TurnContext) -> str | None:
    """Say what somebody gains who buys at one price and sells at another; None for any other message."""
    is_asked = says(text, "told.margin") or _ASKS_SHARE.search(text) is not None
    is_by_dozen = not UNITS["dozen"].isdisjoint(WORD.findall(text))  # Bought by it, and sold one by one.
    if not is_asked or is_by_dozen or has_word(text, "told.wishes"):
        return None
    found = list(amounts(text))
    bought = [one for one in found if BEFORE["told.bought"].search(text[: one.start])]
    sold = [one for one in found if BEFORE["told.sold"].search(text[: one.start])]
    if has_more(text, found) or len(bought) != 1 or len(sold) != 1 or bought == sold:
        return None
    claimed = [one for one in found if one not in (*bought, *sold)]
    if len(claimed) > _MOST_CLAIMED or any(is_sold(text, one) or not _is_claimed(one) for one in claimed):
        return None
    return _traded(bought[0].value, sold[0].value, ctx)


def _is_claimed(one: Amount) -> bool:
    """Whether a number may be a percentage that somebody names: it changes nothing."""
    return not one.unit and one.value.isdecimal() and int(one.value) <= _HUNDRED


def _traded(bought: str, sold: str, ctx: TurnContext) -> str | None:
    told = worded(f"{sold} - {bought}", ctx, is_signed=True)
    if told is None or not (bought.strip("0.,") and sold.strip("0.,")):
        return None
    cost, price = plain_value(bought, ctx), plain_value(sold, ctx)
    if price < cost:
        return say(CALCULATOR.loss, ctx.language, sum=told)
    of_cost, of_price = (show_briefly((price - cost) * _HUNDRED / one)[0] for one in (cost, price))
    return say(CALCULATOR.margin, ctx.language, sum=told, of_cost=of_cost, of_price=of_price)


def answer_levy(text: str, ctx: TurnContext) -> str | None:
    """Say how much a tax or a tip is, and what it comes to with it where both are asked for.

    "1800 plus 16% vat, how much is the vat and in all"; "how much is 21% vat on 3,640"; None for all else.
    """
    told, direct = list(amounts(text)), TAX_OF.search(text)
    # Who shares it changes nothing of what it is.
    found = [one for one in told if not PHRASES["told.sharers"].match(text, one.end + 1)]
    if found != told and _EACH in WORD.findall(text):
        return None
    shares = [one for one in found if PERCENT_SIGN.match(text, one.end)]
    wholes = [one for one in found if one not in shares and _is_price(text, one)]
    if len(found) != _PAIR or not len(shares) == len(wholes) == 1 or has_more(text, told):
        return None
    asked = PHRASES["hundred.asks_tax"].search(text)
    is_off = SHARE_OFF.search(text) is not None
    said = " ".join(_NUMBERS.sub(" ", text).split())
    is_in = any(says(said, f"hundred.{topic}") for topic in ("included", "with_tax"))
    if not (asked or direct) or is_off or is_in or has_word(text, *NO_SUM):
        return None
    rest = asked.re.sub(" ", text) if asked else text
    is_both = says(rest, "hundred.asks_all")
    is_with = is_both or BEFORE["told.up"].search(text[: shares[0].start]) is not None
    if (not asked and is_with) or says(rest, "hundred.asks_rest"):
        return None  # Of all, or of what is left, not of the tip.
    is_both = is_both or (asked is not None and says(rest, "hundred.asks_both"))
    sums = [f"{shares[0].value}% of {wholes[0].value}"]
    sums += [f"{wholes[0].value} + {shares[0].value}%"] if is_both else []
    return "\n".join(filter(None, (worded(each, ctx) for each in sums))) or None


def _is_price(text: str, one: Amount) -> bool:
    """Whether a number may be what a bill comes to: it counts nothing."""
    is_bare = is_amount(text, one) or behind("money", text, one.end) or word_at(text, one.end) in NOTHING_COUNTED
    is_bill = PHRASES["told.of_bill"].match(text, one.end + 1) is not None
    return one.unit in ("", "pound", "inch") and "/" not in one.value and bool(is_bare or is_bill)


def read_part(text: str) -> str | None:
    """Read "cobramos 3200 por la fiesta, cuánto es el 15% para el sonido": a share of what was told."""
    found = list(amounts(text))
    if len(found) != _PAIR or has_more(text, found) or has_word(text, *NO_SUM) or any(one.unit for one in found):
        return None
    whole, share = found
    percent = PERCENT_SIGN.match(text, share.end)
    if percent is None or PERCENT_SIGN.match(text, whole.end) or "/" in whole.value + share.value:
        return None
    end = text[percent.end() :].strip(" ?!.")
    is_alone = is_amount(text, whole) or word_at(text, whole.end) in NOTHING_COUNTED
    is_asked = BEFORE["hundred.part"].search(text[: share.start]) and is_alone
    is_of_it = not end or PHRASES["hundred.part_end"].fullmatch(end)
    return f"{share.value}% of {whole.value}" if is_asked and is_of_it else None


def read_without_tax(text: str) -> str | None:
    """Read "240 including 20% vat, what is it without": the tax is in hundred and so much."""
    said = " ".join(_NUMBERS.sub(" ", text).split())
    is_in, is_with = (PHRASES[f"hundred.{topic}"].search(said) is not None for topic in ("included", "with_tax"))
    if has_word(text, "told.wishes"):
        return None
    is_net, is_tax = (PHRASES[f"hundred.{topic}"].search(said) is not None for topic in ("asks_net", "asks_tax"))
    if not (is_in or (is_with and is_net)):
        return None
    found = list(amounts(text))
    rates = [one for one in found if PERCENT_SIGN.match(text, one.end)]
    wholes = [one for one in found if one not in rates and one.unit in ("", "pound")]
    if is_net == is_tax or len(found) != _PAIR or not len(rates) == len(wholes) == 1 or has_more(text, found):
        return None
    net = f"{wholes[0].value} / (1 + {rates[0].value}%)"
    return net if is_net else f"{wholes[0].value} - {net}"
