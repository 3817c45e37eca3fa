"""What an ability shows of itself in the home: a part, made of sections and entries, and what can be done there.

A part is data and no HTML: the home draws it. Texts are in the visitor's words, or their own.
"""

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from app.charts.charts import Chart
from app.commands.registry import CommandRegistry
from app.database.repositories.acts import Act, Verb
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.outbound import Reply
from app.domain.turn import ConfirmationMode, TurnContext
from app.domain.wording import clean, cut
from app.language.catalogue import Language, Sentence, say
from app.skills.texts import SKILLS
from app.whatsapp.marks import WORD_JOINER

_SUBJECT_CHARS: Final = 60
ENTRIES_PER_PAGE: Final = 50
LONGEST_WORDS: Final = 200
_BITS: Final = 52
_MARK: Final = re.compile(r"(?<![\w*`])(\*\*|\*|`)(?![\s\u2060])(.+?)(?<![\s\u2060])\1(?![\w*`])")
_SHOWN_CHARS: Final = 60
_FRAME: Final = frozenset(("proof", "back"))
"""What every form of the home carries."""
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
    mode: ConfirmationMode
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

    def read(self, form: "Form", field: "Field") -> str:
        """Return what was written into a field, whole; what was a line is on one line.

        Raises:
            Refused: it is too long, or empty and needed.
        """
        text = clean(form.get(field.name, ""))
        given = text if field.kind == "text" else " ".join(text.split())
        if field.is_needed and not given:
            raise Refused(self.say(SKILLS.home_nothing_written, field=field.label))
        if len(given) > field.limit:
            raise Refused(self.say(SKILLS.home_too_long, field=field.label, count=len(given), limit=field.limit))
        return given

    def read_things(self, form: "Form", field: "Field") -> list[str]:
        """Return what was written one on each line.

        Raises:
            Refused: there is nothing, there are too many, or one is too long.
        """
        lines = clean(form.get(field.name, "")).split("\n")
        things = [" ".join(line.split()) for line in lines if line.strip()]
        if not things:
            raise Refused(self.say(SKILLS.home_nothing_written, field=field.label))
        if len(things) > field.most:
            raise Refused(self.say(SKILLS.home_too_many, field=field.label, count=len(things), limit=field.most))
        for thing in things:
            if len(thing) > field.limit:
                shown = cut(thing, _SHOWN_CHARS)
                raise Refused(
                    self.say(SKILLS.home_thing_too_long, thing=shown, count=len(thing), limit=field.limit)
                )
        return things

    def ctx(self) -> TurnContext:
        """Return the visitor as commands and questions know them: in a turn of its own, of no conversation."""
        return TurnContext(
            turn_id=_own_turn(),
            user_id=self.user_id,
            conversation_id=ConversationId(0),
            attempt=1,
            received_at=self.now,
            language=self.language,
            is_admin=self.is_admin,
            timezone=self.zone.key,
            workspace=self.workspace,
            mode=self.mode,
        )

    def act(self, verb: Verb, subject: str) -> Act:
        """Return what is done by hand, so that `/undo` takes it back.

        Acts of one turn are one act: each of these gets a turn of its own.
        """
        return Act(self.user_id, _own_turn(), verb, cut(subject, _SUBJECT_CHARS), self.now)


@dataclass(frozen=True, slots=True)
class Field:
    """Something to write: a line, a `text` of many, or `things`, one on each line.

    `limit` is how many characters fit (of each thing), `most` how many things.
    """

    name: str
    label: str
    limit: int
    value: str = ""
    kind: Literal["line", "text", "things", "secret"] = "line"
    is_needed: bool = True
    most: int = 1

    @property
    def max_length(self) -> int:
        """Return how many characters a browser should let in."""
        return (self.limit + 1) * self.most if self.kind == "things" else self.limit


