"""What so many a day, week or month come to over a time: "we use 3 bags every two days, how many in a month?"."""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.wording import have_one_stem
from app.language.catalogue import LANGUAGES
from app.language.late import LatePattern
from app.language.lexicon import STOP_WORDS
from app.language.written_numbers import in_digits
from app.skills.tools.calculator.lexicon import NUMBERS, PHRASES, WORDS, any_of
from app.skills.tools.calculator.measures import Amount, amounts, around, measured_ways, number_end
from app.skills.tools.calculator.rates import FACTORS
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, behind, has_word

_UNITS: Final = MappingProxyType(
    {word: name for name, words in WORDS.table("over_time_unit").items() for word in words}
)
_ADVERBS: Final = MappingProxyType(
    {word: name for name, words in WORDS.table("over_time_adverb").items() for word in words}
)
_COUNT: Final = r"(?P<count>[1-9]\d{0,2}(?:\.5)?)"
_UNIT: Final = rf"(?P<unit>{any_of(_UNITS)})(?!\w)"
_EVERY: Final = LatePattern(rf"{WORDS.pattern('over_time.every')} (?:{_COUNT} )?{_UNIT}")
_ADVERB: Final = re.compile(rf"(?<!\w)(?P<unit>{any_of(_ADVERBS)})(?!\w)")
_OTHER_DAY: Final = LatePattern(WORDS.pattern("over_time.other_day"))
_LONG: Final = LatePattern(
    rf"{WORDS.pattern('over_time.for')} (?:{_COUNT}|{WORDS.pattern('over_time.one')}) {_UNIT}"
)
_BARE: Final = LatePattern(rf"(?<![\w.,:/])(?:{_COUNT}|{WORDS.pattern('over_time.one')}) {_UNIT}")
# "And in 10?": of the same time as before.
_OF_ALONE: Final = LatePattern(
    rf"\W*+(?:{WORDS.pattern('over_time.what_about')} )?{WORDS.pattern('over_time.for')} {_COUNT}\W*"
)
_AGED: Final = LatePattern(
    rf"{WORDS.pattern('over_time.aged')} \d{{1,3}}(?: {WORDS.pattern('over_time.years')}|(?= ?[,.;!]))"
)
_PAUSE: Final = re.compile(r"[,.;:!?¿¡]")
_IF: Final = LatePattern(WORDS.pattern("over_time.if"))
_IN: Final = "in"
_THING: Final = re.compile(r"\A [^\W\d_]{3,}")
_MOST_BETWEEN: Final = 5
_MOST_GOING_ON: Final = 8
_FEW_WORDS: Final = 4
_ASKING: Final = WORDS["told.asks_many"]
_LOOSE: Final = WORDS["told.loose_wishes"]
_WISHES: Final = WORDS["told.wishes"] - _LOOSE
# What else a week, or a fortnight, is where the rate is for a day; nobody knows how long a day of work is.
_MORE_FACTORS: Final = MappingProxyType(
    {
        ("minute", "hour"): "* 60",
        ("day", "fortnight"): "* 14",
        ("week", "fortnight"): "* 2",
        ("day", "half_month"): "* 15",
        ("month", "half_month"): "/ 2",
        ("fortnight", "year"): "* 26",
        ("half_month", "month"): "* 2",
        ("half_month", "year"): "* 24",
    }
)
_AROUND_THE_CLOCK: Final = MappingProxyType({("hour", "day"): "* 24", ("hour", "week"): "* 24 * 7"})


@dataclass(frozen=True, slots=True)
class _Span:
    """So many days, weeks or months; `count` is "" for one. `may_be_rate`: it may say how often something is."""

    count: str
    unit: str
    start: int
    end: int
    may_be_rate: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """How much there is in what time, and the time that is asked for."""

    text: str
    amount: Amount
    every: _Span
    over: _Span

    @property
    def calculation(self) -> str | None:
        value = f"({self.amount.value})" if "/" in self.amount.value else self.amount.value
        pair = self.every.unit, self.over.unit
        factor = "" if pair[0] == pair[1] else FACTORS.get(pair) or _MORE_FACTORS.get(pair)
        if factor is None and self.every.count:  # "Every 8 hours" goes on at night, "12 an hour" does not.
            factor = _AROUND_THE_CLOCK.get(pair)
        if factor is None or (not factor and (self.over.count or "1") == (self.every.count or "1")):
            return None
        times = f"* {self.over.count}" if self.over.count not in ("", "1") else ""
        parts = f"/ {self.every.count}" if self.every.count not in ("", "1") else ""
        return " ".join(filter(None, (value, factor, times, parts)))


