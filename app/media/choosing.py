"""Which of several things that were shown a question is about: told by its words or by time, else asked."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.asking.answers import Answered, Handler, Press
from app.asking.asking import Asking
from app.asking.lines import ButtonId
from app.domain.ids import UserId
from app.domain.outbound import MAX_BUTTONS, MAX_LIST_ROWS, Button, Buttons, ListMenu, ListRow, ListSection, Reply
from app.domain.turn import TurnContext
from app.domain.wording import cut, one_line, says_last, stem, words
from app.language.catalogue import say
from app.media.lexicon import (
    AMOUNTS,
    ASKING,
    BEFORE_YESTERDAY,
    DOCUMENTS,
    LOOKING,
    OLDEST,
    PAID,
    PICTURES,
    POINTING,
    SAYING,
    TODAY,
    WRITTEN,
    YESTERDAY,
)
from app.media.questions import said_words, stems
from app.media.repository import Document, Documents, MediaFile, MediaFiles
from app.media.texts import MEDIA
from app.when.rules import to_local
from app.when.telling import tell_moment, tell_short

KIND: Final = "which-shown"
REMEMBERED_FOR: Final = timedelta(days=2)
JUST_NOW: Final = timedelta(minutes=10)
_LIFE: Final = timedelta(days=1)
_LOOKED_AT: Final = 12
_PAPER_CHARS: Final = 4000
_TITLE_CHARS: Final = 40
_ROW_CHARS: Final = 70
_SHORTEST_WORD: Final = 4
_TYPED_WORDS: Final = 8
_PRICE: Final = re.compile(r"\d[.,]\d{2}\b|[€$£]\s?\d|\d\s?[€$£]")
_TIMES: Final = OLDEST | TODAY | YESTERDAY | BEFORE_YESTERDAY
_AROUND: Final = ASKING | LOOKING | POINTING | SAYING | AMOUNTS | PICTURES | WRITTEN | DOCUMENTS | _TIMES


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture or a short document with text. `media_id` is its file's; `name` is what a document is called."""

    media_id: int
    at: datetime
    text: str
    name: str = ""

    @property
    def title(self) -> str:
        """What people know it by: its name, or the first words on it."""
        lines = (line for line in self.text.splitlines() if any(char.isalpha() for char in line))
        return self.name or one_line(next(lines, self.text), _TITLE_CHARS)

    def says(self) -> set[str]:
        return stems(f"{self.name}\n{self.text}")


class Choosing:
    """Asks where it is in doubt; the answer is given by a button, or typed."""

    def __init__(self, asking: Asking, files: MediaFiles, documents: Documents) -> None:
        self._asking = asking
        self._files = files
        self._documents = documents

    def register(self) -> None:
        self._asking.handle(KIND, Handler(self._chosen, typed="numbers"))

    async def list_shown(self, user_id: UserId, since: datetime, pictures: Sequence[MediaFile]) -> list[Shown]:
        """Return those pictures with text, and the documents that may be a receipt or the like; newest first."""
        shown = [picture_shown(one) for one in pictures if one.text]
        for one in await self._documents.list_all(user_id, limit=_LOOKED_AT):
            if one.created_at >= since and one.chars <= _PAPER_CHARS and not one.tables:
                paper = await self._document_shown(user_id, one)
                if not paper.says().isdisjoint(map(stem, WRITTEN)):
                    shown.append(paper)
        return sorted(shown, key=lambda one: one.at, reverse=True)

    async def tell_or_ask(self, known: Sequence[Shown], asked: str, ctx: TurnContext) -> Reply | None:
        """Answer out of the one of them that is meant; None where that is not what is asked."""
        fits = narrowed(known, asked, ctx)
        meant = [one for one in fits or known if told(asked, one)]
        if not meant:
            return None
        if not fits and len(meant) > 1:
            return await self._ask(meant[:MAX_LIST_ROWS], asked, ctx)
        if len(meant) == 1 or ctx.received_at - meant[1].at > JUST_NOW >= ctx.received_at - meant[0].at:
            return Reply(literal=self._told(meant[0], asked, ctx, is_only=bool(fits) and len(known) == 1))
        return await self._ask(meant[:MAX_LIST_ROWS], asked, ctx)

    async def take_typed(self, typed: str, ctx: TurnContext) -> Reply | None:
        """Take a text for the answer to the open question, if it is short and names one of what it lists."""
        if len(said_words(typed)) > _TYPED_WORDS:
            return None
        question = await self._asking.find_open(ctx.user_id, KIND)
        if question is None:
            return None
        bound = json.loads(question.bound_to)
        shown = [one for one in [await self._find(ctx.user_id, id_) for id_ in bound["ids"]] if one is not None]
        meant = narrowed(shown, typed, ctx)
        if len(meant) != 1 or len(meant) == len(shown) or not await self._asking.settle(question):
            return None
        return Reply(literal=self._told(meant[0], bound["asked"], ctx, is_only=False))

    async def _ask(self, shown: Sequence[Shown], asked: str, ctx: TurnContext) -> Reply:
        bound_to = json.dumps({"ids": [one.media_id for one in shown], "asked": asked}, ensure_ascii=False)
        button = await self._asking.open(ctx.user_id, KIND, bound_to, life=_LIFE)
        return Reply(messages=(_question(shown, button, ctx),))

    async def _chosen(self, press: Press) -> Answered | None:
        question, ctx = press.question, press.ctx
        if question is None or not press.key.isdecimal():
            return None
        bound = json.loads(question.bound_to)
        if int(press.key) >= len(bound["ids"]):
            return None
        one = await self._find(ctx.user_id, bound["ids"][int(press.key)])
        if one is None or not await self._asking.settle(question):
            return None
        return Answered(KIND, Reply(literal=self._told(one, bound["asked"], ctx, is_only=False)))

    def _told(self, one: Shown, asked: str, ctx: TurnContext, *, is_only: bool) -> str:
        """Say what it says, and of several, which one that is."""
        text = told(asked, one) or one.text
        if is_only and not one.name:
            return say(MEDIA.picture_said, ctx.language, text=text)
        if one.name:
            return say(MEDIA.paper_said, ctx.language, title=one.name, when=_moment(one, ctx), text=text)
        return say(MEDIA.picture_of_said, ctx.language, title=one.title, when=_moment(one, ctx), text=text)

    async def _find(self, user_id: UserId, media_id: int) -> Shown | None:
        file = await self._files.find_by_id(user_id, media_id)
        if file is None or not file.text:
            return None
        document = await self._documents.find_of(user_id, media_id)
        return picture_shown(file) if document is None else await self._document_shown(user_id, document)

    async def _document_shown(self, user_id: UserId, document: Document) -> Shown:
        pieces = await self._documents.read(user_id, document.id, 1, document.page_count)
        text = cut("\n".join(piece.text for piece in pieces), _PAPER_CHARS)
        return Shown(document.media_id, document.created_at, text, document.title)


