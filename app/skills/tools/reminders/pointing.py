"""What a message says of reminders that are there: which are meant, and whether they are called off or moved."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from dateutil.relativedelta import relativedelta

from app.domain.wording import fold, stem
from app.language.catalogue import Language
from app.language.lexicon import STOP_WORDS
from app.language.slips import slips
from app.skills.tools.reminders.clauses import Denial, clauses, find_denial, pieces
from app.skills.tools.reminders.lexicon import (
    CALLING_OFF,
    CORRECTING,
    DAY_EARLIER,
    DAY_LATER,
    DENYING,
    EARLIER,
    EVERY_ONE,
    JOINERS,
    KEEPING,
    LATER,
    MOVED_BY_OTHERS,
    MOVING,
    NO_NAME,
    NOT_AT,
    OF_ONE,
    OF_OTHERS,
    OFF_WORDS,
    OTHER_WEEK,
    POINTING,
    PUSHING,
    PUTS_RIGHT,
    REMINDERS_CALLED,
    REMINDING,
    SO_THEN,
    SURELY_WHEN,
    TALK,
    WEEK_LATER,
    WITHIN,
    when_asked_of,
)
from app.skills.tools.reminders.placing import by_place
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.slips import mended_move, mended_off
from app.when.lexicon import WORDS
from app.when.meanings import Point, Repeat, Unsure, When
from app.when.reading import read_span, read_wish

_WORD: Final = re.compile(r"[^\W_]+")
_TOKEN: Final = re.compile(r"[^\W_]+|[:.]")
_NUMBER: Final = re.compile(r"\d[\d:.]*")
_HOUR: Final = re.compile(r"(?:1?\d|2[0-3])(?:[:.][0-5]\d|(?!00)[0-5][05])?")
_MOVE: Final = "move it"
_WEEKDAYS: Final = tuple(frozenset(WORDS.phrases(f"weekday.{day}")) for day in range(7))
_LEAST_SLIP: Final = 4
_HALF_DAY: Final = 12
_WEEK: Final = 7
_CHANGING: Final = MOVING | CORRECTING | EARLIER | LATER


@dataclass(frozen=True, slots=True)
class CalledOff:
    """`names` are stems of what names it; `beside` of what else is said, which names it where they are missing.

    `says_reminder`: it is called so. `points`: at the last one, "that reminder", not "the reminder". `is_loose`:
    it is surely one of these, so not all of the names need stand in it: "the one about the keys that Ann took".
    """

    names: frozenset[str]
    beside: frozenset[str]
    when: When | None
    is_all: bool
    says_reminder: bool
    points: bool
    is_loose: bool = False


@dataclass(frozen=True, slots=True)
class Shift:
    """What is counted from the old time: so long later, earlier where `is_earlier`, or the next such `weekday`.

    `hour` says the new hour where that does not stay, "" where it does.
    """

    span: relativedelta = relativedelta()
    is_earlier: bool = False
    weekday: int = -1
    hour: str = ""

    def of(self, due: datetime) -> datetime | None:
        """Return the moment that is so far from the old one; None beyond the calendar."""
        try:
            if self.weekday >= 0:
                return due + timedelta(days=(self.weekday - due.weekday() - 1) % _WEEK + 1)
            return due - self.span if self.is_earlier else due + self.span
        except (OverflowError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class Moved:
    """`names`, `beside`: as above. `said` is the part that says until when, or `shift` counts it from its old time.

    `was` is the old time, and `about` what that is said to be of, where nothing else says that one is to be moved:
    "not Friday for Ann, Saturday".
    """

    names: frozenset[str]
    said: str
    beside: frozenset[str] = frozenset()
    shift: Shift | None = None
    was: When | None = None
    about: frozenset[str] = frozenset()


def read_called_off(text: str, now: datetime, language: Language) -> CalledOff | None:
    """Return what a text calls off first: "cancel the haircut", "forget it". `now` is local."""
    return next(_each_called_off(text, now, language), None)


def _each_called_off(text: str, now: datetime, language: Language) -> Iterator[CalledOff]:
    parts = clauses(mended_off(text))
    for place, clause in enumerate(parts):
        if CALLING_OFF.search(clause) is None:
            continue
        # The reason names nothing: "drop that one, because …".
        cut = [one for piece in pieces(clause) for one in _without_reason(piece)]
        own = next((one for one in cut if CALLING_OFF.search(one)), clause)
        reasons = [one for one in cut if one != own and own != clause]
        wish = read_wish(own, now, language)
        others = [one for one in (*parts[:place], *reasons, *parts[place + 1 :]) if not KEEPING.search(one)]
        tokens = frozenset(_WORD.findall(own))
        is_all = not EVERY_ONE.isdisjoint(tokens)
        if is_all and wish.when is None and REMINDERS_CALLED.isdisjoint(tokens):
            return  # "cancel it all" may be anything
        says_reminder = not REMINDERS_CALLED.isdisjoint(tokens)
        yield CalledOff(
            _names(wish.what, OFF_WORDS | EVERY_ONE),
            _names(" ".join(others), OFF_WORDS),
            wish.when,
            is_all,
            says_reminder,
            points=not says_reminder or not POINTING.isdisjoint(tokens),
            is_loose=(says_reminder or OF_ONE.search(own) is not None) and OF_OTHERS.isdisjoint(tokens),
        )


def _without_reason(piece: str) -> list[str]:
    """Cut off the reason before what is called off: "she is coming here", "scratch that"."""
    off = CALLING_OFF.search(piece)
    so_then = None if off is None else SO_THEN.search(piece[: off.start()].rstrip())
    if off is None or so_then is None:
        return [piece]
    return [one for one in (piece[: so_then.start()].strip(), piece[off.start() :]) if one]


def read_moved(text: str, now: datetime, language: Language) -> Moved | None:
    """Return what a text moves, and what it says of the new time: "no, el lunes", "the dentist: make it 5pm".

    Beside an excuse, or with a name, only where a word says that it is to be moved, or that the old time is wrong:
    "not Friday, Saturday". `now` is local.
    """
    text = MOVED_BY_OTHERS.sub(f" {_MOVE} ", fold(mended_move(text)))
    parts = clauses(text)
    right, reason = _put_right(parts, now, language)
    denial = Denial((right, reason)) if right else find_denial(parts, now, language)
    found = list(_each_moved(text, denial, right, now, language))
    moved = next((one for one in found if not one.names), next(iter(found), None))
    if moved is None or not denial.old or not MOVING.isdisjoint(_WORD.findall(" ".join(denial.rest))):
        return moved
    about = _names(_NUMBER.sub(" ", read_wish(denial.about, now, language).what), _CHANGING | JOINERS)
    return replace(moved, was=_time(denial.old[0], now, language), about=about)


def _each_moved(
    text: str, denial: Denial, right: str, now: datetime, language: Language
) -> Iterator[Moved]:
    parts, whole = denial.rest, " ".join(denial.rest)
    known = _CHANGING | JOINERS if denial.old else _CHANGING
    for said in dict.fromkeys((right or whole, *parts, *(piece for part in parts for piece in pieces(part)))):
        tokens = frozenset(_WORD.findall(said))
        is_moving = bool(denial.old) or not MOVING.isdisjoint(tokens) or said == right
        if NOT_AT.search(said) or (not is_moving and ("?" in text or said != whole)):
            continue
        shifted = _shifted(said, tokens, now, language)
        moved = shifted or _to_another(said, now, language, known, is_moving=is_moving)
        if moved is not None and (is_moving or not moved.names):
            beside = " ".join([*(one for one in parts if said not in (one, whole)), *denial.old])
            yield replace(moved, beside=_names(_NUMBER.sub(" ", beside), known))


def _put_right(parts: Sequence[str], now: datetime, language: Language) -> tuple[str, str]:
    """Return the right time that a text opens with alone, "hmm no 4:45, …", and the reason behind it, in which any
    other time stands: "sorry, at seven, at five I am still at work". Two empty texts where that is not so."""
    known = _CHANGING | JOINERS | TALK
    lead = list(takewhile(lambda one: known.issuperset(_WORD.findall(one)), parts))
    told, *reasons = pieces(parts[len(lead)]) if len(lead) < len(parts) else [""]
    first = " ".join([*lead, told])
    behind = [one for one in (" ".join(reasons), *parts[len(lead) + 1 :]) if one]
    opening = PUTS_RIGHT.match(first)
    said = "" if opening is None else first[opening.end() :].strip()
    if not said or not behind or DENYING.search(said):
        return "", ""
    rest = "" if _HOUR.fullmatch(said) else _rest(said, now, language)
    is_time = rest != said and known.issuperset(_WORD.findall(rest))
    timed = [one for one in behind if _HOUR.fullmatch(one) or read_wish(one, now, language).when is not None]
    is_reason = all(_names(_NUMBER.sub(" ", _rest(one, now, language)), known) for one in timed)
    return (said, " ".join(behind)) if is_time and is_reason else ("", "")


def _rest(said: str, now: datetime, language: Language) -> str:
    return read_wish(said, now, language).what


def _time(said: str, now: datetime, language: Language) -> When | None:
    return read_wish(said, now, language).when or read_wish(f"at {said}", now, language).when


def _shifted(said: str, tokens: frozenset[str], now: datetime, language: Language) -> Moved | None:
    if (another := OTHER_WEEK.search(said)) is not None:
        weekday = next(day for day, names in enumerate(_WEEKDAYS) if not names.isdisjoint(_WORD.findall(another[0])))
        rest = f"{said[: another.start()]} {said[another.end() :]}"
        return _by(Shift(weekday=weekday), rest, said, now, language)
    counted = DAY_LATER.sub(" 1 day later ", DAY_EARLIER.sub(" 1 day earlier ", WEEK_LATER.sub(" 1 week later ", said)))
    tokens |= frozenset(_WORD.findall(counted))
    earlier = not EARLIER.isdisjoint(tokens)
    later = not LATER.isdisjoint(tokens) or (not earlier and not PUSHING.isdisjoint(tokens))
    if earlier == later or not WITHIN.isdisjoint(tokens):
        return None
    is_bare = not tokens.isdisjoint(MOVING & (EARLIER | LATER))  # "atrasalo 15"
    found = read_span(counted, language)
    if found is None and is_bare and read_wish(said, now, language).when is None:
        found = read_span(f"{said} min", language)
    if found is None:
        return None
    span, rest = found
    return _by(Shift(span.span, earlier), rest, said, now, language)


def _by(shift: Shift, rest: str, said: str, now: datetime, language: Language) -> Moved | None:
    """Return what is moved by so much; where the rest says another hour, too, by whole days alone."""
    others = " ".join(word for word in _TOKEN.findall(rest) if word not in EARLIER | LATER)
    wish = read_wish(others, now, language)
    hour = wish.when
    if hour is not None:
        is_hour = isinstance(hour, Point | Unsure) and _is_bare_hour(hour)
        if not is_hour or shift.span.hours or shift.span.minutes:
            return None  # "two hours later, at 10"
        shift, rest = replace(shift, hour=others), wish.what
    return Moved(_names(REMINDING.sub(" ", rest), _CHANGING | JOINERS), said, shift=shift)


def _is_bare_hour(when: Point | Unsure) -> bool:
    likely = when.likely if isinstance(when, Unsure) else (when,)
    return bool(likely) and all(isinstance(one, Point) and one.has_clock for one in likely)


def _to_another(
    said: str, now: datetime, language: Language, known: frozenset[str], *, is_moving: bool
) -> Moved | None:
    wish = read_wish(said, now, language)
    if wish.when is not None and wish.when != Unsure("impossible"):
        return Moved(_names(wish.what, known), said)
    hours = [one for one in _NUMBER.findall(said) if _HOUR.fullmatch(one)]
    if not is_moving or len(hours) != 1 or not (EARLIER | LATER).isdisjoint(_WORD.findall(said)):
        return None
    return Moved(_names(_NUMBER.sub(" ", said), known), f"at {hours[0]}")  # "mejor 10"


def _names(text: str, known: frozenset[str]) -> frozenset[str]:
    """Return the stems of the words that may name something."""
    no_names = known | NO_NAME | TALK | STOP_WORDS
    return frozenset(stem(word) for word in _WORD.findall(fold(text)) if word not in no_names)


def _stems_of(one: Reminder) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(fold(one.text))))


def named(names: frozenset[str], some: Sequence[Reminder]) -> list[Reminder]:
    """Return those that have all the names, none where there are no names."""
    return [one for one in some if names and (names <= _stems_of(one) or names == {str(one.number)})]


def most_alike(names: frozenset[str], some: Sequence[Reminder]) -> list[Reminder]:
    """Return the one that shares most of the names, at least one, written with a slip where none shares one; none
    where several do."""
    return _most([(_shared(names, one), one) for one in some]) or _most([(_near(names, one), one) for one in some])


def _most(counted: Sequence[tuple[int, Reminder]]) -> list[Reminder]:
    most = max((count for count, _ in counted), default=0)
    found = [one for count, one in counted if count == most]
    return found if most and len(found) == 1 else []


def _shared(names: frozenset[str], one: Reminder) -> int:
    return len(names & _stems_of(one))


def _near(names: frozenset[str], one: Reminder) -> int:
    """Count the names that a reminder has but for a letter that is missing, too many, or swapped."""
    stems = [word for word in _stems_of(one) if len(word) >= _LEAST_SLIP]
    near = [name for name in names if len(name) >= _LEAST_SLIP]
    return sum(any(slips(name, word) <= 1 and not _is_one_other(name, word) for word in stems) for name in near)


def _is_one_other(name: str, word: str) -> bool:
    return len(name) == len(word) and sorted(name) != sorted(word)


def asked_when(text: str, active: Sequence[Reminder], newest: Reminder | None) -> Sequence[Reminder]:
    """Return of which of these a text asks when it comes: the newest, or those that it names; all of them where it
    surely asks that of one, and none was just set."""
    asked = when_asked_of(text)
    if asked is None:
        return []
    if asked:
        return named(_names(" ".join(asked), frozenset()), active)
    if newest is not None:
        return [newest]
    return active if SURELY_WHEN.search(fold(text)) else []


def calls_off(
    text: str,
    active: Sequence[Reminder],
    newest: Reminder | None,
    now: datetime,
    language: Language,
    told: Sequence[Reminder] = (),
) -> tuple[CalledOff | None, list[Reminder]]:
    """Return what a text calls off, and which reminders those are; the first clause that means any decides.

    `told`: those that the person was just told, in that order; "the second one" is of those.
    """
    for clause in clauses(mended_off(text)):
        one, rest = by_place(clause, told)
        off = read_called_off(rest, now, language) if one is not None else None
        if one is not None and off is not None and not off.names and off.when is None:
            return replace(off, says_reminder=True), [one]
    every = [(off, called_off(off, active, newest)) for off in _each_called_off(text, now, language)]
    return next((one for one in every if one[1]), next(iter(every), (None, [])))


def called_off(off: CalledOff, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return which reminders are called off; several where that is said, or where it is not clear which."""
    if off.names:
        return named(off.names, active) or _loosely(off, active)
    if isinstance(off.when, Point):
        at = off.when.at
        return [
            one
            for one in active
            if (one.due.date() == at.date() or not off.when.has_day)
            and (one.due.time() == at.time() or not off.when.has_clock)
        ]
    if off.is_all:
        return list(active)
    return _pointed_at(off.beside, active, newest if off.points or len(active) == 1 else None)


