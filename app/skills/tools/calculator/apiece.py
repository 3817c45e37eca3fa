"""What so many come to at a price that is told for each: "they charge 8 a kid and there are 23 of them"."""

import re
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Final, Literal

from app.domain.wording import stem
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.tools.calculator.lexicon import BEFORE, NO_SUM, PERIOD_WORDS, PHRASES, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, has_more, unit_named
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, behind, ends_at, has_word, says, word_at

_EACH: Final = "each"
_PAIR: Final = 2
_COUNT: Final = re.compile(r"[1-9]\d{0,3}")
_PAUSE: Final = re.compile(r"[,.;:!?]")
_PART: Final = re.compile(r"[\d,.;:!?]")
_IS: Final = re.compile(r"(?<=\w)['’]s(?!\w)")
_TOTAL: Final = "total"
_MOST_OF_A_NAME: Final = 3
# No names of what has a price: those of measures, whose prices are read elsewhere, too.
_NO_THINGS: Final = (
    WORDS["around"]
    | WORDS["told.after_amount"]
    | WORDS["joining"]
    | WORDS["told.no_thing"]
    | STOP_WORDS
    | frozenset(PERIOD_WORDS)
)


@dataclass(frozen=True, slots=True)
class Price:
    """What a price is of one of, "" behind "each"; "the" in place of "a" may also be of a whole: `is_sure`."""

    thing: str
    is_sure: bool


def read_apiece(text: str) -> str | None:
    """Return the calculation of a message that tells the price of one and how many there are, and asks for all."""
    told = price_and_count(text)
    return f"{told[1].value} * {told[0].value}" if told else None


def price_and_count(text: str) -> tuple[Amount, Amount] | None:
    """Return how many there are and the price of one, where a message asks for all of them."""
    found = list(amounts(text))
    if len(found) != _PAIR or has_more(text, found) or _is_not_for_all(text):
        return None
    prices = [(one, price) for one in found if (price := _price_at(text, one)) is not None]
    if len(prices) != 1 or WORD.findall(text).count(_EACH) > 1:
        return None
    one, price = prices[0]
    count = next(other for other in found if other != one)
    is_count = _COUNT.fullmatch(count.value) and not count.unit and not behind("money", text, count.end)
    if not is_count or not _counts(text, count, price) or not _asks(text, price.thing, count.value):
        return None
    return count, one


def _is_not_for_all(text: str) -> bool:
    """Whether a message wishes something else, or not all of them pay once: "grandma doesn't pay", "each way"."""
    is_other = has_word(text, *NO_SUM, "periods", "apiece.not_all")
    return is_other or any(says(text, topic) for topic in ("apiece.unpaid", "apiece.at_least", "ratio.both_ways"))


def _price_at(text: str, one: Amount) -> Price | None:
    return price_of_one(text, one) or _price_behind(text, one)


def _price_behind(text: str, one: Amount) -> Price | None:
    """Return what has its price behind it: "cada manojo a 4", "a crate of limes costs 35, I want 8"."""
    end = behind("money", text, one.end) or one.end
    is_amount = ends_at(text, end) or word_at(text, end) in WORDS["told.after_amount"]
    is_asked_each = _EACH in WORD.findall(text[end:])  # "What is it each?"
    head = BEFORE["apiece.named"].search(text[: one.start]) if is_amount and not is_asked_each else None
    if head is None or one.unit not in ("", "pound") or "/" in one.value or PERCENT_SIGN.match(text, one.end):
        return None
    first, thing, *_ = WORD.findall(head[0])
    no_one = _NO_THINGS | WORDS["apiece.whole"] | WORDS["apiece.no_one"]
    is_one = no_one.isdisjoint((thing, stem(thing))) and not unit_named(thing)
    return Price(thing, is_sure=first in WORDS["apiece.single"]) if is_one else None


def read_by_nature(text: str) -> str | None:
    """Return what is to be paid where what has the price is for each by its nature: "the entry's 9, we're 4"."""
    found = list(amounts(text))
    if len(found) != _PAIR or has_more(text, found) or _is_not_for_all(text):
        return None
    prices = [one for one in found if kind_of_price(text, one) == _EACH]
    if len(prices) != 1 or _EACH in WORD.findall(text[prices[0].start :]) or not _asks(text, ""):
        return None
    count = next(other for other in found if other != prices[0])
    is_count = _COUNT.fullmatch(count.value) and not count.unit and not behind("money", text, count.end)
    return f"{prices[0].value} * {count.value}" if is_count and _are_people(text, count) else None


def _are_people(text: str, count: Amount) -> bool:
    if PHRASES["told.sharers"].match(text, count.end + 1):
        return True
    name = next(iter(WORD.findall(_PAUSE.split(text[count.end :])[0])), "")
    is_named = any(_is_one(one, name) for one in WORDS["apiece.for_people"] | WORDS["apiece.kids"])
    is_counted = any(BEFORE[f"apiece.{topic}"].search(text[: count.start]) for topic in ("people", "there"))
    quiet = _NO_THINGS | WORDS["apiece.counted_on"] | WORDS["told.before_people"] | COMMON_WORDS["address"]
    return is_counted and (not name or is_named or name in quiet)


