"""Finds whose number a correction puts right, where a text tells of several: "hers is a 6", "el de él es 41"."""

import re
from typing import Final, NamedTuple

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.amending_codes import Part

_NUMBER: Final = re.compile(r"(?<![\w.,:/])\d{1,4}(?:[.,]\d{1,2})?(?!\w|[:/]\d)")
_WORD: Final = re.compile(r"[^\W\d_]+")


def _whose() -> str:
    said = {name: COMMON_WORDS.pattern(name) for name in ("hers_is", "she_is", "his_is", "he_is", "a_size")}
    hers, his = f"{said['hers_is']}|(?P<she>{said['she_is']})", f"{said['his_is']}|(?P<he>{said['he_is']})"
    not_old = rf"(?:,? {COMMON_WORDS.pattern('but_not_of')} (?P<old>{_NUMBER.pattern}))?"
    opened = rf"(?P<opened>(?:{COMMON_WORDS.pattern('correcting')}\W+){{1,3}})?"
    return (
        rf"\W*{opened}(?:(?P<her>{hers})|{his})(?P<size> {said['a_size']})? (?P<new>{_NUMBER.pattern}){not_old}\W*"
    )


_WHOSE: Final = LatePattern(_whose())
_PERSON: Final = LatePattern(
    rf"(?P<her>{COMMON_WORDS.pattern('female_kin')})|(?P<him>{COMMON_WORDS.pattern('male_kin')})"
)
_MOST_CHARS: Final = 120


class _Theirs(NamedTuple):
    """What is said of one person of a text: `number` is the only one, if there is just one."""

    is_her: bool
    number: re.Match[str] | None


def says_whose(said: str) -> bool:
    """Tell whether a message says nothing but what somebody's number is: "sorry, his is 41 not 40"."""
    return _heard(said) is not None


def of_whose(kept: str, said: str) -> Part | None:
    """Return which number of a kept text becomes another one; one without a change where that is not certain.

    None where the message says no such thing, or the text tells of nobody by a word that says he or she.
    """
    heard = _heard(said)
    persons = list(_PERSON.finditer(fold(kept))) if heard is not None and len(fold(kept)) == len(kept) else []
    if heard is None or not persons:
        return None
    nothing = Part(0, 0, "")
    ends = [*(one.start() for one in persons[1:]), len(kept)]
    told = [_of(one, kept, end) for one, end in zip(persons, ends, strict=True)]
    theirs = [one.number for one in told if one.is_her == bool(heard["her"])]
    is_ahead = _NUMBER.search(kept, 0, persons[0].start()) is not None
    if is_ahead or len(theirs) != 1 or (number := theirs[0]) is None or heard["old"] not in (None, number[0]):
        return nothing
    led = _WORD.findall(fold(kept[: number.start()]))[-1:]
    # "Hers is a 6" is no age.
    is_other = heard["size"] is not None and not COMMON_WORDS["of_an_age"].isdisjoint(led)
    return nothing if is_other else Part(number.start(), number.end(), heard["new"])


def _of(person: re.Match[str], kept: str, end: int) -> _Theirs:
    numbers = list(_NUMBER.finditer(kept, person.end(), end))
    return _Theirs(bool(person["her"]), numbers[0] if len(numbers) == 1 else None)


def _heard(said: str) -> re.Match[str] | None:
    flat = fold(" ".join(said[:_MOST_CHARS].split()))
    found = _WHOSE.fullmatch(flat) if len(said) <= _MOST_CHARS else None
    # "My daughter is 9", "she is 5 foot": only put right as such.
    is_loose = found is not None and (found["she"] or found["he"]) and not (found["opened"] or found["old"])
    return None if is_loose else found
