"""How far a word that was typed in haste, or by ear, is from the one that was meant."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA

_MOST: Final = 2
_LEAST_LACKING: Final = 5
# Letters that sound the same in Spanish: who writes by ear takes one for the other ("kiero", "aser", "bamos").
_BY_EAR: Final = (
    (re.compile(r"qu(?=[ei])|[kq]|c(?![eih])"), "k"),
    (re.compile(r"[zc](?!h)"), "s"),
    (re.compile(r"(?<!c)h"), ""),
    (re.compile(r"ll"), "y"),
    (re.compile(r"(?<=[aeou])y\Z"), "i"),
    (re.compile(r"v"), "b"),
    (re.compile(r"g(?=[ei])"), "j"),
    (re.compile(r"(.)\1+"), r"\1"),
)


class Change(NamedTuple):
    """Where in a text stand words that are meant otherwise, and how."""

    begin: int
    end: int
    meant: str


def with_changes(text: str, changes: Sequence[Change]) -> str:
    """Return a text with such changes, which come in order; what began with a capital does so again."""
    for one in reversed(changes):
        meant = one.meant[0].upper() + one.meant[1:] if text[one.begin].isupper() else one.meant
        text = f"{text[: one.begin]}{meant}{text[one.end :]}"
    return text


def slips(said: str, meant: str) -> int:
    """Count the letters that are missing, too many, wrong, or swapped with the next one; 3 stands for more.

    The optimal string alignment distance, https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance.
    """
    return OSA.distance(said, meant, score_cutoff=_MOST)


def slipped_forms(word: str) -> Iterator[str]:
    """Yield a word with two letters swapped, a letter doubled or, of a longer one, a letter behind the first left
    out."""
    yield from (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
    yield from (word[:at] + word[at] + word[at:] for at in range(len(word)))
    if len(word) >= _LEAST_LACKING:
        yield from (word[:at] + word[at + 1 :] for at in range(1, len(word)))


def sound_of(word: str) -> str:
    """Return how a Spanish word sounds, folded: one for "arina" and "harina", "seboya" and "cebolla"."""
    for letters, sound in _BY_EAR:
        word = letters.sub(sound, word)
    return word
