"""A reminder that was offered, or left undone, and is wanted after all: "ok, at five" after "tell me when"."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import clean, fold, one_line
from app.skills.tools.reminders.in_units import with_unit
from app.skills.tools.reminders.lexicon import (
    ACCEPTING,
    CORRECTING,
    JOINERS,
    LEFT_UNDONE,
    MOVING,
    OFFERING,
    REMINDING,
    TALK,
    may_ring,
    what_to_say,
)
from app.skills.tools.reminders.ringing import read_ring
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.meanings import When
from app.when.reading import read_wish

_MAX_CHARS: Final = 120
_ANSWERS: Final = 2
_WORD: Final = re.compile(r"[^\W_]+")
_EDGES: Final = " .,;:!¡?¿"
_NOTHING: Final = TALK | JOINERS | CORRECTING | MOVING | ACCEPTING


@dataclass(frozen=True, slots=True)
class TakenUp:
    what: str
    when: When


def read_given(said: str, now: datetime, ctx: TurnContext) -> TakenUp | None:
    """Return what a wish to be rung is for, or what an offer was about that is taken up; `now` is local."""
    if (ring := read_ring(said, now, ctx.language)) is not None:
        return TakenUp(ring.what, ring.when)
    return read_taken_up(said, now, ctx)


def read_taken_up(said: str, now: datetime, ctx: TurnContext) -> TakenUp | None:
    """Return what was talked about and when it is to be reminded of; None where a message says more than a time,
    or no reminder was offered for that. `now` is local."""
    offered = _offered(ctx)
    if not offered or len(said) > _MAX_CHARS or "?" in said:
        return None
    wish = read_wish(with_unit(said, ctx.said.before, now, ctx.language), now, ctx.language)
    beside = _WORD.findall(REMINDING.sub(" ", fold(wish.what)))
    if wish.when is None or not _NOTHING.issuperset(beside):
        return None
    what = _without_time(offered, now, ctx) if _asks(offered) else clean(offered)
    return TakenUp(one_line(what.strip(_EDGES), MAX_TEXT_CHARS), wish.when)


def _offered(ctx: TurnContext) -> str:
    """Return the message that was answered with the offer; only questions about it may have come since."""
    pairs = list(zip(ctx.said.answers, ctx.said.before, strict=False))[:_ANSWERS]
    for place, (answer, asked) in enumerate(pairs):
        if OFFERING.search(_plain(answer)) is not None or (not place and _is_left(asked, answer)):
            return asked
        if "?" not in asked:
            break
    return ""


def _is_left(asked: str, answer: str) -> bool:
    return _asks(asked) and LEFT_UNDONE.search(_plain(answer)) is not None


def _asks(wish: str) -> bool:
    return REMINDING.search(fold(wish)) is not None or may_ring(fold(wish))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))


def _without_time(wish: str, now: datetime, ctx: TurnContext) -> str:
    ring = read_ring(wish, now, ctx.language)
    return ring.what if ring is not None else what_to_say(read_wish(wish, now, ctx.language).what, MAX_TEXT_CHARS)
