"""What a person is told of their reminders: a line for each, and the question which one is meant."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.tools import ToolResult
from app.domain.wording import clean, one_line
from app.language.catalogue import Language, say
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.texts import REMINDERS
from app.when.rules import rule_of, to_local
from app.when.telling import tell_moment, tell_rule
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


def ask_which(some: Sequence[Reminder], now: datetime, language: Language, unknown: str = "") -> ToolResult:
    """Ask which of these is meant; `unknown` is the name that fits none."""
    told = "\n".join(told_line(one, now, language) for one in some[:SHOWN])
    if unknown:
        name = one_line(clean(unknown), MAX_TEXT_CHARS)
        return asked(say(REMINDERS.unknown, language, name=name, list=told), f"No such reminder:\n{told}")
    return asked(say(REMINDERS.which_one, language, list=told), f"Several fit, ask which:\n{told}")


def asked(reply: str, output: str) -> ToolResult:
    return ToolResult.ok(output, reply)
