"""Files that people sent, the documents among them with their text, and how a person is spoken to."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row
from app.database.full_text import word_search
from app.database.repositories.embeddings import TextSource
from app.database.repositories.matching import match_expressions
from app.database.repositories.users import next_number
from app.domain.clock import from_ms, to_ms
from app.domain.ids import UserId, WaMessageId

PIECES: Final = TextSource("document", "document_pieces", "text", says="")
"""Recalled by this ability itself, with the page."""
MOST_PIECES: Final = 1_000_000
VoiceMode = Literal["off", "auto", "always"]


@dataclass(frozen=True, slots=True)
class MediaFile:
    """`path` is relative to the person's folder and empty once the file is gone; `text` None until it was read."""

    id: int
    message_id: WaMessageId
    path: str
    mime_type: str
    size_bytes: int
    created_at: datetime
    text: str | None = None


@dataclass(frozen=True, slots=True)
class NewDocument:
    """`pieces` are pairs of a page and a text; `tables` say what a spreadsheet holds."""

    title: str
    language: str
    page_count: int
    read_pages: int
    chars: int
    tables: Sequence[Mapping[str, object]]
    pieces: Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Document:
    """`number` is what the owner says; it is never given twice."""

    id: int
    media_id: int
    number: int
    title: str
    language: str
    page_count: int
    read_pages: int
    chars: int
    tables: tuple[Mapping[str, object], ...]
    created_at: datetime

    @property
    def name(self) -> str:
        return self.title

    @property
    def text(self) -> str:
        return self.title


@dataclass(frozen=True, slots=True)
class Piece:
    """`rank` is how well its words fit, more is better."""

    id: int
    document_id: int
    page: int
    text: str
    rank: float = 0.0


class MediaFiles:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, user_id: UserId, message_id: WaMessageId) -> MediaFile | None:
        row = await self._db.fetch_one(
            "SELECT * FROM media WHERE user_id = ? AND message_id = ?", user_id, message_id
        )
        return None if row is None else _file(row)

    async def find_by_id(self, user_id: UserId, media_id: int) -> MediaFile | None:
        row = await self._db.fetch_one("SELECT * FROM media WHERE user_id = ? AND id = ?", user_id, media_id)
        return None if row is None else _file(row)

    async def add(
        self, user_id: UserId, message_id: WaMessageId, path: str, mime_type: str, size_bytes: int, at: datetime
    ) -> MediaFile:
        """Note a file that is in the person's folder; a second time it takes the first one's place."""
        async with self._db.transaction() as tx:
            row = await tx.fetch_one(
                "INSERT INTO media(user_id, message_id, path, mime_type, size_bytes, created_at)"
                " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (user_id, message_id)"
                " DO UPDATE SET path = ?3, mime_type = ?4, size_bytes = ?5 RETURNING *",
                user_id,
                message_id,
                path,
                mime_type,
                size_bytes,
                to_ms(at),
            )
        if row is None:
            raise LookupError("SQLite returned no row for a file that was added")
        return _file(row)

    async def set_text(self, user_id: UserId, media_id: int, text: str) -> None:
        """Keep what was heard or read in a file."""
        async with self._db.transaction() as tx:
            await tx.execute("UPDATE media SET text = ? WHERE user_id = ? AND id = ?", text, user_id, media_id)

    async def list_pictures(self, user_id: UserId, since: datetime, *, limit: int) -> list[MediaFile]:
        """Return the pictures that were looked at, newest first."""
        rows = await self._db.fetch_all(
            "SELECT * FROM media WHERE user_id = ? AND created_at >= ? AND mime_type LIKE 'image/%'"
            " AND text IS NOT NULL ORDER BY id DESC LIMIT ?",
            user_id,
            to_ms(since),
            limit,
        )
        return [_file(row) for row in rows]

    async def remove(self, user_id: UserId, message_id: WaMessageId) -> str:
        """Forget a file and the document that it was; returns its path, "" if there is none."""
        async with self._db.transaction() as tx:
            row = await tx.fetch_one(
                "DELETE FROM media WHERE user_id = ? AND message_id = ? RETURNING path", user_id, message_id
            )
        return "" if row is None else str(row["path"])

    async def list_paths(self, user_id: UserId) -> frozenset[str]:
        rows = await self._db.fetch_all("SELECT path FROM media WHERE user_id = ? AND path <> ''", user_id)
        return frozenset(row["path"] for row in rows)


