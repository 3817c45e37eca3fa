"""The clauses of a message about the items of a list, and the words of a clause as they are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from app.language.slips import slips
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, is_other_wish, opening_verb
from app.skills.tools.lists.lexicon import WORDS

_LEAST_LETTERS: Final = 5
_DETERMINERS: Final = PICKING["determiners"]
OPENERS: Final = (WORDS["filling"] | PICKING["opening"]) - WORDS["makes"] - PICKING["already"]
_CLOSING: Final = PICKING["closing"] - PICKING["particles"] - WORDS["instead"] - PICKING["list_words"]
_SPEAKERS: Final = PICKING["subjects"] | frozenset({"i", "we"})
_WHY: Final = PICKING["relative"] | frozenset({"so", "since"})


@dataclass(frozen=True, slots=True)
class Clause:
    words: tuple[Token, ...]
    is_reason: bool = False


def clauses_of(words: Sequence[Token]) -> list[Clause]:
    found, clause, is_reason = list[Clause](), list[Token](), False
    for number, one in enumerate(words):
        opens_reason = _opens_reason(words, number)
        if clause and (one.is_cut or opens_reason or _joins(words, number)):
            found.append(Clause(tuple(clause), is_reason))
            clause, is_reason = [], False
        is_reason = is_reason or (opens_reason and not clause)
        clause.append(one)
    return [*found, Clause(tuple(clause), is_reason)] if clause else found


def _opens_reason(words: Sequence[Token], number: int) -> bool:
    """Tell whether a reason begins here: "que ya trajo Ana", "cos she has some"; no "que sean 30"."""
    key = words[number].key
    if key in PICKING["breaks"]:
        return True
    behind = takewhile(lambda one: not one.is_cut, words[number + 1 : number + 6])
    return key in _WHY and number > 0 and not any(one.key in WORDS["becomes"] for one in behind)


def _joins(words: Sequence[Token], number: int) -> bool:
    """Tell whether a joiner leads to a clause of its own."""
    if words[number].key not in PICKING["joining"] or number + 1 >= len(words):
        return False
    rest = words[number + 1 : number + 8]
    key = rest[0].key
    is_verb = key in (
        WORDS["add_verbs"] | WORDS["put_verbs"] | WORDS["swapping"] | WORDS["skipping"] | WORDS["makes"]
    ) - WORDS["noun_verbs"] or is_other_wish(rest[0])
    return is_verb or opening_verb(rest) is not None or any(one.key in WORDS["becomes"] for one in rest)


def opened_clause(words: Sequence[Token]) -> list[Token]:
    """Return a clause without what only opens it: "no para", "ah mirá", "eish"."""
    rest = list(words)
    while len(rest) > 1 and rest[0].key in OPENERS | PICKING["joining"]:
        if rest[0].key in PICKING["denying"] and rest[1].key not in OPENERS | _DETERMINERS | WORDS["skipping"]:
            break
        if (
            rest[0].key in PICKING["denying"]
            and rest[1].key in _DETERMINERS
            and rest[-1].key not in (PICKING["denying"])
        ):
            break
        rest.pop(0)
    while len(rest) > 1 and rest[-1].key in _CLOSING:
        rest.pop()
    return rest


def opens_more(opening: Sequence[Token]) -> bool:
    """Tell whether what opens a clause says that one more follows, and no time as "and at 8", "y a las 8"."""
    keys = [one.key for one in opening]
    return not WORDS["more"].isdisjoint(keys) and WORDS["at_places"].isdisjoint(keys[-2:]) and "a" not in keys


def tells_put(opening: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Tell whether somebody only says that they do so: "I put butter on everything", not "we need …"."""
    is_own = bool(opening) and opening[-1].key in _SPEAKERS
    return (
        is_own
        and bool(rest)
        and rest[0].key in WORDS["add_verbs"] | WORDS["put_verbs"]
        and rest[0].key not in WORDS["lacked"]
    )


def is_phrase(words: Sequence[Token], number: int, phrases: frozenset[str]) -> bool:
    said = [one.key for one in words[number : number + 3]]
    return " ".join(said) in phrases or " ".join(said[:2]) in phrases


def parted(words: Sequence[Token], at: frozenset[str]) -> tuple[list[Token], list[Token]]:
    """Return the words before and behind the first of those."""
    before = list(takewhile(lambda one: one.key not in at, words))
    return before, list(words[len(before) + 1 :])


def without_verbs(words: Sequence[Token]) -> list[Token]:
    rest = list(words)
    while (
        len(rest) > 1
        and rest[0].key
        in (WORDS["add_verbs"] | WORDS["put_verbs"] | WORDS["makes"] | WORDS["instead"]) - WORDS["noun_verbs"]
    ):
        rest.pop(0)
    return rest


def to_particle(words: Sequence[Token]) -> list[Token]:
    """Return the words for what is taken off, up to "off": behind it stands why."""
    before = list(takewhile(lambda one: one.key not in PICKING["particles"], words))
    return before if any(is_content(one.key) for one in before) else list(words)


def to_list(words: Sequence[Token]) -> list[Token]:
    """Return words without those for the list at their end."""
    at = next((n for n, one in enumerate(words) if one.key in PICKING["list_words"]), None)
    if at is None:
        return list(words)
    while at > 0 and words[at - 1].key in PICKING["list_links"]:
        at -= 1
    return list(words[:at])


def contents(words: Sequence[Token]) -> list[str]:
    return [one.key for one in words if is_content(one.key) and one.key not in PICKING["every"]]


def hold(some: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether each of some words stands among others, in the plural or not."""
    return bool(some) and all(any(_forms(one) & _forms(other) for other in others) for one in some)


def _forms(word: str) -> set[str]:
    forms = {word}
    if word.endswith("s") and len(word) > 3:
        forms.add(word[:-1])
    if word.endswith("es") and len(word) > 4:
        forms.add(word[:-2])
    return forms


def meant(one: Token, known: set[str]) -> Token:
    if len(one.key) < _LEAST_LETTERS or not one.key.isalpha() or one.key in known or not is_content(one.key):
        return one
    if any(_forms(one.key) & _forms(word) for word in known):
        return one
    near = [word for word in known if len(word) >= _LEAST_LETTERS and slips(one.key, word) == 1]
    return replace(one, key=near[0]) if len(near) == 1 else one
