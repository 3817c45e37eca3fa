"""What a person is told of their reminders: a line for each, those of a day, and which one is meant."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.tools import ToolResult
from app.domain.wording import clean, fold, one_line
from app.language.catalogue import Language, Sentence, say
from app.skills.counting import asks_how_many
from app.skills.tools.reminders.lexicon import REMINDERS_CALLED, RING
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.texts import REMINDERS
from app.when.meanings import Point, likely_of
from app.when.reading import read_wish
from app.when.rules import next_time, rule_of, to_local, to_utc
from app.when.telling import tell_day, tell_moment, tell_rule
from app.when.texts import WHEN

MAX_TEXT_CHARS: Final = 300
SHOWN: Final = 30


def told_when(reminder: Reminder, now: datetime, language: Language) -> str:
    """Return when it comes next, and how it comes again; `now` is a moment, not a wall clock."""
    when = tell_moment(reminder.due, to_local(now, ZoneInfo(reminder.zone)), language)
    if reminder.rule:
        rule = tell_rule(rule_of(reminder.rule), reminder.first, language)
        when = say(WHEN.next, language, rule=rule, first=when)
    return when


def told_line(reminder: Reminder, now: datetime, language: Language) -> str:
    return f"{reminder.number}. {reminder.text}: {told_when(reminder, now, language)}"


def told_of(one: Reminder, now: datetime, language: Language) -> ToolResult:
    """Tell what one is for, and when it comes."""
    reply = say(REMINDERS.set, language, text=one.text, when=told_when(one, now, language))
    return ToolResult.ok(told_line(one, now, language), reply)


def ask_to_set(arguments: Mapping[str, object]) -> Sentence:
    """Return the question whether to set one: who wants to be rung hears that it is only a message."""
    is_ring = RING.search(fold(str(arguments.get("text", "")))) is not None
    return REMINDERS.ask_instead_of_ring if is_ring else REMINDERS.ask_set


def ask_which(some: Sequence[Reminder], now: datetime, language: Language, unknown: str = "") -> ToolResult:
    """Ask which of these is meant; `unknown` is the name that fits none."""
    told = "\n".join(told_line(one, now, language) for one in some[:SHOWN])
    if unknown:
        name = one_line(clean(unknown), MAX_TEXT_CHARS)
        return asked(say(REMINDERS.unknown, language, name=name, list=told), f"No such reminder:\n{told}")
    return asked(say(REMINDERS.which_one, language, list=told), f"Several fit, ask which:\n{told}")


def listed(
    active: Sequence[Reminder], said: str, now: datetime, local: datetime, language: Language
) -> ToolResult:
    """Show those of the day that is asked about, else all, and how many, where that is asked.

    `now` is a moment, `local` the same on the person's clock.
    """
    day = day_in(said, local, language)
    some = [one for one in active if day is None or comes_on(one, day)]
    lines = [told_line(one, now, language) for one in some[:SHOWN]]
    if len(some) > SHOWN:
        lines.append(say(REMINDERS.more, language, count=len(some) - SHOWN))
    told = "\n".join(lines)
    if day is None:
        sentence = REMINDERS.counted if asks_how_many(said, REMINDERS_CALLED) else REMINDERS.listed
        return ToolResult.ok(told, say(sentence, language, count=len(some), list=told))
    on = tell_day(day, local.date(), language)
    if not some:
        return ToolResult.ok("None on that day.", say(REMINDERS.none_on, language, day=on))
    return ToolResult.ok(told, say(REMINDERS.counted_on, language, count=len(some), day=on, list=told))


def asked(reply: str, output: str) -> ToolResult:
    return ToolResult.ok(output, reply)


def day_in(text: str, now: datetime, language: Language) -> date | None:
    """Return the one day that a text names; None where it names none, or several. `now` is local."""
    likely = likely_of(read_wish(text, now, language).when)
    days = {one.at.date() for one in likely if isinstance(one, Point) and one.has_day}
    is_one = len(days) == 1 and all(isinstance(one, Point) and one.has_day for one in likely)
    return days.pop() if is_one else None


def comes_on(one: Reminder, day: date) -> bool:
    """Tell whether one that is still to come comes on a day, for the first time or again."""
    if one.due.date() >= day or not one.rule:
        return one.due.date() == day
    zone = ZoneInfo(one.zone)
    before = to_utc(datetime.combine(day, time()), zone).astimezone(UTC) - timedelta(seconds=1)
    found = next_time(one.rule, one.first, zone, before)
    return found is not None and found.date() == day