class Documents:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(
        self, user_id: UserId, media_id: int, document: NewDocument, at: datetime, *, described: str
    ) -> Document:
        """Put a document on the person's shelf; `described` with its number is noted at its file.

        `described` has the placeholder `{number}`.
        """
        async with self._db.transaction() as tx:
            number = await next_number(user_id, "document", tx=tx)
            row = await tx.fetch_one(
                "INSERT INTO documents(user_id, media_id, number, title, language, page_count, read_pages, chars,"
                " tables, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
                user_id,
                media_id,
                number,
                document.title,
                document.language,
                document.page_count,
                document.read_pages,
                document.chars,
                json.dumps(document.tables),
                to_ms(at),
            )
            if row is None:
                raise LookupError("SQLite returned no row for a document that was added")
            await tx.execute_many(
                "INSERT INTO document_pieces(user_id, document_id, page, text) VALUES (?, ?, ?, ?)",
                [(user_id, row["id"], page, text) for page, text in document.pieces],
            )
            await tx.execute(
                "UPDATE media SET text = ? WHERE user_id = ? AND id = ?",
                described.replace("{number}", str(number)),
                user_id,
                media_id,
            )
        return _document(row)

    async def find_of(self, user_id: UserId, media_id: int) -> Document | None:
        row = await self._db.fetch_one(
            "SELECT * FROM documents WHERE user_id = ? AND media_id = ?", user_id, media_id
        )
        return None if row is None else _document(row)

    async def list_all(self, user_id: UserId, *, limit: int = 200) -> list[Document]:
        """Return the person's documents, newest first."""
        rows = await self._db.fetch_all(
            "SELECT * FROM documents WHERE user_id = ? ORDER BY number DESC LIMIT ?", user_id, limit
        )
        return [_document(row) for row in rows]

    async def read(
        self, user_id: UserId, document_id: int, first: int, last: int, *, limit: int = MOST_PIECES
    ) -> list[Piece]:
        """Return the text of those pages, in order; no more than `limit` pieces, of some 900 characters."""
        rows = await self._db.fetch_all(
            "SELECT * FROM document_pieces WHERE user_id = ? AND document_id = ? AND page BETWEEN ? AND ?"
            " ORDER BY page, id LIMIT ?",
            user_id,
            document_id,
            first,
            last,
            limit,
        )
        return [_piece(row) for row in rows]

    async def search(
        self, user_id: UserId, query: str, *, document_id: int | None = None, limit: int
    ) -> list[Piece]:
        """Return the pieces that share words with a query, best first."""
        expressions = match_expressions(query)
        if not expressions:
            return []
        words = word_search(self._db, "document_pieces_fts")
        rows = await self._db.fetch_all(
            f"SELECT document_pieces.*, -({words.cost}) AS score FROM document_pieces_fts"
            " CROSS JOIN document_pieces ON document_pieces.id = document_pieces_fts.rowid"
            f" WHERE {words.matches} AND document_pieces.user_id = ?2"
            " AND (CAST(?3 AS BIGINT) IS NULL OR document_pieces.document_id = ?3)"
            f" ORDER BY {words.cost} LIMIT ?4",
            expressions[-1],
            user_id,
            document_id,
            limit,
        )
        return [_piece(row, row["score"]) for row in rows]

    async def get_pieces(self, user_id: UserId, ids: Sequence[int]) -> list[Piece]:
        rows = await self._db.fetch_all(
            "SELECT * FROM document_pieces WHERE user_id = ?"
            " AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
            user_id,
            json.dumps(list(ids)),
        )
        return [_piece(row) for row in rows]


class VoiceChoices:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, user_id: UserId) -> tuple[VoiceMode, str]:
        """Return when a person is spoken to, and the voice that they chose ("" if none)."""
        row = await self._db.fetch_one("SELECT mode, voice FROM voice_choices WHERE user_id = ?", user_id)
        return ("auto", "") if row is None else (row["mode"], row["voice"])

    async def put(self, user_id: UserId, mode: VoiceMode, voice: str) -> None:
        async with self._db.transaction() as tx:
            await tx.execute(
                "INSERT INTO voice_choices(user_id, mode, voice) VALUES (?1, ?2, ?3)"
                " ON CONFLICT (user_id) DO UPDATE SET mode = ?2, voice = ?3",
                user_id,
                mode,
                voice,
            )


def _file(row: Row) -> MediaFile:
    return MediaFile(
        id=row["id"],
        message_id=WaMessageId(row["message_id"]),
        path=row["path"],
        mime_type=row["mime_type"],
        size_bytes=row["size_bytes"],
        created_at=from_ms(row["created_at"]),
        text=row["text"],
    )


def _document(row: Row) -> Document:
    return Document(
        id=row["id"],
        media_id=row["media_id"],
        number=row["number"],
        title=row["title"],
        language=row["language"],
        page_count=row["page_count"],
        read_pages=row["read_pages"],
        chars=row["chars"],
        tables=tuple(json.loads(row["tables"])),
        created_at=from_ms(row["created_at"]),
    )


def _piece(row: Row, rank: float = 0.0) -> Piece:
    return Piece(row["id"], row["document_id"], row["page"], row["text"], rank)
