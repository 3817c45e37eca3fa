"""A day on which a reminder is not to come: "tomorrow no, I'm away", "not on Sunday"."""

from collections.abc import Iterator, Set
from datetime import date, datetime
from itertools import islice
from typing import Final

from app.domain.wording import fold, stem
from app.language.catalogue import Language, Sentence
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.asked_times import without_days
from app.skills.tools.reminders.clauses import clauses
from app.skills.tools.reminders.given_back import given_back
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
    if lexicon.NOT_OFF.search(fold(said)) is not None:
        return given_back(target, said, now, language)
    if target.rule and (back := given_back(target, said, now, language)) is not None:
        return back
    # "Tomorrow and not Friday" names what is wished for, too.
    if any(not lexicon.SKIPPING.isdisjoint(spoken(one)[:1]) for one in lexicon.JOINS_DAYS.split(fold(said))[1:]):
        return None
    named = _named(target, said) if target.rule else frozenset[str]()
    is_series = target.rule and target.due_at is not None
    days = _days_denied(said, now, language, _BESIDE | named) if is_series else frozenset[date]()
    if days:
        return _without(target, days)
    is_once = not (lexicon.THIS_ONCE | named).isdisjoint(spoken(said))
    if not is_once and (less := without_days(target, said, now, language)) is not None:
        return less
    if target.due_at is None:
        return None
    when = denied_day(said, now, language, comes_again=bool(target.rule), named=named)
    if when is None:
        return None
    denied = {one.at.date() for one in likely_of(when) if isinstance(one, Point)}
    if not target.rule:
        return REMINDERS.when if target.due.date() in denied else REMINDERS.not_then
    coming = list(islice(occurrences(rule_of(target.rule), target.due), _FAR))
    if target.due.date() not in denied:
        comes_then = isinstance(when, Repeat) or any(one.date() in denied for one in coming)
        return REMINDERS.only_next if comes_then else REMINDERS.not_then
    return _without(target, frozenset({target.due.date()}))


def _named(target: Reminder, said: str) -> frozenset[str]:
    """Return the words of a text that the reminder has, too, in whatever form."""
    stems = frozenset(map(stem, spoken(target.text))) - frozenset(map(stem, STOP_WORDS))
    return frozenset(word for word in spoken(said) if stem(word) in stems)


def _without(target: Reminder, days: frozenset[date]) -> Repeat | Sentence:
    """Return the rule from behind those days on; what is told where one that it keeps comes before one of them."""
    coming = list(islice(occurrences(rule_of(target.rule), target.due), _FAR))
    denied = [one for one in coming if one.date() in days]
    later = next((one for one in coming if one.date() not in days), None)
    if not denied:
        return REMINDERS.not_then
    is_next = later is not None and len(days) == len(denied) and later > denied[-1]
    return Repeat(rule_of(target.rule), later) if later is not None and is_next else REMINDERS.only_next


def _days_denied(said: str, now: datetime, language: Language, known: Set[str]) -> frozenset[date]:
    """Return the days that a text leaves out together, "skip today and Friday"; none where it says any more."""
    if len(said) > _MAX_CHARS or "?" in said or lexicon.SKIPPING.isdisjoint(spoken(said)):
        return frozenset()
    days: set[date] = set()
    parts = [lexicon.JOINS_DAYS.split(part) for part in clauses(said)]
    for piece in (one for part in parts for one in part):
        wish = read_wish(piece, now, language)
        is_bare = known >= set(spoken(lexicon.REMINDING.sub(" ", wish.what)))
        if is_bare and isinstance(wish.when, Point) and wish.when.has_day and not wish.when.has_clock:
            days.add(wish.when.at.date())
        elif wish.when is not None or not (is_bare or _is_aside(piece)):
            return frozenset()
    return frozenset(days) if len(days) > 1 and any(len(part) > 1 for part in parts) else frozenset()


def _is_aside(part: str) -> bool:
    said = spoken(part)
    is_why = lexicon.BECAUSE.match(part) is not None or not COMMON_WORDS["opens_why"].isdisjoint(said[:1])
    return is_polite(part) or is_why


def denied_day(
    text: str, now: datetime, language: Language, *, comes_again: bool, named: frozenset[str] = frozenset()
) -> When | None:
    """Return the day that a text says no to, whatever reason it gives; None where it names another time instead,
    or wishes for anything else. "No el viernes" may correct what comes once: only behind the day, it denies that.
    """
    if len(text) > _MAX_CHARS or "?" in text or lexicon.SKIPPING.isdisjoint(spoken(text)):
        return None
    parts = clauses(text)
    beside = _BESIDE | named
    found = [(part, _denied(part, now, language, beside, comes_again=comes_again)) for part in parts]
    denied = [when for _, when in found if when is not None]
    others = [part for part, when in found if when is None]
    is_alone = len(denied) == 1 and not any(_says_more(part, now, language) for part in others)
    return denied[0] if is_alone else None


def _denied(part: str, now: datetime, language: Language, known: Set[str], *, comes_again: bool) -> When | None:
    """Return the day that a clause opens with denying, before a reason at most."""
    for front, behind in _fronts(part):
        wish = read_wish(front, now, language)
        beside = spoken(lexicon.REMINDING.sub(" ", wish.what))
        likely = likely_of(wish.when)
        is_day = bool(likely) and all(isinstance(one, Repeat) or one.has_day for one in likely)
        is_bare = wish.what == "no" and front.startswith("no ") and not comes_again
        if not is_day or is_bare or _names_hour(front, wish.when) or lexicon.SKIPPING.isdisjoint(spoken(front)):
            continue
        if known >= set(beside) and (not behind or lexicon.BECAUSE.match(behind)):
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
    if _is_aside(part):
        return False
    wish = read_wish(part, now, language)
    rest = spoken(lexicon.REMINDING.sub(" ", wish.what))
    is_time = wish.when is not None and _OTHER.issuperset(rest)
    return is_time or not lexicon.MOVING.isdisjoint(said) or not lexicon.OTHER_WISHES.isdisjoint(said[:1])
