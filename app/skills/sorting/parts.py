"""The clauses of a message as wishes: a time goes to the reminder behind it, what is taken back is none."""

import re
from collections.abc import Sequence
from typing import Final

from app.language.lexicon import COMMON_WORDS
from app.skills.sorting.lexicon import Lexicon
from app.skills.sorting.words import words_of
from app.when.reading import says_only_when

_REMIND: Final = "remind_verb"
_BREAK: Final = re.compile(r"[,;.!?\n]\s+")
# Behind "keep in one note:" a thing is more of what is to be kept.
_DICTATED: Final = re.compile(r":\s")
_THING: Final = "_noun"
_MOST_PLACES: Final = 6
_VERBS: Final = frozenset({"add_verb", "check_verb", "keep_verb", "note_verb", "note_me", "remove_verb"})
_TAKING_BACK: Final = COMMON_WORDS["taking_back"]


def as_wishes(clauses: Sequence[str], lexicon: Lexicon) -> list[str]:
    """Return the clauses of a message, each as it stands there, without those that are taken back in the same
    breath: "add X and remove.. no not remove, PUT Y on it"."""
    meant = [one for one in clauses[:-1] if not _is_taken_back(one, lexicon)]
    found: list[str] = []
    for clause in (*meant, *clauses[-1:]):
        if found and _DICTATED.search(found[-1]) and _opens_with_thing(clause, lexicon):
            found[-1] = f"{found[-1]} {clause}"
            continue
        place = _time_behind(found[-1], lexicon) if found and _opens_with(_REMIND, clause, lexicon) else None
        if place is None:
            found.append(clause)
        else:
            found[-1:] = [found[-1][:place], f"{found[-1][place:]} {clause}"]
    return [one for one in found if one.strip()]


def _opens_with_thing(clause: str, lexicon: Lexicon) -> bool:
    """Tell whether a clause opens with what a wish may be about ("alarm"), and with no verb."""
    return any(one.begin == 0 and one.group.endswith(_THING) for one in lexicon.find(words_of(clause)))


def _opens_with(group: str, clause: str, lexicon: Lexicon) -> bool:
    return any(one.begin == 0 and one.group == group for one in lexicon.find(words_of(clause)))


def _time_behind(clause: str, lexicon: Lexicon) -> int | None:
    """Return where a time begins, behind a mark or a joiner, that a clause ends with; None where it has none."""
    return next((place for place in _places(clause, lexicon) if says_only_when(clause[place:])), None)


def _places(clause: str, lexicon: Lexicon) -> list[int]:
    """Return where the parts of a clause begin behind its marks and joiners; the last ones only."""
    words = words_of(clause)
    joined = [
        words[number].begin
        for number in range(1, len(words))
        if lexicon.length_of(lexicon.joiners, words, number, len(words))
    ]
    marked = [one.end() for one in _BREAK.finditer(clause)]
    return sorted({0, *joined, *marked})[-_MOST_PLACES:]


def _is_taken_back(clause: str, lexicon: Lexicon) -> bool:
    """Tell whether a clause has the verb of a wish, and nothing else but words that take it back."""
    words = words_of(clause)
    first = lexicon.length_of(lexicon.joiners, words, 0, len(words))
    said = [one.text for one in words[first:]]
    groups = {one.group for one in lexicon.find(words[first : first + 1])}
    is_wish = bool(said) and not groups.isdisjoint(_VERBS)
    rest = {one for one in said if one != said[0]}
    return is_wish and bool(rest) and rest <= _TAKING_BACK
