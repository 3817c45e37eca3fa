"""A name that is written with another letter: "no, it's with a K", "es con V corta"."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS

_MAX_CHARS: Final = 60
_LETTER: Final = r"(?:[a-zñ]|ll|ch|rr)(?!\w)"
_SPELLED: Final = LatePattern(
    rf"(?:\W{{0,3}}{COMMON_WORDS.pattern('correcting')}){{0,3}}\W{{0,3}}"
    rf"{COMMON_WORDS.pattern('spelled')} (?P<new>{_LETTER})(?P<rest>.*)\Z",
)
_DROPPED: Final = LatePattern(
    rf"(?:\W{{0,3}}{COMMON_WORDS.pattern('correcting')}){{0,3}}\W{{0,3}}"
    rf"{COMMON_WORDS.pattern('spelled_without')} (?P<old>{_LETTER})(?P<rest>.*)\Z",
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_BESIDE: Final = COMMON_WORDS["beside_letter"]
_ALIKE: Final = tuple(map(frozenset, sorted(COMMON_WORDS["sounds_alike"])))
_LEAST: Final = 3
_NOT_NAMES: Final = (
    COMMON_WORDS["stop_words"] | COMMON_WORDS["asking"] | COMMON_WORDS["days"] | COMMON_WORDS["denying"]
)


def is_respelling(said: str) -> bool:
    """Tell whether a message says nothing but with which letter something is written, or the whole word behind."""
    found = _read(said)
    if found is None:
        return False
    return all(
        fold(word) in _BESIDE or len(word) == 1 or word[0].isupper() for word in _WORD.findall(found["rest"])
    )


def respelled(kept: str, said: str) -> tuple[str, int, int, str] | None:
    """Return the word of a kept text that is meant, where it stands, and how it is written; None where that is not
    clear."""
    found = _read(said)
    if found is None or not is_respelling(said):
        return None
    words = [one for one in _WORD.finditer(kept) if fold(one[0]) not in _NOT_NAMES and len(one[0]) >= _LEAST]
    names = [one for one in words if one[0][0].isupper()]
    is_dropped = "old" in found.re.groupindex
    for some in (names, words):
        if is_dropped:
            places = list(_with(some, [fold(found["old"])]))
        else:
            new = fold(found["new"])
            others = [letter for one in _ALIKE if new in one for letter in sorted(one - {new})]
            places = [place for place in _with(some, others) if place[1] == 0] or list(_with(some, others))
        if len(places) == 1:
            word, at = places[0]
            letter = "" if is_dropped else _cased(found["new"], word[0][at])
            better = word[0][:at] + letter + word[0][at + 1 :]
            return word[0], word.start(), word.end(), better
        if places:
            return None
    return None


def _read(said: str) -> re.Match[str] | None:
    flat = " ".join(said.split())
    if len(flat) > _MAX_CHARS or "?" in flat:
        return None
    return _DROPPED.match(flat) or _SPELLED.match(flat)


def _with(words: Sequence[re.Match[str]], letters: Sequence[str]) -> Iterator[tuple[re.Match[str], int]]:
    for word in words:
        yield from ((word, at) for at, letter in enumerate(word[0]) if fold(letter) in letters)


def _cased(letter: str, old: str) -> str:
    return letter.upper() if old.isupper() else letter.lower()
