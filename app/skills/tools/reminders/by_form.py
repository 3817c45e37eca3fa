"""Messages that are about reminders by their form and by what their author has, whatever else they sound like."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import compress
from typing import Final
from zoneinfo import ZoneInfo

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold, words
from app.language.catalogue import Language
from app.skills.amending import CALL_ID
from app.skills.counting import asks_how_many
from app.skills.selection import DOUBTFUL_ID
from app.skills.tools.reminders.again import at_another_time
from app.skills.tools.reminders.clock_wishes import is_by_clock
from app.skills.tools.reminders.following import follow_up, read_replaced
from app.skills.tools.reminders.in_units import with_hour, with_unit
from app.skills.tools.reminders.lexicon import (
    AND_ANOTHER,
    CONTACT,
    CORRECTING,
    DIARY,
    JOINERS,
    LEFT,
    LISTING,
    LISTING_WORDS,
    NOT_REMINDING,
    OTHER_WISHES,
    REMINDERS_CALLED,
    REMINDING,
    REMINDING_NO,
    REPORTING,
    SAME_DAY,
    STORY,
    STORY_ENDINGS,
    SURELY_OFF,
    TALK,
    TO_DO,
    WHERE_OR_BEFORE,
    is_polite,
    may_ask,
    opens_with_noun,
)
from app.skills.tools.reminders.moving import moved_one, read_moved
from app.skills.tools.reminders.of_a_day import day_in
from app.skills.tools.reminders.placing import by_place, told_in_order
from app.skills.tools.reminders.pointing import asked_when, calls_off
from app.skills.tools.reminders.putting_off import put_off
from app.skills.tools.reminders.repository import UNDOABLE, Reminder, Reminders
from app.skills.tools.reminders.ringing import read_ring
from app.skills.tools.reminders.rousing import rouses
from app.skills.tools.reminders.several import answer_in, first_of, several
from app.skills.tools.reminders.slips import mended
from app.skills.tools.reminders.taken_up import read_taken_up
from app.when.meanings import Point, Repeat, Unsure, When
from app.when.reading import read_wish
from app.when.rules import to_local

STILL_MEANT: Final = timedelta(hours=12)
"""How long one that came once can still be put off by words."""
JUST: Final = timedelta(minutes=15)
"""How long what was just set, or just came, is meant by "it"."""
_MAX_CHARS: Final = 300
_MAX_LONG_CHARS: Final = 1_500
_MAX_BESIDE: Final = 8
"""How many words may stand beside a time that answers when: "before I head to the depot"."""
_MAX_BEHIND: Final = 20
_HALF_DAY: Final = 12
_ASKED_BEFORE: Final = 2
"""How many messages back a wish is still asked about."""
_SENTENCE: Final = re.compile(r"[.!?;\n]\s")
_WORD: Final = re.compile(r"[^\W_]+")
_LONG_NUMBER: Final = re.compile(r"\d[\d .-]{5,}\d")
_SET, _LIST, _CHANGE, _CANCEL = (
    ("set_reminder",),
    ("list_reminders",),
    ("change_reminder",),
    ("cancel_reminder",),
)


@dataclass(frozen=True, slots=True)
class Near:
    """What somebody may mean: `active` is still to come, `told` came last, `newest` was just made or just came.

    `in_order` are those that they were just told of together.
    """

    active: Sequence[Reminder]
    told: Reminder | None
    newest: Reminder | None
    in_order: Sequence[Reminder] = ()


async def look_near(reminders: Reminders, acts: Acts, user_id: UserId, now: datetime) -> Near:
    """Return what a person may mean now."""
    found = await reminders.list_near(user_id, now - STILL_MEANT)
    told = [one for one in found if one.fired_at is not None and one.fired_at >= now - STILL_MEANT]
    touched = await acts.find_last_touched(user_id, UNDOABLE.table) if found else None
    spoken = [(_spoken_of_at(one, touched), one.id, one) for one in found]
    newest = max(spoken, key=lambda each: each[:2], default=None)
    return Near(
        [one for one in found if one.due_at is not None],
        max(told, key=lambda one: (one.fired_at, one.id), default=None),
        newest[2] if newest is not None and newest[0] >= now - JUST else None,
    )


def _spoken_of_at(one: Reminder, touched: tuple[int, datetime] | None) -> datetime:
    """Return when it was last on the screen: as it came, was made, or was changed."""
    is_touched = touched is not None and touched[0] == one.id and not one.subject
    return max(one.spoken_of_at, touched[1]) if touched is not None and is_touched else one.spoken_of_at


class Forms:
    def __init__(self, reminders: Reminders, acts: Acts, clock: Clock) -> None:
        self._reminders = reminders
        self._acts = acts
        self._clock = clock

    async def certain(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """See `Certain`: a wish to be rung, several reminders at once, or what becomes of the last one."""
        now = to_local(ctx.received_at, ZoneInfo(ctx.timezone))
        if ctx.is_by_clock:
            return None
        if read_ring(text, now, ctx.language) is not None:
            return ToolCall(DOUBTFUL_ID, "set_reminder", {"text": text})
        if several(mended(text), now, ctx.language) or read_taken_up(mended(text), now, ctx) is not None:
            return ToolCall(CALL_ID, "set_reminder", {"text": text})
        return await self._follow_up(mended(text), now, ctx) if len(text) <= _MAX_CHARS else None

    async def _follow_up(self, text: str, now: datetime, ctx: TurnContext) -> ToolCall | None:
        language = ctx.language
        if asks_what_comes(text, now, language):
            return ToolCall(CALL_ID, "list_reminders", {})
        near = await self._near(ctx)
        newest = near.newest
        if not _ends_or_shows(text, near, now, language) and pending_wish(ctx, now, newest) is not None:
            return ToolCall(CALL_ID, "set_reminder", {"text": text})
        if (one := read_replaced(text, near.active, newest, now, language)) is not None:
            arguments = {"new": one.what, "old": one.target.text, "reminder": str(one.target.number)}
            return ToolCall(CALL_ID, "correct_reminder", arguments)
        is_talked_of = newest is not None and (newest == near.told or newest.text in "".join(ctx.said.answers[:1]))
        if asked_when(text, near.active, newest):
            return ToolCall(CALL_ID, "list_reminders", {})
        if newest is None or not is_talked_of:
            return None
        is_again = at_another_time(text, newest, now, language) is not None
        if asks_to_be_reminded(text, now, language) and not is_again:
            return None
        whole = with_hour(with_unit(text, ctx.said.before, now, language), newest.due.hour)
        found = follow_up(whole, newest, near.told, near.active, now, language)
        return None if found is None else ToolCall(CALL_ID, found[0], {found[1]: text})

    async def needs(self, text: str, ctx: TurnContext) -> tuple[str, ...]:
        """See `Needs`: the one tool that a message is for, where its form tells."""
        now = to_local(ctx.received_at, ZoneInfo(ctx.timezone))
        if is_by_clock(text, now, ctx.language):
            return _SET
        if len(text) > _MAX_LONG_CHARS or ctx.is_by_clock:
            return ()
        text, language = mended(text), ctx.language
        near = await self._near(ctx)
        if len(text) > _MAX_CHARS:
            return _of_a_long_one(text, near, now, language)
        if tool := _ends_or_shows(text, near, now, language):
            return tool
        if is_for_diary(text) or asks_to_be_reminded(text, now, language) or several(text, now, language):
            return _SET
        if pending_wish(ctx, now, near.newest) is not None:
            return _SET
        return _goes_on_from(text, near, now, language)

    async def _near(self, ctx: TurnContext) -> Near:
        near = await look_near(self._reminders, self._acts, ctx.user_id, self._clock.now())
        # Those of tasks move with these.
        active = [one for one in near.active if not one.subject]
        newest = near.newest
        newest = None if newest is not None and newest.subject and newest.due_at is not None else newest
        return replace(near, active=active, newest=newest, in_order=told_in_order(active, ctx.said.answers))


def _of_a_long_one(text: str, near: Near, now: datetime, language: Language) -> tuple[str, ...]:
    """Return the tool for what a sentence of a long message calls off or moves."""
    for sentence in _SENTENCE.split(text):
        off, chosen = calls_off(sentence, near.active, near.newest, now, language, near.in_order)
        if off is not None and len(chosen) == 1 and (off.names or off.is_loose):
            return _CANCEL
        moved = read_moved(sentence, now, language) if near.newest is not None else None
        if moved is not None and not moved.names and moved_one(moved, near.active, near.newest):
            return _CHANGE
    return ()


def _ends_or_shows(text: str, near: Near, now: datetime, language: Language) -> tuple[str, ...]:
    """Return the tool for what puts off, lists or calls off what is there; nothing where a text does not."""
    told, newest = near.told, near.newest
    if told is not None and put_off(text, now, language, has_just_come=newest == told):
        return _CHANGE
    if asked_when(text, near.active, newest) or (near.active and is_listing(text, now, language)):
        return _LIST
    off, chosen = calls_off(text, near.active, newest, now, language, near.in_order)
    if near.active and off is not None:
        is_ours = newest is not None or SURELY_OFF.search(fold(text)) is not None
        if off.says_reminder or (is_ours and chosen):
            return _CANCEL
    return ()


def _goes_on_from(text: str, near: Near, now: datetime, language: Language) -> tuple[str, ...]:
    """Return the tool for what moves one that is there, or adds another to the newest."""
    newest = near.newest
    if at_another_time(text, newest, now, language):
        return _SET
    if near.active or newest is not None:
        placed, rest = by_place(text, near.in_order)
        moved = read_moved(rest, now, language)
        if placed is not None and moved is not None and not moved.names:
            return _CHANGE
        if moved is not None and moved_one(moved, near.active, newest):
            return _CHANGE
    is_set = newest is not None and newest != near.told
    return _SET if is_set and goes_on(text, now, language) else ()


def is_for_diary(text: str) -> bool:
    """Tell whether a text opens with "agendame …"; a number of somebody's is for the notes."""
    if DIARY.match(fold(text)) is None:
        return False
    is_contact = not CONTACT.isdisjoint(words(text)) or _LONG_NUMBER.search(text) is not None
    return not is_contact and "?" not in text


