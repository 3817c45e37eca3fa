"""Which days and hours a question about the weather is for, and what somebody wants to take along."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final, Literal

from app.language.catalogue import Language
from app.language.folding import fold
from app.skills.tools.weather.lexicon import COAT, OUTSIDE, UMBRELLA
from app.when.meanings import Habits, Point, Unsure
from app.when.reading import read_wish

Need = Literal["coat", "umbrella"]

MAX_CHARS: Final = 200
_NO_PART: Final = (4, 44)
_HALF_OF_A_PART: Final = 2
_LAST_HOUR: Final = 23
_SPAN: Final = re.compile(r"(\d{1,2}) ?[-–] ?(\d{1,2})")
_MOST_WORDS: Final = 16
_SAID: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours of a day, from 0 to 23, both of them included."""

    first: int
    last: int

    @property
    def span(self) -> str:
        """As it is shown and passed: "14-18"."""
        return f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class When:
    """`days` are one, or two in a row; () where none is named. `nearest` is when `hours` without a day come next.

    `rest` is the text without these words.
    """

    days: tuple[date, ...]
    hours: Hours | None
    nearest: date | None
    rest: str


def read_asked(text: str, now: datetime, language: Language) -> When:
    """Read what a question says of its time; `now` is what the person's clock shows."""
    # An hour that no part of a day begins with stands where none was said.
    wish = read_wish(text, now, language, Habits(time(*_NO_PART)))
    match wish.when:
        case Point() as one:
            days = (one.at.date(),) if one.has_day else ()
            return When(days, _hours(one), one.at.date(), wish.what)
        case Unsure(why="which", likely=likely):
            found = sorted({one.at.date() for one in likely if isinstance(one, Point) and one.has_day})
            is_one_span = bool(found) and found[-1] - found[0] <= timedelta(days=1)
            return When(tuple(found) if is_one_span else (), None, None, wish.what if is_one_span else text)
        case _:
            return When((), None, None, text)


def _hours(point: Point) -> Hours | None:
    hour = point.at.hour
    if point.has_clock:
        return Hours(hour, hour)
    if (hour, point.at.minute) == _NO_PART:
        return None
    return Hours(max(0, hour - _HALF_OF_A_PART), min(_LAST_HOUR, hour + _HALF_OF_A_PART))


def read_span(written: str) -> tuple[date, ...]:
    """Read "2026-11-28", or two days as "2026-11-28/2026-11-29"; () for anything else."""
    try:
        return tuple(date.fromisoformat(one.strip()) for one in written.split("/") if one.strip())
    except ValueError:
        return ()


def read_hours(written: str) -> Hours | None:
    """Read "14-18"; None for anything else."""
    found = _SPAN.fullmatch(written.strip())
    if found is None or not int(found[1]) <= int(found[2]) <= _LAST_HOUR:
        return None
    return Hours(int(found[1]), int(found[2]))


def asks_outside(text: str) -> bool:
    """Tell whether a short text asks for the weather without its name: "is it safe to hang the washing out"."""
    said = " ".join(_SAID.findall(fold(text).replace("’", "'")))
    return len(text) <= MAX_CHARS and len(said.split()) <= _MOST_WORDS and OUTSIDE.search(said) is not None


def read_need(text: str) -> Need | None:
    """Tell what somebody asks whether to take along: something warm, or something against the rain."""
    said = frozenset(_WORD.findall(fold(text)))
    return "coat" if said & COAT else "umbrella" if said & UMBRELLA else None
