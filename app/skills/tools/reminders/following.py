"""What becomes of the last reminder by a few words: put off, once more, replaced, moved, called off."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeGuard

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.asked_times import WEEKDAYS, new_time, same_rule
from app.skills.tools.reminders.clauses import clauses
from app.skills.tools.reminders.lexicon import flat, is_polite, spoken
from app.skills.tools.reminders.moving import moved_one, read_moved
from app.skills.tools.reminders.pointing import best_named, calls_off, names_of
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.titles import what_is_meant
from app.when.meanings import Habits, Point, Repeat, Unsure, When
from app.when.reading import read_wish

_MAX_CHARS: Final = 200
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_NUMBER_LAST: Final = re.compile(r"(?<!\d)(?:[1-8]?\d|90)$")
_SOME_TIME: Final = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=3))


def put_off(text: str, now: datetime, language: Language, *, has_just_come: bool = False) -> Point | Unsure | None:
    """Return until when what came last is put off; None where a text says anything else, too. `now` is local.

    Beside it there may be an excuse, where the words say that it is once more: "busy now, once more at 11". When
    it `has_just_come`, a time alone is enough, and "later" is asked about.
    """
    if len(text) > _MAX_CHARS:
        return None
    parts = clauses(text)
    unsaid = [one for one in parts if has_just_come and _is_not_yet(one)]
    found = [
        (later, again)
        for one in parts
        if one not in unsaid
        for later, again in [_later(one, now, language, is_bare=has_just_come)]
        if later is not None
    ]
    if not found and unsaid:
        return Unsure("vague", tuple(Point(now.replace(second=0, microsecond=0) + span) for span in _SOME_TIME))
    if len(found) != 1:
        return None
    later, is_again = found[0]
    is_excused = has_just_come and not lexicon.REMINDING.search(fold(text))
    return later if is_again or is_excused or len(parts) == 1 else None


def _is_not_yet(clause: str) -> bool:
    """Tell whether it says "later", and not when."""
    said = frozenset(_LETTERS.findall(clause))
    if re.search(r"\d", clause):
        return False
    return not said.isdisjoint(lexicon.NOT_YET) and said <= lexicon.NOT_YET | lexicon.NOT_YET_BESIDE


def _later(clause: str, now: datetime, language: Language, *, is_bare: bool) -> tuple[Point | Unsure | None, bool]:
    """The time that a clause holds and nothing else, and whether it says "once more"."""
    points_back = lexicon.PUTTING_IT_OFF.match(clause)
    opened = clause[points_back.end() :] if points_back else lexicon.PUTTING_OFF.sub("", clause, count=1)
    asked = lexicon.LAST_WORDS.sub("", opened, count=1).strip()
    rest = lexicon.SO_LONG.sub("", " ".join(lexicon.ONCE_MORE.sub(" ", asked).split()))
    is_again = rest != asked or points_back is not None
    if not rest or (rest == clause and not is_bare):
        return None, False
    minutes = [f"{rest} min"] if _NUMBER_LAST.search(rest) else []
    for said in (rest, *(f"{within} {one}" for one in (rest, *minutes) for within in lexicon.WITHIN), *minutes):
        wish = read_wish(said, now, language)
        if not wish.what and _is_moment(wish.when):
            return wish.when, is_again
    return None, False


def _is_moment(when: When | None) -> TypeGuard[Point | Unsure]:
    if isinstance(when, Unsure):
        return bool(when.likely) and all(isinstance(one, Point) for one in when.likely)
    return isinstance(when, Point)


def at_another_time(
    text: str, newest: Reminder | None, now: datetime, language: Language
) -> Point | Repeat | Unsure | None:
    """Return when else the newest is to come: "on Thursdays, too", "and an hour before". A day without an hour has
    that one's, and an hour without a day that one's day."""
    if newest is None or "?" in text:
        return None
    if (earlier := _so_much_before(text, newest, now, language)) is not None:
        return earlier
    when = _without_again(text) if newest.due_at is not None or lexicon.SAME_AGAIN.search(fold(text)) else None
    if when is None or _says_more(when, now, language):
        return None
    return _then(when, newest, now, language, is_rule=not lexicon.REPEATING.isdisjoint(spoken(text)))


def _so_much_before(text: str, newest: Reminder, now: datetime, language: Language) -> Point | None:
    moved = read_moved(text, now, language)
    if moved is None or moved.shift is None or not moved.shift.is_earlier or not _is_more(text):
        return None
    earlier = moved.shift.then(newest.due, now, language)
    if not isinstance(earlier, Point) or earlier.at <= now or newest.due_at is None or newest.rule or moved.names:
        return None
    return earlier


def _is_more(text: str) -> bool:
    is_again = lexicon.SAME_AGAIN.search(fold(text)) is not None or not lexicon.ALSO_THEN.isdisjoint(spoken(text))
    return is_again or lexicon.REMINDING.search(fold(text)) is not None


def _without_again(text: str) -> str | None:
    """Return what is left of a text without the words for "once more"; None where it has none."""
    folded = fold(text)
    rest, count = lexicon.SAME_AGAIN.subn(" ", folded)
    if count:
        rest = lexicon.REMINDING.sub(" ", rest)
    elif lexicon.ALSO_THEN.isdisjoint(spoken(folded)):
        return _day_added(folded)
    return " ".join(one for one in rest.split() if one.strip(",.!") not in lexicon.ALSO_THEN | lexicon.BUT_THEN)


def _day_added(folded: str) -> str | None:
    """Return the day that a text adds, and nothing else: "and Thursdays"; None of any other text."""
    opening = lexicon.AND_ANOTHER.match(folded)
    rest = "" if opening is None else folded[opening.end() :]
    said = [one for one in spoken(rest) if not is_polite(one) and one not in lexicon.JOINERS]
    beside = [one for one in said if one not in WEEKDAYS]
    is_day = len(beside) < len(said) and (lexicon.ARTICLES | lexicon.WHERE_OR_BEFORE).issuperset(beside)
    return rest if is_day else None


def _says_more(when: str, now: datetime, language: Language) -> bool:
    """Tell whether there is more in a text than a time."""
    wish = read_wish(when, now, language)
    said = spoken(lexicon.SAME_TIME.sub(" ", fold(wish.what)))
    return wish.when is None or not all(one in lexicon.JOINERS or is_polite(one) for one in said)


def _then(
    when: str, newest: Reminder, now: datetime, language: Language, *, is_rule: bool
) -> Point | Repeat | Unsure | None:
    hour, is_ahead = newest.due.time(), newest.due_at is not None and not newest.rule
    habits = Habits(hour, day=newest.due.date() if is_ahead else None, near=hour)
    found = new_time(when, when, now, language, habits)
    if is_rule and not isinstance(found, Point):
        return None  # "repeat it every Monday" is no second one
    if isinstance(found, Point) and not found.has_day and newest.rule:
        return same_rule(newest, when, now, language)
    return None if isinstance(found, Unsure) and not found.likely else found


_SIGNS: Final = " ,.;:!¡"
_MOST_WORDS: Final = 3
_NOTHING: Final = lexicon.TALK | lexicon.JOINERS | lexicon.CORRECTING


@dataclass(frozen=True, slots=True)
class Replaced:
    """`target` is to say `what` from now on, and to come then, where that is said."""

    target: Reminder
    what: str
    when: Point | Repeat | None


def read_replaced(
    text: str, active: Sequence[Reminder], newest: Reminder | None, now: datetime, language: Language
) -> Replaced | None:
    """Return what takes the place of which one: "instead of the plumber remind me to …".

    None where that is not clear. `now` is local.
    """
    parts = _instead(text)
    if parts is None or "?" in text:
        return None
    old, wish = parts
    found = best_named(names_of(old, lexicon.OFF_WORDS), active)
    target = newest if _only_points(old) else found[0] if len(found) == 1 else None
    if target is None or target.due_at is None or target.subject or read_wish(old, now, language).when is not None:
        return None
    hour = target.due.time()
    when = read_wish(wish, now, language, Habits(hour, day=target.due.date(), near=hour)).when
    what = what_is_meant(wish, wish, when, now, language)
    return Replaced(target, what, when) if what and (when is None or isinstance(when, Point | Repeat)) else None


def put_in_place(text: str, newest: Reminder, now: datetime, language: Language) -> tuple[str, str] | None:
    """Return the right words and the wrong ones of the newest, of "the electrician, not the plumber"."""
    found = lexicon.NOT_THAT.search(flat(text))
    if found is None or "?" in text or newest.due_at is None or read_wish(text, now, language).when is not None:
        return None
    old = text[found.end() :].strip(_SIGNS)
    new = text[: found.start()].strip(_SIGNS)
    while (first := new.split(maxsplit=1)) and _bare(first[0]) in _NOTHING - lexicon.ARTICLES:
        new = first[1] if len(first) > 1 else ""
    is_there = f" {fold(old)} " in f" {fold(newest.text)} "
    return (new, old) if old and new and is_there and len(new.split()) <= _MOST_WORDS else None


def _bare(word: str) -> str:
    return fold(word).strip(_SIGNS).replace("’", "'").removesuffix("'s")


def _instead(text: str) -> tuple[str, str] | None:
    """Return the words for the old thing, "" for the last one, and the wish that takes its place."""
    plain = flat(text)
    asking = lexicon.REMINDING.search(plain)
    pointed, found = lexicon.INSTEAD.search(plain), lexicon.INSTEAD_OF.search(plain)
    if pointed is not None and found is not None and pointed.start() == found.start():
        pointed = pointed if pointed.end() > found.end() else None
    found = pointed or found
    if asking is None or found is None or not _says_nothing(plain[: min(asking.start(), found.start())]):
        return None
    if pointed is not None:
        return "", f"{text[asking.start() : pointed.start()]} {text[max(asking.start(), pointed.end()) :]}"
    if found.start() < asking.start():
        return text[found.end() : asking.start()], text[asking.start() :]
    return text[found.end() :], text[asking.start() : found.start()]


def without_replaced(text: str) -> str:
    """Return a wish without what it takes the place of: "instead of the gym remind me at eight to …"."""
    parts = _instead(text)
    is_in_front = parts is not None and text.endswith(parts[1])
    return parts[1] if parts is not None and is_in_front else text


def _says_nothing(plain: str) -> bool:
    return _NOTHING.issuperset(spoken(plain)) or is_polite(plain)


def _only_points(old: str) -> bool:
    return (lexicon.POINTING | lexicon.NO_NAME).issuperset(spoken(old))


def follow_up(
    text: str,
    newest: Reminder,
    told: Reminder | None,
    active: Sequence[Reminder],
    now: datetime,
    language: Language,
) -> tuple[str, str] | None:
    """Return the tool that a text is for which says nothing but what becomes of the newest, and the name of its
    parameter; None for any other text. `told` is the one that came last. `now` is local.
    """
    if told == newest and put_off(text, now, language, has_just_come=True):
        return "change_reminder", "when"
    off, chosen = calls_off(text, [newest], newest, now, language)
    if off is not None:
        is_it = chosen == [newest] and off.points and not (off.names or off.beside or off.is_all or off.when)
        return ("cancel_reminder", "reminder") if is_it and newest.due_at is not None else None
    if at_another_time(text, newest, now, language):
        return "set_reminder", "text"
    moved = read_moved(text, now, language)
    if moved is None or newest.due_at is None or moved.names or moved.about or moved.was:
        return None
    return ("change_reminder", "when") if moved_one(moved, active, newest) == [newest] else None
