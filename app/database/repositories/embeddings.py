"""Embeddings: what a model made of memories, notes, project notes and snapshots."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import to_ms
from app.domain.ids import UserId

EmbeddingKind = Literal["memory", "note", "project_note", "snapshot"]
KINDS: Final[tuple[EmbeddingKind, ...]] = ("memory", "note", "project_note", "snapshot")

FLOAT_BYTES: Final = 4
MAX_CHARS: Final = 2000
"""How much of a text a model gets to read: the mean of more of it says little."""

# What there is to read. A text of blanks has no meaning to find.
_SOURCES: Final[Mapping[EmbeddingKind, str]] = MappingProxyType(
    {
        "memory": (
            f"SELECT id, user_id, substr(text, 1, {MAX_CHARS}) AS text FROM memories"
            " WHERE state = 'active' AND trim(text) <> ''"
        ),
        "note": (
            f"SELECT id, user_id, substr(title || char(10) || content, 1, {MAX_CHARS}) AS text FROM notes"
            " WHERE trim(title || content) <> ''"
        ),
        "project_note": (
            f"SELECT id, user_id, substr(content, 1, {MAX_CHARS}) AS text FROM project_notes"
            " WHERE trim(content) <> ''"
        ),
        "snapshot": (
            f"SELECT id, user_id, substr(title || char(10) || text, 1, {MAX_CHARS}) AS text FROM snapshots"
            " WHERE trim(title || text) <> ''"
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Readable:
    """A text as a model gets to read it; `owner_id` is its row in the kind's own table."""

    user_id: UserId
    kind: EmbeddingKind
    owner_id: int
    text: str


class Embeddings:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def find_text(self, user_id: UserId, kind: EmbeddingKind, owner_id: int) -> Readable | None:
        """Return what there is to read in the owner's row; None when it is gone, inactive or blank."""
        row = await self._db.fetch_one(f"{_SOURCES[kind]} AND user_id = ? AND id = ?", user_id, owner_id)
        return None if row is None else _readable(kind, row)

    async def put(
        self, user_id: UserId, read: Readable, vector: bytes, *, model: str, at: datetime, tx: Transaction
    ) -> bool:
        """Keep what the model made of the text, unless the row changed or vanished meanwhile.

        An empty vector notes that this model cannot read this text. Returns whether it was kept.
        """
        now = await tx.fetch_one(f"{_SOURCES[read.kind]} AND user_id = ? AND id = ?", user_id, read.owner_id)
        if now is None or now["text"] != read.text:
            return False
        await tx.execute(
            "DELETE FROM embeddings WHERE kind = ? AND owner_id = ? AND model = ?", read.kind, read.owner_id, model
        )
        await tx.execute(
            "INSERT INTO embeddings(user_id, kind, owner_id, model, dims, vector, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            user_id,
            read.kind,
            read.owner_id,
            model,
            len(vector) // FLOAT_BYTES,
            vector,
            to_ms(at),
        )
        return True

    async def count(self, user_id: UserId, *, model: str) -> int:
        """Count the owner's texts that this model has read."""
        row = await self._db.fetch_one(
            "SELECT count(*) AS n FROM embeddings WHERE user_id = ? AND model = ? AND dims > 0", user_id, model
        )
        return int(row["n"]) if row is not None else 0


class EmbeddingQueue:
    """What is still to be read, for all users."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_missing(self, model: str, *, limit: int) -> list[Readable]:
        """Return texts that this model has not read: memories first, then notes, the newest of each first."""
        found: list[Readable] = []
        for kind in KINDS:
            rows = await self._db.fetch_all(
                f"SELECT t.* FROM ({_SOURCES[kind]}) AS t WHERE NOT EXISTS (SELECT 1 FROM embeddings AS e"
                " WHERE e.kind = ? AND e.owner_id = t.id AND e.model = ?) ORDER BY t.id DESC LIMIT ?",
                kind,
                model,
                limit - len(found),
            )
            found += [_readable(kind, row) for row in rows]
        return found


def _readable(kind: EmbeddingKind, row: Row) -> Readable:
    return Readable(UserId(row["user_id"]), kind, row["id"], row["text"])
