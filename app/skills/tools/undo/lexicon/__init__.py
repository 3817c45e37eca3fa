"""Messages that mean /undo, and nothing else but perhaps why."""

import re
from typing import Final

from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
MEANS_UNDO: Final = re.compile(
    rf"(?:{_WORDS.pattern('startled')}[\s,.!;]{{1,3}}){{0,3}}{_WORDS.pattern('undo')}"
    rf"(?:(?:[,.!;]+ ?(?:{_WORDS.pattern('reason')}|{_WORDS.pattern('cause')})| {_WORDS.pattern('cause')})[^?]*)?"
)
ENDS_IN_UNDO: Final = re.compile(
    rf"(?!{_WORDS.pattern('unless')})[^?/\n]{{3,90}}?[,.!;…] ?"
    rf"(?:{_WORDS.pattern('startled')}[\s,.!;]{{1,3}}){{0,3}}{_WORDS.pattern('undo')}"
)
"""The same behind a reason; it may be about something else, so it counts only right after an act."""
