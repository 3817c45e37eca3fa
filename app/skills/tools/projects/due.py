"""When a task is due: read from what people write, told back, and put in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Final

from app.domain.wording import clean
from app.language.catalogue import Language, say
from app.skills.tools.projects.lexicon import DUE, IN_PROJECT
from app.skills.tools.projects.texts import PROJECTS
from app.when.meanings import Point, Unsure
from app.when.reading import read_when
from app.when.telling import clock, tell_day

_MORNING_HOUR: Final = 9
_CONTRACTED: Final = re.compile(r"\b(de)l\s", re.IGNORECASE)
_MAX_TAIL_CHARS: Final = 60
_QUOTES: Final = "\"'”»"
_EDGES: Final = " ,.;:-–¡!¿?\n"


@dataclass(frozen=True, slots=True)
class Due:
    """A day, and where one was said, an hour of it; on the person's wall clock."""

    day: date
    hour: time | None = None

    @classmethod
    def read(cls, stored: str) -> "Due":
        at = datetime.fromisoformat(stored)
        return cls(at.date(), at.time() if "T" in stored else None)

    @property
    def stored(self) -> str:
        return self.day.isoformat() if self.hour is None else self.at.isoformat()

    @property
    def at(self) -> datetime:
        """When to remind of it: in the morning of its day, where no hour was said."""
        return datetime.combine(self.day, self.hour or time(_MORNING_HOUR))

    @property
    def end(self) -> datetime:
        return datetime.combine(self.day, self.hour or time.max)

    def is_over(self, now: datetime) -> bool:
        """Tell whether it is past; `now` is local."""
        return self.end < now

    def told(self, now: datetime, language: Language) -> str:
        """Say it in full, and whether it is over; `now` is local."""
        sentence = PROJECTS.overdue if self.is_over(now) else PROJECTS.due
        return say(sentence, language, when=self.named(now, language))

    def named(self, now: datetime, language: Language) -> str:
        day = tell_day(self.day, now.date(), language)
        return day if self.hour is None else f"{day}, {clock(self.at)}"


@dataclass(frozen=True, slots=True)
class Unclear:
    """A day was meant, but not which: the likely ones, if any."""

    likely: tuple[Due, ...] = ()


def read_due(text: str, now: datetime, language: Language) -> Due | Unclear | None:
    """Read a text that says nothing but a day; None where it does not. `now` is local."""
    when = read_when(text.strip(_EDGES), now, language)
    match when:
        case Point(has_day=True):
            return _due(when)
        case Unsure(why="not_time") | Point():
            return None
        case Unsure(likely=likely):
            found = tuple(dict.fromkeys(_due(one) for one in likely if isinstance(one, Point)))
            # "Today" is vague about the hour, not about the day.
            is_day = (
                len(found) > 1
                and len({one.day for one in found}) == 1
                and not any(char.isdigit() for char in text)
            )
            return Due(found[0].day) if is_day else Unclear(found)
        case _:
            return Unclear()


def due_at_end(
    text: str, now: datetime, language: Language, project: str = ""
) -> tuple[str, Due | Unclear] | None:
    """Split "pay the bill by Friday" into what and when; None where no day stands at its end.

    The project's name may stand anywhere: "pay the bill by Friday in Home".
    """
    plain = " ".join(_CONTRACTED.sub(r"\1 el ", clean(text)).split())
    if project:
        plain = _without_project(plain, " ".join(project.split()))
    for what, tail in _tails(plain):
        due = read_due(tail, now, language)
        # One likely day is that of a text which says more: "for Friday's party".
        if isinstance(due, Due) or (due is not None and len(due.likely) > 1):
            return what, due
    return None


def read_wanted(text: str, now: datetime, language: Language) -> Due | Unclear | None:
    """Read a day that was given as one, with or without what stands before it: "by Friday"."""
    plain = " ".join(_CONTRACTED.sub(r"\1 el ", text).split())[:_MAX_TAIL_CHARS]
    started = DUE.match(plain)
    return read_due(plain[started.end() :] if started else plain, now, language)


def asked_which(unclear: Unclear, now: datetime, language: Language) -> str:
    """Ask for the day, with those that were probably meant."""
    if not unclear.likely:
        return say(PROJECTS.due_when, language)
    days = " / ".join(one.named(now, language) for one in unclear.likely)
    return say(PROJECTS.due_which, language, days=days)


def _without_project(text: str, name: str) -> str:
    for found in IN_PROJECT.finditer(text):
        end = found.end() + len(name)
        if text[found.end() : end].casefold() == name.casefold() and not text[end : end + 1].isalnum():
            return text[: found.start()] + text[end:].lstrip(_QUOTES)
    return text


def _tails(text: str) -> Iterator[tuple[str, str]]:
    for found in DUE.finditer(text):
        tail = text[found.end() :]
        if len(tail) <= _MAX_TAIL_CHARS and (what := text[: found.start()].strip(_EDGES)):
            yield what, tail


def _due(point: Point) -> Due:
    return Due(point.at.date(), point.at.time() if point.has_clock else None)
