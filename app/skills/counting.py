"""Questions for a number alone: how many of one kind a person has is counted by code, never guessed."""

import re
from collections.abc import Set
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS, STOP_WORDS

_MAX_CHARS: Final = 120
_WORD: Final = re.compile(r"[^\W_]+")
_BESIDE: Final = COMMON_WORDS["counting"] | COMMON_WORDS["counted"] | STOP_WORDS


def asks_how_many(text: str, kind: Set[str]) -> bool:
    """Tell whether a text asks how many things of a kind there are, and nothing else; `kind` is its names."""
    said = set(_WORD.findall(fold(text))) if len(text) <= _MAX_CHARS else set()
    is_asked = not said.isdisjoint(COMMON_WORDS["counting"]) and not said.isdisjoint(kind)
    return is_asked and said <= _BESIDE | kind
