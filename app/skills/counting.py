"""Questions for a number alone, or for what is left: they are answered from what is stored, never guessed."""

import re
from collections.abc import Set
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS, STOP_WORDS

_MAX_CHARS: Final = 120
_WORD: Final = re.compile(r"[^\W_]+")
_BESIDE: Final = COMMON_WORDS["counting"] | COMMON_WORDS["counted"] | STOP_WORDS

_LEFT: Final = COMMON_WORDS["left_over"] | COMMON_WORDS["beside_left"] | STOP_WORDS
_MOST_WORDS_LEFT: Final = 10


def asks_how_many(text: str, kind: Set[str]) -> bool:
    """Tell whether a text asks how many things of a kind there are, and nothing else; `kind` is its names."""
    said = set(_WORD.findall(fold(text))) if len(text) <= _MAX_CHARS else set()
    is_asked = not said.isdisjoint(COMMON_WORDS["counting"]) and not said.isdisjoint(kind)
    return is_asked and said <= _BESIDE | kind


def asks_what_is_left(text: str) -> bool:
    """Tell whether a text asks what is left of what was just shown, and nothing else: "what's left?"."""
    words = _WORD.findall(fold(text)) if len(text) <= _MAX_CHARS else []
    said = set(words)
    is_asked = not said.isdisjoint(COMMON_WORDS["left_over"]) and not said.isdisjoint(COMMON_WORDS["what"])
    return is_asked and len(words) <= _MOST_WORDS_LEFT and said <= _LEFT
