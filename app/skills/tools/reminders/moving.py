"""What a message says of when a reminder is to come instead: another time, or so long before or after its own."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from dateutil.relativedelta import relativedelta

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.clauses import Denial, clauses, find_denial, mended_move, pieces
from app.skills.tools.reminders.lexicon import spoken
from app.skills.tools.reminders.pointing import best_named, names_in, names_of, pointed_at
from app.skills.tools.reminders.repository import Reminder
from app.when.lexicon import WORDS
from app.when.meanings import Habits, Point, Repeat, Unsure, When, likely_of, says_hour
from app.when.reading import read_span, read_wish

_TOKEN: Final = re.compile(r"[^\W_]+|[:.]")
_NUMBER: Final = re.compile(r"\d[\d:.]*")
_HOUR: Final = re.compile(r"(?:1?\d|2[0-3])(?:[:.][0-5]\d|(?!00)[0-5][05])?")
_MOVE: Final = "move it"
_HALF_DAY: Final = 12
_WEEK: Final = 7
_MOST_WORDS: Final = 14
_CHANGING: Final = lexicon.MOVING | lexicon.CORRECTING | lexicon.EARLIER | lexicon.LATER


@dataclass(frozen=True, slots=True)
class Shift:
    """What is counted from the old time: so long later, earlier where `is_earlier`, or the next such `weekday`.

    `hour` says the new hour where that does not stay, "" where it does.
    """

    span: relativedelta = field(default_factory=relativedelta)
    is_earlier: bool = False
    weekday: int = -1
    hour: str = ""

    def then(self, due: datetime, now: datetime, language: Language) -> Point | Unsure | None:
        """Return when it comes instead of when it was due; None beyond the calendar."""
        try:
            at = due - self.span if self.is_earlier else due + self.span
            if self.weekday >= 0:
                at = due + timedelta(days=(self.weekday - due.weekday() - 1) % _WEEK + 1)
        except (OverflowError, ValueError):
            return None
        hour = (
            read_wish(self.hour, now, language, Habits(day=at.date(), near=at.time())).when if self.hour else None
        )
        return hour if isinstance(hour, Point | Unsure) else Point(at)


@dataclass(frozen=True, slots=True)
class Moved:
    """`names`, `beside`: as above. `said` says until when, or `shift` counts it from its old time.

    `was` is the old time, and `about` what that is said to be of, where nothing else says that one is to be moved:
    "not Friday for Ann, Saturday".
    """

    names: frozenset[str]
    said: str
    beside: frozenset[str] = frozenset()
    shift: Shift | None = None
    was: When | None = None
    about: frozenset[str] = frozenset()


def read_moved(text: str, now: datetime, language: Language) -> Moved | None:
    """Return what a text moves, and what it says of the new time: "no, el lunes", "the dentist: make it 5pm".

    Beside an excuse, or with a name, only where a word says that it is to be moved, or that the old time is wrong:
    "not Friday, Saturday". `now` is local.
    """
    # ", que me voy" asks nothing, ", qué me pongo?" does.
    if lexicon.ASKS_ELSE.search(text) is not None and ("?" in text or language == "en"):
        return None
    text = lexicon.MOVED_BY_OTHERS.sub(f" {_MOVE} ", fold(mended_move(text)))
    parts = clauses(text)
    right, reason = _put_right(parts, now, language)
    denial = Denial((right, reason)) if right else find_denial(parts, now, language)
    found = list(_each_moved(text, denial, right, now, language))
    moved = min(found, key=lambda one: len(one.names), default=None)
    if moved is not None and not moved.names and lexicon.OPEN_ENDED.search(moved.said) is not None:
        behind = names_of(text.partition(moved.said)[2], _CHANGING | lexicon.JOINERS)
        moved = replace(moved, names=behind)  # "make it half 5 for the dentist"
    if moved is None or not denial.old or not lexicon.MOVING.isdisjoint(spoken(" ".join(denial.rest))):
        return moved
    about = names_of(_NUMBER.sub(" ", read_wish(denial.about, now, language).what), _CHANGING | lexicon.JOINERS)
    return replace(moved, was=_time(denial.old[0], now, language), about=about)


def _each_moved(text: str, denial: Denial, right: str, now: datetime, language: Language) -> Iterator[Moved]:
    parts, whole = denial.rest, " ".join(denial.rest)
    known = _CHANGING | lexicon.JOINERS if denial.old else _CHANGING
    cut = (piece for part in parts for piece in (*pieces(part), *lexicon.SO.split(part)))
    first = (
        ()
        if denial.old
        else filter(None, (_opening(part, now, language, is_alone=len(parts) == 1) for part in parts))
    )
    for said in dict.fromkeys((right or whole, *parts, *cut, *first)):
        tokens = frozenset(spoken(said))
        is_moving = bool(denial.old) or not lexicon.MOVING.isdisjoint(tokens) or said == right
        is_moving = is_moving or lexicon.PUTS_RIGHT.match(said) is not None
        shifted = _shifted(said, tokens, now, language)
        # "The keys one, an hour later, I've got a call."
        is_shift = shifted is not None and lexicon.OF_ONE.search(text) is not None and "?" not in text
        is_denied = lexicon.NOT_AT.search(", ".join(parts) if said == whole else said) is not None
        if is_denied or (not (is_moving or is_shift) and ("?" in text or said != whole)):
            continue
        moved = shifted or _to_another(said, now, language, known, is_moving=is_moving)
        if moved is not None and (is_moving or is_shift or not moved.names):
            beside = " ".join([*_meant([one for one in parts if said not in (one, whole)]), *denial.old])
            yield replace(moved, beside=names_of(_NUMBER.sub(" ", beside), known))


def _meant(parts: Sequence[str]) -> Sequence[str]:
    """Return the clauses without those that say of one that it is not that: "not the gas one, the bank one"."""
    found = [(one, lexicon.DENYING.search(one)) for one in parts if lexicon.OF_ONE.search(one)]
    denied = {one for one, no in found if no is not None and (no.start() == 0 or no.end() == len(one))}
    return [one for one in parts if one not in denied] if len(denied) < len(found) else parts


def _opening(part: str, now: datetime, language: Language, *, is_alone: bool) -> str:
    """Return the words by which a clause moves it, without the reason right behind: "make it half 5" of "make it
    half 5 ill not be back"; "" where that is all, or what follows may name one."""
    known = _CHANGING | lexicon.JOINERS | lexicon.TALK
    words = part.split()
    for end in range(min(len(words), _MOST_WORDS) - 1, 0, -1):
        said, behind = " ".join(words[:end]), spoken(words[end])
        is_right = is_alone and lexicon.PUTS_RIGHT.match(said) is not None
        is_thing = (
            not lexicon.NO_REASON.isdisjoint(behind) or lexicon.INFINITIVE.match(" ".join(behind)) is not None
        )
        if is_thing or (not is_right and lexicon.MOVING.isdisjoint(spoken(said))):
            continue
        rest = _rest(said, now, language)
        is_time = rest != said and read_wish(said, now, language).when is not None
        # "Make it 6 eggs": a number alone is an hour where surely a reason follows.
        hours = [one for one in _NUMBER.findall(said) if _HOUR.fullmatch(one)]
        is_time = is_time or (len(hours) == 1 and not lexicon.REASON.isdisjoint(behind))
        if is_time and known.issuperset(spoken(_NUMBER.sub(" ", rest))):
            return said
    return ""


