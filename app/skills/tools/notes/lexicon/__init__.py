"""Words of a wish to keep a note, which are no part of it."""

import re
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
WISH_VERBS: Final = _WORDS["wish_verbs"]
WISH_FILLERS: Final = _WORDS["wish_fillers"]
WISH_WORDS: Final = _WORDS["wish_words"]
WISH_THAT: Final = _WORDS["wish_that"]
WISH_ENDS: Final = _WORDS["wish_ends"]
NOTE_VERBS: Final = _WORDS["note_verbs"]
NOTE_CALLED: Final = _WORDS["note_called"]
NOTE_FIRST: Final = re.compile(rf"\W{{0,9}}{_WORDS.pattern('note_first')}\s?(?::|[–—-]\s)\s*", re.IGNORECASE)
DIARY_VERBS: Final = _WORDS["diary_verbs"]
TO_REMIND: Final = _WORDS["to_remind"]
THIS: Final = _WORDS["this"]
POLITE_END: Final = re.compile(rf"[\s,.!]{{1,9}}{_WORDS.pattern('polite_end')}[\s.!]{{0,9}}\Z", re.IGNORECASE)
LINKING: Final = _WORDS["linking"]
IN_HASTE: Final = re.compile(rf"{_WORDS.pattern('in_haste')},? ?", re.IGNORECASE)
OTHER_WISH: Final = _WORDS["other_wish"]
NOT_BEHIND: Final = _WORDS["not_behind"]
KEEP_IT: Final = re.compile(rf"(?:[.,;:!…]|(?<=\w)) ?{_WORDS.pattern('keep_it')}[.! ]*\Z", re.IGNORECASE)
ATTRIBUTES: Final = _WORDS["attributes"]
RECALLED: Final = _WORDS["recalled"]
TELL_ME: Final = _WORDS["tell_me"]
CALLED: Final = _WORDS["called"]
NOW_KNOWN: Final = _WORDS["now_known"]
OF_THEM: Final = _WORDS["of_them"]
ASKS_NUMBER: Final = _WORDS["asks_number"]
BESIDE: Final = _WORDS["beside"]
AGAIN: Final = re.compile(_WORDS.pattern("again"), re.IGNORECASE)
AND_THAT: Final = re.compile(rf"\W{{0,9}}{_WORDS.pattern('and_that')}:? ")
PART_OF: Final = LatePattern(_WORDS.pattern("part_of"))
SURELY_PART: Final = LatePattern(_WORDS.pattern("surely_part"))
ALIKE: Final = tuple(_WORDS.table("alike").values())
NO_MORE: Final = _WORDS["no_more"]