def read_over_time(text: str) -> str | None:
    """Return the calculation of what so many in a time come to over another; None for any other message."""
    asked = _read(text)
    return asked.calculation if asked else None


def with_span(text: str, before: str) -> str | None:
    """Return the message `before` with the time, or the number, that `text` says instead.

    "And in 10 days?", "y si junto 45?"; None where `before` asks for nothing over a time.
    """
    if len(WORD.findall(text)) > _MOST_GOING_ON:
        return None
    asked = next(filter(None, map(_read, measured_ways(before))), None)
    if asked is None:
        return None
    ways = [way for one in measured_ways(text) for way in _in_digits(one)]
    return next(filter(None, (_with_time(one, asked) or _with_number(one, asked) for one in ways)), None)


def _with_time(text: str, asked: _Asked) -> str | None:
    if (alone := _OF_ALONE.fullmatch(text)) is not None:
        over = asked.over
        unit = next(word for word in reversed(WORD.findall(asked.text[over.start : over.end])) if word in _UNITS)
        return f"{asked.text[: over.start]}{_IN} {alone['count']} {unit}{asked.text[over.end :]}"
    spans = [*_spans(text), *(_span(one, may_be_rate=False) for one in _BARE.finditer(text))]
    found = max(spans, key=lambda one: one.end - one.start, default=None)
    if found is None or any(one.start < found.start or one.end > found.end for one in spans):
        return None
    rest = f"{text[: found.start]} {text[found.end :]}"
    if not _is_known(rest, "") or _has_number(rest):
        return None
    unit = next(
        word
        for word in reversed(WORD.findall(text[found.start : found.end]))
        if word in _UNITS or word in _ADVERBS
    )
    name = unit if unit in _UNITS else next(word for word, of in _UNITS.items() if of == _ADVERBS[unit])
    over = asked.over
    return f"{asked.text[: over.start]}{_IN} {found.count or 'a'} {name}{asked.text[over.end :]}"


def _with_number(text: str, asked: _Asked) -> str | None:
    found = list(amounts(text))
    if len(found) != 1 or not (_IF.search(text) or PHRASES["over_time.what_about"].match(text.lstrip(" ¿"))):
        return None
    one, spans = found[0], _spans(text)
    same = [span for span in spans if (span.count, span.unit) == (asked.every.count, asked.every.unit)]
    rest = f"{text[: one.start]} {text[number_end(text, one) :]}"
    for span in same:
        rest = rest.replace(text[span.start : span.end], " ")
    if len(spans) != len(same) or has_word(rest, "left.nothing") or not _is_known(rest, asked.text):
        return None
    new, old = text[one.start : number_end(text, one)], asked.amount
    return f"{asked.text[: old.start]}{new}{asked.text[number_end(asked.text, old) :]}"


def _read(text: str) -> _Asked | None:
    words = set(WORD.findall(text))
    if words.isdisjoint(_ASKING) or words.isdisjoint(_UNITS) or not _WISHES.isdisjoint(words):
        return None
    if not words.isdisjoint(WORDS["over_time.not_all"] | WORDS["over_time.medicine"]):
        return None
    return next(filter(None, map(_told, _in_digits(_AGED.sub(" ", text)))), None)


def _in_digits(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((text, *(in_digits(text, language) for language in LANGUAGES))))


def _told(text: str) -> _Asked | None:
    asks, found = list(PHRASES["over_time.asks"].finditer(text)), _spans(text)
    if len(asks) != 1 or len(found) != 2:
        return None
    counted = [one for one in amounts(text) if not any(_overlap(one, span) for span in found)]
    if len(counted) != 1:
        return None
    one, every = counted[0], [span for span in found if _is_rate(text, counted[0], span, asks[0])]
    over = [span for span in found if span not in every]
    if len(every) != 1 or len(over) != 1 or not _is_plain(text, one, every[0]):
        return None
    rest = around(text, sorted((one, *found), key=lambda place: place.start))
    if any(map(_has_number, rest)):
        return None
    asked = _Asked(text, one, every[0], over[0])
    return asked if _asks_of_it(asked, asks[0]) else None