def _put_right(parts: Sequence[str], now: datetime, language: Language) -> tuple[str, str]:
    """Return the right time that a text opens with alone, "hmm no 4:45, …", and the reason behind it, in which any
    other time stands: "sorry, at seven, at five I am still at work". Two empty texts where that is not so."""
    known = _CHANGING | lexicon.JOINERS | lexicon.TALK
    lead = list(takewhile(lambda one: known.issuperset(spoken(one)), parts))
    told, *reasons = pieces(parts[len(lead)], by_person=False) if len(lead) < len(parts) else [""]
    first = " ".join([*lead, told])
    behind = [one for one in (" ".join(reasons), *parts[len(lead) + 1 :]) if one]
    opening = lexicon.PUTS_RIGHT.match(first)
    said = "" if opening is None else first[opening.end() :].strip()
    if not said or not behind or lexicon.DENYING.search(said):
        return "", ""
    rest = "" if _HOUR.fullmatch(said) else _rest(said, now, language)
    is_time = rest != said and known.issuperset(spoken(rest))
    timed = [one for one in behind if _HOUR.fullmatch(one) or read_wish(one, now, language).when is not None]
    is_reason = all(names_of(_NUMBER.sub(" ", _rest(one, now, language)), known) for one in timed)
    return (said, " ".join(behind)) if is_time and is_reason else ("", "")


def _rest(said: str, now: datetime, language: Language) -> str:
    return read_wish(said, now, language).what


