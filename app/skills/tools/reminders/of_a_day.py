"""What comes on the day that a question names: "qué me queda para hoy?", "how many reminders for tomorrow?"."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.language.catalogue import Language
from app.skills.tools.reminders.repository import Reminder
from app.when.meanings import Point, Unsure
from app.when.reading import read_wish
from app.when.rules import next_time, to_utc


def day_in(text: str, now: datetime, language: Language) -> date | None:
    """Return the one day that a text names; None where it names none, or several. `now` is local."""
    when = read_wish(text, now, language).when
    likely = when.likely if isinstance(when, Unsure) else (when,)
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
