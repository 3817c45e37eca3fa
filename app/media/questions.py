"""Telling a question about something from a wish."""

import re
from typing import Final

from app.domain.wording import fold, stem
from app.media.lexicon import ASKING, LOOKING

_FIRST_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W_]+")


def said_words(text: str) -> list[str]:
    """Return the words of a text, folded."""
    return _WORD.findall(fold(text))


def stems(text: str) -> set[str]:
    """Return the words of a text without the endings of plurals."""
    return {stem(word) for word in said_words(text)}


def asks(text: str) -> bool:
    """Tell whether somebody wants to know something, rather than to have it done."""
    first = said_words(text)[:_FIRST_WORDS]
    return "?" in text or bool(first and first[0] in ASKING) or not LOOKING.isdisjoint(first)