def _spans(text: str) -> list[_Span]:
    """Return the times that are told, in their order."""
    other = [_Span("2", "day", one.start(), one.end(), may_be_rate=True) for one in _OTHER_DAY.finditer(text)]
    long = [_span(one, may_be_rate=False) for one in _LONG.finditer(text)]
    every = [_span(one, may_be_rate=True) for one in (*_EVERY.finditer(text), *_ADVERB.finditer(text))]
    kept: list[_Span] = []
    for one in (*other, *long, *every):
        if not any(_overlap(one, two) for two in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _span(found: re.Match[str], *, may_be_rate: bool) -> _Span:
    unit = found["unit"]
    count = found.groupdict().get("count") or ""
    return _Span(count, _UNITS.get(unit) or _ADVERBS[unit], found.start(), found.end(), may_be_rate)


def _overlap(one: Amount | _Span, other: Amount | _Span) -> bool:
    return one.start < other.end and other.start < one.end


def _is_rate(text: str, one: Amount, span: _Span, ask: re.Match[str]) -> bool:
    """Whether a number is for such a time: "38 boxes a day", "every day I pick 38"."""
    if not span.may_be_rate:
        return False
    start, end = (one.end, span.start) if one.start < span.start else (span.end, one.start)
    between = text[start:end]
    is_near = len(WORD.findall(between)) <= _MOST_BETWEEN and not _PAUSE.search(between.replace(",", "", 1))
    return is_near and not start <= ask.start() < end and not _has_number(between)


def _is_plain(text: str, one: Amount, every: _Span) -> bool:
    """Whether a number counts, or measures, no money and no work, of which nobody knows the days."""
    end = number_end(text, one)
    if PERCENT_SIGN.match(text, end) or text[one.start] in "$€£" or behind("money", text, end):
        return False
    noun = _noun(text, one, every)
    return not (PHRASES["rate.works"].search(text) and (noun in _UNITS or not noun))


def _noun(text: str, one: Amount, every: _Span) -> str:
    """Return the word behind a number that tells what it counts; "" where none does."""
    end = number_end(text, one)
    rest = text[end : every.start] if end <= every.start else _PAUSE.split(text[end:])[0]
    return next((word for word in WORD.findall(rest) if word not in STOP_WORDS), "")


def _asks_of_it(asked: _Asked, ask: re.Match[str]) -> bool:
    """Whether what comes together is asked, and not what it costs, or how long it lasts."""
    text, start = asked.text, ask.end()
    head = min(asked.amount.start, asked.every.start)
    told = _clause_before(text, head, start) + text[head : max(asked.amount.end, asked.every.end)]
    ends = [len(text), *(one.start() for one in _PAUSE.finditer(text, start))]
    if asked.over.start >= start:
        ends.append(asked.over.start)
    if head >= start:
        conditions = [one.start() for one in _IF.finditer(text, start, head)]
        ends.append(max(conditions, default=head))
    question = text[start : max(start, min(ends))]
    if not _noun(text, asked.amount, asked.every):
        question = _THING.sub("", question)  # "How many buns is that if I bake 90 a day".
    return _is_known(question, f"{told} {_behind(text, asked)}")


def _clause_before(text: str, head: int, asked: int) -> str:
    """Return what is told right before a rate, from where its part of the sentence begins."""
    begun = [0, *(one.end() for one in _PAUSE.finditer(text, 0, head))]
    if asked <= head:
        begun += [one.start() for one in _IF.finditer(text, asked, head)] or [head]
    return text[max(begun) : head]


def _behind(text: str, asked: _Asked) -> str:
    """Return what stands behind a number whose time stands before it: "every day I pick 38 boxes"."""
    rest = _PAUSE.split(text[asked.amount.end :])[0]
    return " ".join(WORD.findall(rest)[:_FEW_WORDS]) if asked.every.start < asked.amount.start else ""


def _is_known(text: str, told: str) -> bool:
    quiet = WORDS["around"] | WORDS["over_time.quiet"] | STOP_WORDS
    own = WORD.findall(told)
    words = [word for word in WORD.findall(text) if word not in quiet]
    if any(word in _UNITS and word not in own for word in words):
        return False
    return all(any(have_one_stem(word, one) for one in own) for word in words)


def _has_number(text: str) -> bool:
    """Whether a text counts something: "one" and "una" seldom do."""
    return any(char.isdecimal() for char in text) or any(
        str(NUMBERS.get(word, 1)) != "1" for word in WORD.findall(text)
    )
