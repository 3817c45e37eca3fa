"""Messages that mean /tools, whole and without anything else in them but a greeting."""

from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
ASKS_FOR_TOOLS: Final = LatePattern(
    rf"(?:{_WORDS.pattern('greeting')}\W+){{0,3}}{_WORDS.pattern('what_can_you_do')}(?:\W+{_WORDS.pattern('for_me')})?",
    flags=0,
)