def kind_of_price(text: str, one: Amount) -> Literal["each", "whole", "open"]:
    """Tell whether what has a price is for each by its nature, as a ticket is, or one for all, as a bill.

    Neither is certain of what has its price now by any other name: "open". What something came to is of all.
    """
    head = _IS.sub(" is", text[: one.start])
    costs = BEFORE["apiece.costs"].search(head)
    if costs is None or one.unit not in ("", "pound"):
        return "whole"
    told = _PART.split(head[: costs.start()])[-1]
    words = set(WORD.findall(told))
    is_one = not WORDS["apiece.whole"].isdisjoint(words)
    if says(told, "apiece.of_each"):
        return "each" if WORDS["apiece.not_each"].isdisjoint(words) else "open"
    if says(told, "apiece.every"):
        return "open" if is_one else "each"
    quiet = _NO_THINGS | WORDS["told.before_people"] | (WORDS["told.bare"] - WORDS["apiece.several"])
    is_open = not is_one and words - quiet
    return "open" if is_open and BEFORE["apiece.costs_now"].search(head) else "whole"


def price_of_one(text: str, one: Amount) -> Price | None:
    """Return what a number is the price of one of; None where it is no such price, or that of a measure."""
    if one.unit not in ("", "pound") or "/" in one.value or PERCENT_SIGN.match(text, one.end):
        return None
    start = (behind("money", text, one.end) or one.end) + 1
    per, the = (PHRASES[f"apiece.{topic}"].match(text, start) for topic in ("per", "the"))
    found = per or the
    words = WORD.findall(_PAUSE.split(text[found.end() if found else start :])[0])[:_PAIR]
    if words[:1] == [_EACH] or (words[1:] == [_EACH] and PHRASES["apiece.per_each"].match(text, start)):
        if not PERIOD_WORDS.keys().isdisjoint(words):
            return None  # "120 each day"
        return Price(next((word for word in words if word not in _NO_THINGS | {_EACH}), ""), is_sure=True)
    is_product = words[:1] and words[0][0].isdigit()  # "8 por 12": of no thing, that is a sum.
    if not found or not words or is_product or words[0] in _NO_THINGS or unit_named(words[0]):
        return None
    return Price(words[0], is_sure=per is not None)


def _counts(text: str, count: Amount, price: Price) -> bool:
    """Whether a number counts what has the price: by its name, or as those who are there."""
    before, after = text[: count.start], count.end + 1
    words = WORD.findall(_PAUSE.split(text[count.end :])[0])
    none = _NO_THINGS | WORDS["apiece.counted_on"]
    names = list(takewhile(lambda word: word not in none, words[:_MOST_OF_A_NAME]))
    if price.thing and any(_is_one(price.thing, name) for name in names):
        return True
    is_bought = BEFORE["apiece.bought"].search(before) is not None
    is_asked = BEFORE["apiece.asked"].search(before) is not None and ends_at(text, count.end)
    are_things = BEFORE["apiece.there"].search(before) or PHRASES["apiece.them"].match(text, after)
    are_people = BEFORE["apiece.people"].search(before) or PHRASES["told.sharers"].match(text, after)
    is_had = BEFORE["apiece.had"].search(before) is not None
    is_there = bool(are_things) and not (names and _is_new(text, count, names[0]))
    if not price.thing:
        return bool(are_people or is_there or (names and is_had) or (not names and is_asked))
    if not names and (is_bought or is_asked) and price.thing not in WORDS["apiece.whole"]:
        return True
    is_of_each = price.thing in WORDS["apiece.for_people"] and are_people
    return not names and bool(is_of_each or (price.is_sure and (is_there or is_had)))


def _is_new(text: str, count: Amount, name: str) -> bool:
    """Whether what is counted behind the price is neither people nor named before: "25 a head, 12 courses"."""
    people = WORDS["apiece.for_people"] | WORDS["apiece.kids"]
    if any(_is_one(one, name) for one in people) or PHRASES["told.sharers"].match(text, count.end + 1):
        return False
    is_behind = any(one.start < count.start for one in amounts(text))
    return is_behind and not any(_is_one(word, name) for word in WORD.findall(text[: count.start]))


def _is_one(thing: str, name: str) -> bool:
    return stem(thing) == stem(name) or name == f"{thing}s" or {thing, name} <= WORDS["apiece.kids"]


def _unnamed(thing: str, counted: re.Match[str]) -> str:
    """Return a count without the name of what has the price."""
    return counted[0].partition(" ")[0] if thing and _is_one(thing, counted["name"]) else counted[0]


def _asks(text: str, thing: str, count: str = "") -> bool:
    """Whether what all of it costs is asked, and nothing else: of so many, where they are counted there."""
    if count:
        text = re.sub(rf"(?<![\w.,]){count} (?P<name>[^\W\d_]{{2,}})", partial(_unnamed, thing), text)
    paying = WORDS["apiece.paying"]
    known = WORDS["around"] | paying | STOP_WORDS | {thing, _EACH}
    asked: list[str] = []
    for one in PHRASES["apiece.asks"].finditer(text):
        if one[0] == _TOTAL and not known.issuperset(WORD.findall(text[: one.start()])[-1:]):
            continue  # "Una locura total".
        tail = WORD.findall(_PAUSE.split(PHRASES["apiece.asks_end"].sub("?", text[one.end() :]))[0])
        if not known.issuperset(word for word in tail if word != count):
            return False
        asked.extend((*WORD.findall(one[0]), *tail))
    return not paying.isdisjoint(asked)