@dataclass(frozen=True, slots=True)
class Choice:
    """A button. `act` is what the part's `acts` calls it; `values` go along with what is written in `fields`.

    `asks` is what a person reads before they press again; `is_grave` marks what is lost for good. `problem` is why
    what stands in `fields` was not taken. `label_sent` is for the button below the fields, where "save" is wrong.
    """

    act: str
    label: str
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fields: tuple[Field, ...] = ()
    asks: str = ""
    is_grave: bool = False
    problem: str = ""
    label_sent: str = ""

    def sent_as(self, act: str, form: "Form") -> bool:
        """Tell whether a form was posted by this button."""
        names = {*self.values, *(one.name for one in self.fields)}
        return (
            act == self.act
            and names == form.keys() - _FRAME
            and all(form[name] == value for name, value in self.values.items())
        )

    def with_problem(self, form: "Form", problem: str) -> "Choice":
        """Return the button with what was written, and why that was not taken."""
        fields = tuple(replace(one, value=form[one.name]) for one in self.fields)
        return replace(self, fields=fields, problem=problem)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing. `notes` are small lines below it, `quote` are words that somebody said, `item` leads to it, or
    `link`, an address of ours."""

    title: str
    text: str = ""
    notes: tuple[str, ...] = ()
    quote: str = ""
    tone: Tone = ""
    is_done: bool = False
    item: str = ""
    choices: tuple[Choice, ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """`empty` is said where there is no entry, `choices` are about the section as a whole, `chart` comes first."""

    title: str = ""
    entries: Sequence[Entry] = ()
    empty: str = ""
    choices: tuple[Choice, ...] = ()
    chart: Chart | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What a part shows.

    `count` is how many entries there are on all pages; None where all are on this one. `is_underway`: it
    changes by itself, so the browser looks again.
    """

    sections: Sequence[Section]
    intro: str = ""
    count: int | None = None
    is_searchable: bool = False
    title: str = ""
    is_underway: bool = False

    @property
    def pages(self) -> int:
        return max(1, -(-(self.count or 0) // ENTRIES_PER_PAGE))

    @property
    def has_problem(self) -> bool:
        entries = [entry for section in self.sections for entry in section.entries]
        choices = [*(one.choices for one in self.sections), *(one.choices for one in entries)]
        return any(choice.problem for some in choices for choice in some)

    def with_problem(self, act: str, form: "Form", problem: str) -> "Page":
        """Return the page with a form as it was filled in, and why that was not taken."""

        def told(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
            return tuple(one.with_problem(form, problem) if one.sent_as(act, form) else one for one in choices)

        sections = [
            replace(
                section,
                choices=told(section.choices),
                entries=[replace(entry, choices=told(entry.choices)) for entry in section.entries],
            )
            for section in self.sections
        ]
        return replace(self, sections=sections)


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


class Refused(Exception):
    """What was written is not taken; `text` tells the visitor why, and what they wrote stays in the form."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


Form: TypeAlias = Mapping[str, str]
Done: TypeAlias = str | Download | Farewell | Page
"""A text is said above the page that follows; a page is shown at once, in place of it."""
Do: TypeAlias = Callable[[Visit, Form], Awaitable[Done]]


def bare(text: str) -> str:
    """Return a text that was written for WhatsApp, or as Markdown, without its marks."""
    return _MARK.sub(lambda mark: mark[2], text).replace(WORD_JOINER, "")


def told(reply: Reply) -> str:
    """Return what a command's reply says, for a page."""
    return bare("\n".join(filter(None, (reply.lead, reply.markdown, reply.literal))))


def _own_turn() -> TurnId:
    """Return a number that no real turn has: those are positive."""
    return TurnId(-1 - secrets.randbits(_BITS))


async def _nothing(visit: Visit) -> str:
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Preference:
    """Something that each person may set for themselves: `show` tells how it is, with `set_to` or a form.

    What is sent as `value` goes to `put`, which returns what came of it. `name` is the preference's own.
    """

    name: str
    show: Callable[[Visit], Awaitable[Section]]
    put: Callable[[Visit, str], Awaitable[str]]


def set_to(name: str, label: str, value: str, *, asks: str = "") -> Choice:
    """Return a button that sets the preference of that name."""
    return Choice("set", label, MappingProxyType({"name": name, "value": value}), asks=asks)


def option(preference: str, title: str, value: str, visit: Visit, *, is_chosen: bool, asks: str = "") -> Entry:
    """Return one of the values that a preference may have: the one that counts, or one to choose."""
    if is_chosen:
        return Entry(title, notes=(visit.say(SKILLS.home_chosen),), tone="good")
    return Entry(title, choices=(set_to(preference, visit.say(SKILLS.home_choose), value, asks=asks),))


def set_by_form(name: str, label: str, value: Field) -> Choice:
    """Return a form that sets the preference of that name; the field is called `value`."""
    return Choice("set", label, MappingProxyType({"name": name}), (value,))


def by_command(commands: CommandRegistry, name: str) -> Callable[[Visit, str], Awaitable[str]]:
    """Return how a value goes the way of a command: the same checks, the same record, the same words."""

    async def put(visit: Visit, value: str) -> str:
        spec = commands.find(name)
        return "" if spec is None else told(await spec.run(value, visit.ctx()))

    return put


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
