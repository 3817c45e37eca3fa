"""A day that was left out of what comes again, and is to come after all: "no, don't skip tomorrow"."""

from collections.abc import Sequence
from datetime import date, datetime
from itertools import islice, takewhile
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language, Sentence
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.lexicon import spoken
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.texts import REMINDERS
from app.when.meanings import Point, Repeat
from app.when.reading import read_wish
from app.when.rules import occurrences, rule_of

_MAX_CHARS: Final = 120
_FAR: Final = 60
_BESIDE: Final = lexicon.COMES_AFTER_ALL | lexicon.TALK | lexicon.JOINERS | lexicon.CORRECTING | lexicon.SKIPPING


def given_back(target: Reminder, said: str, now: datetime, language: Language) -> Repeat | Sentence | None:
    """Return when a reminder comes again of which a text says that it is to come on a day that was left out: as it
    is where none was, what is told where another would come back, too. None of any other text. `now` is local.
    """
    plain = fold(said)
    if not target.rule or target.due_at is None or len(said) > _MAX_CHARS or "?" in said:
        return None
    is_denied = lexicon.NOT_OFF.search(plain) is not None
    left_out = _left_out(target, now)
    if not is_denied and not left_out:
        return None
    wish = read_wish(lexicon.NOT_OFF.sub(" ", plain), now, language)
    when = wish.when
    if not (_BESIDE | set(spoken(target.text))).issuperset(spoken(wish.what)):
        return None
    if when is not None and not (isinstance(when, Point) and when.has_day and not when.has_clock):
        # "Don't skip today", behind today's hour: it stays as it is.
        return Repeat(rule_of(target.rule), target.due) if is_denied else None
    day = when.at.date() if isinstance(when, Point) else None
    return _back(target, left_out, day, is_denied=is_denied)


def _back(
    target: Reminder, left_out: Sequence[datetime], day: date | None, *, is_denied: bool
) -> Repeat | Sentence | None:
    meant = [one for one in left_out if day in (None, one.date())]
    if not is_denied and (day is None or not meant or meant[-1] != left_out[-1]):
        return None
    if meant and meant[-1] != left_out[-1]:
        return REMINDERS.only_next
    return Repeat(rule_of(target.rule), meant[0] if meant else target.due)


def _left_out(target: Reminder, now: datetime) -> list[datetime]:
    """Return when it would come before the next time, if it came every time from now on."""
    rule = rule_of(target.rule)
    if rule.frequency not in {"DAILY", "WEEKLY"} or rule.interval != 1 or rule.hours:
        return []
    first = datetime.combine(now.date(), target.due.time())
    coming = takewhile(lambda one: one < target.due, islice(occurrences(rule, first), _FAR))
    return [one for one in coming if one > now]
