"""Why a clock is asked for: "…, my sister works nights there and I don't want to wake her"."""

import re
from typing import Final

from app.language.lexicon import COMMON_WORDS
from app.skills.tools.datetime.lexicon import (
    APART_WISHES,
    AROUND_NOW,
    ASKS_MORE,
    IF_HERE,
    LEAVES_ASLEEP,
    PLACE_NOW,
    PLACE_WHY,
    WAKES_US,
)

_WORD: Final = re.compile(r"\w+")
_EDGES: Final = " ,.;!-\n"
_ADDRESS: Final = COMMON_WORDS["address"]


def is_reason(rest: str) -> bool:
    """Whether what follows a question, folded, says no more than now, please, or why it is asked."""
    question, _mark, behind = rest.partition("?")
    left = _without_quiet(question)
    left = "" if AROUND_NOW.issuperset(_WORD.findall(left)) else left
    reason = _without_quiet(f"{left} {behind}")
    if not reason:
        return "?" not in behind
    is_at_odds = "?" in behind or ASKS_MORE.search(reason) is not None or wishes(reason)
    is_if = any(map(str.isdigit, reason)) and not IF_HERE.isdisjoint(_WORD.findall(reason))
    return PLACE_WHY.match(reason) is not None and not (is_at_odds or is_if)


def wishes(told: str) -> bool:
    """Whether something is wished in what is told, folded; that nobody is to be woken is no wish."""
    said = LEAVES_ASLEEP.sub(" ", told)
    return not APART_WISHES.isdisjoint(_WORD.findall(said)) or WAKES_US.search(said) is not None


def _without_quiet(text: str) -> str:
    """Return a text without what it begins with that says now, please, or mate."""
    left = text.strip(_EDGES)
    while (quiet := PLACE_NOW.match(left) or _WORD.match(left)) is not None:
        if PLACE_NOW.match(left) is None and quiet[0] not in _ADDRESS:
            break
        left = left[quiet.end() :].strip(_EDGES)
    return left
