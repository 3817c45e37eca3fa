"""What a message says of reminders that are there: which are meant, and whether they are called off or moved."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.domain.wording import fold, stem
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import (
    CALLING_OFF,
    CORRECTING,
    EARLIER,
    EVERY_ONE,
    LATER,
    MOVING,
    NO_NAME,
    NOT_AT,
    OFF_WORDS,
    POINTING,
    REMINDERS_CALLED,
    REMINDING,
    WITHIN,
    when_asked_of,
)
from app.skills.tools.reminders.repository import Reminder
from app.when.atoms import Ahead
from app.when.meanings import Point, Unsure, When
from app.when.reading import read_span, read_wish

_CLAUSE: Final = re.compile(r"[,;!?¿¡\n]+|[.:](?!\d)")
_WORD: Final = re.compile(r"[^\W_]+")
_TOKEN: Final = re.compile(r"[^\W_]+|[:.]")
_NUMBER: Final = re.compile(r"\d[\d:.]*")
_HOUR: Final = re.compile(r"(?:1?\d|2[0-3])(?:[:.][0-5]\d)?")
_CHANGING: Final = MOVING | CORRECTING | EARLIER | LATER


@dataclass(frozen=True, slots=True)
class CalledOff:
    """`names` are stems of what names it; `beside` of what else is said, which names it where they are missing.

    `says_reminder`: it is called so. `points`: at the last one, "that reminder", not "the reminder".
    """

    names: frozenset[str]
    beside: frozenset[str]
    when: When | None
    is_all: bool
    says_reminder: bool
    points: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """`names`, `beside`: as above. `said` is the part that says until when; `shift` counts from its old time."""

    names: frozenset[str]
    said: str
    beside: frozenset[str] = frozenset()
    shift: Ahead | None = None
    is_earlier: bool = False


def clauses(text: str) -> list[str]:
    """Return the folded parts of a text between its marks."""
    return [one for one in map(str.strip, _CLAUSE.split(fold(text))) if one]


def read_called_off(text: str, now: datetime, language: Language) -> CalledOff | None:
    """Return what a text calls off: "cancel the haircut", "forget it". `now` is local."""
    parts = clauses(text)
    for place, clause in enumerate(parts):
        if CALLING_OFF.search(clause) is None:
            continue
        wish = read_wish(clause, now, language)
        others = " ".join([*parts[:place], *parts[place + 1 :]])
        tokens = frozenset(_WORD.findall(clause))
        is_all = not EVERY_ONE.isdisjoint(tokens)
        if is_all and wish.when is None and REMINDERS_CALLED.isdisjoint(tokens):
            return None  # "cancel it all" may be anything
        names, beside = _names(wish.what, OFF_WORDS | EVERY_ONE), _names(others, OFF_WORDS)
        says_reminder = not REMINDERS_CALLED.isdisjoint(tokens)
        points = not says_reminder or not POINTING.isdisjoint(tokens)
        return CalledOff(names, beside, wish.when, is_all, says_reminder, points)
    return None


def read_moved(text: str, now: datetime, language: Language) -> Moved | None:
    """Return what a text moves, and what it says of the new time: "no, el lunes", "the dentist: make it 5pm".

    Beside an excuse, or with a name, only where a word says that it is to be moved. `now` is local.
    """
    parts = clauses(text)
    whole = " ".join(parts)
    found = []
    for said in dict.fromkeys((whole, *parts)):
        tokens = frozenset(_WORD.findall(said))
        is_moving = not MOVING.isdisjoint(tokens)
        if NOT_AT.search(said) or (not is_moving and ("?" in text or said != whole)):
            continue
        moved = _shifted(said, tokens, now, language) or _to_another(said, now, language, is_moving=is_moving)
        if moved is not None and (is_moving or not moved.names):
            beside = " ".join(one for one in parts if said not in (one, whole))
            found.append(replace(moved, beside=_names(beside, _CHANGING)))
    return next((one for one in found if not one.names), next(iter(found), None))


def _shifted(said: str, tokens: frozenset[str], now: datetime, language: Language) -> Moved | None:
    earlier, later = not EARLIER.isdisjoint(tokens), not LATER.isdisjoint(tokens)
    if earlier == later or not WITHIN.isdisjoint(tokens):
        return None
    is_bare = not tokens.isdisjoint(MOVING & (EARLIER | LATER))  # "atrasalo 15"
    found = read_span(said, language)
    if found is None and is_bare and read_wish(said, now, language).when is None:
        found = read_span(f"{said} min", language)
    if found is None:
        return None
    span, rest = found
    others = " ".join(word for word in _TOKEN.findall(rest) if word not in EARLIER | LATER)
    if read_wish(others, now, language).when is not None:
        return None  # "two days later, at 10"
    return Moved(_names(REMINDING.sub(" ", rest), _CHANGING), said, shift=span, is_earlier=earlier)


def _to_another(said: str, now: datetime, language: Language, *, is_moving: bool) -> Moved | None:
    wish = read_wish(said, now, language)
    if wish.when is not None and wish.when != Unsure("impossible"):
        return Moved(_names(wish.what, _CHANGING), said)
    hours = [one for one in _NUMBER.findall(said) if _HOUR.fullmatch(one)]
    if not is_moving or len(hours) != 1 or not (EARLIER | LATER).isdisjoint(_WORD.findall(said)):
        return None
    return Moved(_names(_NUMBER.sub(" ", said), _CHANGING), f"at {hours[0]}")  # "mejor 10"


def _names(text: str, known: frozenset[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(fold(text)) if word not in known and word not in NO_NAME)


def _stems_of(one: Reminder) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(fold(one.text))))


def named(names: frozenset[str], some: Sequence[Reminder]) -> list[Reminder]:
    """Return those that have all the names, none where there are no names."""
    return [one for one in some if names and (names <= _stems_of(one) or names == {str(one.number)})]


def asks_when(text: str, active: Sequence[Reminder], newest: Reminder | None) -> bool:
    """Tell whether a text asks when one of these comes: the newest, or one that it names."""
    asked = when_asked_of(text)
    return asked is not None and bool(named(_names(" ".join(asked), frozenset()), active) if asked else newest)


def called_off(off: CalledOff, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return which reminders are called off; several where that is said, or where it is not clear which."""
    if off.names:
        return named(off.names, active)
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


def moved_one(moved: Moved, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return which reminder is moved; several where it is not clear which."""
    return named(moved.names, active) if moved.names else _pointed_at(moved.beside, active, newest)


def _pointed_at(beside: frozenset[str], active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    found = [one for one in active if beside & _stems_of(one)]
    return found if len(found) == 1 else [newest] if newest is not None else []
