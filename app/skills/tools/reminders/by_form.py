"""Messages that are about reminders by their form and by what their author has, whatever else they sound like."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from itertools import dropwhile
from typing import Final
from zoneinfo import ZoneInfo

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold, stem, words
from app.language.catalogue import Language
from app.language.lexicon import COMMON_WORDS
from app.skills.amending import CALL_ID
from app.skills.counting import asks_how_many
from app.skills.following.following import DOUBTFUL_ID
from app.skills.seeing_all import asks_to_see_all
from app.skills.selection import READ_ID
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.antecedents import read_after_span, read_pointing
from app.skills.tools.reminders.asked_times import with_hour, with_unit
from app.skills.tools.reminders.asking import (
    as_wish,
    asks_to_be_reminded,
    goes_on,
    is_by_clock,
    is_for_diary,
    read_ring,
    surely_goes_on,
)
from app.skills.tools.reminders.clauses import mended
from app.skills.tools.reminders.elliptical import is_other_one
from app.skills.tools.reminders.following import at_another_time, follow_up, put_in_place, put_off, read_replaced
from app.skills.tools.reminders.left_out import left_out
from app.skills.tools.reminders.lexicon import says_something, spoken
from app.skills.tools.reminders.moving import moved_one, read_moved
from app.skills.tools.reminders.pending import pending_wish, read_taken_up, was_wished
from app.skills.tools.reminders.pointing import (
    asked_when,
    by_place,
    called,
    calls_off,
    counted_off,
    denied_one,
    told_in_order,
)
from app.skills.tools.reminders.repository import UNDOABLE, Reminder, Reminders
from app.skills.tools.reminders.several import first_of, several, without_reason
from app.skills.tools.reminders.telling import day_in
from app.skills.tools.reminders.told_dates import read_before_told
from app.when.meanings import Point, When, says_hour
from app.when.reading import read_wish
from app.when.rules import to_local

STILL_MEANT: Final = timedelta(hours=12)
"""How long one that came once can still be put off by words."""
JUST: Final = timedelta(minutes=15)
"""How long what was just set, or just came, is meant by "it"."""
_MAX_CHARS: Final = 300
_NOON_HOUR: Final = 12
_IN_DOUBT: Final = f"{READ_ID}_0_{DOUBTFUL_ID}"
_THAT: Final = COMMON_WORDS["opens_why"]
_MAX_LONG_CHARS: Final = 1_500
_SENTENCE: Final = re.compile(rf"(?:[!?;\n]|{lexicon.NO_TITLE}\.)\s", re.IGNORECASE)
_TO_ME: Final = frozenset({"me", "us"})
_CLAUSE: Final = re.compile(
    rf"(?:[,;:!\n]|{lexicon.NO_TITLE}\.) ?| (?:y|e|and|then|also|luego|despues|ademas|tambien) "
)
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
        wish = as_wish(mended(text), now, ctx.language)
        if read_pointing(wish, now, ctx.language) is not None:
            return ToolCall(CALL_ID, "set_reminder", {"text": text})
        if (
            several(wish, now, ctx.language)
            or read_after_span(wish, now, ctx.language)
            or read_taken_up(mended(text), now, ctx) is not None
            or read_before_told(mended(text), now, ctx) is not None
        ):
            return ToolCall(CALL_ID, "set_reminder", {"text": text})
        if _is_one_wish(text, now, ctx.language) or _is_all(
            without_reason(wish, now, ctx.language), now, ctx.language
        ):
            is_set = "?" in text and await self._is_set(wish, now, ctx)
            return ToolCall(CALL_ID, *(("list_reminders", {}) if is_set else ("set_reminder", {"text": text})))
        return await self._follow_up(mended(text), now, ctx) if len(text) <= _MAX_CHARS else None

    async def _is_set(self, wish: str, now: datetime, ctx: TurnContext) -> bool:
        """Tell whether a question is for one that is set: "will you remind me at 9 to ring the dentist?"."""
        when, said = read_wish(wish, now, ctx.language).when, {stem(word) for word in words(wish)}
        same = [one for one in await self._reminders.list_active(ctx.user_id) if first_of(when) == one.due]
        return any(said.issuperset(map(stem, words(one.text))) for one in same)

    async def _follow_up(self, text: str, now: datetime, ctx: TurnContext) -> ToolCall | None:
        language = ctx.language
        if asks_what_comes(text, now, language):
            return ToolCall(CALL_ID, "list_reminders", {})
        near = _in_talk(await look_near(self._reminders, self._acts, ctx.user_id, self._clock.now()), ctx)
        newest = near.newest
        is_talked_of = newest is not None and (newest == near.told or newest.text in "".join(ctx.said.answers[:1]))
        is_asked = not _ends_or_shows(text, near, now, language) and pending_wish(ctx, now, newest) is not None
        if is_asked or _is_one_more(text, newest, now, ctx, is_talked_of=is_talked_of):
            return ToolCall(CALL_ID, "set_reminder", {"text": text})
        if (one := read_replaced(text, near.active, newest, now, language)) is not None:
            arguments = {"new": one.what, "old": one.target.text, "reminder": str(one.target.number)}
            return ToolCall(CALL_ID, "correct_reminder", arguments)
        # Right behind one, who asks what there is means all: "what reminders do I have?".
        is_named = near.active and (is_talked_of or not lexicon.REMINDERS_CALLED.isdisjoint(spoken(text)))
        if asked_when(text, near.active, newest) or (is_named and is_listing(text, now, language)):
            return ToolCall(CALL_ID, "list_reminders", {})
        if (deed := _by_place(text, near, now, language)) is not None:
            return ToolCall(CALL_ID, deed[0], {deed[1]: text})
        if newest is None or not is_talked_of:
            return None
        if (less := _less(text, newest, near, now, language)) is not None:
            return less
        if (put := put_in_place(text, newest, now, language)) is not None:
            new, old = put
            return ToolCall(CALL_ID, "correct_reminder", {"new": new, "old": old, "reminder": str(newest.number)})
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
        near = _in_talk(await look_near(self._reminders, self._acts, ctx.user_id, self._clock.now()), ctx)
        if len(text) > _MAX_CHARS:
            return _of_a_long_one(text, near, now, language)
        if tool := _ends_or_shows(text, near, now, language):
            return tool
        if _moves_named(text, now, language):
            return _CHANGE
        if is_for_diary(text) or asks_to_be_reminded(text, now, language) or several(text, now, language):
            return _SET
        if pending_wish(ctx, now, near.newest) is not None:
            return _SET
        return _goes_on_from(text, near, now, language)


def _in_talk(near: Near, ctx: TurnContext) -> Near:
    """Leave out those of tasks, which move with these, and put in order what was just told."""
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
    if off is not None and (near.active or lexicon.orders_off(text)):
        is_no_more = bool(off.names) and not lexicon.NO_MORE.isdisjoint(spoken(text))
        is_ours = newest is not None or lexicon.SURELY_OFF.search(fold(text)) is not None
        if off.says_reminder or is_no_more or (is_ours and chosen):
            return _CANCEL
    return ()


def _is_one_more(
    text: str, newest: Reminder | None, now: datetime, ctx: TurnContext, *, is_talked_of: bool
) -> bool:
    """Tell whether a text adds one: behind the newest one, or beside one that is asked about yet."""
    if newest is None:
        return goes_on(text, now, ctx.language) and was_wished(ctx, now)
    is_sure = surely_goes_on(text, now, ctx.language) or is_other_one(text, newest.text, now, ctx.language)
    return is_talked_of and is_sure


def _by_place(text: str, near: Near, now: datetime, language: Language) -> tuple[str, str] | None:
    """Return the tool, and its argument, for what becomes of one that is named by its place alone."""
    is_talked_of = near.newest is not None or bool(near.in_order)
    if is_talked_of and "?" not in text and counted_off(text, near.active, near.newest, now, language):
        return *_CANCEL, "reminder"
    placed, rest = by_place(text, near.in_order) if near.in_order else (None, text)
    if placed is None or "?" in text:
        return None
    off, chosen = calls_off(text, near.active, near.newest, now, language, near.in_order)
    if off is not None:
        return (*_CANCEL, "reminder") if chosen == [placed] and not off.beside else None
    moved = read_moved(rest, now, language)
    return (*_CHANGE, "when") if moved is not None and not moved.names else None


def _less(text: str, newest: Reminder, near: Near, now: datetime, language: Language) -> ToolCall | None:
    """Return the call for a text that only says which one, or on which day the newest, is not to come."""
    if (one := denied_one(text, near.active, now, language)) is not None:
        return ToolCall(_IN_DOUBT, "cancel_reminder", {"reminder": called(one)})
    is_less = left_out(newest, text, now, language) is not None
    return ToolCall(CALL_ID, "change_reminder", {"when": text}) if is_less else None


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


def _is_one_wish(text: str, now: datetime, language: Language) -> bool:
    """Tell whether what else a text says is only asked of the reminder, or how it slips one's mind."""
    if lexicon.WHEN_IT_IS.search(lexicon.flat(text)) is not None:
        said = mended(text)
        return lexicon.OTHER_WISHES.isdisjoint(spoken(said)) and asks_to_be_reminded(said, now, language)
    is_for_hour = lexicon.SLIPS_MIND.match(fold(text)) is not None and "?" not in text
    return is_for_hour and says_hour(read_wish(text, now, language).when)


