"""Whether what a model noted was really said: small models invent, so their notes only choose sentences."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold, words
from app.memory.lexicon import FRAME, NEGATIONS, SEXES
from app.memory.statements import Statement, bounded

_WORD: Final = re.compile(r"[^\W_]+")
_MIN_WORDS: Final = 3
_ALIKE: Final = 0.7
"""The share of the longer word that two forms of one word have in common at their beginning: vivo, vive."""
_MIN_ALIKE: Final = 3

_LONGEST_NOTE: Final = 400
_SEXES: Final = frozenset(stem + ending for stem in SEXES for ending in ("o", "a", "os", "as"))
"""Their last letter is not an ending but a difference."""
_NOT: Final = re.compile(r"n['’]t\b", re.IGNORECASE)


def find_source(note: str, told: Sequence[Statement]) -> int | None:
    """Return the index of the statement that holds every telling word of the note; the last one of several.

    None when there is no such statement, or nothing telling in the note: then nobody said it.
    """
    note = note[:_LONGEST_NOTE]
    content = set(words(_spelled_out(note))) - FRAME - NEGATIONS
    wanted = content | (NEGATIONS & set(_tokens(note)))
    if not content:
        return None
    for index in range(len(told) - 1, -1, -1):
        present = _tokens(told[index].text)
        if all(any(_is_form(word, other) for other in present) for word in wanted):
            return index
    return None


def in_own_words(note: str, source: Statement) -> str:
    """Return the note where it is literally a part of what was said, else the whole sentence.

    A part must be more than a word or two, and keep what the sentence denies.
    """
    part = bounded(note)
    is_part = fold(part) in fold(source.text) and len(part.split()) >= _MIN_WORDS
    return part if is_part and _denials(part) == _denials(source.text) else bounded(source.text)


def _tokens(text: str) -> list[str]:
    return _WORD.findall(fold(_spelled_out(text)))


def _spelled_out(text: str) -> str:
    return _NOT.sub(" not", text)


def _denials(text: str) -> int:
    return sum(word in NEGATIONS for word in _tokens(text))


def _is_form(word: str, other: str) -> bool:
    if word == other or {word, other} <= NEGATIONS:
        return True
    if any(char.isdigit() for char in word + other) or word in _SEXES or other in _SEXES:
        return False
    shared = next(
        (at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    return shared >= max(_MIN_ALIKE, _ALIKE * max(len(word), len(other)))
