"""What an answer told of the weather: where, for which days and hours."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Final

from app.language.catalogue import LANGUAGES, Language, say
from app.skills.tools.weather.asked import Hours
from app.skills.tools.weather.texts import WEATHER
from app.when.telling import tell_day

_FROM, _TO = -1, 9
"""Days from today on that an answer still speaks of."""
_NOT_NEAR: Final = timedelta(days=5)
_PLACE: Final = r"(?P<place>[^\n:–—]{1,80})"
_HOUR: Final = r"(?P<{}>\d{{1,2}})"


@dataclass(frozen=True, slots=True)
class Told:
    """`place` with its region and country as they are called in `language`; no `days` where all were told."""

    place: str
    language: Language
    days: tuple[date, ...] = ()
    hours: Hours | None = None

    def place_in(self, language: Language) -> str:
        """Return the place as it is found by its names in a language: a region is called otherwise in another."""
        parts = self.place.split(", ")
        return self.place if language == self.language else ", ".join(dict.fromkeys((parts[0], parts[-1])))


def read_told(answer: str, today: date) -> Told | None:
    """Read an answer of ours; None where it is about something else."""
    for language in LANGUAGES:
        if (now := _pattern(language, is_now=True).match(answer)) is not None:
            return Told(now["place"], language)
        if (there := _pattern(language, is_now=False).search(answer)) is None:
            continue
        near = [today + timedelta(days=day) for day in range(_FROM, _TO)]
        days = tuple(day for day in near if _plain(day, language) in answer.casefold())
        if days:
            return Told(there["place"], language, days, _hours(answer, language))
    return None


def _hours(answer: str, language: Language) -> Hours | None:
    between, at_hour = _patterns_of_hours(language)
    if (span := between.search(answer)) is not None:
        return Hours(int(span["first"]), int(span["last"]))
    hour = at_hour.search(answer)
    return None if hour is None else Hours(int(hour["hour"]), int(hour["hour"]))


@cache
def _patterns_of_hours(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for several hours, and for one, behind a day."""
    between = re.escape(say(WEATHER.between, language, day="", first="<first>", last="<last>"))
    at_hour = re.escape(say(WEATHER.at_hour, language, day="", hour="<hour>"))
    for name in ("first", "last"):
        between = between.replace(f"<{name}>", _HOUR.format(name))
    return re.compile(f"{between}: "), re.compile(f"{at_hour.replace('<hour>', _HOUR.format('hour'))}: ")


@cache
def _pattern(language: Language, *, is_now: bool) -> re.Pattern[str]:
    """Return a pattern for the line with the place: of the weather now, or of a day."""
    if is_now:
        told = say(WEATHER.now, language, place="<place>", time="<any>", now="<any>")
    else:
        told = say(WEATHER.on_day, language, place="<place>", day="<any>", told="<any>")
    pattern = re.escape(told).replace("<place>", _PLACE).replace("<any>", r"[^\n]+?")
    return re.compile(rf"^{pattern}", re.MULTILINE)


def _plain(day: date, language: Language) -> str:
    """Return a day as it is told, without "tomorrow"."""
    far = day - _NOT_NEAR if (day - _NOT_NEAR).year == day.year else day + _NOT_NEAR
    return tell_day(day, far, language).casefold()
