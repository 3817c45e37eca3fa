"""What an ability shows of itself in the home: a part, made of sections and entries, and what can be done there.

A part is data and no HTML: the home draws it. Texts are in the visitor's words, or their own.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from app.database.repositories.acts import Act, Verb
from app.domain.ids import TurnId, UserId
from app.language.catalogue import Language, Sentence, say

ENTRIES_PER_PAGE: Final = 50
_BITS: Final = 52
Tone = Literal["", "good", "bad", "off"]


@dataclass(frozen=True, slots=True)
class Visit:
    """Who looks, and at what: `page` counts from 1, `words` are searched, `item` is the one thing to be shown."""

    user_id: UserId
    name: str
    language: Language
    zone: ZoneInfo
    is_admin: bool
    workspace: Path
    now: datetime
    page: int = 1
    words: str = ""
    item: str = ""

    @property
    def offset(self) -> int:
        """How many entries are on the pages before."""
        return (self.page - 1) * ENTRIES_PER_PAGE

    @property
    def address(self) -> str:
        """Return the query that leads here again."""
        given = {"page": str(self.page) if self.page > 1 else "", "words": self.words, "item": self.item}
        return urlencode({name: value for name, value in given.items() if value})

    def say(self, sentence: Sentence, **values: object) -> str:
        return say(sentence, self.language, **values)

    def told(self, at: datetime) -> str:
        """Return a moment on the visitor's clock, as their language writes it."""
        return format_datetime(at, "medium", tzinfo=self.zone, locale=self.language).replace("\u202f", " ")

    def act(self, verb: Verb, subject: str) -> Act:
        """Return what is done by hand, so that `/undo` takes it back.

        Acts of one turn are one act: each of these gets a turn of its own, and no real one has a negative number.
        """
        return Act(self.user_id, TurnId(-1 - secrets.randbits(_BITS)), verb, subject, self.now)


@dataclass(frozen=True, slots=True)
class Field:
    """Something to write: a line, or a `text` of many."""

    name: str
    label: str
    value: str = ""
    kind: Literal["line", "text", "secret"] = "line"
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """A button. `act` is what the part's `acts` calls it; `values` go along with what is written in `fields`.

    `asks` is what a person reads before they press again; `is_grave` marks what is lost for good.
    """

    act: str
    label: str
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fields: tuple[Field, ...] = ()
    asks: str = ""
    is_grave: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing. `notes` are small lines below it, `quote` are words that somebody said, `item` leads to it."""

    title: str
    text: str = ""
    notes: tuple[str, ...] = ()
    quote: str = ""
    tone: Tone = ""
    is_done: bool = False
    item: str = ""
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """`empty` is said where there is no entry; `choices` are about the section as a whole."""

    title: str = ""
    entries: Sequence[Entry] = ()
    empty: str = ""
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """`count` is how many entries there are on all pages; None where all are on this one."""

    sections: Sequence[Section]
    intro: str = ""
    count: int | None = None
    is_searchable: bool = False
    title: str = ""

    @property
    def pages(self) -> int:
        return max(1, -(-(self.count or 0) // ENTRIES_PER_PAGE))


@dataclass(frozen=True, slots=True)
class Download:
    """A file for the person to keep; it is never shown by the browser."""

    data: bytes
    filename: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class Farewell:
    """The person is gone, and so are their sessions; `text` is the last thing that they read."""

    text: str


Form: TypeAlias = Mapping[str, str]
Done: TypeAlias = str | Download | Farewell
"""A text is said above the page that follows."""
Do: TypeAlias = Callable[[Visit, Form], Awaitable[Done]]


async def _nothing(visit: Visit) -> str:
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of the home. `name` is its address, `icon` the strokes of a drawing of 24 by 24 (SVG path data).

    `summary` is said on the first page. `acts` raise `NotFound` for what is gone. Only admins see what is
    `for_admins`.
    """

    name: str
    title: Sentence
    icon: str
    show: Callable[[Visit], Awaitable[Page]]
    acts: Mapping[str, Do] = field(default_factory=lambda: MappingProxyType({}))
    summary: Callable[[Visit], Awaitable[str]] = _nothing
    for_admins: bool = False
