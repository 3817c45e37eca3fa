"""How long a way takes, how far one gets, how fast that is, and when one arrives or has to leave."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.calculator.arithmetic import show_briefly
from app.skills.tools.calculator.calculator_tools import in_words
from app.skills.tools.calculator.clocks import HALF_DAY, HOUR, Clock, Span, at_clock, clocks, in_hours, spans
from app.skills.tools.calculator.lexicon import BEFORE, JOINS, MEASURE_WORDS, PHRASES
from app.skills.tools.calculator.measures import Amount, amounts, around
from app.skills.tools.calculator.spoken import WORD, behind, has_number, has_word, is_grouped, plain_value, says
from app.skills.tools.calculator.texts import CALCULATOR
from app.when.rules import to_local

_FASTEST: Final = 1000
_MOST_WORDS_BETWEEN: Final = 9
_KILOS: Final = re.compile(r"(?<=\d) ?k(?:'?s)?(?!\w)")
_PER_HOUR: Final = re.compile(r"(?<=[a-zA-Z]) ?/ ?h(?:ora|our|r)?(?!\w)")
_ROAD: Final = re.compile(r"(?<!\w)[abmn]-?\d{1,4}(?!\w)")
_TIMES: Final = frozenset({"minute", "hour"})
_BY_THE_CLOCK: Final = frozenset({"leaves", "arrives"})
_FAST: Final = frozenset({"kilometre", "mile"})
_DIGITS: Final = re.compile(r"\d{1,4}")


@dataclass(slots=True)
class _Facts:
    """What a message tells; numbers as fractions, each with its unit."""

    ways: list[tuple[Fraction, str]] = field(default_factory=list)
    speeds: list[tuple[Fraction, str]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    clocks: list[Clock] = field(default_factory=list)
    unit: str = ""
    is_local: bool = False
    is_row: bool = False

    def counts(self) -> tuple[int, int, int, int]:
        return len(self.ways), len(self.speeds), len(self.spans), len(self.clocks)


def with_speeds(text: str) -> str:
    """Write out "10k" and "km/h"."""
    return _PER_HOUR.sub(" per h", _KILOS.sub(" km", text))


def answer_travel(text: str, ctx: TurnContext) -> str | None:
    """Answer what a message asks of a way, where it tells all of it; None for any other message."""
    asked = [topic for topic in _ANSWERS if PHRASES[f"way.{topic}"].search(text)]
    if not asked or has_word(text, "told.wishes"):
        return None
    if has_word(text, "flight"):
        asked = [topic for topic in asked if topic not in _BY_THE_CLOCK]
    facts = _facts(_ROAD.sub(" ", PHRASES["named_by_number"].sub(" ", text)), ctx)
    if facts and facts.clocks and says(text, "way.lasts") and not says(text, "way.travels"):
        # Who leaves what lasts leaves at its end: "el turno empieza 22:40 y dura 7 horas, a qué hora salgo".
        asked = ["arrives" if topic == "leaves" else topic for topic in asked]
    if facts and facts.spans and facts.clocks and says(text, "way.again"):
        asked = ["arrives" if topic == "leaves" else topic for topic in asked]
    if facts and len(facts.spans) > 1 and not says(text, "way.travels"):
        asked = [topic for topic in asked if topic != "leaves"]
    return None if facts is None else next(filter(None, (_ANSWERS[topic](facts, ctx) for topic in asked)), None)


def _facts(text: str, ctx: TurnContext) -> _Facts | None:
    """Return what a text tells of a way; None where a number is left over."""
    facts = _Facts(is_local=is_grouped(text, ctx))
    facts.spans = [one for one in spans(text, ctx) if one.unit in _TIMES]
    facts.is_row = _is_row(text, facts.spans)
    taken = [(one.start, one.end) for one in facts.spans]
    named = {MEASURE_WORDS[word] for word in WORD.findall(text) if MEASURE_WORDS.get(word) in _FAST}
    facts.unit = named.pop() if len(named) == 1 else ""
    for one in amounts(text):
        if not _is_in(one.start, taken) and (end := _take(text, one, facts, ctx)):
            taken.append((one.start, end))
    facts.clocks = [one for one in clocks(text) if not _is_in(one.end - 1, taken)]
    taken += [(one.start, one.end) for one in facts.clocks]
    rest = "".join(char for place, char in enumerate(text) if not _is_in(place, taken))
    return None if has_number(rest) else facts


def _is_row(text: str, found: Sequence[Span]) -> bool:
    """Whether several durations come one after the other: joined, and none within another or in its place."""
    gaps = around(text, found)
    is_joined = all(JOINS.search(gap) and len(WORD.findall(gap)) <= _MOST_WORDS_BETWEEN for gap in gaps[1:-1])
    return is_joined and not has_word(" ".join(gaps), "way.not_in_row")


def _is_in(place: int, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in taken)


def _take(text: str, one: Amount, facts: _Facts, ctx: TurnContext) -> int:
    """Put an amount where it belongs, and return where it ends; 0 for one that is neither a way nor a speed."""
    if "/" in one.value:
        return 0
    value = plain_value(one.value, ctx)
    per_hour = PHRASES["way.per_hour"].match(text, one.end + 1) if one.unit in _FAST else None
    if (
        not one.unit
        and (bare := PHRASES["way.per_hour"].match(text, one.end + 1)) is not None
        and value <= _FASTEST
    ):
        facts.speeds.append((value, ""))
        return bare.end()
    fast = PHRASES["way.kilometres_an_hour"].match(text, one.end + 1)
    if (found := per_hour or fast or PHRASES["way.miles_an_hour"].match(text, one.end + 1)) is not None:
        unit = one.unit if per_hour else "kilometre" if fast else "mile"
        facts.speeds.append((value, unit))
        return found.end()
    if one.unit in _FAST:
        facts.ways.append((value, one.unit))
        return one.end
    if one.unit or not facts.unit or not _is_speed(text, one) or value > _FASTEST:
        return 0
    facts.speeds.append((value, ""))
    return one.end


def _is_speed(text: str, one: Amount) -> bool:
    """Whether a bare number is how fast somebody goes: behind "voy a", "at", "averaging"."""
    is_money = behind("money", text, one.end) or not _DIGITS.fullmatch(text[one.start : one.end])
    return not is_money and BEFORE["way.going"].search(text[: one.start]) is not None


def _time(facts: _Facts, ctx: TurnContext) -> tuple[Fraction, str] | None:
    """Return how many minutes the way takes, and the calculation of that."""
    if len(facts.ways) != 1 or len(facts.speeds) != 1 or facts.spans:
        return None
    (way, unit), (speed, other) = facts.ways[0], facts.speeds[0]
    if not speed or not way or other not in ("", unit):
        return None
    return way * HOUR / speed, f"{_way(way, unit, facts, ctx)} / {_speed(speed, unit, facts, ctx)}"


def _takes(facts: _Facts, ctx: TurnContext) -> str | None:
    found = None if facts.clocks else _time(facts, ctx)
    if found is None:
        return None
    return f"{found[1]} {'=' if found[0].denominator == 1 else '≈'} {in_hours(found[0])}"


def _far(facts: _Facts, ctx: TurnContext) -> str | None:
    if facts.counts() != (0, 1, 1, 0):
        return None
    (speed, unit), minutes = facts.speeds[0], facts.spans[0].minutes
    if not (unit := unit or facts.unit):
        return None
    way = _way(speed * minutes / HOUR, unit, facts, ctx)
    return f"{_speed(speed, unit, facts, ctx)} × {in_hours(minutes)} = {way}"


def _fast(facts: _Facts, ctx: TurnContext) -> str | None:
    if facts.counts() != (1, 0, 1, 0) or not facts.spans[0].minutes:
        return None
    (way, unit), minutes = facts.ways[0], facts.spans[0].minutes
    speed = way * HOUR / minutes
    equals = "=" if show_briefly(speed)[1] else "≈"
    return f"{_way(way, unit, facts, ctx)} / {in_hours(minutes)} {equals} {_speed(speed, unit, facts, ctx)}"


def _arrives(facts: _Facts, ctx: TurnContext) -> str | None:
    return _at(1, facts, ctx)


def _leaves(facts: _Facts, ctx: TurnContext) -> str | None:
    return _at(-1, facts, ctx)


def _at(sign: int, facts: _Facts, ctx: TurnContext) -> str | None:
    """Return when somebody arrives who leaves then, or now; or has to leave (`sign` is -1) to be there then."""
    is_row = len(facts.spans) > 1
    if facts.spans and (facts.ways or facts.speeds or (is_row and not (facts.is_row and facts.clocks))):
        return None
    found = (sum((one.minutes for one in facts.spans), Fraction()), "") if facts.spans else _time(facts, ctx)
    if found is None or len(facts.clocks) > 1 or (sign < 0 and not facts.clocks):
        return None
    now = to_local(ctx.received_at, ZoneInfo(ctx.timezone))
    begin, half = now.hour * HOUR + now.minute, ""
    if facts.clocks:
        begin, half = facts.clocks[0].minute, facts.clocks[0].half
    if sign < 0 and not half and HOUR <= begin < HALF_DAY and begin < found[0]:
        return None  # At 1:30, after the night or after noon.
    op = "+" if sign > 0 else "-"
    parts = [in_hours(one.minutes) for one in facts.spans] or [in_hours(found[0])]
    told = f" {op} ".join((at_clock(begin, halves=bool(half)), *parts))
    return f"{told} = {at_clock(begin + sign * round(found[0]), halves=bool(half))}"


def _way(value: Fraction, unit: str, facts: _Facts, ctx: TurnContext) -> str:
    return f"{_number(value, facts, ctx)} {'km' if unit == 'kilometre' else say(CALCULATOR.miles, ctx.language)}"


def _speed(value: Fraction, unit: str, facts: _Facts, ctx: TurnContext) -> str:
    return f"{_number(value, facts, ctx)} {'km/h' if unit == 'kilometre' else say(CALCULATOR.mph, ctx.language)}"


def _number(value: Fraction, facts: _Facts, ctx: TurnContext) -> str:
    return in_words(show_briefly(value)[0], ctx, is_local=facts.is_local)


# What is asked for, the surest first.
_ANSWERS: Final[Mapping[str, Callable[[_Facts, TurnContext], str | None]]] = MappingProxyType(
    {"leaves": _leaves, "arrives": _arrives, "fast": _fast, "far": _far, "takes": _takes}
)
