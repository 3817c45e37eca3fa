"""So many people with so many things each: "9 kids each get 4 pens, how many pens", "and if 12 come?"."""

from dataclasses import dataclass
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.lexicon import BEFORE, NO_SUM, PHRASES, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, has_more, measured_ways
from app.skills.tools.calculator.ratios import are_some_gone
from app.skills.tools.calculator.spoken import WORD, behind, ends_at, first_read, has_word

_EACH: Final = "each"
_PAIR: Final = 2
_MOST_OF_A_NAME: Final = 3
_MAX_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class _Handed:
    """How many people there are, and how many each of them gets, in the `text` where that is told."""

    text: str
    people: Amount
    things: Amount


def read_each_gets(text: str) -> str | None:
    """Return the calculation of how many things so many people get; None for a message that asks anything else."""
    handed = _read(text)
    return f"{handed.people.value} * {handed.things.value}" if handed else None


def with_people(text: str, before: str) -> str | None:
    """Return the message `before` with as many people, or things for each, as `text` says now; None where none."""
    if len(text) > _MAX_CHARS:
        return None
    for way in measured_ways(text):
        found = list(amounts(way))
        if len(found) != 1 or found[0].unit or has_more(way, found) or not found[0].value.isdecimal():
            continue
        role = _role(way, found[0])
        handed = first_read(_read, measured_ways(before)) if role else None
        if handed is not None:
            old = handed.people if role == "people" else handed.things
            return f"{handed.text[: old.start]}{found[0].value}{handed.text[old.end :]}"
    return None


def _role(text: str, new: Amount) -> str:
    """Return what a number that stands behind "and if" counts now: those who come, or what each gets."""
    head, behind_it = text[: new.start], text[new.end :].strip(" ?!.,")
    comes = BEFORE["handed.come"].search(head) is not None
    come = PHRASES["handed.come"].fullmatch(behind_it)
    if BEFORE["handed.if"].fullmatch(head) and come:
        return "people"
    if comes and (not behind_it or PHRASES["handed.people"].fullmatch(behind_it)):
        return "people"
    is_each = len(WORD.findall(behind_it)) <= _PAIR and (not behind_it or behind_it.endswith(_EACH))
    return "things" if BEFORE["handed.get"].search(head) and is_each else ""


def _read(text: str) -> _Handed | None:
    words = WORD.findall(text)
    if words.count(_EACH) != 1 or has_word(text, *NO_SUM, "periods", "handed.not_all"):
        return None
    if are_some_gone(text):
        return None
    found = list(amounts(text))
    asked = next(reversed(list(PHRASES["handed.asks"].finditer(text))), None)
    if len(found) != _PAIR or has_more(text, found) or asked is None or asked.start() < found[-1].end:
        return None
    is_whole = all(one.value.isdecimal() and not one.unit and not behind("money", text, one.end) for one in found)
    if not is_whole or _EACH in WORD.findall(text[asked.end() :]):
        return None
    thing = next(iter(WORD.findall(text[asked.end() :])), "")
    named = [_named(text, one, found, asked.start()) for one in found]
    of_things = [one for one, names in zip(found, named, strict=True) if stem(thing) in names]
    if not thing or (not of_things and thing in WORDS["handed.in_all"]):
        of_things = [
            one for one, names in zip(found, named, strict=True) if names and not _is_of_people(text, one)
        ]
    if len(of_things) != 1:
        return None
    people, things = next(one for one in found if one != of_things[0]), of_things[0]
    # "How many people" of so many people with so many things.
    is_crossed = things.start < people.start and _is_of_people(text, things)
    return None if is_crossed or ends_at(text, people.end) else _Handed(text, people, things)


def _named(text: str, one: Amount, found: list[Amount], end: int) -> list[str]:
    """Return what a number counts, as stems: the words behind it, up to the next number or the question."""
    stop = min((other.start for other in found if other.start > one.start), default=end)
    return [stem(word) for word in WORD.findall(text[one.end : stop])[:_MOST_OF_A_NAME] if word != _EACH]


def _is_of_people(text: str, one: Amount) -> bool:
    return PHRASES["handed.people"].match(text[one.end :].lstrip()) is not None
