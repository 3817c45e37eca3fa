"""A time of day so long before or behind another: "what time is 50 minutes after 10:35", "4 horas antes de las 8".

Right behind it, "and if it takes 15 minutes more?".
"""

import re
from typing import Final

from app.domain.errors import ToolFault
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.calculator.clocks import (
    DAY,
    HALF_DAY,
    Clock,
    at_clock,
    clocks,
    in_hours,
    minute_of,
    spans,
    timed_ways,
)
from app.skills.tools.calculator.lexicon import AN_HOUR, HALF_OF_DAY, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.spoken import WORD, has_number, has_word
from app.skills.tools.calculator.texts import CALCULATOR

_MAX_CHARS: Final = 120
_EDGES: Final = " .,;:!?¡¿"
_UNITS: Final = frozenset({"minute", "hour"})
_MOST_SPANS: Final = 2
_TWELVE: Final = 12
_DIGITS: Final = re.compile(r"\d{1,2}")


def answer_clock_step(text: str, ctx: TurnContext) -> str | None:
    """Say which time is so long before or behind the one that is told; None for any other message.

    Where a clock of twelve hours passes twelve, both halves of the day are told, and another day is named.
    """
    if len(text) > _MAX_CHARS or has_word(text, *TOLD_WISHES):
        return None
    found = spans(text, ctx)
    if not 0 < len(found) <= _MOST_SPANS or any(one.unit not in _UNITS for one in found):
        return None
    head, between = text[: found[0].start].strip(_EDGES), text[found[0].end : found[-1].start].strip(_EDGES)
    if PHRASES["clock_step.asks"].fullmatch(head) is None or (
        between and between not in WORDS["clock_step.between"]
    ):
        return None
    way = next((one for one in ("before", "after") if _leads(one, text, found[-1].end)), "")
    clock = _clock(text, found[-1].end + 1 + _leads(way, text, found[-1].end)) if way else None
    if clock is None or not _is_quiet(text[clock.end :]):
        return None
    minutes = sum(one.minutes for one in found)
    return _told(text, clock, round(minutes) if way == "after" else -round(minutes), ctx)


def with_more_time(text: str, before: str, ctx: TurnContext) -> str | None:
    """Return the message `before` with a longer or shorter time: "and if it takes 15 minutes more?"."""
    if len(text) > _MAX_CHARS:
        return None
    for way in timed_ways(before):
        if answer_clock_step(way, ctx) is None:
            continue
        told = spans(way, ctx)
        for said in timed_ways(text):
            if (change := _change(said, ctx)) is not None:
                minutes = round(sum((one.minutes for one in told), start=change))
                return f"{way[: told[0].start]}{minutes} min{way[told[-1].end :]}" if minutes > 0 else None
    return None


def _change(text: str, ctx: TurnContext) -> int | None:
    try:
        found = spans(text, ctx)
    except ToolFault:
        return None
    if len(found) != 1 or found[0].unit not in _UNITS:
        return None
    head, rest = text[: found[0].start].strip(_EDGES), text[found[0].end :].strip(_EDGES)
    if has_number(f"{head} {rest}") or PHRASES["clock_step.if"].fullmatch(head) is None:
        return None
    sign = next((s for topic, s in (("more", 1), ("less", -1)) if _is_all(topic, head, rest)), 0)
    return sign * round(found[0].minutes) or None


def _is_all(topic: str, head: str, rest: str) -> bool:
    """Whether "more" stands behind a duration, or "another" before it and nothing behind."""
    pattern = PHRASES[f"clock_step.{topic}"]
    return pattern.fullmatch(rest) is not None or (
        not rest and pattern.fullmatch(next(reversed(WORD.findall(head)), "")) is not None
    )


def _leads(way: str, text: str, at: int) -> int:
    """Return how long the words are that lead from a duration to its clock; 0 where others stand there."""
    found = PHRASES[f"clock_step.{way}"].match(text, at + 1) if way and text[at : at + 1] == " " else None
    return found.end() - at - 1 if found else 0


def _clock(text: str, at: int) -> Clock | None:
    """Return the time of day that stands there: with its minutes, "las" or a half of the day, or an hour alone."""
    found = next((one for one in clocks(text) if 0 <= one.start - at <= 1), None)
    if found is not None:
        return found
    alone = AN_HOUR.match(text, at)
    minute = minute_of(alone["hour"], None, None) if alone else None
    return None if alone is None or minute is None else Clock(minute % DAY, "", alone.start(), alone.end())


def _is_quiet(behind: str) -> bool:
    rest = behind.strip(_EDGES)
    return not rest or PHRASES["clock_step.tail"].fullmatch(rest) is not None


def _told(text: str, clock: Clock, change: int, ctx: TurnContext) -> str:
    """Word the step; an hour that may be in either half of the day is told for both where that matters."""
    written = text[clock.start : clock.end]
    is_halved = bool(clock.half)
    is_open = not is_halved and HALF_OF_DAY.search(written) is None and 0 < _hour(written) <= _TWELVE
    step = f"{'-' if change < 0 else '+'} {in_hours(abs(change))}"
    if is_open and 0 <= clock.minute % HALF_DAY + change < HALF_DAY:
        shown = [at_clock(one, halves=True).split()[0] for one in (clock.minute, clock.minute + change)]
        return f"{shown[0]} {step} = {shown[1]}"
    starts = (clock.minute % HALF_DAY, clock.minute % HALF_DAY + HALF_DAY) if is_open else (clock.minute,)
    return "\n".join(_line(one, change, step, ctx, halves=is_halved or is_open) for one in starts)


def _hour(written: str) -> int:
    found = _DIGITS.search(written)
    return int(found[0]) if found else 0


def _line(start: int, change: int, step: str, ctx: TurnContext, *, halves: bool) -> str:
    days, minute = divmod(start + change, DAY)
    told = f"{at_clock(start, halves=halves)} {step} = {at_clock(minute, halves=halves)}"
    if not days:
        return told
    phrase = CALCULATOR.days_later if days > 0 else CALCULATOR.days_earlier
    return f"{told} ({say(phrase, ctx.language, count=abs(days))})"