def _is_all(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text opens with the wish to be reminded at an hour, and wishes for nothing else."""
    folded = fold(text)
    asking = lexicon.REMINDING.search(folded)
    if len(text) > _MAX_CHARS or "?" in text or asking is None:
        return False
    # "And on Friday at two remind me …": the time may come first.
    before = spoken(read_wish(folded[: asking.start()], now, language).what)
    if says_something(" ".join(word for word in before if word not in lexicon.JOINERS)):
        return False
    is_timed = says_hour(when := read_wish(text, now, language).when) or _is_noon(when)
    first, *behind = map(spoken, _CLAUSE.split(folded[asking.end() :]))
    openings = [_opening(one, lexicon.JOINERS) for one in (_without_that(first, text, now, language), *behind)]
    openings += [_opening(one, lexicon.JOINERS | lexicon.PASSING) for one in behind]
    # "And tell them he's ill" is to be done by whoever is reminded; "and tell me" is not.
    firsts = {one[0] for one in openings if one and (one[0] not in lexicon.SAYING or one[-1] in _TO_ME)}
    return is_timed and asks_to_be_reminded(text, now, language) and lexicon.OTHER_WISHES.isdisjoint(firsts)


def _opening(clause: Sequence[str], before: Set[str]) -> list[str]:
    return list(dropwhile(before.__contains__, clause))[:2]


def _without_that(clause: list[str], text: str, now: datetime, language: Language) -> list[str]:
    """Leave out the "que" of "recordame que el martes a las 3 tengo turno"; "recordame qué tengo a las 3" asks."""
    if _THAT.isdisjoint(clause[:1]) or "qué" in text.lower():
        return clause
    told = spoken(read_wish(" ".join(clause[1:]), now, language).what)
    return clause if lexicon.OF_A_QUESTION.issuperset(told) else clause[1:]


def _is_noon(when: When | None) -> bool:
    """Tell whether noon is said, which is as sure as an hour."""
    return isinstance(when, Point) and when.at.time() == time(_NOON_HOUR)


def _moves_named(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text opens with moving one that it names to a time: "move the dentist reminder to Friday"."""
    is_named = lexicon.MOVES_NAMED.match(fold(text)) and lexicon.OF_OTHERS.isdisjoint(spoken(text))
    return bool(is_named) and read_wish(text, now, language).when is not None


def is_listing(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text asks what is still to come, and nothing else: "qué tengo para mañana?"."""
    if lexicon.LISTING.search(fold(text)) is None:
        return False
    return lexicon.LISTING_WORDS.issuperset(spoken(read_wish(text, now, language).what))


def asks_what_comes(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text asks how many reminders there are, or for those of a day by their name or "left"."""
    if asks_how_many(text, lexicon.REMINDERS_CALLED) or asks_to_see_all(text, "reminders"):
        return True
    said = spoken(text)
    is_named = not (lexicon.REMINDERS_CALLED | lexicon.LEFT).isdisjoint(said) and is_listing(text, now, language)
    return is_named and day_in(text, now, language) is not None
