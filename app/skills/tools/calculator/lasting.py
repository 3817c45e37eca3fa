"""Durations: several together, in another unit, and from one time of day to another."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from app.domain.turn import TurnContext
from app.skills.tools.calculator.arithmetic import show_briefly
from app.skills.tools.calculator.calculator_tools import in_words
from app.skills.tools.calculator.clocks import MINUTE_S, NAMES, SIZES, Span, in_hours, spans
from app.skills.tools.calculator.lexicon import JOINS, LASTING
from app.skills.tools.calculator.measures import around, has_more
from app.skills.tools.calculator.spoken import WORD, has_word, says

_MOST_WORDS_BETWEEN: Final = 7
_FEW_WORDS: Final = 4
_LESS: Final = re.compile(r"(?: -|,? (?:menos|minus|less)) \Z")
_NOT_IN_HOURS: Final = frozenset({"second", "day", "week"})


def answer_lasting(text: str, ctx: TurnContext) -> str | None:
    """Answer what a message asks of durations, where it tells all of them; None for any other message."""
    # "4 hours without a break, how many minutes is that?" takes nothing away.
    is_asked = bool(LASTING["asked"].search(text))
    if has_word(text, "told.wishes") or (has_word(text, "negated") and not is_asked):
        return None
    found = spans(text, ctx)
    if not found or has_more(text, found):
        return None
    answers: tuple[Callable[[str, list[Span], TurnContext], str | None], ...] = (_converted, _together)
    return next(filter(None, (answer(text, found, ctx) for answer in answers)), None)


def _converted(text: str, found: list[Span], ctx: TurnContext) -> str | None:
    """Word a duration in the unit that is asked for."""
    asked = [one["unit"] for topic in ("asked", "into") for one in LASTING[topic].finditer(text)]
    words = WORD.findall(" ".join(around(text, found)))
    is_asked = "?" in text or has_word(text, "told.asks_many") or len(words) <= _FEW_WORDS
    if len(found) != 1 or len(asked) != 1 or not is_asked:
        return None
    into, span = NAMES[asked[0]], found[0]
    if into == span.unit:
        return None
    told = in_hours(span.minutes) if span.unit not in _NOT_IN_HOURS else text[span.start : span.end]
    value = span.minutes * MINUTE_S / SIZES[into]
    if into == "hour" and value.denominator != 1 and span.minutes.denominator == 1:
        return f"{told} = {in_hours(span.minutes)}" if told != in_hours(span.minutes) else _as_hours(span)
    number, is_exact = show_briefly(value)
    return f"{told} {'=' if is_exact else '≈'} {in_words(number, ctx, is_local=False)} {asked[0]}"


def _as_hours(span: Span) -> str:
    return f"{show_briefly(span.minutes)[0]} min = {in_hours(span.minutes)}"


def _together(text: str, found: list[Span], ctx: TurnContext) -> str | None:
    """Add durations up, or take one off the other, where that is asked for."""
    if (
        len(found) < 2
        or not says(text, "lasting.together")
        or not _NOT_IN_HOURS.isdisjoint(one.unit for one in found)
    ):
        return None
    gaps = around(text, found)[1:-1]
    if any(len(WORD.findall(gap)) > _MOST_WORDS_BETWEEN or not JOINS.search(gap) for gap in gaps):
        return None
    told, total = in_hours(found[0].minutes), Fraction(found[0].minutes)
    for gap, one in zip(gaps, found[1:], strict=True):
        sign = -1 if _LESS.search(gap) else 1
        total += sign * one.minutes
        told += f" {'-' if sign < 0 else '+'} {in_hours(one.minutes)}"
    return f"{told} = {in_hours(total)}" if total >= 0 else None
