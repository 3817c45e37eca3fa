"""Messages that mean /tools, whole and without anything else in them but a greeting."""

import re
from typing import Final

from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
ASKS_FOR_TOOLS: Final = re.compile(
    rf"(?:{_WORDS.pattern('greeting')}\W+){{0,3}}{_WORDS.pattern('what_can_you_do')}(?:\W+{_WORDS.pattern('for_me')})?"
)
