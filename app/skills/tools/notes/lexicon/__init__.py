"""Words of a wish to keep a note, which are no part of it."""

import re
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

WORDS: Final = Lexicon.of(__package__)
NOTE_FIRST: Final = re.compile(rf"\W{{0,9}}{WORDS.pattern('note_first')}\s?(?::|[–—-]\s)\s*", re.IGNORECASE)
POLITE_END: Final = re.compile(rf"[\s,.!]{{1,9}}{WORDS.pattern('polite_end')}[\s.!]{{0,9}}\Z", re.IGNORECASE)
IN_HASTE: Final = re.compile(rf"{WORDS.pattern('in_haste')},? ?", re.IGNORECASE)
KEEP_IT: Final = re.compile(rf"(?:[.,;:!…]|(?<=\w)) ?{WORDS.pattern('keep_it')}[.! ]*\Z", re.IGNORECASE)
AGAIN: Final = re.compile(WORDS.pattern("again"), re.IGNORECASE)
AND_THAT: Final = re.compile(rf"\W{{0,9}}{WORDS.pattern('and_that')}:? ")
PART_OF: Final = LatePattern(WORDS.pattern("part_of"))
SURELY_PART: Final = LatePattern(WORDS.pattern("surely_part"))
ALIKE: Final = tuple(WORDS.table("alike").values())
ONLY_KEPT: Final = LatePattern(WORDS.pattern("only_kept"))
WHAT: Final = re.compile(rf"\b{WORDS.pattern('what')}\Z", re.IGNORECASE)
"""What is told otherwise, and not here: "anotá lo que hablamos"."""
