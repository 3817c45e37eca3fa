"""Wishes of before that are answered now: asked about, offered, or left undone, and wanted after all."""

from dataclasses import dataclass
from datetime import datetime
from itertools import compress
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import clean, fold, one_line
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.asked_times import with_hour, with_unit
from app.skills.tools.reminders.asking import asks_to_be_reminded, is_for_diary, read_ring
from app.skills.tools.reminders.clauses import mended
from app.skills.tools.reminders.lexicon import is_polite, may_ring, spoken, what_to_say
from app.skills.tools.reminders.moving import read_moved
from app.skills.tools.reminders.own_hour import read_own_hour
from app.skills.tools.reminders.pointing import names_of
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.several import answer_in, first_of, several
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.skills.tools.reminders.told_dates import read_before_told
from app.when.meanings import Point, Repeat, Unsure, When, says_hour
from app.when.reading import read_wish

_MAX_BESIDE: Final = 8
"""How many words may stand beside a time that answers when: "before I head to the depot"."""
_MAX_BEHIND: Final = 20
_HALF_DAY: Final = 12
_ASKED_BEFORE: Final = 2
"""How many messages back a wish is still asked about."""
_MAX_CHARS: Final = 300
_MAX_TAKEN_UP: Final = 120
_ANSWERS: Final = 2
_EDGES: Final = " .,;:!¡?¿"
_NOTHING: Final = lexicon.TALK | lexicon.JOINERS | lexicon.CORRECTING | lexicon.MOVING | lexicon.ACCEPTING


@dataclass(frozen=True, slots=True)
class TakenUp:
    what: str
    when: When


def read_given(said: str, now: datetime, ctx: TurnContext) -> TakenUp | None:
    """Return what a wish to be rung is for, what is wished so long before a day told of, or what an offer was
    about that is taken up; `now` is local."""
    if (told := read_before_told(said, now, ctx)) is not None:
        return TakenUp(told.what, told.when)
    if (ring := read_ring(said, now, ctx.language)) is not None:
        return TakenUp(ring.what, ring.when)
    own = read_own_hour(said, now, ctx.language)
    if own is not None and not several(said, now, ctx.language):
        return TakenUp(own.what, own.when)
    return read_taken_up(said, now, ctx)


def read_taken_up(said: str, now: datetime, ctx: TurnContext) -> TakenUp | None:
    """Return what was talked about and when it is to be reminded of; None where a message says more than a time,
    or no reminder was offered for that. `now` is local."""
    offered = _offered(ctx)
    if not offered or len(said) > _MAX_TAKEN_UP or "?" in said:
        return None
    wish = read_wish(with_unit(said, ctx.said.before, now, ctx.language), now, ctx.language)
    beside = spoken(lexicon.REMINDING.sub(" ", fold(wish.what)))
    if wish.when is None or not _NOTHING.issuperset(beside):
        return None
    what = _without_time(offered, now, ctx) if _asks(offered) else clean(offered)
    return TakenUp(one_line(what.strip(_EDGES), MAX_TEXT_CHARS), wish.when)


def _offered(ctx: TurnContext) -> str:
    """Return the message that was answered with the offer; only questions about it may have come since."""
    pairs = list(zip(ctx.said.answers, ctx.said.before, strict=False))[:_ANSWERS]
    for place, (answer, asked) in enumerate(pairs):
        if lexicon.OFFERING.search(_plain(answer)) is not None or (not place and _is_left(asked, answer)):
            return asked
        if "?" not in asked:
            break
    return ""


def _is_left(asked: str, answer: str) -> bool:
    return _asks(asked) and lexicon.LEFT_UNDONE.search(_plain(answer)) is not None


def _asks(wish: str) -> bool:
    return lexicon.REMINDING.search(fold(wish)) is not None or may_ring(fold(wish))


def _plain(text: str) -> str:
    return " ".join(spoken(text))


