"""Answers questions for the calendar by code: a small model makes weekdays and distances up."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date
from dateutil.relativedelta import relativedelta

from app.database.repositories.conversations import Conversations
from app.domain.inbound import Audio, InboundMessage, Text
from app.domain.outbound import Reply
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import Language, say
from app.skills.tools.datetime.ages import tell_age
from app.skills.tools.datetime.asked_days import Asked, moved, read_asked, read_going_on
from app.skills.tools.datetime.datetime_tools import say_day
from app.skills.tools.datetime.lexicon import DAY_UNITS
from app.skills.tools.datetime.movable import with_date
from app.skills.tools.datetime.texts import DATETIME

_LAST_TURNS: Final = 8
_FRESH: Final = timedelta(hours=6)


class OnTheCalendar:
    """`tell` is a `Telling`."""

    def __init__(self, conversations: Conversations, clock: Clock) -> None:
        self._conversations = conversations
        self._clock = clock

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return what a message asks of the calendar, or what goes on from that; None for every other message."""
        if len(messages) != 1 or messages[0].quoted_id or not isinstance(messages[0].content, Text | Audio):
            return None
        today = self._clock.now().astimezone(ZoneInfo(ctx.timezone)).date()
        if age := tell_age(asked, today, ctx.language):
            return Reply(literal=age)
        asked = with_date(asked, today, ctx.language)
        if (question := read_asked(asked, today, ctx.language)) is None:
            question = await self._going_on(asked, today, ctx)
        told = None if question is None else _told(question, asked, today, ctx.language)
        return Reply(literal=told) if told else None

    async def _going_on(self, asked: str, today: date, ctx: TurnContext) -> Asked | None:
        """Return the question that was answered last, for what is named now."""
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=_LAST_TURNS)
        newest = recent[-1] if recent else None
        if newest is None or newest.role != "assistant" or ctx.received_at - newest.created_at > _FRESH:
            return None
        question, told = None, None
        for written in (one.text for one in recent if one.role == "user"):
            said = with_date(written, today, ctx.language)
            read = read_asked(said, today, ctx.language)
            question = read or (question and read_going_on(said, question, today, ctx.language))
            told = question and _told(question, said, today, ctx.language)
        if question is None or told != newest.text:
            return None
        return read_going_on(asked, question, today, ctx.language)


def _told(asked: Asked, text: str, today: date, language: Language) -> str | None:
    match asked.kind:
        case "age":
            return _age(asked, today, language)
        case "moved":
            return _moved(asked, today, language)
        case "between":
            first, last = asked.days
            dates = {
                "first": format_date(first, "long", locale=language),
                "last": format_date(last, "long", locale=language),
            }
            told = say(DATETIME.days_between, language, count=(last - first).days, **dates)
            return f"{told}{_weeks_or_months(first, last, text, language)}."
        case "is_weekday":
            is_it = asked.days[0].weekday() in asked.weekdays
            phrase = DATETIME.is_that_day if is_it else DATETIME.is_other_day
            return say(phrase, language, date=format_date(asked.days[0], "full", locale=language))
        case _:
            told = say_day(asked.days[0], today, language)
            return f"{told}{_in_months(asked.days[0], today, text, language)}."


def _moved(asked: Asked, today: date, language: Language) -> str | None:
    if (day := moved(asked, today)) is None:
        return None
    shown = format_date(day, "full", locale=language)
    return say(DATETIME.working_days, language, date=shown) if asked.workdays else f"{shown}."


def _age(asked: Asked, today: date, language: Language) -> str | None:
    if asked.days:
        born = asked.days[0]
        shown = format_date(born, "long", locale=language)
        return say(DATETIME.age, language, count=age_on(born, today), date=shown)
    years = today.year - asked.year
    return say(DATETIME.age_of_year, language, count=years, less=years - 1) if years > 0 else None


def age_on(born: date, today: date) -> int:
    """Return how old somebody is: born on 29 February, they are a year older on 1 March."""
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def _weeks_or_months(first: date, last: date, text: str, language: Language) -> str:
    weeks, rest = divmod((last - first).days, 7)
    phrase = DATETIME.weeks_and_days if rest else DATETIME.weeks
    weeks_told = f" {say(phrase, language, weeks=weeks, count=rest)}" if weeks > 1 else ""
    return _in_months(first, last, text, language) or weeks_told


def _in_months(one: date, other: date, text: str, language: Language) -> str:
    """Say a distance in months, where it was asked for so or is long."""
    first, last = min(one, other), max(one, other)
    asks = not DAY_UNITS["months"].isdisjoint(fold(text).replace("?", " ").split())
    if not asks:
        return ""
    apart = relativedelta(last, first)
    parts = [
        say(phrase, language, count=count)
        for phrase, count in ((DATETIME.years, apart.years), (DATETIME.months, apart.months))
        if count
    ]
    if not parts:
        return ""
    months = ", ".join(parts)
    if not apart.days:
        return f" ({months})"
    return " " + say(DATETIME.months_and_days, language, months=months, count=apart.days)
