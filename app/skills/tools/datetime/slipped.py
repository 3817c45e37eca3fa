"""A question for the clock typed in haste: "waht tmie is it", "q hroa es". Letters that are missing, too many, or
swapped with the next one are put right in the few words that such a question has, and in no other."""

import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from app.language.folding import fold
from app.skills.tools.datetime.lexicon import QUESTIONS

_WORD: Final = re.compile(r"\w+")
_MOST_CHARS: Final = 9
_LEAST_LONG: Final = 3
_LEAST_GAPPY: Final = 4
_KNOWN: Final = QUESTIONS["slipped.words"] | QUESTIONS["clock"]
_OTHERS: Final = QUESTIONS["slipped.others"]


def _gappy(word: str) -> Iterator[str]:
    """Yield a word without one of its letters."""
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def _swapped(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))


def _slips_of(word: str) -> Iterator[str]:
    """Yield the slips of a word: swapped letters in any, a missing one in a longer word."""
    yield from _swapped(word)
    if len(word) >= _LEAST_GAPPY:
        yield from _gappy(word)


_SLIPS: Final = MappingProxyType(
    {slip: word for word in sorted(_KNOWN) for slip in _slips_of(word) if slip not in _KNOWN | _OTHERS}
)


@lru_cache(maxsize=16)
def put_right(text: str) -> str | None:
    """Return a question for the clock, folded, with the slips in its own words put right; None where there is no
    such question, or no slip in one. It is kept for a while: two look for the clock in each message."""
    plain = " ".join(fold(text).replace("’", "'").split())
    right = _WORD.sub(lambda one: _meant(one[0]), plain)
    return right if right != plain and not QUESTIONS["clock"].isdisjoint(_WORD.findall(right)) else None


def _meant(word: str) -> str:
    if word in _KNOWN or word in _OTHERS or len(word) > _MOST_CHARS:
        return word
    if word in _SLIPS:
        return _SLIPS[word]
    one_more = (one for one in _gappy(word) if len(one) >= _LEAST_LONG and one in _KNOWN)
    return next(one_more, word)