def picture_shown(file: MediaFile) -> Shown:
    """Return a picture with what was read in it."""
    return Shown(file.id, file.created_at, file.text or "")


def may_be_about(asked: str) -> bool:
    """Tell whether a question has a word of what was shown, or of an amount: no other is answered out of it."""
    return not (PICTURES | WRITTEN | AMOUNTS | POINTING).isdisjoint(said_words(asked))


def told(asked: str, one: Shown, *, is_named: bool | None = None) -> str:
    """Return what it says about a question, word for word; "" where that is not all that is asked.

    `is_named`: the question is about a thing that was shown; where that is not given, its words tell.
    """
    said = set(said_words(asked))
    if is_named is None:
        is_named = not said.isdisjoint(PICTURES | WRITTEN)
    wanted, have = _wanted(asked), one.says()
    is_amount = not said.isdisjoint(AMOUNTS)
    if is_named and said & SAYING and wanted <= have:
        return one.text
    is_about_it = wanted <= have and any(word.isalpha() and len(word) >= _SHORTEST_WORD for word in wanted)
    if not is_about_it or not (is_named or is_amount):
        return ""
    lines = [line for line in one.text.splitlines() if wanted & stems(line)]
    if is_amount:
        lines = [line for line in lines if any(char.isdigit() for char in line)]
    return "\n".join(lines)


def narrowed(known: Sequence[Shown], asked: str, ctx: TurnContext) -> list[Shown]:
    """Return those that the words and the time of a question fit, newest first; none for a day without any."""
    said = set(said_words(asked))
    fits: list[Shown] = list(known)
    if said & PAID:
        fits = [one for one in fits if _PRICE.search(one.text)] or fits
    for day, names in ((0, TODAY), (1, YESTERDAY), (2, BEFORE_YESTERDAY)):
        if said & names:
            fits = [one for one in fits if _days_ago(one, ctx) == day]
    wanted = _wanted(asked)
    if wanted:
        fits = [one for one in fits if wanted <= one.says()] or fits
    if len(fits) > 1 and says_last(asked):
        return fits[:1]
    return fits[-1:] if len(fits) > 1 and said & OLDEST else fits


def _wanted(asked: str) -> set[str]:
    return {stem(word) for word in words(asked) if word not in _AROUND and not says_last(word)}


def _days_ago(one: Shown, ctx: TurnContext) -> int:
    zone = ZoneInfo(ctx.timezone)
    return (to_local(ctx.received_at, zone).date() - to_local(one.at, zone).date()).days


def _moment(one: Shown, ctx: TurnContext) -> str:
    zone = ZoneInfo(ctx.timezone)
    return tell_moment(to_local(one.at, zone), to_local(ctx.received_at, zone), ctx.language)


def _question(shown: Sequence[Shown], button: ButtonId, ctx: TurnContext) -> Buttons | ListMenu:
    zone = ZoneInfo(ctx.timezone)
    now = to_local(ctx.received_at, zone)
    titles = [tell_short(to_local(one.at, zone), now, ctx.language) for one in shown]
    if len(shown) <= MAX_BUTTONS:
        listed = "\n".join(f"• {title}: {one.title}" for title, one in zip(titles, shown, strict=True))
        body = say(MEDIA.which_shown, ctx.language, list=listed)
        return Buttons(body, tuple(Button(button(str(n)), title) for n, title in enumerate(titles)))
    rows = tuple(
        ListRow(button(str(n)), title, one_line(one.title, _ROW_CHARS))
        for n, (title, one) in enumerate(zip(titles, shown, strict=True))
    )
    label = say(MEDIA.which_shown_label, ctx.language)
    return ListMenu(say(MEDIA.which_shown_of_many, ctx.language), label, (ListSection("", rows),))
