"""Messages that are about reminders by their form and by what their author has, whatever else they sound like."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold, stem, words
from app.language.catalogue import Language
from app.skills.tools.reminders.clock_wishes import is_by_clock
from app.skills.tools.reminders.lexicon import (
    AND_ANOTHER,
    CALLING_IT_OFF,
    CALLING_OFF,
    CONTACT,
    DIARY,
    MOVING_IT,
    NEW_HOUR,
    NO_NAME,
    REMINDING,
    REMINDING_AFTER,
    TO_DO,
)
from app.skills.tools.reminders.putting_off import put_off
from app.skills.tools.reminders.repository import Reminder, Reminders
from app.when.meanings import Point, Repeat
from app.when.reading import read_wish
from app.when.rules import to_local

STILL_MEANT: Final = timedelta(hours=12)
"""How long one that came once can still be put off by words."""
_CATEGORY: Final = ("reminders",)
JUST: Final = timedelta(minutes=15)
"""How long what was just set, or just came, is meant by "it"."""
_MAX_CHARS: Final = 300
_CLAUSE: Final = re.compile(r"[,;!?\n]+|\.(?!\d)")
_SENTENCE: Final = re.compile(r"[.!?;\n]\s")
_LONG_NUMBER: Final = re.compile(r"\d[\d .-]{5,}\d")


class Forms:
    def __init__(self, reminders: Reminders, clock: Clock) -> None:
        self._reminders = reminders
        self._clock = clock

    async def needs(self, text: str, ctx: TurnContext) -> tuple[str, ...]:
        """See `Needs`: a turn by the clock, an entry in a diary, what puts off, calls off or adds a reminder."""
        now = to_local(ctx.received_at, ZoneInfo(ctx.timezone))
        if is_by_clock(text, now, ctx.language):
            return _CATEGORY
        if len(text) > _MAX_CHARS or ctx.is_by_clock:
            return ()
        if is_for_diary(text) or asks_to_be_reminded(text, now, ctx.language):
            return _CATEGORY
        later = put_off(text, now, ctx.language)
        if later is not None and await self._reminders.find_told(ctx.user_id, self._clock.now() - STILL_MEANT):
            return _CATEGORY
        if (name := _called_off(text)) and _is_named(name, await self._reminders.list_active(ctx.user_id)):
            return _CATEGORY
        is_of_last = goes_on(text, now, ctx.language) or points_at_last(text, now, ctx.language)
        if is_of_last and await self._reminders.find_spoken_of(ctx.user_id, self._clock.now() - JUST):
            return _CATEGORY
        return ()


def is_for_diary(text: str) -> bool:
    """Tell whether a text opens with "agendame …"; a number of somebody's is for the notes."""
    if DIARY.match(fold(text)) is None:
        return False
    is_contact = not CONTACT.isdisjoint(words(text)) or _LONG_NUMBER.search(text) is not None
    return not is_contact and "?" not in text


def asks_to_be_reminded(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text opens with "remind us", before or behind the time that it says, or ends with it.

    What opens with it is one sentence: another one may wish for something else. `now` is local.
    """
    wish = read_wish(text, now, language)
    if not isinstance(wish.when, Point | Repeat):
        return False
    is_one = len(_SENTENCE.split(text.strip(" .!?\n"))) == 1
    opens = REMINDING.match(fold(text)) is not None or REMINDING.match(fold(wish.what)) is not None
    return (opens and is_one) or REMINDING_AFTER.search(fold(text)) is not None


def goes_on(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text adds another one: "and on Monday at 7 to water the lawn". `now` is local."""
    opening = AND_ANOTHER.match(text)
    if opening is None or "?" in text:
        return False
    wish = read_wish(text[opening.end() :], now, language)
    return isinstance(wish.when, Point | Repeat) and TO_DO.match(fold(wish.what)) is not None


def points_at_last(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a clause says only "cancel it", or "move it" and when. `now` is local."""
    is_time = read_wish(text, now, language).when is not None or NEW_HOUR.search(fold(text)) is not None
    return calls_it_off(text) or (points_at_it(text) and is_time)


def points_at_it(text: str) -> bool:
    return calls_it_off(text) or any(MOVING_IT.match(one) for one in _clauses(text))


def calls_it_off(text: str) -> bool:
    return any(CALLING_IT_OFF.fullmatch(one) for one in _clauses(text))


def _clauses(text: str) -> list[str]:
    return [one for one in map(str.strip, _CLAUSE.split(fold(text))) if one]


def _called_off(text: str) -> frozenset[str]:
    """The words that name what a text calls off; none where it calls off nothing."""
    folded = fold(text)
    opening = CALLING_OFF.match(folded)
    named = words(folded[opening.end() :]) if opening is not None else []
    return frozenset(stem(word) for word in named if word not in NO_NAME)


def _is_named(name: frozenset[str], active: Sequence[Reminder]) -> bool:
    return any(name <= {stem(word) for word in words(one.text)} for one in active)
