"""What a message says of reminders that are there: which are meant, and whether they are called off or moved."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.domain.wording import fold, stem
from app.language.catalogue import Language
from app.language.lexicon import STOP_WORDS
from app.language.slips import slips
from app.skills.tools.reminders.clauses import clauses, pieces
from app.skills.tools.reminders.lexicon import (
    CALLING_OFF,
    EVERY_ONE,
    KEEPING,
    NO_NAME,
    OF_ONE,
    OF_OTHERS,
    OFF_WORDS,
    POINTING,
    REMINDERS_CALLED,
    REMINDING,
    SO_THEN,
    SURELY_WHEN,
    TALK,
    when_asked_of,
)
from app.skills.tools.reminders.placing import by_place
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.slips import mended_off
from app.when.lexicon import WORDS
from app.when.meanings import Point, When
from app.when.reading import read_wish

_WORD: Final = re.compile(r"[^\W_]+")
WEEKDAY_NAMES: Final = frozenset(phrase for day in range(7) for phrase in WORDS.phrases(f"weekday.{day}"))
_LEAST_SLIP: Final = 4


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
            names_of(wish.what, OFF_WORDS | EVERY_ONE),
            names_of(" ".join(others), OFF_WORDS),
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


def names_of(text: str, known: frozenset[str]) -> frozenset[str]:
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
    surely asks that of one, and none was just set. What stands in its other clauses is an excuse, or names it."""
    parts = clauses(text)
    found = [
        (place, asked) for place, one in enumerate(parts) if (asked := when_asked_of(one, "?" in text)) is not None
    ]
    if not found:
        return []
    place, asked = found[0]
    if names := names_of(" ".join(asked.names), WEEKDAY_NAMES):
        is_other_wish = not asked.is_sure and any(REMINDING.search(one) for one in parts)
        return [] if is_other_wish else named(names, active) or _mostly(names, active)
    if not asked.is_sure:
        return []
    beside = names_of(" ".join(parts[:place] + parts[place + 1 :]), OFF_WORDS)
    if newest is not None or most_alike(beside, active):
        return most_alike(beside, active) or ([] if newest is None else [newest])
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
    return pointed_at(off.beside, active, newest if off.points or len(active) == 1 else None)


def _loosely(off: CalledOff, active: Sequence[Reminder]) -> list[Reminder]:
    """Return the one that shares most of the names; more than half where nothing says that one is meant."""
    found = most_alike(off.names, active)
    is_most = any(2 * _shared(off.names, one) > len(off.names) for one in found)
    return found if off.is_loose or is_most else []


def _mostly(names: frozenset[str], active: Sequence[Reminder]) -> list[Reminder]:
    """Return the one that has most of the names, and more than half of them."""
    return [one for one in most_alike(names, active) if 2 * _shared(names, one) > len(names)]


def loosely_named(said: str, active: Sequence[Reminder]) -> Reminder | None:
    """Return the one that has all of some words, or most and more than half; None where that is not clear."""
    names = names_of(said, OFF_WORDS)
    found = named(names, active) or _mostly(names, active)
    return found[0] if len(found) == 1 else None


def pointed_by(text: str, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return the one that a whole message is about, wherever in it: it shares most words; else the newest, or the
    only one, where the message names nothing."""
    said = [one for one in clauses(mended_off(text)) if not KEEPING.search(one)]
    names = names_of(" ".join(said), OFF_WORDS)
    only = active[0] if len(active) == 1 else newest
    return most_alike(names, active) or ([only] if only is not None and not names else [])


def pointed_at(beside: frozenset[str], active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    found = most_alike(beside, active)
    return found or ([newest] if newest is not None else [])
