"""So much a day, week, month or year told for another; averages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from app.skills.tools.calculator.lexicon import PERIOD_WORDS, PHRASES, WORDS
from app.skills.tools.calculator.measures import (
    Amount,
    amounts,
    has_more,
    measured_ways,
    number_end,
)
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, behind, first_read, has_word, size
from app.skills.tools.calculator.told import is_amount

_MOST_AVERAGED: Final = 40
_MOST_UNKNOWN: Final = 8
_LISTED: Final = re.compile(r"[€$£]?(?:,? ?(?:y|e|and|&|con)?|,| ?[-/+;]|\.) ?(?:(?:un|una|an?|otro|another) )?")
_PERIOD: Final = re.compile(rf" (?:{'|'.join(sorted(PERIOD_WORDS, reverse=True))})(?!\w)")
_EDGES: Final = " .,;:!?¡¿"
# By how much an amount for the first is multiplied for the second; months have 30 days beside days.
FACTORS: Final = MappingProxyType(
    {
        ("day", "week"): "* 7",
        ("day", "month"): "* 30",
        ("day", "year"): "* 365",
        ("week", "day"): "/ 7",
        ("week", "month"): "* 52 / 12",
        ("week", "year"): "* 52",
        ("month", "day"): "/ 30",
        ("month", "week"): "* 12 / 52",
        ("month", "year"): "* 12",
        ("year", "day"): "/ 365",
        ("year", "week"): "/ 52",
        ("year", "month"): "/ 12",
    }
)


@dataclass(frozen=True, slots=True)
class _Counted:
    """A number, what it is of ("" for money), and for each of which period."""

    value: str
    unit: str
    per: str
    end: int


def with_period(text: str, before: str) -> str | None:
    """Return the message `before` with the period that `text` asks for instead: "y por año?", "and a week?"."""
    another = first_read(lambda way: PHRASES["rate.another"].fullmatch(way.strip(_EDGES)), measured_ways(text))
    if another is None:
        return None
    period = next(word for word in reversed(WORD.findall(another[0])) if word in PERIOD_WORDS)
    for way in measured_ways(before):
        asked = _asks(way, [one for one in map(partial(_counted, way), amounts(way)) if one is not None])
        if asked and read_rate(way):
            head, _, _ = asked[-1][0].rpartition(" ")
            return f"{way[: asked[-1].start()]}{head} {period}{way[asked[-1].end() :]}"
    return None


def read_rate(text: str) -> str | None:
    """Return the calculation of what so much a day, week, month or year comes to; None for any other message."""
    if (
        not has_word(text, "told.asks_many")
        or has_word(text, "told.wishes")
        or PHRASES["rate.interest"].search(text)
    ):
        return None
    found = list(amounts(text))
    counted = [_counted(text, one) for one in found]
    if has_more(text, found) or not counted or None in counted:
        return None
    known = [one for one in counted if one is not None]
    money = [one for one in known if not one.unit]
    asked, others = _asked(text, known), [one for one in known if one.unit]
    if len(money) != 1:
        return None
    if not money[0].per:
        is_shared = [(one.unit, one.per) for one in others] == [(asked, "")] and size(others[0].value)
        return f"{money[0].value} / {others[0].value}" if is_shared else None
    return _chained(money[0], others, asked, text)


def _chained(money: _Counted, others: list[_Counted], asked: str, text: str) -> str | None:
    """Multiply by what there is of each: hours of a week, then weeks."""
    told, unit = money.value, money.per
    while others:
        step = next((one for one in others if one.unit == unit), None)
        if step is None:
            return None
        others.remove(step)
        told += f" * {step.value}"
        if not step.per:
            return told if not others and asked in ("", unit) else None
        unit = step.per
    if not asked or asked == unit:
        return told if " " in told and asked == unit else None
    if unit == "day" and PHRASES["rate.works"].search(text):
        return None  # Nobody knows on how many days.
    factor = FACTORS.get((unit, asked))
    return f"{told} {factor}" if factor else None


def _counted(text: str, one: Amount) -> _Counted | None:
    if "/" in one.value or PERCENT_SIGN.match(text, one.end):
        return None
    number = number_end(text, one)
    unit, end = "", behind("money", text, number) or number
    if (named := _PERIOD.match(text, end)) is not None:
        unit, end = PERIOD_WORDS[named[0].strip()], named.end()
    elif one.unit:
        return None
    per = PHRASES["rate.per"].match(text, end + 1) or PHRASES["rate.adverb"].match(text, end + 1)
    if per is not None and text[end : end + 1] in " ,":
        return _Counted(one.value, unit, _period_in(per[0]), per.end())
    if unit or is_amount(text, one) or PHRASES["rate.saves"].search(text[: one.start]):
        return _Counted(one.value, unit, "", end)
    return None


def _asked(text: str, known: Sequence[_Counted]) -> str:
    """Return the period that is asked for; "" where there is none, or several."""
    asked = {_period_in(one[0]) for one in _asks(text, known)}
    return asked.pop() if len(asked) == 1 else ""


def _asks(text: str, known: Sequence[_Counted]) -> list[re.Match[str]]:
    """Return the periods that no number is for, in their order."""
    ends = {one.end for one in known}
    found = (one for topic in ("per", "in", "adverb") for one in PHRASES[f"rate.{topic}"].finditer(text))
    return sorted((one for one in found if one.end() not in ends), key=lambda one: one.start())


def _period_in(phrase: str) -> str:
    return PERIOD_WORDS[phrase.split()[-1]]


def read_average(text: str) -> str | None:
    """Return the calculation of the average that a message asks for; None for any other message."""
    asked = PHRASES["rate.average"].search(text)
    found = list(amounts(text))
    if asked is None or not 1 < len(found) <= _MOST_AVERAGED or has_more(text, found):
        return None
    words = WORD.findall(text)
    unknown = [word for word in words if word not in WORDS["around"] and not word.isdecimal()]
    if has_word(text, "told.wishes") or len(unknown) > _MOST_UNKNOWN:
        return None
    gaps = [text[one.end : other.start] for one, other in pairwise(found)]
    if any(one.unit or "/" in one.value for one in found) or not all(map(_LISTED.fullmatch, gaps)):
        return None
    return f"({' + '.join(one.value for one in found)}) / {len(found)}"
