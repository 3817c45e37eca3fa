"""A message that leaves things as they are: "no borres el mío", "don't cancel it", "todavía no compré el pan"; and
one that tells what others are to do, or what was done elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.domain.chat import ToolCall
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.following.following import DOUBTFUL_ID
from app.skills.letting_be.lexicon import WORDS

_MAX_CHARS: Final = 120
_MOST_CHARS: Final = 400
_WORD: Final = re.compile(r"[^\W_]+")
_DENIED: Final = LatePattern(WORDS.pattern("denied"))
_ORDERED: Final = LatePattern(WORDS.pattern("undoing"))
_DONE: Final = LatePattern(WORDS.pattern("doing"))
_BREAK: Final = LatePattern(rf"[,.;:!?\n]++|{WORDS.pattern('breaks')}")
_NOT_DONE: Final = LatePattern(WORDS.pattern("not_done"))
_LED: Final = LatePattern(WORDS.pattern("led_by_others"))
_WISH: Final = LatePattern(WORDS.pattern("wish"))
_TAKING_AWAY: Final = frozenset(
    {
        "remove_from_list",
        "check_off",
        "clear_list",
        "clear_checked",
        "cancel_reminder",
        "delete_note",
        "delete_task",
    }
)


def lets_be(text: str) -> bool:
    """Tell whether a message only asks that something be left as it is."""
    if len(text) > _MAX_CHARS or "?" in text or _is_told(text):
        return False
    said = _folded(text)
    found = _DENIED.search(said)
    if found is None or not WORDS["opening"].issuperset(_WORD.findall(said[: found.start()])):
        return False
    return not _has_order(said) and _WISH.search(said[found.end() :]) is None


def allowed(calls: Sequence[ToolCall], text: str) -> Sequence[ToolCall]:
    """Return the calls for a message: none that take away where it says that this is not to be, or was not done;
    in doubt where somebody else is to do it."""
    if len(text) > _MOST_CHARS or _TAKING_AWAY.isdisjoint(call.name for call in calls):
        return calls
    said = _folded(text)
    if _has_order(said):
        return calls
    if _DENIED.search(said) is not None or _is_told(text) or _NOT_DONE.search(said) is not None:
        return []
    # "My wife says to take it off the list": she tells what is kept here.
    if _LED.search(said) is None or not COMMON_WORDS["keepers"].isdisjoint(_WORD.findall(said)):
        return calls
    return [one if one.id.endswith(DOUBTFUL_ID) else replace(one, id=f"{one.id}_{DOUBTFUL_ID}") for one in calls]


def _folded(text: str) -> str:
    return " ".join(fold(text).replace("’", "'").split())


def _has_order(said: str) -> bool:
    """Tell whether a clause orders something away, or says that it was done, for all that others say."""
    return any(map(_is_order, _BREAK.split(said)))


def _is_order(clause: str) -> bool:
    if any(one.search(clause) is not None for one in (_DENIED, _NOT_DONE, _LED)):
        return False
    return _ORDERED.search(clause) is not None or _DONE.search(clause) is not None


def _is_told(text: str) -> bool:
    """Tell whether a message opens with what was done: "saqué …", with its accent, and without "already"."""
    first = next(iter(_WORD.findall(text.casefold())), "")
    return first in WORDS["accented"]
