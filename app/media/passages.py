"""What a document says about something, word for word, with its page: a small model would make it up."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.inbound import Document as DocumentMessage
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import cut, fold, one_line, stem, words
from app.language.catalogue import Language, say
from app.media.lexicon import AMOUNTS, ASKING, BESIDE, DOCUMENTS, LOOKING, POINTING, SAYING
from app.media.questions import asks, said_words, stems
from app.media.repository import Document, Documents, MediaFiles, Piece
from app.media.shelf import Passage, Shelf
from app.media.texts import MEDIA

_TOLD: Final = 2
_TOLD_CHARS: Final = 420
_SHORTEST_NAME: Final = 4
_PAGES_CHARS: Final = 3000
_PAGE_PIECES: Final = 20
_PAGE: Final = re.compile(r"\bpag(?:ina|e)\s{1,3}(\d{1,5})\b")
_ENOUGH_WORDS: Final = 0.5
_NEAR: Final = 0.4
_AROUND: Final = BESIDE | AMOUNTS | ASKING | LOOKING | POINTING | SAYING | DOCUMENTS


class Quoting:
    """Answers questions that name a document with what stands in it, or with that nothing was found."""

    def __init__(self, documents: Documents, files: MediaFiles, shelf: Shelf) -> None:
        self._documents = documents
        self._files = files
        self._shelf = shelf

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """See `Telling`."""
        told = await self._answer(messages, asked, ctx)
        return Reply(literal=told) if told else None

    async def _answer(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> str:
        if not asks(asked):
            return ""
        known = await self._documents.list_all(ctx.user_id)
        sent = await self._sent_now(messages, ctx)
        said = set(said_words(asked))
        named = sent or [one for one in known if said & _names(one)]
        within = named[0] if len(named) == 1 else known[0] if len(known) == 1 else None
        if not known or not (named or said & DOCUMENTS) or any(one.tables for one in named):
            return ""
        if within is not None and (page := _PAGE.search(fold(asked))) is not None:
            return await self._page(within, int(page[1]), ctx)
        names = set[str]().union(*map(_names, named))
        wanted = [word for word in words(asked) if word not in _AROUND and word not in names]
        if not wanted:
            return ""
        found = await self._shelf.search(ctx.user_id, " ".join(wanted), within=within, limit=_TOLD)
        near = [one for one in found if one.coverage >= _ENOUGH_WORDS or (one.why.similarity or 0) >= _NEAR]
        # What just came may stand in the prompt as a whole.
        return "" if sent and not near else told_passages(near, wanted, ctx.language)

    async def _page(self, document: Document, page: int, ctx: TurnContext) -> str:
        pieces = await self._documents.read(ctx.user_id, document.id, page, page, limit=_PAGE_PIECES)
        return told_pages(document, page, page, pieces, ctx.language)

    async def _sent_now(self, messages: Sequence[InboundMessage], ctx: TurnContext) -> list[Document]:
        """Return the documents that came with the question."""
        sent = [one.id for one in messages if isinstance(one.content, DocumentMessage)]
        files = [await self._files.find(ctx.user_id, message_id) for message_id in sent]
        found = [await self._documents.find_of(ctx.user_id, file.id) for file in files if file is not None]
        return [one for one in found if one is not None]


def told_passages(found: Sequence[Passage], wanted: Sequence[str], language: Language) -> str:
    """Return the passages in the person's words, or that there are none."""
    if not found:
        return say(MEDIA.passage_none, language)
    told = [
        say(
            MEDIA.passage_on_page if one.document.page_count > 1 else MEDIA.passage,
            language,
            title=one.document.title,
            page=one.piece.page,
            text=around(one.piece.text, wanted),
        )
        for one in found[:_TOLD]
    ]
    return "\n\n".join(told)


def told_pages(document: Document, first: int, last: int, pieces: Sequence[Piece], language: Language) -> str:
    """Return the text of pages, as much as one message takes, or that there is none."""
    if not pieces:
        return say(MEDIA.no_text_there, language, count=document.page_count)
    text = cut("\n".join(piece.text for piece in pieces), _PAGES_CHARS)
    if first == last:
        return say(MEDIA.one_page, language, title=document.title, page=first, text=text)
    return say(MEDIA.some_pages, language, title=document.title, first=first, last=last, text=text)


def around(text: str, wanted: Sequence[str]) -> str:
    """Return the lines of a text from the first that holds one of the words on, as much as is read at a glance."""
    if len(text) <= _TOLD_CHARS:
        return one_line(text, _TOLD_CHARS)
    marks = {stem(word) for word in wanted}
    lines = text.splitlines()
    best = max(range(len(lines)), key=lambda at: len(marks & stems(lines[at])))
    return cut(" ".join(" ".join(lines[best:]).split()), _TOLD_CHARS)


def _names(document: Document) -> set[str]:
    return {word for word in words(document.title) if len(word) >= _SHORTEST_NAME and word.isalpha()}
