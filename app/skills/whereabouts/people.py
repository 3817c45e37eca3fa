"""Who is meant by "my sister Nelly", and where it was told that they live."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.places import Places
from app.language.catalogue import Language, say
from app.language.folding import fold
from app.language.lexicon import COMMON_WORDS
from app.skills.whereabouts.lexicon import (
    AT,
    BEFORE,
    BEING,
    BESIDE,
    CALLED,
    ENDS,
    KIN,
    LIVING,
    MINE,
    NOT_A_PLACE,
    SEVERAL,
    SHE,
    THERE,
)
from app.skills.whereabouts.texts import WHEREABOUTS

_SENTENCE: Final = re.compile(r"(?<=[.!?;…])\s|\n|[¿¡]")
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-.][^\W\d_]+)*")
_IS: Final = re.compile(r"['’](?:s|re)\b")
_CUT: Final = re.compile(r"[.;:!?()\n]")
_MOST_NAMES: Final = 2
_MOST_WORDS: Final = 3
_PLACE_CHARS: Final = 60
_MOST_PARTS: Final = 2


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody by what they are to the person (one word for each relation, or ""), by names (folded), or both."""

    kin: str = ""
    names: frozenset[str] = frozenset()

    def is_same(self, other: "Person", called: "frozenset[tuple[str, str]]") -> bool:
        """Tell whether both may be the same; `called` are the pairs of a relation and a name that were told."""
        if self.kin and self.kin == other.kin and not (self.names and other.names and self.names != other.names):
            return True
        return any(
            name in two.names or (bool(two.kin) and (two.kin, name) in called)
            for one, two in ((self, other), (other, self))
            for name in (one.names or {name for kin, name in called if one.kin and kin == one.kin})
        )


@dataclass(frozen=True, slots=True)
class Spoken:
    """A person as they are spoken of in a question. `is_sure`: nobody else and no place can be meant; `is_there`:
    it asks how it is where they are."""

    person: Person
    shown: str
    is_several: bool
    is_sure: bool
    is_there: bool

    def asked(self, language: Language) -> str:
        """Return the question where they are."""
        first, _, rest = self.shown.partition(" ")
        count = 2 if self.is_several else 1
        is_mine = fold(first) in MINE and bool(rest)
        who = say(WHEREABOUTS.yours, language, who=rest, count=count) if is_mine else self.shown
        return say(WHEREABOUTS.where, language, who=who, count=count)


@dataclass(frozen=True, slots=True)
class Lives:
    """It was told that this person lives there."""

    person: Person
    place: str


def read_spoken(text: str, known: Iterable[str], *, is_sure_of: bool = False) -> Spoken | None:
    """Return the only person in a text all of whose other words are `known`, or say nothing.

    Unless `is_sure_of` a person, "mate" alone is none: "what time is it, mate".
    """
    every = [one[0] for one in _WORD.finditer(text)]
    fillers = BESIDE | THERE | frozenset(known)
    left = [i for i, word in enumerate(every) if fold(word) not in fillers]
    if not left or left[-1] - left[0] >= _MOST_WORDS + 1:
        return None
    words = every[left[0] : left[-1] + 1]
    if not is_sure_of and len(words) == 1 and fold(words[0]) in COMMON_WORDS["address"]:
        return None
    person = _person(words)
    if person is None:
        return None
    is_there = any(fold(word) in THERE for word in every[: left[0]])
    is_name_clear = all(word[:1].isupper() for word in words if fold(word) in person.names)
    is_several = fold(words[0]) in SEVERAL or (bool(person.kin) and fold(words[-1]).endswith("s"))
    is_sure = is_name_clear and (bool(person.kin) or is_there)
    return Spoken(person, " ".join(words), is_several, is_sure=is_sure, is_there=is_there)


def _person(words: Sequence[str]) -> Person | None:
    """Read "my sister Nelly", "Nelly my sister", "aunt Rosa" or "Nelly"; None for what has any other word."""
    folded = [fold(word) for word in words]
    kin = [word for word in folded if word in KIN]
    names = [word for word in folded if word not in KIN and word not in MINE]
    if len(kin) > 1 or len(names) > _MOST_NAMES or not (kin or names):
        return None
    return Person(KIN[kin[0]] if kin else "", frozenset(names))


