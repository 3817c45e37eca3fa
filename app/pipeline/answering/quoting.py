"""Which thing that a person told holds what they ask for now."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from app.domain.wording import fold, stem, words
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import ENDINGS, HOUR, KIN, NAMING, RECALLING, SEXES, YEAR, asks_fact, says_recall

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_EXPLAINING: Final = re.compile(rf"\W*(?:{COMMON_WORDS.pattern('explaining')})", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-ÖØ-Þ][^\W\d_]+")
_SILENT: Final = COMMON_WORDS["asking"] | COMMON_WORDS["interrogatives"] | RECALLING
_LEAST_SHARED: Final = 2
_LEAST_ALIKE: Final = 3
_DIGITS_OF_A_YEAR: Final = 4


@dataclass(frozen=True, slots=True)
class _Asked:
    """Stems of a question: `names` of people and places, `content` with them, `naming` that ask for a name."""

    names: frozenset[str]
    content: frozenset[str]
    naming: frozenset[str]
    is_recall: bool


def asks_for_fact(text: str) -> bool:
    """Tell whether a text has a question whose answer may be what its author told."""
    return any(map(_asks, _SENTENCE.split(text)))


def told_of(text: str, told: Sequence[str]) -> str | None:
    """Return the one of what was told (best known first) that shares most with a question; None where there is no
    question for a fact, or nothing shares enough with it."""
    asked = next((_read(one) for one in _SENTENCE.split(text) if _asks(one)), None)
    if asked is None:
        return None
    shares = [(_shared(asked, one), one) for one in told]
    best = max((count for count, _ in shares), default=0)
    return next((one for count, one in shares if count == best), None) if best else None


def _asks(sentence: str) -> bool:
    return asks_fact(sentence) and _EXPLAINING.match(fold(sentence)) is None


def _read(sentence: str) -> _Asked:
    names = [] if sentence.isupper() else [fold(name) for name in _NAME.findall(sentence)]
    found = {stem(word) for word in words(_with_kin(sentence)) if word not in _SILENT}
    naming = frozenset(word for word in found if word in NAMING)
    return _Asked(frozenset(map(stem, names)) & found, frozenset(found - naming), naming, says_recall(sentence))


def _shared(asked: _Asked, told: str) -> int:
    """Return how many stems a question shares with what was told; 0 where too few, or names are missing."""
    present = {stem(word) for word in words(_with_kin(told))}
    if not asked.names <= present:
        return 0
    count = sum(_holds(present, word) for word in asked.content)
    named = sum(_holds(present, word) for word in asked.naming)
    is_named = bool(asked.names) and count + named > len(asked.names)
    is_half = count >= _LEAST_SHARED and 2 * count >= len(asked.content)
    return count + named if is_named or is_half or (asked.is_recall and count) else 0


def _holds(present: set[str], word: str) -> bool:
    if word in HOUR or word in YEAR:
        return any(one.isdigit() and (word in HOUR or len(one) == _DIGITS_OF_A_YEAR) for one in present)
    return any(_is_form(word, other) for other in present)


def _with_kin(text: str) -> str:
    """Return the folded text with one word for each relative, however they are described."""
    folded = " ".join(fold(text).split())
    for described, name in KIN:
        folded = described.sub(name, folded)
    return folded


def _is_form(word: str, other: str) -> bool:
    """Tell whether two stems are one word, or its forms: "vive" and "vivo", but not "hijo" and "hija"."""
    if word == other:
        return True
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    root, endings = word[:shared], {word[shared:], other[shared:]} - {""}
    return shared >= _LEAST_ALIKE and root not in SEXES and root.isalpha() and endings <= ENDINGS
