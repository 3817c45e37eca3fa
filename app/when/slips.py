"""Words of time typed in haste: "tomorow", "miercloes", "mñn". Only how they are read changes, never the text."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from app.language.catalogue import LANGUAGES, Language
from app.language.slips import slips
from app.when.lexicon import WORDS

_LEAST: Final = 4
_ANY_LETTER: Final = 7
"""From so many letters on one may be wrong; in shorter words one is missing, too many, or two are swapped."""
_TWICE: Final = 8
"""From so many letters on a word may have two slips, if it begins as it should; "moving" is two from "morning"."""


@dataclass(frozen=True, slots=True)
class _Spelling:
    """`written`: what is often written so, and what it stands for; `meant`: words that are found by a slip."""

    written: Mapping[str, str]
    meant: tuple[str, ...]


def _spelling(language: Language) -> _Spelling:
    tongue = WORDS.tongues[LANGUAGES.index(language)]
    pairs = ((written, meant) for written, meant in map(str.split, tongue.phrases["spelling"]))
    return _Spelling(dict(pairs), tuple(sorted(tongue.words["meant"])))


_SPELLINGS: Final = MappingProxyType({language: _spelling(language) for language in LANGUAGES})
_NO_SLIPS: Final = WORDS["no_slips"]


@lru_cache(maxsize=2048)
def as_meant(key: str, language: Language) -> str:
    """Return the word of time that a folded word stands for; the word itself where it stands for none."""
    spelling = _SPELLINGS[language]
    if (meant := spelling.written.get(key)) is not None:
        return meant
    if len(key) < _LEAST or not key.isalpha() or key in spelling.meant or key in _NO_SLIPS:
        return key
    near = [(count, one) for one in spelling.meant if 0 < (count := slips(key, one)) <= _most(key, one)]
    return min(near, default=(0, key))[1]


def _most(said: str, meant: str) -> int:
    if len(meant) < _ANY_LETTER and len(said) == len(meant) and sorted(said) != sorted(meant):
        return 0
    return 2 if len(meant) >= _TWICE and said[0] == meant[0] else 1
