"""A day on which a reminder is not to come: "tomorrow no, I'm away", "not on Sunday"."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Final

from app.language.catalogue import Language, Sentence
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.asked_times import without_days
from app.skills.tools.reminders.clauses import clauses
from app.skills.tools.reminders.lexicon import is_polite, spoken
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.texts import REMINDERS
from app.when.meanings import Point, Repeat, When, likely_of
from app.when.reading import read_wish
from app.when.rules import occurrences, rule_of

_MAX_CHARS: Final = 120
_MOST_WORDS: Final = 9
_FAR: Final = 60
_BESIDE: Final = lexicon.SKIPPING | lexicon.LEFT_OUT_BESIDE | lexicon.TALK | lexicon.JOINERS
_OTHER: Final = lexicon.MOVING | lexicon.CORRECTING | lexicon.TALK | lexicon.JOINERS


def left_out(target: Reminder, said: str, now: datetime, language: Language) -> Repeat | Sentence | None:
    """Return what becomes of a reminder of which a text only says when it is not to come: its rule without that
    day, or from behind it on, or what is told where that cannot be. None of any other text. `now` is local.
    """
    is_once = not lexicon.THIS_ONCE.isdisjoint(spoken(said))
    if not is_once and (less := without_days(target, said, now, language)) is not None:
        return less
    when = denied_day(said, now, language, comes_again=bool(target.rule)) if target.due_at is not None else None
    if when is None:
        return None
    denied = {one.at.date() for one in likely_of(when) if isinstance(one, Point)}
    if not target.rule:
        return REMINDERS.when if target.due.date() in denied else REMINDERS.not_then
    coming = list(islice(occurrences(rule_of(target.rule), target.due), _FAR))
    if target.due.date() not in denied:
        comes_then = isinstance(when, Repeat) or any(one.date() in denied for one in coming)
        return REMINDERS.only_next if comes_then else REMINDERS.not_then
    later = _behind(coming, target.due.date())
    return REMINDERS.only_next if later is None else Repeat(rule_of(target.rule), later)


def _behind(coming: Sequence[datetime], day: date) -> datetime | None:
    return next((one for one in coming if one.date() > day), None)


def denied_day(text: str, now: datetime, language: Language, *, comes_again: bool) -> When | None:
    """Return the day that a text says no to, whatever reason it gives; None where it names another time instead,
    or wishes for anything else. "No el viernes" may correct what comes once: only behind the day, it denies that.
    """
    if len(text) > _MAX_CHARS or "?" in text or lexicon.SKIPPING.isdisjoint(spoken(text)):
        return None
    parts = clauses(text)
    found = [(part, _denied(part, now, language, comes_again=comes_again)) for part in parts]
    denied = [when for _, when in found if when is not None]
    others = [part for part, when in found if when is None]
    is_alone = len(denied) == 1 and not any(_says_more(part, now, language) for part in others)
    return denied[0] if is_alone else None


def _denied(part: str, now: datetime, language: Language, *, comes_again: bool) -> When | None:
    """Return the day that a clause opens with denying, before a reason at most."""
    for front, behind in _fronts(part):
        wish = read_wish(front, now, language)
        beside = spoken(lexicon.REMINDING.sub(" ", wish.what))
        likely = likely_of(wish.when)
        is_day = bool(likely) and all(isinstance(one, Repeat) or one.has_day for one in likely)
        is_bare = wish.what == "no" and front.startswith("no ") and not comes_again
        if not is_day or is_bare or _names_hour(front, wish.when) or lexicon.SKIPPING.isdisjoint(spoken(front)):
            continue
        if _BESIDE.issuperset(beside) and (not behind or lexicon.BECAUSE.match(behind)):
            return wish.when
    return None


def _fronts(part: str) -> Iterator[tuple[str, str]]:
    """Yield the openings of a clause, the longest first, each with what is behind it."""
    words = part.split()
    for end in range(min(len(words), _MOST_WORDS), 1, -1):
        yield " ".join(words[:end]), " ".join(words[end:])


def _names_hour(front: str, when: When | None) -> bool:
    return any(map(str.isdigit, front)) and any(
        isinstance(one, Point) and one.has_clock for one in likely_of(when)
    )


def _says_more(part: str, now: datetime, language: Language) -> bool:
    """Tell whether a clause beside it names the right time, or wishes for something else."""
    said = spoken(part)
    is_why = lexicon.BECAUSE.match(part) is not None or not COMMON_WORDS["opens_why"].isdisjoint(said[:1])
    if is_polite(part) or is_why:
        return False
    wish = read_wish(part, now, language)
    rest = spoken(lexicon.REMINDING.sub(" ", wish.what))
    is_time = wish.when is not None and _OTHER.issuperset(rest)
    return is_time or not lexicon.MOVING.isdisjoint(said) or not lexicon.OTHER_WISHES.isdisjoint(said[:1])
