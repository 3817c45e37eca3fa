"""Wishes to be reminded so long before a day that was told of before: "remind me 3 days before"."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.asking import is_for_diary
from app.skills.tools.reminders.lexicon import flat, is_question, opens_with_noun, says_something, spoken
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.skills.tools.reminders.titles import titled, what_is_meant
from app.when.lexicon import WORDS
from app.when.meanings import Point, Unsure, When, likely_of
from app.when.reading import read_wish

_BEFORE: Final = frozenset(word for phrase in WORDS.phrases("mark.before") for word in phrase.split())
_MAX_CHARS: Final = 200
_MOST_TOLD: Final = 400
_LOOKED_BACK: Final = 3
_EDGES: Final = " .,;:!"
_PART: Final = re.compile(r"[,;.!]\s+")


class BeforeTold(NamedTuple):
    """What to be reminded of, and when: so long before what was told of."""

    what: str
    when: When


def read_before_told(said: str, now: datetime, ctx: TurnContext) -> BeforeTold | None:
    """Return the wish to be reminded so long before the one day that the person told of last; None of any other
    text, and where no day was told. `now` is local.

    Right behind such a wish, another one may only go on: "and an hour before to leave".
    """
    before = ctx.said.before[:_LOOKED_BACK]
    if not before or len(said) > _MAX_CHARS or "?" in said or _BEFORE.isdisjoint(spoken(said)):
        return None
    is_asked = _asks(said)
    if not (is_asked or _goes_on(said, before[0], now, ctx.language)) or not _is_open(said, now, ctx.language):
        return None
    told = _told(before, said, now, ctx.language)
    when = None if told is None else _when(_day_in(told, now, ctx.language), said, now, ctx.language)
    if told is None or when is None:
        return None
    own = said if is_asked else _behind_joiner(said)
    what = what_is_meant(own, own, when, now, ctx.language)
    if is_asked and not _names_thing(said, now, ctx.language):
        what = titled(what, f"{_without_wish(told)}. {own}", now, ctx.language)
    return BeforeTold(one_line(what, MAX_TEXT_CHARS), when)


def _names_thing(said: str, now: datetime, language: Language) -> bool:
    """Tell whether something to do stands right behind the asking: "remind me … to pack"."""
    wish = flat(read_wish(said, now, language).what)
    asking = lexicon.REMINDING.search(wish)
    rest = "" if asking is None else wish[asking.end() :].lstrip(" ,:")
    return lexicon.TO_DO.match(rest) is not None or lexicon.INFINITIVE.match(rest) is not None


def _without_wish(told: str) -> str:
    """Return what was told without the wish to keep it: "the rent is due", of "note: the rent is due"."""
    rest = told.strip(_EDGES)
    if (found := lexicon.WORD.match(rest)) is None or fold(found[0]) not in lexicon.OTHER_WISHES:
        return rest
    behind = rest[found.end() :].strip(_EDGES)
    leading = lexicon.TO_THING.match(flat(behind))
    return behind if leading is None else behind[leading.end() :]


def _is_open(said: str, now: datetime, language: Language) -> bool:
    """Tell whether a text counts back from something that it does not name."""
    when = read_wish(said, now, language).when
    return isinstance(when, Unsure) and when.why == "which" and not when.likely


def _goes_on(said: str, before: str, now: datetime, language: Language) -> bool:
    if lexicon.AND_ANOTHER.match(flat(said)) is None or not _is_open_wish(before, now, language):
        return False
    rest = flat(read_wish(_behind_joiner(said), now, language).what)
    return lexicon.TO_DO.match(rest) is not None or lexicon.INFINITIVE.match(rest) is not None


def _is_open_wish(said: str, now: datetime, language: Language) -> bool:
    return _asks(said) and _is_open(said, now, language)


def _asks(said: str) -> bool:
    return lexicon.REMINDING.search(flat(said)) is not None or opens_with_noun(fold(said))


def _behind_joiner(said: str) -> str:
    joiner = lexicon.AND_ANOTHER.match(flat(said))
    return said if joiner is None else said[joiner.end() :]


def _told(before: Sequence[str], said: str, now: datetime, language: Language) -> str | None:
    """Return what told of a day that is still to come. One that was set since, at its own time, is nearer: it is
    what something else is to be done before."""
    for one in before:
        if _is_open_wish(one, now, language):
            continue
        if len(one) > _MOST_TOLD or not lexicon.WAS_THEN.isdisjoint(spoken(one)) or "?" in one:
            return None
        is_set = _asks(one) or is_for_diary(one)
        wish = read_wish(one, now, language)
        if is_set or any(isinstance(each, Point) and each.has_day for each in likely_of(wish.when)):
            is_told = says_something(wish.what) and not is_question(one)
            return one if is_told and (not is_set or _names_thing(said, now, language)) else None
    return None


def _day_in(told: str, now: datetime, language: Language) -> When | None:
    """Return the day that was told of; where that is not sure, the only one that a part of it says: "next week
    is the fair, on 5 December"."""
    whole = read_wish(told, now, language).when
    parts = [read_wish(one, now, language).when for one in _PART.split(told)] if isinstance(whole, Unsure) else []
    sure = [one for one in parts if isinstance(one, Point) and one.has_day]
    return sure[0] if len(sure) == 1 else whole


def _when(event: When | None, said: str, now: datetime, language: Language) -> When | None:
    """Return when it is, so long before; of several days that may be meant, each."""
    points = [one for one in likely_of(event) if isinstance(one, Point) and one.has_day]
    each = [_before_point(one, said, now, language) for one in points]
    found = [one for one in each if one is not None]
    if not found or len(found) < len(each) or len(points) < len(likely_of(event)):
        return None
    if len(found) == 1:
        return found[0]
    ahead = tuple(one for one in found if isinstance(one, Point))
    return ahead[0] if len(ahead) == 1 else Unsure("which", ahead) if ahead else found[0]


def _before_point(event: Point, said: str, now: datetime, language: Language) -> Point | Unsure | None:
    clock = f" {event.at:%H:%M}" if event.has_clock else ""
    when = read_wish(f"{event.at:%Y-%m-%d}{clock} {said}", now, language).when
    if isinstance(when, Unsure) and when.why == "past":
        return when
    others = [one for one in likely_of(when) if isinstance(one, Point) and one.at != event.at]
    return others[0] if len(others) == 1 and others[0].at < event.at else None
