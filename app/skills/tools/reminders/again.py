"""The same reminder once more, at another time: "same again at nine", "y a las 9 lo mismo"."""

import re
from datetime import datetime
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.asked_times import new_time, same_rule
from app.skills.tools.reminders.lexicon import (
    ALSO_THEN,
    JOINERS,
    REMINDING,
    REPEATING,
    SAME_AGAIN,
    is_polite,
)
from app.skills.tools.reminders.moving import read_moved
from app.skills.tools.reminders.repository import Reminder
from app.when.meanings import Habits, Point, Repeat, Unsure
from app.when.reading import read_wish

_WORD: Final = re.compile(r"[^\W_]+")


def at_another_time(
    text: str, newest: Reminder | None, now: datetime, language: Language
) -> Point | Repeat | Unsure | None:
    """Return when else the newest is to come: "on Thursdays, too", "and an hour before". A day without an hour has
    that one's, and an hour without a day that one's day."""
    if newest is None or "?" in text:
        return None
    if (earlier := _so_much_before(text, newest, now, language)) is not None:
        return earlier
    when = _without_again(text) if newest.due_at is not None or SAME_AGAIN.search(fold(text)) else None
    if when is None or _says_more(when, now, language):
        return None
    return _then(when, newest, now, language, is_rule=not REPEATING.isdisjoint(_WORD.findall(fold(text))))


def _so_much_before(text: str, newest: Reminder, now: datetime, language: Language) -> Point | None:
    moved = read_moved(text, now, language)
    if moved is None or moved.shift is None or not moved.shift.is_earlier or not REMINDING.search(fold(text)):
        return None
    earlier = moved.shift.then(newest.due, now, language)
    if not isinstance(earlier, Point) or earlier.at <= now or newest.due_at is None or newest.rule or moved.names:
        return None
    return earlier


def _without_again(text: str) -> str | None:
    """Return what is left of a text without the words for "once more"; None where it has none."""
    folded = fold(text)
    rest, count = SAME_AGAIN.subn(" ", folded)
    if count:
        rest = REMINDING.sub(" ", rest)
    elif ALSO_THEN.isdisjoint(_WORD.findall(folded)):
        return None
    return " ".join(one for one in rest.split() if one.strip(",.!") not in ALSO_THEN)


def _says_more(when: str, now: datetime, language: Language) -> bool:
    """Tell whether there is more in a text than a time."""
    wish = read_wish(when, now, language)
    said = _WORD.findall(fold(wish.what))
    return wish.when is None or not all(one in JOINERS or is_polite(one) for one in said)


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
