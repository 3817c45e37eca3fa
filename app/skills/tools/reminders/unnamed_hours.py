"""Times of a reminder that name no hour, which is asked: "in the morning", "a la vuelta del cole"."""

from datetime import datetime, time, timedelta
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.skills.tools.reminders.lexicon import UNNAMED_HOURS, what_to_say
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.meanings import Point, Unsure, When

_LIKELY: Final = MappingProxyType({hour: LatePattern(pattern) for hour, pattern in UNNAMED_HOURS.items()})
_AROUND: Final = (timedelta(), timedelta(hours=1), timedelta(hours=-1))


def names_no_hour(text: str) -> bool:
    """Tell whether a text says when by a part of the day, or by what is done then."""
    return _found(text) is not None


def with_hour_asked(what: str, found: When | None, said: str, now: datetime) -> tuple[str, When | None]:
    """Return a wish without such words; where it says no hour and no rule, with the hours to be chosen from.

    The likeliest is the first. `now` is local.
    """
    if (likely := _found(said)) is None:
        return what, found
    hour, phrase = likely
    if not (found is None or (isinstance(found, Point) and not found.has_clock)):
        return _without(what, phrase), found
    day = found.at.date() if isinstance(found, Point) else now.date()
    first = datetime.combine(day, time(hour))
    first += timedelta(days=int(first <= now))
    hours = tuple(Point(first + span) for span in _AROUND if first + span > now)
    return _without(what, phrase), Unsure("vague", hours)


def _without(what: str, phrase: str) -> str:
    """Cut out such words, of which the first may be lost already: "la vuelta del cole comprar pan"."""
    folded, short = fold(what), phrase.partition(" ")[2]
    cut = next((one for one in (phrase, short) if one and one in folded), "")
    at = folded.find(cut)
    return what_to_say(f"{what[:at]} {what[at + len(cut) :]}", MAX_TEXT_CHARS) or what


def _found(text: str) -> tuple[int, str] | None:
    folded = fold(text)
    found = ((hour, pattern.search(folded)) for hour, pattern in _LIKELY.items())
    return next(((hour, one[0].strip()) for hour, one in found if one is not None), None)