def _time(said: str, now: datetime, language: Language) -> When | None:
    return read_wish(said, now, language).when or read_wish(f"at {said}", now, language).when


def _shifted(said: str, tokens: frozenset[str], now: datetime, language: Language) -> Moved | None:
    if (another := lexicon.OTHER_WEEK.search(said)) is not None:
        names = spoken(another[0])
        weekday = next(day for day in range(_WEEK) if not set(WORDS.phrases(f"weekday.{day}")).isdisjoint(names))
        rest = f"{said[: another.start()]} {said[another.end() :]}"
        return _by(Shift(weekday=weekday), rest, said, now, language)
    counted = lexicon.DAY_LATER.sub(
        " 1 day later ", lexicon.DAY_EARLIER.sub(" 1 day earlier ", lexicon.WEEK_LATER.sub(" 1 week later ", said))
    )
    tokens |= frozenset(spoken(counted))
    earlier = not lexicon.EARLIER.isdisjoint(tokens)
    # "Correlo media hora antes": the word beside the verb says which way.
    ways = lexicon.LATER - lexicon.MOVING if earlier else lexicon.LATER | lexicon.PUSHING
    later = not ways.isdisjoint(tokens)
    if earlier == later or not lexicon.WITHIN.isdisjoint(tokens):
        return None
    is_bare = not tokens.isdisjoint(lexicon.MOVING & (lexicon.EARLIER | lexicon.LATER))  # "atrasalo 15"
    found = read_span(counted, language)
    if found is None and is_bare and read_wish(said, now, language).when is None:
        found = read_span(f"{said} min", language)
    if found is None:
        return None
    span, rest = found
    return _by(Shift(span.span, earlier), rest, said, now, language)


def _by(shift: Shift, rest: str, said: str, now: datetime, language: Language) -> Moved | None:
    """Return what is moved by so much; where the rest says another hour, too, by whole days alone."""
    others = " ".join(word for word in _TOKEN.findall(rest) if word not in lexicon.EARLIER | lexicon.LATER)
    wish = read_wish(others, now, language)
    hour = wish.when
    if hour is not None:
        is_hour = says_hour(hour) and all(isinstance(one, Point) for one in likely_of(hour))
        if not is_hour or shift.span.hours or shift.span.minutes:
            return None  # "two hours later, at 10"
        shift, rest = replace(shift, hour=others), wish.what
    return Moved(names_of(lexicon.REMINDING.sub(" ", rest), _CHANGING | lexicon.JOINERS), said, shift=shift)


def _to_another(
    said: str, now: datetime, language: Language, known: frozenset[str], *, is_moving: bool
) -> Moved | None:
    wish = read_wish(said, now, language)
    if wish.when is not None and wish.when != Unsure("impossible"):
        return Moved(names_of(wish.what, known), said)
    hours = [one for one in _NUMBER.findall(said) if _HOUR.fullmatch(one)]
    if not is_moving or len(hours) != 1 or not (lexicon.EARLIER | lexicon.LATER).isdisjoint(spoken(said)):
        return None
    return Moved(names_of(_NUMBER.sub(" ", said), known), f"at {hours[0]}")  # "mejor 10"


def name_moved(passed: str, moved: Moved | None, said: str) -> str:
    """Return how the one that is moved is called: as a model `passed` it, else as the message says."""
    is_named = moved is not None and lexicon.MOVES_NAMED.match(fold(said)) is not None
    return " ".join(sorted(moved.names)) if moved is not None and is_named and not names_in(passed) else passed


def moved_one(moved: Moved, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return which reminder is moved; several where it is not clear which."""
    if moved.names:
        return best_named(moved.names, active)
    if newest is not None and moved.was is not None and (moved.about or not _comes_then(newest, moved.was)):
        newest = None  # "the party isn't on Friday, it's on Saturday"
    return pointed_at(moved.beside, active, newest)


def _comes_then(one: Reminder, was: When) -> bool:
    return any(_is_then(one.due, found) for found in likely_of(was))


def _is_then(due: datetime, was: Point | Repeat) -> bool:
    """Tell whether something comes on that day of the week and at that hour, as far as they are said."""
    if isinstance(was, Repeat):
        return due.weekday() in {day for _, day in was.rule.weekdays}
    at, halves = was.at, (due.hour % _HALF_DAY, was.at.hour % _HALF_DAY)
    is_day = not was.has_day or at.weekday() == due.weekday()
    return is_day and (not was.has_clock or (halves[0] == halves[1] and at.minute == due.minute))
