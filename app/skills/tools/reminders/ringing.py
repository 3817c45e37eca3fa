"""Somebody asks to be rung at a time: nothing here rings, but a message can come then."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import RING_FOR, RINGING, is_polite, may_ring, what_to_say
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.meanings import Point, Repeat, Unsure, When
from app.when.reading import read_wish

_MAX_CHARS: Final = 200
_EDGES: Final = " ,.;:¡!¿?"


@dataclass(frozen=True, slots=True)
class Ring:
    """`what` it is for, "" where that is not said."""

    what: str
    when: When


def read_ring(text: str, now: datetime, language: Language) -> Ring | None:
    """Read "call me at 7 to wake me up"; None where somebody else is called, and for every other text.

    `now` is local.
    """
    if len(text) > _MAX_CHARS or not may_ring(fold(text)):
        return None
    wish = read_wish(text, now, language)
    is_sure = isinstance(wish.when, Point | Repeat)
    is_likely = isinstance(wish.when, Unsure) and wish.when.why == "which" and bool(wish.when.likely)
    asking = RINGING.match(" ".join(fold(wish.what).split()))
    if asking is None or wish.when is None or not (is_sure or is_likely):
        return None
    rest = " ".join(wish.what.split())[asking.end() :].strip(_EDGES)
    purpose = RING_FOR.match(fold(rest))
    if purpose is None:
        return Ring("", wish.when) if not rest or is_polite(rest) else None
    return Ring(what_to_say(rest[purpose.end() :].strip(_EDGES), MAX_TEXT_CHARS), wish.when)