def _without_time(wish: str, now: datetime, ctx: TurnContext) -> str:
    ring = read_ring(wish, now, ctx.language)
    return ring.what if ring is not None else what_to_say(read_wish(wish, now, ctx.language).what, MAX_TEXT_CHARS)


def pending_wish(ctx: TurnContext, now: datetime, newest: Reminder | None) -> str | None:
    """Return the wish that was asked about, if what is written now only says when; with that, as one text."""
    said, language = ctx.said.now[0] if ctx.said.now else "", ctx.language
    earlier = [mended(one) for one in ctx.said.before if not is_polite(one)][:_ASKED_BEFORE]
    wishes = [asks_to_be_reminded(one, now, language) or is_for_diary(one) for one in earlier]
    # A time is dear to read, so it is read last.
    if not any(wishes) or "?" in said or len(said) > _MAX_CHARS:
        return None
    wish = next(compress(earlier, wishes))
    if (of_this := of_the_one(said, _left_open(wish, newest, now, language), now, language)) is None:
        return None
    said = hour_told(of_this, wish, now, language)
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


def of_the_one(said: str, wish: str, now: datetime, language: Language) -> str | None:
    """Return what an answer says of the one that a wish is for, where it names that: "the one about the keys, make
    it 6"; None where it names another one."""
    moved = read_moved(mended(said), now, language) if lexicon.OF_ONE.search(fold(said)) is not None else None
    names = frozenset[str]() if moved is None else moved.names or moved.beside
    # What stands behind the time is a reason: "make it 6, Mum's the one with the car".
    if moved is None or not names or lexicon.OF_ONE.search(fold(said).partition(moved.said)[0]) is None:
        return said
    is_this = not wish or not names.isdisjoint(names_of(wish, lexicon.OFF_WORDS))
    return (moved.said if not moved.names else said) if is_this else None


def was_wished(ctx: TurnContext, now: datetime) -> bool:
    """Tell whether the message before this one asked to be reminded; what may still be asked about."""
    before = mended(ctx.said.before[0]) if ctx.said.before else ""
    return asks_to_be_reminded(before, now, ctx.language) or is_for_diary(before)


def hour_told(said: str, wish: str, now: datetime, language: Language) -> str:
    """Return what only tells another hour as an hour: "make it 5.20", "mejor a y media" of the one of the wish."""
    moved = read_moved(mended(said), now, language)
    only = moved.said if moved is not None and not moved.names and moved.shift is None else ""
    # In a reason, a part of the day is no time: "make it 6, the bus comes early".
    is_moved = only != "" and not lexicon.MOVING.isdisjoint(spoken(only))
    when = read_wish(only if is_moved else said, now, language).when
    is_part = when is None or (isinstance(when, Point) and not when.has_clock and not when.has_day)
    is_day = when is not None and not is_part and not says_hour(when)
    found = read_wish(wish, now, language).when if is_part or is_day else None
    likely = found.likely if isinstance(found, Unsure) else ()
    clocks = {(at.hour, at.minute) for one in likely if one.has_clock and (at := first_of(one))}
    hours = {(hour % _HALF_DAY, minute) for hour, minute in clocks}
    if is_day and len(hours) == 1:
        hour, minute = clocks.pop() if len(clocks) == 1 else hours.pop()
        return f"{hour}:{minute:02} {lexicon.SAME_TIME.sub(' ', said)}"
    if len(hours) == 1:
        hour, minute = hours.pop()
        told = f"{hour or _HALF_DAY}:{minute:02} {said}"
        if is_polite(read_wish(told, now, language).what):
            return told  # "pm", "de la tarde"
        if when is None and (whole := with_hour(said, hour or _HALF_DAY)) != said:
            return whole
    return only if is_moved or (only and is_part) else said


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
    known = lexicon.TALK | lexicon.JOINERS | lexicon.CORRECTING - lexicon.WHERE_OR_BEFORE
    left = [word for word in spoken(wish.what) if word not in known]
    is_where = not left or left[0] in lexicon.WHERE_OR_BEFORE
    return wish.when is not None and len(left) <= most and is_where
