"""Messages that ask who it is that answers, and those that want words for somebody else."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
_WHO: Final = re.compile(rf"(?:{_WORDS.pattern('greeting')}\W+){{0,3}}{_WORDS.pattern('who_are_you')}")
_MAX_CHARS: Final = 60
_DRAFTING: Final = re.compile(rf"^\W*(?:{_WORDS.pattern('greeting')}\W+)?{_WORDS.pattern('drafting')}")
_SENDING: Final = re.compile(_WORDS.pattern("sending"))


def asks_who(text: str) -> bool:
    """Tell whether a text asks who or what the assistant is."""
    return len(text) <= _MAX_CHARS and _WHO.fullmatch(fold(text).strip(" .!?¡¿")) is not None


def wants_draft(text: str) -> bool:
    """Tell whether a text wants a message to somebody written, and not sent."""
    folded = fold(text)
    return _DRAFTING.match(folded) is not None and _SENDING.search(folded) is None
