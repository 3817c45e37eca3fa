"""Dozens at a price "each", which is that of a dozen where no one of the things is named."""

from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import fold, stem
from app.language.catalogue import say
from app.skills.tools.calculator.lexicon import (
    BEFORE,
    COSTS,
    MEASURE_WORDS,
    NO_SUM,
    PHRASES,
    TOLD_WISHES,
    UNITS,
    WORDS,
)
from app.skills.tools.calculator.measures import Amount, amounts, has_more, measured_ways
from app.skills.tools.calculator.results import worded
from app.skills.tools.calculator.spoken import WORD, behind, has_word, says
from app.skills.tools.calculator.texts import CALCULATOR

_PAIR: Final = 2
_EACH: Final = "each"
_DOZEN: Final = "dozen"


def answer_dozens(text: str, ctx: TurnContext) -> str | None:
    """Say what so many dozens at so much each come to: "3 dozen at 4 each" at 4 a dozen, which it tells.

    "4 each egg" and "4 apiece" are of one thing. None for any other message.
    """
    folded = fold(text)
    if UNITS[_DOZEN].isdisjoint(WORD.findall(folded)):
        return None
    for way in measured_ways(text):
        found = list(amounts(way))
        dozens = [one for one in found if one.unit == _DOZEN]
        prices = [one for one in found if one.unit in ("", "pound")]
        is_sum = len(found) == _PAIR and len(dozens) == len(prices) == 1 and not has_more(way, found)
        if not is_sum or has_word(way, *NO_SUM, "periods") or not says(way, "dozens.asks"):
            continue
        much, price = dozens[0], prices[0]
        if _asks_one_of(way, much, price):
            return worded(f"{price.value} / ({much.value} * 12)", ctx)
        is_of_one = _is_of_one(way, much, price) or says(folded, "dozens.of_piece")
        if not is_of_one and not _is_each(way, price):
            continue
        if is_of_one:
            return worded(f"{much.value} * 12 * {price.value}", ctx)
        told = worded(f"{much.value} * {price.value}", ctx)
        return say(CALCULATOR.at_a_dozen, ctx.language, sum=told, price=price.value) if told else None
    return None


def _asks_one_of(text: str, much: Amount, price: Amount) -> bool:
    """Whether one of what costs so much by the dozen is asked for: "half a dozen eggs cost 3, how much is one"."""
    costs = BEFORE["rate.costs"].search(text[: price.start])
    if much.start > price.start or costs is None or _is_each(text, price):
        return False
    asked = text[price.end :]
    named = [stem(word) for word in WORD.findall(text[much.end : costs.start()])][-1:]
    last = WORD.findall(asked)[-1:]
    is_one = last != WORD.findall(text[much.end : costs.start()])[-1:] and [stem(word) for word in last] == named
    return is_one or (says(asked, "rate.one_asked") and UNITS[_DOZEN].isdisjoint(WORD.findall(asked)))


def _is_each(text: str, price: Amount) -> bool:
    return WORD.findall(text[behind("money", text, price.end) or price.end :])[:1] == [_EACH]


def _is_of_one(text: str, much: Amount, price: Amount) -> bool:
    """Whether a price is for one of what comes by the dozen, by its name: "12 dozen eggs at 3 an egg"."""
    per = PHRASES["dozens.per"].match(text, (behind("money", text, price.end) or price.end) + 1)
    named = WORD.match(text, per.end() + 1) if per is not None else None
    if named is None or named[0] in UNITS[_DOZEN]:
        return False
    between = WORD.findall(text[much.end : price.start] if much.end <= price.start else text[much.end :])
    return stem(named[0]) in {stem(one) for one in between}


def read_dozens(text: str) -> str | None:
    """Read "12 dozen eggs", "how many is 3 dozen", "a dozen is 9, how much is each"; None for any other."""
    found = list(amounts(text))
    if len(found) != 1 or has_more(text, found) or has_word(text, *TOLD_WISHES):
        return None
    one = found[0]
    if one.unit == "dozen":
        rest = PHRASES["told.asks_count"].sub(" ", f"{text[: one.start]} {text[one.end :]}")
        told = [word for word in WORD.findall(rest) if word not in WORDS["around"]]
        is_asked = says(text, "told.asks_count") or (len(told) == 1 and not text[: one.start])
        return f"{one.value} * 12" if is_asked and len(told) <= _PAIR else None
    head = COSTS.search(text)
    is_dozen = head is not None and head.end() == one.start and MEASURE_WORDS[head["unit"]] == "dozen"
    return f"{one.value} / 12" if is_dozen and says(text[one.end :], "rate.one_asked") else None
