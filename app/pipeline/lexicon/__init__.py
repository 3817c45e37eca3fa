"""Messages that ask who it is that answers, whole and without anything else in them but a greeting."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
_WHO: Final = re.compile(rf"(?:{_WORDS.pattern('greeting')}\W+){{0,3}}{_WORDS.pattern('who_are_you')}")
_MAX_CHARS: Final = 60


def asks_who(text: str) -> bool:
    """Tell whether a text asks who or what the assistant is."""
    return len(text) <= _MAX_CHARS and _WHO.fullmatch(fold(text).strip(" .!?¡¿")) is not None
