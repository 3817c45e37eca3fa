"""Stories of the past, of habits, and of what others put down: they name things, and wish for nothing."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.pipeline.lexicon import MAKING, NOTING, PUTTING, REMINDING, WORDS, wants_done
from app.skills.picking.tokens import BREAK, is_wish, tokens_of

_MAX_CHARS: Final = 1_000
_TOLD: Final = LatePattern(rf"{WORDS.pattern('told_of_others')}|{WORDS.pattern('told_of_before')}")
_HABIT: Final = LatePattern(rf"{WORDS.pattern('habit')}")
_WISHED: Final = LatePattern(WORDS.pattern("wished_now"))
_LEADING: Final = WORDS["before_wish"]
_VERBS: Final = (REMINDING | NOTING | PUTTING | MAKING) - WORDS["placing"]
_SAID: Final = re.compile(r"\s+")


def tells_of_before(text: str) -> bool:
    """Tell whether a text tells of the past, of a habit, or of what others put down, and wishes for nothing:
    "my nan used to stick her list on the fridge and add mints, jam and soap"."""
    if "?" in text or len(text) > _MAX_CHARS:
        return False
    said = _SAID.sub(" ", fold(text).replace("’", "'"))
    rest, found = _TOLD.subn(" ", said)
    if not found and _HABIT.search(said) is None:
        return False
    return _WISHED.search(rest) is None and not wants_done(rest) and not opens_wish(rest)


def opens_wish(said: str) -> bool:
    """Tell whether a verb of a wish opens a clause of a folded text, or what leads to it from a story: "…, so add
    milk"."""
    is_open = True
    for one in tokens_of(said):
        is_open = is_open or BREAK.search(one.gap) is not None
        if is_open and (one.key in _VERBS or is_wish(one)):
            return True
        is_open = one.key in _LEADING or (is_open and one.key in WORDS["joining"])
    return False