def asks_to_be_reminded(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text has "remind us" anywhere and a time, or something to do right behind it.

    What comes in a later sentence may be another wish. `now` is local.
    """
    folded = fold(text)
    if rouses(text, now, language):
        return True
    if not may_ask(folded):
        return False
    is_time = read_wish(text, now, language).when is not None
    if is_time and "?" not in text and opens_with_noun(folded):
        return True
    # "Tell me at 5pm to call Ann": the time is between them.
    said = (folded, fold(read_wish(text, now, language).what) if is_time else folded)
    found = ((one, asking) for one in said for asking in REMINDING.finditer(one) if _is_meant(one, asking))
    folded, asking = next(found, (folded, None))
    if asking is None:
        return False
    later = [read_wish(one, now, language).what for one in _SENTENCE.split(folded[asking.end() :])[1:]]
    if not all(map(is_polite, later)):
        return False
    return is_time or TO_DO.match(folded[asking.end() :].lstrip(" ,:")) is not None


def _is_meant(folded: str, asking: re.Match[str]) -> bool:
    before = folded[: asking.start()].split()
    if len(before) > 1 and before[0].strip(",:") in OTHER_WISHES and before[-1] in JOINERS:
        return False  # "note the code 7719 and remind me tomorrow": two wishes, told apart by who sorts
    is_denied = not NOT_REMINDING.isdisjoint(before[-1:]) or not REPORTING.isdisjoint(before[-2:])
    return not is_denied and REMINDING_NO.match(folded, asking.end()) is None


def is_listing(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text asks what is still to come, and nothing else: "qué tengo para mañana?"."""
    if LISTING.search(fold(text)) is None:
        return False
    return LISTING_WORDS.issuperset(_WORD.findall(fold(read_wish(text, now, language).what)))


def asks_what_comes(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text asks how many reminders there are, or for those of a day by their name or "left"."""
    if asks_how_many(text, REMINDERS_CALLED):
        return True
    said = _WORD.findall(fold(text))
    is_named = not (REMINDERS_CALLED | LEFT).isdisjoint(said) and is_listing(text, now, language)
    return is_named and day_in(text, now, language) is not None


def goes_on(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text adds another one: "and on Monday at 7 to water the lawn". `now` is local."""
    opening = AND_ANOTHER.match(fold(text))
    if opening is None or "?" in text:
        return False
    wish = read_wish(SAME_DAY.sub(" ", fold(text)[opening.end() :]), now, language)
    first = next(iter(_WORD.findall(fold(wish.what))), "")
    is_story = not first or first in STORY or STORY_ENDINGS.match(fold(wish.what)) is not None
    return not is_story and _is_likely(wish.when)


def _is_likely(when: When | None) -> bool:
    return isinstance(when, Point | Repeat) or (isinstance(when, Unsure) and bool(when.likely))


def pending_wish(ctx: TurnContext, now: datetime, newest: Reminder | None) -> str | None:
    """Return the wish that was asked about, if what is written now only says when; with that, as one text."""
    said, language = ctx.said.now[0] if ctx.said.now else "", ctx.language
    earlier = [mended(one) for one in ctx.said.before if not is_polite(one)][:_ASKED_BEFORE]
    wishes = [asks_to_be_reminded(one, now, language) or is_for_diary(one) for one in earlier]
    # A time is dear to read, so it is read last.
    if not any(wishes) or "?" in said or len(said) > _MAX_CHARS:
        return None
    said = hour_told(said, next(compress(earlier, wishes)), now, language)
    if read_wish(said, now, language).when is None:
        return None
    parts = [answer_in(said, now, language)]
    for place, (before, is_wish) in enumerate(zip(earlier, wishes, strict=True)):
        # Right behind the question, where that is may be told in many words.
        most = _MAX_BEHIND if is_wish and not place else _MAX_BESIDE
        if not all(_only_says_when(one, now, language, most) for one in parts):
            return None
        left = _left_open(before, newest, now, language) if is_wish else before
        parts.append(left)
        if is_wish:
            return "\n".join(reversed(parts)) if left else None
    return None


def hour_told(said: str, wish: str, now: datetime, language: Language) -> str:
    """Return what only tells another hour as an hour: "make it 5.20", "mejor a y media" of the one of the wish."""
    if read_wish(said, now, language).when is not None:
        return said
    found = read_wish(wish, now, language).when
    likely = found.likely if isinstance(found, Unsure) else ()
    hours = {first.hour % _HALF_DAY for one in likely if one.has_clock and (first := first_of(one))}
    if len(hours) == 1 and (whole := with_hour(said, hours.pop() or _HALF_DAY)) != said:
        return whole
    moved = read_moved(mended(said), now, language)
    return moved.said if moved is not None and not moved.names and moved.shift is None else said


def _left_open(wish: str, newest: Reminder | None, now: datetime, language: Language) -> str:
    """Return a wish, or the one of several in it, whose time is not known yet; "" where that is not one."""
    if each := several(wish, now, language):
        unsure = [
            one.said for one in each if isinstance(one.when, Unsure) and (not newest or newest.text != one.what)
        ]
        return unsure[0] if len(unsure) == 1 else ""
    is_set = newest is not None and newest.text in wish
    is_open = not isinstance(read_wish(wish, now, language).when, Point | Repeat)
    return wish if is_open and not is_set else ""


def _only_says_when(said: str, now: datetime, language: Language, most: int) -> bool:
    """Tell whether a text has a time, and at most where that is or what comes after it: "at 9, in the chapel"."""
    moved = read_moved(mended(said), now, language)
    if moved is not None and not moved.names:
        return True
    wish = read_wish(said, now, language)
    known = TALK | JOINERS | CORRECTING - WHERE_OR_BEFORE
    left = [word for word in _WORD.findall(fold(wish.what)) if word not in known]
    is_where = not left or left[0] in WHERE_OR_BEFORE
    return wish.when is not None and len(left) <= most and is_where
