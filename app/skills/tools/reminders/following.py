"""Follow-ups of a reminder that leave nothing to a model: another in its place, put off, moved, called off."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.again import at_another_time
from app.skills.tools.reminders.lexicon import (
    CORRECTING,
    INSTEAD,
    INSTEAD_OF,
    JOINERS,
    NO_NAME,
    POINTING,
    REMINDING,
    TALK,
    is_polite,
)
from app.skills.tools.reminders.moving import moved_one, read_moved
from app.skills.tools.reminders.pointing import calls_off, loosely_named
from app.skills.tools.reminders.putting_off import put_off
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.several import flat
from app.skills.tools.reminders.wishing import what_is_meant
from app.when.meanings import Habits, Point, Repeat
from app.when.reading import read_wish

_WORD: Final = re.compile(r"[^\W_]+")
_NOTHING: Final = TALK | JOINERS | CORRECTING


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
    target = newest if _only_points(old) else loosely_named(old, active)
    if target is None or target.due_at is None or target.subject or read_wish(old, now, language).when is not None:
        return None
    hour = target.due.time()
    when = read_wish(wish, now, language, Habits(hour, day=target.due.date(), near=hour)).when
    what = what_is_meant(wish, wish, when, now, language)
    return Replaced(target, what, when) if what and (when is None or isinstance(when, Point | Repeat)) else None


def _instead(text: str) -> tuple[str, str] | None:
    """Return the words for the old thing, "" for the last one, and the wish that takes its place."""
    plain = flat(text)
    asking = REMINDING.search(plain)
    pointed, found = INSTEAD.search(plain), INSTEAD_OF.search(plain)
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
    return _NOTHING.issuperset(_WORD.findall(plain)) or is_polite(plain)


def _only_points(old: str) -> bool:
    return (POINTING | NO_NAME).issuperset(_WORD.findall(fold(old)))


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
