"""Which time is meant: what the model passed, what the message says, what was asked about, what there was."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import ONLY, REMINDING, THIS_ONCE
from app.skills.tools.reminders.repository import Reminder
from app.when.lexicon import WORDS
from app.when.meanings import Habits, Point, Repeat, Unsure, When
from app.when.reading import read_when, read_wish
from app.when.rules import rule_of

_WORD: Final = re.compile(r"[^\W_]+")
_WEEKDAYS: Final = frozenset(phrase for day in range(7) for phrase in WORDS.phrases(f"weekday.{day}"))
_HALF_DAY: Final = 12
_CLAUSE: Final = re.compile(r"[,;!?\n]+|\.(?!\d)|\b(?:so|asi que)\b")


def time_of_asking(text: str, now: datetime, language: Language) -> When | None:
    """Return when to remind, where that part of a text says an hour of its own: "piano every Tuesday at 5, remind
    me at half past four". The day, or the rule, may be that of the rest. None where it is not clear.
    """
    parts = _CLAUSE.split(fold(text))
    asking = [part for part in parts if REMINDING.search(part)]
    if len(asking) != 1:
        return None
    own = read_wish(asking[0], now, language).when
    event = read_wish(", ".join(part for part in parts if part not in asking), now, language).when
    if own is None or event is None or not _is_hour(own):
        return None
    if isinstance(own, Point | Repeat) and (isinstance(own, Repeat) or own.has_day):
        return own
    likely = event.likely if isinstance(event, Unsure) else (event,)
    first = next(iter(likely), None)
    if isinstance(first, Repeat) and all(isinstance(one, Repeat) and one.rule == first.rule for one in likely):
        at = read_wish(asking[0], now, language, Habits(day=first.first.date(), near=first.first.time())).when
        return replace(first, first=at.at) if isinstance(at, Point) and at.at < first.first else None
    if isinstance(first, Point) and len(likely) == 1 and first.has_day:
        at = read_wish(asking[0], now, language, Habits(day=first.at.date())).when
        return at if not isinstance(at, Point) or at.at < first.at else None
    return None


def _is_hour(when: When) -> bool:
    likely = when.likely if isinstance(when, Unsure) else (when,)
    return bool(likely) and all(one.has_clock for one in likely)


def which_time(text: str, when: str, said: str, now: datetime, language: Language) -> When | None:
    """Decide which time is meant: by what the model passed, checked against all that the person wrote.

    A model that drops "on Friday" from "on Friday at ten" would set a wrong time that looks right. So the
    message decides, where it says one time; where it says several, the model may only choose among them.
    """
    passed = read_when(when, now, language) if when.strip() else read_wish(text, now, language).when
    if isinstance(passed, Unsure) and passed.why == "not_time":
        passed = read_wish(f"{when} {text}", now, language).when
    whole = read_wish(said, now, language).when if said else None
    if isinstance(whole, Unsure) and (own := time_of_asking(said, now, language)) is not None:
        return own
    if whole is None:
        return passed
    if isinstance(whole, Unsure) and not whole.likely and isinstance(passed, Point | Repeat):
        return whole if whole.why == "notation" else passed
    if isinstance(whole, Unsure) and isinstance(passed, Point | Repeat) and passed in whole.likely:
        return passed
    return whole


def answered(asked: str, now: datetime, language: Language) -> When | None:
    """Read a wish that was asked about, with what was said since: "mañana a las 5", "de la tarde"."""
    *before, said = asked.split("\n")
    earlier = read_wish(" ".join(before), now, language).when
    if isinstance(earlier, Unsure) and (other := _other_hour(earlier.likely, said, now, language)) is not None:
        return other
    whole = read_wish(" ".join([*before, said]), now, language).when
    if isinstance(whole, Point | Repeat) or not isinstance(earlier, Unsure):
        return whole
    days = {one.at.date() for one in earlier.likely if isinstance(one, Point)}
    return read_wish(said, now, language, Habits(day=days.pop()) if len(days) == 1 else Habits()).when


def _other_hour(
    likely: Sequence[Point | Repeat], said: str, now: datetime, language: Language
) -> Point | Repeat | Unsure | None:
    """Return the time that takes the place of those that were asked about: "no, make it 5.20", on their day where
    that is one, and in their half of the day. None where no hour is said, or none was asked about."""
    points = [one for one in likely if isinstance(one, Point) and one.has_clock]
    if not points or len(points) != len(likely) or not _says_hour(read_wish(said, now, language).when):
        return None
    days, halves = {one.at.date() for one in points}, {one.at.hour // _HALF_DAY for one in points}
    near = points[0].at.time() if len(halves) == 1 else None
    return read_wish(said, now, language, Habits(day=days.pop() if len(days) == 1 else None, near=near)).when


def _says_hour(when: When | None) -> bool:
    return when is not None and _is_hour(when)


def beside(newest: Reminder, found: Point, now: datetime) -> Point | Unsure:
    """The time of another one without a day of its own: on that of the one before, or the next such hour."""
    same_day = Point(datetime.combine(newest.due.date(), found.at.time()), found.has_clock)
    if found.has_day or same_day.at.date() == found.at.date() or same_day.at <= now:
        return found
    return Unsure("which", (same_day, found))


def new_time(when: str, said: str, now: datetime, language: Language, habits: Habits) -> When | None:
    """Read the time that takes the place of another: of the message where that says one, else what was passed."""
    whole = read_wish(said, now, language, habits).when if said else None
    if isinstance(whole, Point | Repeat):
        return whole
    found: When | None = read_when(when, now, language, habits)
    if isinstance(found, Unsure) and found.why == "not_time":
        found = read_wish(when, now, language, habits).when or whole
    return found


def same_rule(target: Reminder, when: str, now: datetime, language: Language) -> Repeat | None:
    """A repeating reminder that gets another hour keeps its days."""
    habits = Habits(day=target.due.date(), near=target.due.time())
    later = new_time(when, when, now, language, habits)
    if not isinstance(later, Point) or later.at.date() != target.due.date():
        return None
    rule = rule_of(target.rule)
    if rule.hours:
        return None
    return Repeat(rule, datetime.combine(target.due.date(), later.at.time()))


def changed_time(target: Reminder, when: str, said: str, now: datetime, language: Language) -> When | None:
    """Read the time that one gets instead of its own, which tells what is left open: day, hour or rule."""
    old = target.due.time()
    keeps_day = target.due_at is not None and not target.rule
    habits = Habits(old, day=target.due.date() if keeps_day else None, near=old)
    found = new_time(when, said, now, language, habits)
    if target.rule and isinstance(found, Point | Unsure):
        return other_day(target, found, said) or same_rule(target, when, now, language) or found
    every = on_its_day(target, found) if isinstance(found, Unsure) else None
    return found if every is None or every.first <= now else every


def on_its_day(target: Reminder, found: Unsure) -> Repeat | None:
    """Return the rule of a bare period, "every week", on the day on which one that comes once would come."""
    match found.likely:
        case (Repeat(rule=rule, first=first),) if target.due_at is not None and not target.rule:
            due = target.due.date()
            on = replace(
                rule,
                weekdays=((0, due.weekday()),) if rule.weekdays else (),
                month_day=due.day if rule.month_day else 0,
                month=due.month if rule.month else 0,
            )
            return Repeat(on, datetime.combine(due, first.time()))
        case _:
            return None


def other_day(target: Reminder, found: Point | Unsure, said: str) -> Repeat | None:
    """Return the rule of one that comes every week, on the day of the week that is said: "make it Saturday only".

    None where that is meant for this once, or is one of its days and not said to be the only one.
    """
    rule, spoken = rule_of(target.rule), set(_WORD.findall(fold(said)))
    if not isinstance(found, Point) or not found.has_day or _WEEKDAYS.isdisjoint(spoken):
        return None
    if rule.frequency != "WEEKLY" or rule.hours or not THIS_ONCE.isdisjoint(spoken):
        return None
    is_one_of_several = len(rule.weekdays) > 1 and (0, found.at.weekday()) in rule.weekdays
    if is_one_of_several and ONLY.isdisjoint(spoken):
        return None
    return Repeat(replace(rule, weekdays=((0, found.at.weekday()),)), found.at, has_clock=found.has_clock)
