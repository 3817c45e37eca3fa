"""So many of one: "one sheet gives 36 tags, 7 sheets", or told first and asked behind it ("and if I cut 7?")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from app.domain.wording import stem
from app.language.late import LatePattern
from app.language.lexicon import STOP_WORDS
from app.skills.tools.calculator.lexicon import NUMBERS, TOLD_WISHES, WORDS, any_of
from app.skills.tools.calculator.measures import Amount, amounts, dimension, has_more, measured_ways, number_end
from app.skills.tools.calculator.ratios import are_some_gone, is_no_amount
from app.skills.tools.calculator.results import Quantity
from app.skills.tools.calculator.spoken import WORD, first_read, has_word, size, word_at

_ONE: Final = LatePattern(rf"(?<!\w)(?:{any_of(WORDS['yields.one'])}) (?=[^\W\d_]{{3}})")
_SAID: Final = re.compile(
    r"(?P<name>[^\W\d_]{3,20})(?: (?:de|of) (?:\d{1,5} )?[^\W\d_]{1,20})?(?P<said>(?:,? [^\W\d_]{1,20}){1,5}) ?\Z"
)
# "120 g a day, …".
_TOLD_BEHIND: Final = re.compile(r"\A(?: [^\W\d_]{1,20}){1,3}(?=[,.;:?])")
_COUNT: Final = re.compile(r"[2-9]|[1-9]\d{1,3}")
_MAX_CHARS: Final = 160
_MOST_ASKED: Final = 80
_MOST_BEHIND: Final = 4
_PAIR: Final = 2
_EACH: Final = "each"
_EDGES: Final = " .,;:!?¡¿"
_NO_THINGS: Final = STOP_WORDS | WORDS["around"] | frozenset(NUMBERS)
_NO_NAMES: Final = _NO_THINGS | WORDS["yields.no_name"]
_QUIET: Final = WORDS["around"] | WORDS["joining"] | WORDS["told.asks_many"] | WORDS["yields.around"]


@dataclass(frozen=True, slots=True)
class _Yield:
    """How much there is of one, `name`, in a text, and what that is: "" for a bare measure.

    `is_given`: a verb says that it comes of the one.
    """

    name: str
    held: Amount
    thing: str
    is_given: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """How many of them are asked for, of each of which so much is `held`."""

    held: Amount
    others: Amount
    what: str


def read_yield(text: str) -> Quantity | None:
    """Return how much so many give where one gives so much; None for any other message."""
    asked = find_yield(text)
    return Quantity(f"{asked.held.value} * {asked.others.value}", asked.what) if asked else None


def find_yield(text: str) -> Asked | None:
    """Return how much one gives, and of how many it is asked, where a message tells both, and nothing else."""
    found = list(amounts(text)) if len(text) <= _MAX_CHARS + _MOST_ASKED else []
    if not found:
        return None
    others = replace(found[-1], end=number_end(text, found[-1]))
    for told in _told(text[: others.start], found[:-1]):
        head = text[told.held.end : others.start]
        head = _TOLD_BEHIND.sub("", head.removeprefix(f" {told.thing}") if told.thing else head)
        if _asks_for(head, others, text[others.end :], told):
            unit = text[told.held.start : told.held.end].removeprefix(told.held.value).strip()
            return Asked(told.held, others, " ".join(filter(None, (unit, told.thing))))
    return None


def with_yield(text: str, before: str) -> str | None:
    """Return a question for so many behind the message `before`, which only tells what one gives; else None."""
    if len(text) > _MOST_ASKED or len(before) > _MAX_CHARS:
        return None
    for way in measured_ways(text):
        found = list(amounts(way))
        if len(found) != 1 or has_more(way, found):
            continue
        told, end = first_read(_first_told, measured_ways(before)), number_end(way, found[0])
        if told is not None and _asks_for(way[: found[0].start], found[0], way[end:], told):
            return f"{before.rstrip(_EDGES)}, {way.lstrip(_EDGES)}"
    return None


def _first_told(text: str) -> _Yield | None:
    return next(_told(text, list(amounts(text))), None)


def _told(text: str, found: list[Amount]) -> Iterator[_Yield]:
    """Yield what a text tells of one, where its last number is that, and the others are how large that one is."""
    if not found or has_word(text, *TOLD_WISHES) or are_some_gone(text) or "=" in text:
        return
    if not (WORDS["ratio.not"] - {_EACH}).isdisjoint(WORD.findall(text)):
        return
    held = found[-1]
    for one in _ONE.finditer(text, 0, held.start):
        said = _SAID.match(text[one.end() : held.start])
        if said is None or not _NO_NAMES.isdisjoint((said["name"], stem(said["name"]))):
            continue
        place = one.end() + len(said["name"])
        is_of_it = len(found) == 1 or (
            len(found) == _PAIR and place < found[0].start < one.end() + said.start("said")
        )
        rest = f"{text[: one.start()]} {text[held.end :]}"
        if is_of_it and _is_yield(text, held, said["said"]) and not has_more(rest, list(amounts(rest))):
            thing = word_at(text, held.end)
            thing = "" if thing in _NO_THINGS else thing
            is_given = not WORDS["yields.gives"].isdisjoint(WORD.findall(said["said"]))
            yield _Yield(said["name"], held, thing, is_given)


def _is_yield(text: str, held: Amount, said: str) -> bool:
    """Whether an amount is what comes of one: of things or a measure, neither time nor money."""
    if is_no_amount(text, held) or held.unit == "pound" or dimension(held.unit) in {"temperature", "time"}:
        return False
    thing = word_at(text, held.end)
    if not held.unit and (not thing or thing in _NO_THINGS or thing in WORDS["ratio.time"]):
        return False
    words = set(WORD.findall(said))
    return WORDS["yields.no_verb"].isdisjoint(words) and not words <= WORDS["yields.no_said"]


def _asks_for(head: str, others: Amount, tail: str, told: _Yield) -> bool:
    """Whether what stands around a number asks for so many of the one, and says nothing else."""
    behind, before = WORD.findall(tail), WORD.findall(head)
    if _COUNT.fullmatch(others.value) is None or len(behind) > _MOST_BEHIND + _PAIR:
        return False
    is_named = bool(behind) and _is_one(told.name, behind[0])
    if others.unit and not is_named:
        return False  # Of a measure, which is none of them.
    known = _QUIET | WORDS["yields.gives"] | WORDS["yields.opens"] | {told.thing, told.name} - {""}
    if not known.issuperset(before) or not known.issuperset(behind[1:] if is_named else behind):
        return False
    if is_named:
        return True
    if not told.is_given or behind[:1] == [told.thing]:
        return False  # "And if I want 1500 loaves?"
    is_opened = not WORDS["yields.opens"].isdisjoint(before)
    is_led = is_opened or not WORDS["yields.with"].isdisjoint(before)
    return is_led and size(others.value) * (1 if is_opened else _PAIR) < size(told.held.value)


def _is_one(name: str, other: str) -> bool:
    return stem(name) == stem(other) or other in {f"{name}s", f"{name}es"} or name == f"{other}s"
