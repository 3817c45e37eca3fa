"""Messages that ask who it is that answers, and those that want words for somebody else."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
_WHO: Final = re.compile(rf"(?:{_WORDS.pattern('greeting')}\W+){{0,3}}{_WORDS.pattern('who_are_you')}")
_MAX_CHARS: Final = 60
_PART: Final = re.compile(r"[.,;:!?\n¿¡]")
_MAY: Final = re.compile(_WORDS.pattern("may"))
_DRAFTING: Final = re.compile(rf"^\W*(?:{_WORDS.pattern('greeting')}\W+)?{_WORDS.pattern('drafting')}")
_OF_ONESELF: Final = re.compile(rf"\W*(?:{_WORDS.pattern('of_oneself')})\s")
_CHANGING: Final = re.compile(_WORDS.pattern("changing"))
_MOST_CHANGING: Final = 100
_SENDING: Final = re.compile(_WORDS.pattern("sending"))


def asks_who(text: str) -> bool:
    """Tell whether a text asks who or what the assistant is."""
    return len(text) <= _MAX_CHARS and _WHO.fullmatch(fold(text).strip(" .!?¡¿")) is not None


def ends_asking_who(text: str) -> bool:
    """Tell whether the last thing in a text asks who or what the assistant is."""
    return asks_who(_PART.split(text.rstrip(" .!?"))[-1])


def asks_leave(text: str) -> bool:
    """Tell whether a text asks if something may be done or had: "can I give her nuts?"."""
    return _MAY.search(fold(text)) is not None


def is_of_oneself(text: str) -> bool:
    """Tell whether a text begins as somebody who speaks of themselves does: "my mother …", "I work …"."""
    return _OF_ONESELF.match(fold(text)) is not None


def wants_draft(text: str) -> bool:
    """Tell whether a text wants a message to somebody written, and not sent."""
    folded = fold(text)
    return _DRAFTING.match(folded) is not None and _SENDING.search(folded) is None


def changes_draft(text: str) -> bool:
    """Tell whether a text, right after such a message was written, wants it otherwise: "a bit shorter"."""
    return len(text) <= _MOST_CHANGING and "?" not in text and _CHANGING.search(fold(text)) is not None
