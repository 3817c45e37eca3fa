"""Documents by message: list, read, search, compute in tables, delete; each person sees only their own."""

import re
from collections.abc import Mapping
from typing import Final

from app.domain.errors import Permanent, ToolFault, Transient
from app.domain.ids import UserId
from app.domain.ports import Children, PeoplesFiles
from app.domain.tools import OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import pick, words
from app.language.catalogue import say
from app.media.arrivals import Arrivals
from app.media.passages import told_pages, told_passages
from app.media.reading import SKILL, table_names
from app.media.repository import Document, Documents, MediaFiles
from app.media.rows import rows_for_model, rows_told
from app.media.shelf import Shelf
from app.media.texts import MEDIA
from app.skills.registry import SkillRegistry

_MAX_READ_CHARS: Final = 6000
_MOST_READ: Final = 200
_FOUND: Final = 4
_FOUND_CHARS: Final = 900
_QUERY_S: Final = 30.0
_RANGE: Final = re.compile(r"(\d{1,5})(?:\s*(?:-|–|to|a|al)\s*(\d{1,5}))?")


class DocumentTools:
    def __init__(
        self,
        documents: Documents,
        files: MediaFiles,
        store: PeoplesFiles,
        arrivals: Arrivals,
        shelf: Shelf,
        children: Children,
    ) -> None:
        self._documents = documents
        self._files = files
        self._store = store
        self._arrivals = arrivals
        self._shelf = shelf
        self._children = children

    async def list_documents(self, *, ctx: TurnContext) -> ToolResult:
        """List the documents that the user sent."""
        known = await self._documents.list_all(ctx.user_id)
        if not known:
            return ToolResult.ok("There are no documents.", say(MEDIA.no_documents, ctx.language))
        told = [
            say(MEDIA.document_line, ctx.language, number=one.number, title=one.title, count=one.page_count)
            for one in known
        ]
        return ToolResult.ok("\n".join(map(_line, known)), "\n".join(told))

    async def read_document(self, document: OwnWords, pages: str = "1", *, ctx: TurnContext) -> ToolResult:
        """Read pages of a document that the user sent.

        Args:
            document: its number or words of its title
            pages: such as 3 or 2-5 (default: "1")
        """
        target = await self._pick(ctx.user_id, document)
        first, last = _pages(pages, target.page_count)
        found = await self._documents.read(ctx.user_id, target.id, first, last, limit=_MOST_READ)
        lines, page = [_line(target)], 0
        for piece in found:
            if piece.page != page:
                page = piece.page
                lines.append(f"[page {page}]")
            lines.append(piece.text)
        text = "\n".join(lines)
        if not found:
            text = f"{text}\nThese pages have no text."
        if len(text) > _MAX_READ_CHARS or len(found) == _MOST_READ:
            text = f"{text[:_MAX_READ_CHARS]}\n(cut: ask for fewer pages, or search_documents)"
        return ToolResult.ok(text, told_pages(target, first, last, found, ctx.language))

    async def search_documents(self, query: OwnWords, document: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Find what the user's documents say about something, with the page.

        Args:
            query: what to look for
            document: only if one is named
        """
        within = await self._pick(ctx.user_id, document) if document else None
        found = await self._shelf.search(ctx.user_id, query, within=within, limit=_FOUND)
        told = told_passages(found, words(query), ctx.language)
        if not found:
            return ToolResult.ok("No document says anything about that.", told)
        shown = "\n\n".join(
            f'[document {one.document.number} "{one.document.title}", page {one.piece.page}]\n'
            f"{one.piece.text[:_FOUND_CHARS]}"
            for one in found
        )
        return ToolResult.ok(shown, told)

    async def query_table(self, query: str, document: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Compute a total, average, count or selection in a spreadsheet that the user sent.

        Args:
            query: one SELECT in SQLite's SQL
            document: only if one is named
        """
        known = [one for one in await self._documents.list_all(ctx.user_id) if one.tables]
        if not known:
            raise ToolFault("no_table", "The user sent no spreadsheet.")
        target = pick(document, known, kind="document", line=_line) if document else known[0]
        file = await self._files.find_by_id(ctx.user_id, target.media_id)
        answer = await self._answered(target, "" if file is None else file.path, query, ctx.user_id)
        output = f"{_line(target)}\n{rows_for_model(answer)}"
        return ToolResult.ok(output, rows_told(target, answer, ctx.language))

    async def _answered(self, document: Document, path: str, query: str, user_id: UserId) -> Mapping[str, object]:
        """Return what a query of a document's tables gives; `path` is "" once its file is gone."""
        gone = f"The file of document {document.number} is no longer kept; ask for it again."
        if not path:
            raise ToolFault("file_gone", gone)
        try:
            async with self._store.local(user_id, path) as place:
                asked = {"path": str(place), "filename": document.title, "query": query}
                return await self._children.run("query_table", asked, timeout_s=_QUERY_S)
        except Permanent as exc:
            hint = f"The tables and their columns: {table_names(document)}"
            raise ToolFault("query_failed", f"The query failed ({exc.detail or exc.code}). {hint}") from exc
        except OSError as exc:
            raise ToolFault("file_gone", gone) from exc
        except Transient as exc:
            raise ToolFault("files_away", "The file cannot be reached now; it may be later.") from exc

    async def delete_document(self, document: OwnWords, *, ctx: TurnContext) -> ToolResult:
        """Delete a document that the user sent.

        Args:
            document: its number or words of its title
        """
        target = await self._pick(ctx.user_id, document)
        file = await self._files.find_by_id(ctx.user_id, target.media_id)
        if file is not None:
            await self._arrivals.take_back(ctx.user_id, file.message_id, is_rewritten=False)
        reply = say(MEDIA.document_deleted, ctx.language, title=target.title)
        return ToolResult.ok(f"Deleted document {target.number}.", reply)

    async def _pick(self, user_id: UserId, wanted: str) -> Document:
        known = await self._documents.list_all(user_id)
        if not known:
            raise ToolFault("no_documents", "The user sent no documents.")
        if len(known) == 1 and not any(char.isdigit() for char in wanted):
            return known[0]
        return pick(wanted, known, kind="document", line=_line)


def register(registry: SkillRegistry, tools: DocumentTools) -> None:
    """Add the tools for documents; read tools come before write tools."""
    registry.add(tools.search_documents, SKILL, read_only=True)
    registry.add(tools.read_document, SKILL, read_only=True)
    registry.add(tools.list_documents, SKILL, read_only=True)
    registry.add(tools.query_table, SKILL, read_only=True)
    registry.add(tools.delete_document, SKILL, sensitive=True, asks=MEDIA.ask_delete_document)


def _line(document: Document) -> str:
    pages = f", {document.page_count} pages" if document.page_count > 1 else ""
    return f'document {document.number}: "{document.title}"{pages}'


def _pages(said: str, page_count: int) -> tuple[int, int]:
    match = _RANGE.search(said)
    if match is None:
        return 1, page_count
    first = int(match[1])
    last = int(match[2] or first)
    if not 1 <= first <= page_count:
        raise ToolFault("no_such_page", f"The document has the pages 1 to {page_count}.")
    return first, max(first, min(last, page_count))
