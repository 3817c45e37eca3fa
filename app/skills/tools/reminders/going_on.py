"""What goes on from a reminder that was just set: "and that same day at 8 the oven"."""

from datetime import datetime

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.asked_times import beside
from app.skills.tools.reminders.lexicon import AND_ANOTHER, SAME_DAY
from app.skills.tools.reminders.repository import Reminder
from app.skills.tools.reminders.several import flat
from app.when.meanings import Habits, Point, When
from app.when.reading import read_wish


def without_joiner(text: str) -> str:
    """Return a text without what joins it to the one before, and without "that same day"."""
    opening = AND_ANOTHER.match(flat(text))
    rest = text if opening is None else text[opening.end() :]
    same = SAME_DAY.search(flat(rest))
    return rest if same is None else f"{rest[: same.start()]} {rest[same.end() :]}".strip()


def time_behind(newest: Reminder, said: str, found: When | None, now: datetime, language: Language) -> When | None:
    """Return when another one comes: on the day of the one before where that is said, or asked where it is not."""
    if SAME_DAY.search(fold(said)) is None:
        return beside(newest, found, now) if isinstance(found, Point) else found
    day = Habits(day=newest.due.date())
    return read_wish(without_joiner(said), now, language, day).when
