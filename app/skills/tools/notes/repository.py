"""Notes: short texts a person wants kept, numbered per person."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.database.db import Database, Row
from app.database.full_text import word_search
from app.database.repositories.acts import Act, Undoable, recorded
from app.database.repositories.embeddings import TextSource
from app.database.repositories.matching import first_found
from app.database.repositories.users import next_number
from app.domain.clock import from_ms, to_ms
from app.domain.ids import UserId

UNDOABLE: Final = Undoable("notes", ("title", "content"))
TEXTS: Final = TextSource("note", "notes", "title || char(10) || content", says="a note of theirs says")


@dataclass(frozen=True, slots=True)
class Note:
    """`number` is what the owner says; it is never given twice, not even after a deletion."""

    number: int
    title: str
    content: str
    created_at: datetime

    @property
    def name(self) -> str:
        return self.title

    @property
    def text(self) -> str:
        return f"{self.title}\n{self.content}"


class Notes:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, user_id: UserId, title: str, content: str, at: datetime, act: Act | None = None) -> Note:
        """Keep a note and give it the owner's next number."""
        async with recorded(self._db, act) as tx:
            number = await next_number(user_id, "note", tx=tx)
            await tx.execute(
                "INSERT INTO notes(user_id, number, title, content, created_at) VALUES (?, ?, ?, ?, ?)",
                user_id,
                number,
                title,
                content,
                to_ms(at),
            )
        return Note(number, title, content, at)

    async def find(self, user_id: UserId, number: int) -> Note | None:
        row = await self._db.fetch_one("SELECT * FROM notes WHERE user_id = ? AND number = ?", user_id, number)
        return None if row is None else _note(row)

    async def list_recent(self, user_id: UserId, *, limit: int, offset: int = 0) -> list[Note]:
        """Return the owner's notes, newest first, without the `offset` newest ones."""
        rows = await self._db.fetch_all(
            "SELECT * FROM notes WHERE user_id = ? ORDER BY number DESC LIMIT ? OFFSET ?", user_id, limit, offset
        )
        return [_note(row) for row in rows]

    async def count(self, user_id: UserId) -> int:
        row = await self._db.fetch_one("SELECT count(*) AS n FROM notes WHERE user_id = ?", user_id)
        return int(row["n"]) if row is not None else 0

    async def search(self, user_id: UserId, query: str, *, limit: int) -> list[Note]:
        """Return the notes that hold the words, best first: all of them, else any, else the text as it stands.

        Case, accents and plural endings do not count. Any text is a valid query.
        """
        words = word_search(self._db, "notes_fts")

        async def full_text(expression: str) -> list[Row]:
            # CROSS: the words first. Else SQLite goes through the person's rows, and searches anew for each.
            return await self._db.fetch_all(
                "SELECT notes.* FROM notes_fts CROSS JOIN notes ON notes.id = notes_fts.rowid"
                f" WHERE {words.matches} AND notes.user_id = ?2"
                f" ORDER BY {words.cost}, notes.number DESC LIMIT ?3",
                expression,
                user_id,
                limit,
            )

        async def like(pattern: str) -> list[Row]:
            return await self._db.fetch_all(
                "SELECT * FROM notes WHERE user_id = ?1"
                " AND (title LIKE ?2 ESCAPE '\\' OR content LIKE ?2 ESCAPE '\\')"
                " ORDER BY number DESC LIMIT ?3",
                user_id,
                pattern,
                limit,
            )

        return [_note(row) for row in await first_found(query, full_text, like)]

    async def find_by_id(self, user_id: UserId, note_id: int) -> Note | None:
        row = await self._db.fetch_one("SELECT * FROM notes WHERE user_id = ? AND id = ?", user_id, note_id)
        return None if row is None else _note(row)

    async def change(
        self, user_id: UserId, before: Note, title: str, content: str, act: Act | None = None
    ) -> bool:
        """Write a note anew; returns whether it was still what it was before."""
        async with recorded(self._db, act) as tx:
            changed = await tx.execute(
                "UPDATE notes SET title = ?, content = ? WHERE user_id = ? AND number = ? AND content = ?",
                title,
                content,
                user_id,
                before.number,
                before.content,
            )
        return bool(changed)

    async def delete(self, user_id: UserId, number: int, act: Act | None = None) -> bool:
        """Forget a note; returns whether it was there."""
        async with recorded(self._db, act) as tx:
            return bool(await tx.execute("DELETE FROM notes WHERE user_id = ? AND number = ?", user_id, number))


def _note(row: Row) -> Note:
    return Note(row["number"], row["title"], row["content"], from_ms(row["created_at"]))
