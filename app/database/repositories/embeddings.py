"""Embeddings: what a model made of texts that are to be found by meaning."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from app.database.db import Database, Row, Transaction
from app.domain.clock import to_ms
from app.domain.ids import UserId

EmbeddingKind: TypeAlias = str
"""The kind of text that a `TextSource` brings: "memory", "note"."""

FLOAT_BYTES: Final = 4
MAX_CHARS: Final = 2000
"""How much of a text a model gets to read: the mean of more of it says little."""


@dataclass(frozen=True, slots=True)
class TextSource:
    """Texts that are to be found by their meaning.

    `table` has the columns `id` and `user_id`; `text` is an expression over its columns, and rows that do not
    fulfil `condition` do not count. Triggers of the table delete the embedding of a row that goes or changes.
    `says` introduces such a text to a model that is reminded of it: "a note of theirs says"; "" where the texts'
    own ability reminds it.
    """

    kind: EmbeddingKind
    table: str
    text: str
    says: str
    condition: str = "true"

    @property
    def select(self) -> str:
        """The rows there are to read. A text of blanks has no meaning to find."""
        return (
            f"SELECT id, user_id, substr({self.text}, 1, {MAX_CHARS}) AS text FROM {self.table}"
            f" WHERE {self.condition} AND trim({self.text}, ' ' || char(10)) <> ''"
        )


@dataclass(frozen=True, slots=True)
class Readable:
    """A text as a model gets to read it; `owner_id` is its row in the kind's own table."""

    user_id: UserId
    kind: EmbeddingKind
    owner_id: int
    text: str


class Embeddings:
    """What models made of the texts of every source that was added."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._sources: dict[EmbeddingKind, TextSource] = {}
        self._listed_for: str | None = None

    @property
    def kinds(self) -> tuple[EmbeddingKind, ...]:
        return tuple(self._sources)

    def add(self, source: TextSource) -> None:
        """Have the texts of one more kind read, too."""
        self._sources[source.kind] = source
        self._listed_for = None

    def says(self, kind: EmbeddingKind) -> str:
        """Return what introduces a text of that kind."""
        return self._sources[kind].says

    async def find_text(self, user_id: UserId, kind: EmbeddingKind, owner_id: int) -> Readable | None:
        """Return what there is to read in the owner's row; None when it is gone, inactive or blank."""
        row = await self._db.fetch_one(
            f"{self._sources[kind].select} AND user_id = ? AND id = ?", user_id, owner_id
        )
        return None if row is None else _readable(kind, row)

    async def put(
        self, user_id: UserId, read: Readable, vector: bytes, *, model: str, at: datetime, tx: Transaction
    ) -> bool:
        """Keep what the model made of the text, unless the row changed or vanished meanwhile.

        An empty vector notes that this model cannot read this text. Returns whether it was kept.
        """
        now = await tx.fetch_one(
            f"{self._sources[read.kind].select} AND user_id = ? AND id = ?", user_id, read.owner_id
        )
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
        await tx.execute("DELETE FROM unread_texts WHERE kind = ? AND owner_id = ?", read.kind, read.owner_id)
        return True

    async def list_missing(self, model: str, *, limit: int) -> list[Readable]:
        """Return texts of anybody that this model has not read: kind by kind, the newest of each first."""
        if self._listed_for != model:
            await self._list_unread(model)
            self._listed_for = model
        if not await self._db.fetch_all("SELECT 1 FROM unread_texts WHERE kind > '' LIMIT 1"):
            return []
        found: list[Readable] = []
        for kind, source in self._sources.items():
            rows = await self._db.fetch_all(
                f"SELECT t.* FROM unread_texts AS u CROSS JOIN ({source.select}) AS t ON t.id = u.owner_id"
                " WHERE u.kind = ? ORDER BY u.owner_id DESC LIMIT ?",
                kind,
                limit - len(found),
            )
            found += [_readable(kind, row) for row in rows]
        return found

    async def _list_unread(self, model: str) -> None:
        """Go through all texts once: what another model read is unread by this one."""
        async with self._db.transaction() as tx:
            for kind, source in self._sources.items():
                await tx.execute(
                    "INSERT INTO unread_texts(kind, owner_id)"
                    f" SELECT ?1, t.id FROM ({source.select}) AS t WHERE NOT EXISTS (SELECT 1 FROM embeddings AS e"
                    " WHERE e.kind = ?1 AND e.owner_id = t.id AND e.model = ?2)"
                    " ON CONFLICT DO NOTHING",
                    kind,
                    model,
                )


def _readable(kind: EmbeddingKind, row: Row) -> Readable:
    return Readable(UserId(row["user_id"]), kind, row["id"], row["text"])