def _loosely(off: CalledOff, active: Sequence[Reminder]) -> list[Reminder]:
    """Return the one that shares most of the names; more than half where nothing says that one is meant."""
    found = most_alike(off.names, active)
    is_most = any(2 * _shared(off.names, one) > len(off.names) for one in found)
    return found if off.is_loose or is_most else []


def loosely_named(said: str, active: Sequence[Reminder]) -> Reminder | None:
    """Return the one that has all of some words, or most and more than half; None where that is not clear."""
    names = _names(said, OFF_WORDS)
    found = named(names, active) or most_alike(names, active)
    is_clear = len(found) == 1 and 2 * _shared(names, found[0]) > len(names)
    return found[0] if is_clear else None


def pointed_by(text: str, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return the one that a whole message is about, wherever in it: it shares most words; else the newest, or the
    only one, where the message names nothing."""
    said = [one for one in clauses(mended_off(text)) if not KEEPING.search(one)]
    names = _names(" ".join(said), OFF_WORDS)
    only = active[0] if len(active) == 1 else newest
    return most_alike(names, active) or ([only] if only is not None and not names else [])


def moved_one(moved: Moved, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return which reminder is moved; several where it is not clear which."""
    if moved.names:
        return named(moved.names, active)
    if newest is not None and moved.was is not None and (moved.about or not _comes_then(newest, moved.was)):
        newest = None  # "the party isn't on Friday, it's on Saturday"
    return _pointed_at(moved.beside, active, newest)


def _comes_then(one: Reminder, was: When) -> bool:
    likely = was.likely if isinstance(was, Unsure) else (was,)
    return any(_is_then(one.due, found) for found in likely)


def _is_then(due: datetime, was: Point | Repeat) -> bool:
    """Tell whether something comes on that day of the week and at that hour, as far as they are said."""
    if isinstance(was, Repeat):
        return due.weekday() in {day for _, day in was.rule.weekdays}
    at, halves = was.at, (due.hour % _HALF_DAY, was.at.hour % _HALF_DAY)
    is_day = not was.has_day or at.weekday() == due.weekday()
    return is_day and (not was.has_clock or (halves[0] == halves[1] and at.minute == due.minute))


def _pointed_at(beside: frozenset[str], active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    found = most_alike(beside, active)
    return found or ([newest] if newest is not None else [])
