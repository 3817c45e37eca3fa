"""Words around a reminder: how people ask for one, and how they name one or all of them."""

import re
from typing import Final

from app.domain.wording import one_line
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
NO_NAME: Final = _WORDS["no_name"]
EVERY_ONE: Final = _WORDS["every_one"]
OFF: Final = _WORDS["off"]
CREATE: Final = _WORDS["create"]
_OPENING: Final = re.compile(
    rf"^(?:{_WORDS.pattern('please')}[\s,]+)*{_WORDS.pattern('asking')}(?:\s*[:,]\s*|\s+|$)", re.IGNORECASE
)
_JOINING: Final = re.compile(rf"^{_WORDS.pattern('joining')}(?:\s+|$)", re.IGNORECASE)
_ENDING: Final = re.compile(rf"{_WORDS.pattern('asking_after')}$", re.IGNORECASE)
_EDGES: Final = " ,.;:-–¡!¿?\n"
_ROUNDS: Final = 3


def what_to_say(text: str, limit: int) -> str:
    """Return a wish without the words that only ask for it: "remind me to call Ann" is "call Ann"."""
    rest = " ".join(text.split()).strip(_EDGES)
    for _ in range(_ROUNDS):
        shorter = _ENDING.sub("", _OPENING.sub("", rest, count=1), count=1).strip(_EDGES)
        shorter = _JOINING.sub("", shorter, count=1).strip(_EDGES)
        if shorter == rest:
            break
        rest = shorter
    return one_line(rest, limit)
