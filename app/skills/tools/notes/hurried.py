"""A wish for a note that was typed in haste: what is said before it, slips in its words, and whose the note is."""

import re
from collections.abc import Sequence, Set
from itertools import dropwhile
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS
from app.language.slips import slips
from app.skills.picking.lexicon import PICKING
from app.skills.tools.notes.leading import wishes_more
from app.skills.tools.notes.lexicon import HURRIED, NOTED_OF, POLITE_END, WISH_TAIL, WORDS

_MAX_CHARS: Final = 1_000
_WORD: Final = re.compile(r"[^\W\d_]+")
_MOST_OF_A_HEAD: Final = 8
_LEAST_LETTERS: Final = 3
_MOST_OF_A_NAME: Final = 5
_VERBS: Final = WORDS["wish_verbs"] | WORDS["note_verbs"]
_ARTICLES: Final = frozenset(one for one in WORDS["note_articles"] if len(one) >= _LEAST_LETTERS)
_NO_SLIP: Final = WORDS["no_slip"] | COMMON_WORDS["interrogatives"] | PICKING["pronouns"]


def as_meant(said: str) -> str:
    """Return a wish for a note without a hurried opening and without slips in its verb, article and noun; any
    other text as it is. What is to be noted stays as it is written."""
    if len(said) > _MAX_CHARS:
        return said
    opening = HURRIED.match(said)
    is_day = opening is not None and not WORDS["of_a_day"].isdisjoint(fold(opening[0]).replace(",", "").split())
    bare = said if opening is None or is_day else said[opening.end() :]
    if (right := _put_right(bare)) is not None:
        return right
    return said


def _put_right(said: str) -> str | None:
    """Return a text that begins with a wish for a note, with the right words for it; None where it does not."""
    words = [(fold(one[0]), one) for one in _WORD.finditer(said[:160])]
    head = list(dropwhile(lambda pair: pair[0] in WORDS["wish_fillers"], words))[:_MOST_OF_A_HEAD]
    if not head or not (verb := _meant(head[0][0], _VERBS)):
        return None
    found: list[tuple[re.Match[str], str]] = [(head[0][1], verb)]
    for key, place in head[1:]:
        if noun := _meant(key, WORDS["note_called"]):
            return _written(_without_tail(said, place.end()), [*found, (place, noun)])
        if key in WORDS["wish_words"] | WORDS["note_articles"]:
            continue
        if not (article := _meant(key, _ARTICLES)):
            return None
        found.append((place, article))
    return None


def _without_tail(said: str, end: int) -> str:
    """Return a text without what is polite behind the word for a note: "in a note for me if you can, …"."""
    tail = WISH_TAIL.match(said, end)
    return said if tail is None else f"{said[:end]}{tail['mark']}{said[tail.end() :]}"


def _written(said: str, right: Sequence[tuple[re.Match[str], str]]) -> str:
    for place, word in reversed(right):
        if fold(place[0]) != word:
            said = f"{said[: place.start()]}{word}{said[place.end() :]}"
    return said


def _meant(key: str, known: Set[str]) -> str:
    """Return the word that was meant by one with a letter more or less, or with two swapped; "" for none."""
    if key in known:
        return key
    if len(key) < _LEAST_LETTERS or key in _NO_SLIP:
        return ""
    near = (
        one
        for one in sorted(known, key=lambda one: (abs(len(one) - len(key)), one))
        if len(one) > _LEAST_LETTERS or len(key) == len(one)
    )
    return next((one for one in near if _is_slip(key, one)), "")


def _is_slip(key: str, meant: str) -> bool:
    if abs(len(key) - len(meant)) > 1 or slips(key, meant) != 1:
        return False
    return len(key) != len(meant) or sorted(key) == sorted(meant)


def noted_of(said: str) -> str:
    """Return a note of somebody or something, with whose it is: "in a note about Ann: she parks at 12"."""
    found = NOTED_OF.match(said) if len(said) <= _MAX_CHARS and "?" not in said else None
    if found is None:
        return ""
    whose, rest = found["whose"].strip(), POLITE_END.sub("", f" {found['rest']}").strip().removesuffix(".")
    named = whose.split()
    is_named = whose[:1].isupper() or fold(named[0]).rstrip(".") in WORDS["titles"] or found["mark"] == ":"
    if len(named) > _MOST_OF_A_NAME or not is_named or not rest or wishes_more(rest):
        return ""
    return f"{whose}{found['mark'].rstrip()} {rest}"
