"""Messages that mean /tools: whole and without anything else in them but a greeting, or in an introduction."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)


def _asked() -> str:
    return rf"{_WORDS.pattern('what_can_you_do')}(?:\W+{_WORDS.pattern('for_me')})?"


ASKS_FOR_TOOLS: Final = LatePattern(rf"(?:{_WORDS.pattern('greeting')}\W+){{0,3}}{_asked()}", flags=0)
_ASKS_WITHIN: Final = LatePattern(
    rf"(?:^|[.,;:!?¿¡)–-] ?|(?= {_WORDS.pattern('asking_what')} ) )(?:{_WORDS.pattern('greeting')}\W+){{0,2}}"
    rf"(?:{_WORDS.pattern('asking_what')}\W+){{0,4}}{_asked()}(?=[.,;:!?¿¡)–-]|$)",
    flags=0,
)
_INTRODUCES: Final = LatePattern(rf"(?<!\w){_WORDS.pattern('introducing')}(?!\w)", flags=0)
_WISHING: Final = _WORDS["wishing"]
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_GATE: Final = _WORDS["near_asking"]
_MOST_CHARS: Final = 900


def asks_introducing_oneself(text: str) -> bool:
    """Tell whether a text asks what the assistant can do, beside words of who it is that asks, or how they came
    here, and wishes for nothing else: "I'm Ann, 80, my son put this on here. What can you do?"."""
    if len(text) > _MOST_CHARS:
        return False
    said = " ".join(fold(text).replace("’", "'").split())
    words = frozenset(_LETTERS.findall(said))
    if _GATE.isdisjoint(words) or not _WISHING.isdisjoint(words) or said.count("?") > 1:
        return False
    return _INTRODUCES.search(said) is not None and _ASKS_WITHIN.search(said) is not None
