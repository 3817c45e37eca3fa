"""Hours that were worked: "from 8.30 to 17.15 with 45 min off, five days"."""

import re
from typing import Final

from app.domain.turn import TurnContext
from app.skills.tools.calculator.clocks import DAY, HALF_DAY, HOUR, in_hours, minute_of, spans
from app.skills.tools.calculator.lexicon import (
    BEFORE,
    BEGUN_AND_ENDED,
    BETWEEN_HOURS,
    FROM_TO,
    GETS_UP,
    PHRASES,
    TO_BED,
    TOLD_WISHES,
    WORDS,
    WORK_DAYS,
)
from app.skills.tools.calculator.spoken import has_number, has_word, says, word_at

_MOST_DAYS: Final = 31
_NAP: Final = 2 * HOUR
_LONGEST_NIGHT: Final = 11 * HOUR
_LONGEST_DAY: Final = 22 * HOUR


def answer_sleep(text: str, _: TurnContext) -> str | None:
    """Say how long somebody sleeps, or is awake, who tells when they go to bed and get up; None for all else.

    Of the two ways to read a clock without its half of the day, that counts which leaves a usual night.
    """
    is_awake = says(text, "told.asks_awake")
    beds, risings = list(TO_BED.finditer(text)), list(GETS_UP.finditer(text))
    if not (is_awake or says(text, "told.asks_sleep")) or has_word(text, *TOLD_WISHES):
        return None
    if not len(beds) == len(risings) == 1 or has_number(beds[0].re.sub(" ", risings[0].re.sub(" ", text))):
        return None
    first, last = (risings[0], beds[0]) if is_awake else (beds[0], risings[0])
    begin, end = (minute_of(*one.groups()) for one in (first, last))
    if begin is None or end is None:
        return None
    is_open = any(not one[3] and 0 < int(one[1]) * HOUR <= HALF_DAY for one in (first, last))
    lasting = {(end - begin + later) % DAY for later in ((0, HALF_DAY) if is_open else (0,))}
    usual = [
        one for one in lasting if (_LONGEST_NIGHT < one < _LONGEST_DAY if is_awake else _NAP < one <= HALF_DAY)
    ]
    told = " - ".join(f"{int(one[1])}:{one[2] or '00'}" for one in (last, first))
    return f"{told} = {in_hours(usual[0])}" if len(usual) == 1 else None


def answer_hours(text: str, ctx: TurnContext) -> str | None:
    """Return the sum of the hours that a message tells of, with its result; None where it asks for none."""
    if not says(text, "told.asks_hours") or has_word(text, *TOLD_WISHES):
        return None
    is_told = BEGUN_AND_ENDED.search(text) is not None
    spans = list(BEGUN_AND_ENDED.finditer(text)) or [*FROM_TO.finditer(text), *BETWEEN_HOURS.finditer(text)]
    if len(spans) != 1 or not (is_told or _is_of_time(text, spans[0])) or (worked := _worked(spans[0])) is None:
        return None
    rest = text[: spans[0].start()] + " " + text[spans[0].end() :]
    pause, rest = _pause(rest, ctx)
    days, rest = _days(rest)
    if has_number(rest) or not 0 <= pause < worked:
        return None
    begin, end = (f"{int(spans[0][at])}:{spans[0][at + 1] or '00'}" for at in (1, 4))
    told = f"{end} - {begin}" + (f" - {pause} min" if pause else "")
    told = f"({told}) × {days}" if days > 1 else told
    return f"{told} = {in_hours((worked - pause) * days)}"


def _is_of_time(text: str, span: re.Match[str]) -> bool:
    """Whether two numbers are hours: no people follow them, as in "8 to 10 people"."""
    follows = word_at(text, span.end())
    is_no_thing = follows.isdecimal() or follows in WORDS["told.after_amount"] | WORDS["told.asks_many"]
    return any(span.group(2, 3, 5, 6)) or not follows or is_no_thing


def _worked(span: re.Match[str]) -> int | None:
    """Return the minutes between two clock times; from 8 to 5 is the afternoon's five."""
    begin, end = (minute_of(*span.group(at, at + 1, at + 2)) for at in (1, 4))
    if begin is None or end is None:
        return None
    if end <= begin and begin < HALF_DAY + HOUR and span[6] not in {"am", "pm"}:
        end += HALF_DAY
    worked = (end - begin) % DAY
    return worked or None


def _pause(text: str, ctx: TurnContext) -> tuple[int, str]:
    """Return the minutes that are taken off, and the text without them."""
    for one in spans(text, ctx):
        before, after = text[: one.start], text[one.end + 1 :]
        if PHRASES["told.break_words"].match(after) or BEFORE["told.before_break"].search(before):
            return round(one.minutes), f"{before} {after}"
    return 0, text


def _days(text: str) -> tuple[int, str]:
    if (found := WORK_DAYS.search(text)) is not None and int(found["count"]) <= _MOST_DAYS:
        return int(found["count"]), text[: found.start()] + text[found.end() :]
    for topic, days in (("work_week", 5), ("long_week", 6)):
        if PHRASES[f"told.{topic}"].search(text):
            return days, text
    return 1, text