def read_told(said: Sequence[str], places: Places) -> tuple[list[Lives], frozenset[tuple[str, str]]]:
    """Return who is told to live where, oldest first, and how they are called: pairs of a relation and a name."""
    lives: list[Lives] = []
    called: set[tuple[str, str]] = set()
    last: Person | None = None
    for sentence in (_IS.sub(" is", one) for text in said for one in _SENTENCE.split(text) if one.strip()):
        called.update(_names_in(sentence))
        living = LIVING.search(sentence) or BEING.search(sentence)
        mentioned = next(_mentioned(sentence), None)
        if living is not None and "?" not in sentence[living.start() :]:
            who = _subject(sentence[: living.start()], last)
            place = place_at(sentence[living.end() :], places)
            name = place.partition(",")[0]
            if living.re is BEING.compiled and not (places.is_named(name) or places.is_town(name)):
                place = ""
            lives += [Lives(who, place)] if who is not None and place else []
            mentioned = mentioned or who
        last = mentioned or last
    return lives, frozenset(called)


def _subject(before: str, last: Person | None) -> Person | None:
    """Return whom a sentence is about whose beginning this is; `last` was spoken of just before."""
    words = [one[0] for one in _WORD.finditer(before)]
    left = [word for word in words if fold(word) not in BEFORE | CALLED]
    if all(fold(word) in SHE for word in left):
        return last
    who = _person(left)
    is_named = who is not None and all(word[:1].isupper() for word in left if fold(word) in who.names)
    return who if is_named else None


def _mentioned(sentence: str) -> Iterator[Person]:
    """Yield who is spoken of: "my sister", "my aunt Rosa"."""
    words = [one[0] for one in _WORD.finditer(sentence)]
    for mine, kin, *behind in zip(words, words[1:], [*words[2:], ""], strict=False):
        if fold(mine) in MINE and fold(kin) in KIN:
            name = behind[0]
            yield Person(KIN[fold(kin)], frozenset({fold(name)}) if name[:1].isupper() else frozenset())


def _names_in(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield relations with names: "my sister Nelly", "my sister is called Nelly", "Nelly, my sister"."""
    words = [one[0] for one in _WORD.finditer(sentence)]
    for at, word in enumerate(words):
        if at == 0 or fold(word) not in KIN or fold(words[at - 1]) not in MINE:
            continue
        behind = next((one for one in words[at + 1 :] if fold(one) not in CALLED), "")
        before = words[at - 2] if at > 1 else ""
        for name in (behind, before):
            if name[:1].isupper() and fold(name) not in KIN and fold(name) not in BEFORE:
                yield KIN[fold(word)], fold(name)


def place_at(text: str, places: Places) -> str:
    """Return the place that a text begins with, with its country: "Perth, Australia, with Tom"; "" for none."""
    parts = _CUT.split(text[:_PLACE_CHARS])[0].split(",")
    first = _name(parts[0], places)
    if not first:
        return ""
    second = _name(parts[1], places) if len(parts) >= _MOST_PARTS else ""
    return f"{first}, {second}" if second and places.territory(second) is not None else first


def place_answered(text: str, places: Places) -> str:
    """Return the place that a text names and nothing else: "she's in Melbourne", "Melbourne, Australia"."""
    text = text.strip(" .!")
    found = list(_WORD.finditer(text))
    around = next((i for i, one in enumerate(found) if fold(one[0]) not in SHE | BESIDE | BEFORE | AT), len(found))
    begins = [one.start() for one in found[: around + 1]]
    named = (begin for begin in begins if places.is_named(text[begin:].partition(",")[0]))
    is_clear = around < len(found) and (
        found[around][0][:1].isupper() or (around > 0 and fold(found[around - 1][0]) in AT)
    )
    begin = next(named, begins[around] if is_clear else len(text))
    return place_at(text[begin:], places) if len(text[begin:].split()) <= 2 * _MOST_WORDS else ""


def _name(part: str, places: Places) -> str:
    words = [one[0] for one in _WORD.finditer(part)]
    if words and fold(words[0]) in AT:
        words = words[1:]
    ending = next((i for i, word in enumerate(words) if fold(word) in ENDS), len(words))
    if ending > 1 and fold(words[ending - 1]) in COMMON_WORDS["days"]:
        ending -= 2 if fold(words[ending - 2]) in AT else 1  # "moved to Leeds in May"
    name = " ".join(words[:ending])
    is_named = bool(name) and places.is_named(name)
    is_clear = 0 < ending <= _MOST_WORDS and fold(words[0]) not in NOT_A_PLACE
    return name if is_named or is_clear else ""
