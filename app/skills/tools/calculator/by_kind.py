"""Two amounts, one for each of what the other counts: "90 hens and 120 g of oats per hen, how many kilos".

Only one product or quotient is of what is asked: https://en.wikipedia.org/wiki/Dimensional_analysis. Kinds
are measures, and names.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.domain.wording import stem
from app.language.late import LatePattern
from app.language.lexicon import STOP_WORDS
from app.skills.tools.calculator.lexicon import ASKED_UNIT, BEFORE, MEASURE_WORDS, NO_SUM, PHRASES, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, converted, dimension, has_more
from app.skills.tools.calculator.ratios import COUNTED, are_some_gone, is_beside, is_no_amount
from app.skills.tools.calculator.results import Quantity
from app.skills.tools.calculator.spoken import WORD, has_word, word_at

_PAIR: Final = 2
_BARE: Final = ""
_EACH: Final = "each"
_OF: Final = LatePattern(rf" {WORDS.pattern('by_kind.of')} [^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Kind:
    """What an amount is of; `each`: the words of what it is told for each of, none where for nothing."""

    amount: Amount
    name: str
    each: frozenset[str]
    time: str = ""

    @property
    def names(self) -> frozenset[str]:
        """What it may be called: "day" is a time, and what there is something for each of."""
        return frozenset(filter(None, (self.name, self.time)))


@dataclass(frozen=True, slots=True)
class _Asked:
    word: str
    each: str

    @property
    def unit(self) -> str:
        return MEASURE_WORDS.get(self.word, "")

    @property
    def name(self) -> str:
        """What is asked; "" where only how many it is: "how many is that"."""
        return dimension(self.unit) or _plain(self.word)


@dataclass(frozen=True, slots=True)
class Solved:
    """What two amounts come to, and the one of them that may be another: the kids, the 14 dresses."""

    quantity: Quantity
    others: Amount


def read_by_kind(text: str) -> Quantity | None:
    """Return what two amounts come to that belong together; None where that is not sure."""
    solved = solve_by_kind(text)
    return solved.quantity if solved else None


def solve_by_kind(text: str) -> Solved | None:
    """Return the same with what may be another in a question behind it: "and for 20?"."""
    every = list(amounts(text))
    found = [one for one in every if not is_beside(text, one)]
    if len(found) != _PAIR or has_more(text, every) or has_word(text, *NO_SUM, "by_kind.not"):
        return None
    if are_some_gone(text):
        return None
    asked = _asked(text)
    if asked is None or any(is_no_amount(text, one) for one in found):
        return None
    one, other = _kinds(text, found)
    rated = [(rate, rest) for rate, rest in ((one, other), (other, one)) if rate.each and not rest.each]
    if len(rated) == 1:
        return _of_rate(*rated[0], asked)
    return None if one.each or other.each else _for_each(one, other, asked)


def _of_rate(rate: _Kind, rest: _Kind, asked: _Asked) -> Solved | None:
    """Return so much for each of so many, or how many of them so much is for."""
    if asked.each:
        return None
    if not rest.names.isdisjoint(rate.each) and asked.name in ("", rate.name) and rate.name:
        return Solved(_in_unit(f"{rate.amount.value} * {rest.amount.value}", rate, asked), rest.amount)
    if not asked.word:
        return None
    is_alike = rest.name == rate.name or _BARE in (rest.name, rate.name)
    if asked.name in rate.each and is_alike and asked.name not in (rest.name, rate.name):
        unit = rate.amount.unit or rest.amount.unit
        whole = converted(rest.amount.value, rest.amount.unit or unit, unit)
        is_whole = asked.word not in MEASURE_WORDS and asked.word not in WORDS["ratio.time"]
        quantity = Quantity(f"{whole} / {rate.amount.value}", asked.word, is_whole=is_whole)
        return Solved(quantity, rest.amount)
    return None


def _for_each(one: _Kind, other: _Kind, asked: _Asked) -> Solved | None:
    """Return how much of one there is for each of the other: "3.6 kilos for 48 plates, how many grams a plate"."""
    for whole, parts in ((one, other), (other, one)):
        if asked.word in WORDS["ratio.time"]:
            return None  # A time is the same for all of them.
        is_shared = parts.name not in (_BARE, whole.name) and asked.each == parts.name
        if is_shared and asked.name == whole.name and parts.amount.unit in COUNTED:
            quantity = _in_unit(f"{whole.amount.value} / {parts.amount.value}", whole, asked)
            return Solved(quantity, parts.amount)
    return None


def _in_unit(calculation: str, kind: _Kind, asked: _Asked) -> Quantity:
    calculation = converted(calculation, kind.amount.unit, asked.unit) if asked.unit else calculation
    return Quantity(calculation, asked.word)


def _asked(text: str) -> _Asked | None:
    """Return of what is asked how many, and for each of what; None where that is not one thing."""
    every = [*ASKED_UNIT.finditer(text)]
    found = [one for one in every if _is_name(one["unit"])]
    if len(every) == 1 and PHRASES["by_kind.asks_all"].search(text):
        return _Asked("", "")
    if len(found) != 1 or has_word(text[found[0].end() :], "told.asks_many"):
        return None
    each = PHRASES["by_kind.asked_each"].match(text, found[0].end() + 1)
    named = word_at(text, each.end()) if each else ""
    return _Asked(found[0]["unit"], _plain(named))


def _is_name(word: str) -> bool:
    return word in MEASURE_WORDS or (stem(word) != word and not _is_quiet(word))


def _is_quiet(word: str) -> bool:
    return word in STOP_WORDS or word in WORDS["around"] or word in WORDS["by_kind.no_name"]


def _kinds(text: str, found: Sequence[Amount]) -> list[_Kind]:
    """Return of what each is, and for each of what: a tank that holds so much is one where nothing is for each."""
    kinds = [_kind_of(text, one) for one in found]
    of_each = [one for one in found if BEFORE["by_kind.of_each"].search(text[: one.start])]
    of_each = of_each or [one for one in found if _has_each_behind(text, one)]
    is_counted = all(one in of_each or one.unit in COUNTED for one in found)
    if len(of_each) == 1 and is_counted and not any(one.each for one in kinds):
        return [
            replace(one, each=other.names) if one.amount in of_each else one
            for one, other in zip(kinds, reversed(kinds), strict=True)
        ]
    if any(one.each for one in kinds):
        return kinds
    heads = [BEFORE["told.covers"].search(text[: one.start]) for one in found]
    each = [_words_of(head) for head in heads]
    # Not "a crate is 12", which may be a price, nor "the choir is 54".
    return [
        one if words.isdisjoint(WORDS["by_kind.holding"]) else replace(one, each=words)
        for one, words in zip(kinds, each, strict=True)
    ]


def _kind_of(text: str, one: Amount) -> _Kind:
    word = word_at(text, one.end) if one.unit in COUNTED else ""
    is_named = bool(word) and not _is_quiet(word) and PHRASES["by_kind.each"].match(text, one.end + 1) is None
    end = one.end + 1 + len(word) if is_named else one.end
    name = dimension(one.unit) or (_plain(word) if is_named else _BARE)
    time = _plain(text[one.start : one.end].split()[-1]) if dimension(one.unit) == "time" else ""
    of = _OF.match(text, end)
    each = PHRASES["by_kind.each"].match(text, (of.end() if of else end) + 1)
    named = word_at(text, each.end()) if each else ""
    if named.isalpha() and not _is_quiet(named):
        return _Kind(one, name, frozenset({_plain(named)}), time)
    return _Kind(one, name, _words_of(BEFORE["by_kind.each"].search(text[: one.start])), time)


def _has_each_behind(text: str, one: Amount) -> bool:
    """Whether so much is for each of the others: "90 hens, 120 g each"."""
    word = word_at(text, one.end)
    end = one.end if word == _EACH or one.unit not in COUNTED else one.end + 1 + len(word)
    return word_at(text, end) == _EACH


def _words_of(head: re.Match[str] | None) -> frozenset[str]:
    words = WORD.findall(head[0]) if head else []
    return frozenset((*words, *map(_plain, words)))


def _plain(word: str) -> str:
    """Return the stem of a word and of its plural: "dress" and "dresses", "crate" and "crates"."""
    return stem(word).rstrip("s").removesuffix("e")
