"""What several reminders of one message have in common: the day that is said first, a rule, a half of the day."""

from dataclasses import replace
from datetime import date, datetime
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.lexicon import spoken
from app.when.meanings import Point, Repeat, Unsure, When, likely_of
from app.when.reading import read_wish

_MOST_OF_A_HEAD: Final = 80


def announced(text: str, now: datetime, language: Language) -> tuple[date, str] | None:
    """Return the day that a message says for all that follows, and that: "two things for Tuesday: 2pm dentist, …".

    None where its first words say anything else. `now` is local.
    """
    head, mark, rest = text.partition(": ")
    if not mark or len(head) > _MOST_OF_A_HEAD or "?" in text:
        return None
    is_asked = lexicon.REMINDING.search(fold(head)) is not None
    is_counted = not lexicon.ANNOUNCED.isdisjoint(spoken(head)) and bool(rest[:1].isdigit())
    wish = read_wish(head, now, language) if is_asked or is_counted else None
    if wish is None or not isinstance(wish.when, Point) or wish.when.has_clock or not wish.when.has_day:
        return None
    beside = spoken(lexicon.REMINDING.sub(" ", fold(wish.what)))
    return (wish.when.at.date(), rest) if lexicon.ANNOUNCING.issuperset(beside) else None


def as_often(last: Repeat, when: When | None) -> When | None:
    """Return another hour as often as the one before comes."""
    rule, is_daily = last.rule, last.rule.frequency == "DAILY" and last.rule.interval == 1
    points = [one for one in likely_of(when) if isinstance(one, Point) and one.has_clock]
    if rule.hours or not points or len(points) < len(likely_of(when)):
        return when
    each = tuple(
        Repeat(rule, one.at if is_daily else datetime.combine(last.first.date(), one.at.time())) for one in points
    )
    return replace(when, likely=each) if isinstance(when, Unsure) else each[0]


def day_of(when: When | None) -> date | None:
    """Return the day of a time, whose half of the day may have to be asked for; None where that is not one."""
    days = {one.at.date() if isinstance(one, Point) else None for one in likely_of(when)}
    return days.pop() if len(days) == 1 else None


def lacks_day(when: When | None) -> bool:
    likely = likely_of(when)
    return bool(likely) and all(isinstance(one, Point) and not one.has_day for one in likely)
