"""Questions that name nothing but what a note may hold: "¿a qué hora llegaba?", "what was the price again?"."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.tools.notes.lexicon import AGAIN, AND_THAT, ATTRIBUTES, BESIDE, NO_MORE, RECALLED, TELL_ME

_MAX_CHARS: Final = 120
_WORD: Final = re.compile(r"\w+")
_EMPTY: Final = STOP_WORDS | COMMON_WORDS["interrogatives"] | ATTRIBUTES | RECALLED | TELL_ME | BESIDE


def asks_only_what_was_said(text: str) -> bool:
    """Tell whether a message asks, by interrogatives and what a note may hold only, for what was said before.

    "What time is it?" asks for what is now: one of the past ("era", "did"), or "again", must stand there.
    """
    if len(text) > _MAX_CHARS:
        return False
    folded = " ".join(_WORD.findall(fold(text).replace("'", "")))
    is_again = AGAIN.search(folded) is not None
    said = _WORD.findall(AGAIN.sub(" ", folded))
    asks = not COMMON_WORDS["interrogatives"].isdisjoint(said)
    tells = not TELL_ME.isdisjoint(said) and not ATTRIBUTES.isdisjoint(said)
    is_past = not RECALLED.isdisjoint(said)
    return set(said) <= _EMPTY and ((asks and (is_past or is_again)) or (tells and (is_past or is_again)))


def read_more(text: str) -> str:
    """Return what "and that …" says behind these words; "" where a message asks, wishes, or begins otherwise."""
    flat = " ".join(text.split())
    opening = AND_THAT.match(flat.lower())
    if opening is None or "?" in flat or len(flat) > _MAX_CHARS:
        return ""
    more = flat[opening.end() :].strip()
    first = next(iter(_WORD.findall(fold(more))), "")
    return "" if not first or first in NO_MORE else more
