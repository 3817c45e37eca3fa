"""Words of a wish to keep a note, which are no part of it."""

import re
from typing import Final

from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
WISH_VERBS: Final = _WORDS["wish_verbs"]
WISH_FILLERS: Final = _WORDS["wish_fillers"]
WISH_WORDS: Final = _WORDS["wish_words"]
WISH_THAT: Final = _WORDS["wish_that"]
WISH_ENDS: Final = _WORDS["wish_ends"]
LINKING: Final = _WORDS["linking"]
IN_HASTE: Final = re.compile(rf"{_WORDS.pattern('in_haste')},? ?", re.IGNORECASE)
OTHER_WISH: Final = _WORDS["other_wish"]
NOT_BEHIND: Final = _WORDS["not_behind"]
KEEP_IT: Final = re.compile(rf"(?:[.,;:!…]|(?<=\w)) ?{_WORDS.pattern('keep_it')}[.! ]*\Z", re.IGNORECASE)
ATTRIBUTES: Final = _WORDS["attributes"]
RECALLED: Final = _WORDS["recalled"]
TELL_ME: Final = _WORDS["tell_me"]
CALLED: Final = _WORDS["called"]
BESIDE: Final = _WORDS["beside"]
AGAIN: Final = re.compile(_WORDS.pattern("again"), re.IGNORECASE)
AND_THAT: Final = re.compile(rf"\W*{_WORDS.pattern('and_that')} ")
NO_MORE: Final = _WORDS["no_more"]
