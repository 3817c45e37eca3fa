"""Facts about a person: active ones are true as far as we know, inactive ones keep why they no longer are."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row, Transaction, Value
from app.database.full_text import of_owner, word_search
from app.database.repositories.acts import Undoable
from app.database.repositories.embeddings import TextSource
from app.database.repositories.users import next_number
from app.database.repository import Repository
from app.domain.clock import from_ms, to_ms
from app.domain.ids import TurnId, UserId
from app.memory.past import Days, Snapshots

State = Literal["active", "inactive"]
Reason = Literal["merged", "contradicted", "said_again", "removed_in_file"]
"""Why a fact is inactive: another says more, a newer one is true instead, another says the same (this one only
keeps it alive when that one's message is revoked), its owner took it out of MEMORY.md."""


@dataclass(frozen=True, slots=True)
class Memory:
    """`number` is what the owner says, 0 while the fact was never shown; `id` is ours."""

    id: int
    number: int
    text: str
    category: str
    state: State
    reason: Reason | None
    replaced_by: int | None
    turn_id: TurnId | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class NewMemory:
    """`turn_id` is None for what was typed in the file."""

    text: str
    text_key: str
    category: str
    turn_id: TurnId | None = None


@dataclass(frozen=True, slots=True)
class Mirror:
    """What MEMORY.md said when it and the table last agreed; `entries` is the mirror's own JSON."""

    file_hash: str
    entries: str


MEMORIES: Final = TextSource(
    "memory", "memories", "text", says="you know about the person", condition="state = 'active'"
)
SNAPSHOTS: Final = TextSource(
    "snapshot", "snapshots", "title || char(10) || text", says="an earlier conversation was about"
)


class Memories:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, user_id: UserId, new: NewMemory, at: datetime, *, tx: Transaction) -> Memory:
        """Keep an active fact under the owner's next number."""
        number = await next_number(user_id, "memory", tx=tx)
        return await self._insert(user_id, new, at, number=number, tx=tx)

    async def add_behind(
        self, user_id: UserId, new: NewMemory, memory_id: int, reason: Reason, at: datetime, *, tx: Transaction
    ) -> Memory:
        """Keep an inactive fact, never shown, behind the one that counts in its place."""
        return await self._insert(user_id, new, at, behind=(reason, memory_id), tx=tx)

    async def find(self, user_id: UserId, number: int, *, tx: Transaction | None = None) -> Memory | None:
        """Return the active fact with that number."""
        found = await self._list("user_id = ? AND number = ? AND state = 'active'", user_id, number, tx=tx)
        return found[0] if found else None

    async def find_by_id(self, user_id: UserId, memory_id: int, *, tx: Transaction | None = None) -> Memory | None:
        found = await self._list("user_id = ? AND id = ?", user_id, memory_id, tx=tx)
        return found[0] if found else None

    async def find_said(
        self, user_id: UserId, turn_id: TurnId, text_key: str, *, tx: Transaction
    ) -> Memory | None:
        """Return what that turn already said in those words, whatever became of it."""
        where = "user_id = ? AND source_turn_id = ? AND text_key = ? ORDER BY id LIMIT 1"
        found = await self._list(where, user_id, turn_id, text_key, tx=tx)
        return found[0] if found else None

    async def list_active(self, user_id: UserId, *, tx: Transaction | None = None) -> list[Memory]:
        """Return what is true about a person, in the order of the numbers."""
        return await self._list("user_id = ? AND state = 'active' ORDER BY number", user_id, tx=tx)

    async def list_newest(self, user_id: UserId, limit: int) -> list[Memory]:
        """Return what was learnt last about a person and is true, newest first."""
        return await self._list("user_id = ? AND state = 'active' ORDER BY number DESC LIMIT ?", user_id, limit)

    async def list_page(
        self, user_id: UserId, categories: Sequence[str], *, limit: int, offset: int = 0
    ) -> list[Memory]:
        """Return a page of what is true about a person, by category in that order, then in that of the numbers."""
        where = (
            "user_id = ? AND state = 'active' ORDER BY instr(?, ',' || category || ','), number LIMIT ? OFFSET ?"
        )
        return await self._list(where, user_id, f",{','.join(categories)},", limit, offset)

    async def count_active(self, user_id: UserId) -> int:
        row = await self._db.fetch_one(
            "SELECT count(*) AS n FROM memories WHERE user_id = ? AND state = 'active'", user_id
        )
        return 0 if row is None else int(row["n"])

    async def list_active_ids(self, user_id: UserId, ids: Iterable[int]) -> list[Memory]:
        """Return those of the given memories that are this person's and active."""
        where = (
            "user_id = ? AND state = 'active' AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
            " ORDER BY number"
        )
        return await self._list(where, user_id, json.dumps(list(ids)))

    async def list_behind(self, user_id: UserId, memory_id: int, *, tx: Transaction) -> list[Memory]:
        """Return the inactive facts that this one stands for or took the place of, oldest first."""
        where = "user_id = ? AND replaced_by = ? AND state = 'inactive' ORDER BY id"
        return await self._list(where, user_id, memory_id, tx=tx)

    async def list_of_turn(self, user_id: UserId, turn_id: TurnId, *, tx: Transaction) -> list[Memory]:
        """Return everything that came from a turn, newest first."""
        return await self._list("user_id = ? AND source_turn_id = ? ORDER BY id DESC", user_id, turn_id, tx=tx)

    async def search(self, user_id: UserId, stems: Sequence[str], *, limit: int) -> list[tuple[Memory, float]]:
        """Return active facts that hold any word beginning with one of the stems, with their BM25, best first.

        The score is positive; larger is better. Stems are letters and digits (`similarity.content_words`).
        """
        if not stems:
            return []
        any_of = " OR ".join(f'"{stem.replace(chr(34), "")}"*' for stem in stems)
        words = word_search(self._db, "memories_fts", has_owner=True)
        rows = await self._db.fetch_all(
            f"SELECT memories.*, {words.cost} AS score"
            " FROM memories_fts CROSS JOIN memories ON memories.id = memories_fts.rowid"
            f" WHERE {words.matches} AND memories.user_id = ?2 AND memories.state = 'active'"
            " ORDER BY score, memories.number DESC LIMIT ?3",
            of_owner(self._db, any_of, user_id, "text"),
            user_id,
            limit,
        )
        return [(_memory(row), -float(row["score"])) for row in rows]

    async def deactivate(
        self,
        user_id: UserId,
        memory_id: int,
        reason: Reason,
        at: datetime,
        *,
        replaced_by: int | None = None,
        tx: Transaction,
    ) -> bool:
        """Stop a fact from counting, and keep it with the reason; False when it was not active."""
        changed = await tx.execute(
            "UPDATE memories SET state = 'inactive', reason = ?, replaced_by = ?, updated_at = ?"
            " WHERE user_id = ? AND id = ? AND state = 'active'",
            reason,
            replaced_by,
            to_ms(at),
            user_id,
            memory_id,
        )
        return changed == 1

    async def reactivate(
        self, user_id: UserId, memory_id: int, at: datetime, *, number: int | None = None, tx: Transaction
    ) -> bool:
        """Let a fact count again, under its number, else the given, else the next; False when it was active."""
        row = await tx.fetch_one("SELECT number FROM memories WHERE user_id = ? AND id = ?", user_id, memory_id)
        if row is None:
            return False
        own = row["number"] or number or await next_number(user_id, "memory", tx=tx)
        changed = await tx.execute(
            "UPDATE memories SET state = 'active', reason = NULL, replaced_by = NULL, number = ?, updated_at = ?"
            " WHERE user_id = ? AND id = ? AND state = 'inactive'",
            own,
            to_ms(at),
            user_id,
            memory_id,
        )
        return changed == 1

    async def rehang(self, user_id: UserId, memory_id: int, on: int | None, *, tx: Transaction) -> None:
        """Let another fact stand for all that this one stood for."""
        await tx.execute(
            "UPDATE memories SET replaced_by = ? WHERE user_id = ? AND replaced_by = ? AND id IS NOT ?",
            on,
            user_id,
            memory_id,
            on,
        )

    async def rewrite(
        self, user_id: UserId, memory_id: int, new: NewMemory, at: datetime, *, tx: Transaction
    ) -> bool:
        """Change an active fact's text, category and source; False when it was not active."""
        changed = await tx.execute(
            "UPDATE memories SET text = ?, text_key = ?, category = ?, source_turn_id = ?, updated_at = ?"
            " WHERE user_id = ? AND id = ? AND state = 'active'",
            new.text,
            new.text_key,
            new.category,
            new.turn_id,
            to_ms(at),
            user_id,
            memory_id,
        )
        return changed == 1

    async def reword(
        self, user_id: UserId, memory_id: int, new: NewMemory, at: datetime, *, tx: Transaction
    ) -> bool:
        """Write a fact anew under its number; returns whether it still counted."""
        changed = await tx.execute(
            "UPDATE memories SET text = ?, text_key = ?, category = ?, updated_at = ?"
            " WHERE user_id = ? AND id = ? AND state = 'active'",
            new.text,
            new.text_key,
            new.category,
            to_ms(at),
            user_id,
            memory_id,
        )
        return bool(changed)

    async def delete(self, user_id: UserId, memory_id: int, *, tx: Transaction) -> bool:
        """Remove a fact for good; returns whether it was there."""
        return bool(await tx.execute("DELETE FROM memories WHERE user_id = ? AND id = ?", user_id, memory_id))

    async def said_at(self, user_id: UserId, turn_id: TurnId, *, tx: Transaction) -> datetime | None:
        """Return when that turn entered the conversation; None where it is not (yet) in it."""
        row = await tx.fetch_one(
            "SELECT min(created_at) AS at FROM messages WHERE user_id = ? AND turn_id = ?", user_id, turn_id
        )
        return None if row is None or row["at"] is None else from_ms(row["at"])

    async def mark_forgotten(
        self, user_id: UserId, fingerprints: Iterable[str], through: TurnId | None, *, tx: Transaction
    ) -> None:
        """Remember that no message up to that turn's (None: received so far) may bring these facts back."""
        await tx.execute_many(
            "INSERT INTO forgotten_memories(user_id, fingerprint, through_turn_id)"
            " VALUES (?1, ?2, coalesce(?3, max((SELECT coalesce(max(id), 0) FROM inbox WHERE user_id = ?1),"
            " (SELECT coalesce(max(source_turn_id), 0) FROM memories WHERE user_id = ?1))))"
            " ON CONFLICT (user_id, fingerprint) DO UPDATE SET through_turn_id = excluded.through_turn_id",
            [(user_id, fingerprint, through) for fingerprint in fingerprints],
        )

    async def is_forgotten(
        self, user_id: UserId, fingerprints: Iterable[str], turn_id: TurnId, *, tx: Transaction
    ) -> bool:
        """Tell whether any of these facts was forgotten after that turn's message."""
        row = await tx.fetch_one(
            "SELECT 1 FROM forgotten_memories WHERE user_id = ? AND through_turn_id >= ?"
            " AND fingerprint IN (SELECT value FROM json_each(?)) LIMIT 1",
            user_id,
            turn_id,
            json.dumps(list(fingerprints)),
        )
        return row is not None

    async def last_number(self, user_id: UserId) -> int:
        """Return the largest number ever given to a fact of this person."""
        row = await self._db.fetch_one(
            "SELECT last FROM user_numbers WHERE user_id = ? AND kind = 'memory'", user_id
        )
        return 0 if row is None else int(row["last"])

    async def find_mirror(self, user_id: UserId) -> Mirror | None:
        row = await self._db.fetch_one("SELECT * FROM memory_mirrors WHERE user_id = ?", user_id)
        return None if row is None else Mirror(row["file_hash"], row["entries"])

    async def save_mirror(self, user_id: UserId, mirror: Mirror, at: datetime, *, tx: Transaction) -> None:
        """Keep the state of the person's file; nothing happens when the person is no longer there."""
        await tx.execute(
            "INSERT INTO memory_mirrors(user_id, file_hash, entries, updated_at)"
            " SELECT user_id, ?2, ?3, ?4 FROM users WHERE user_id = ?1"
            " ON CONFLICT (user_id) DO UPDATE SET file_hash = excluded.file_hash, entries = excluded.entries,"
            " updated_at = excluded.updated_at",
            user_id,
            mirror.file_hash,
            mirror.entries,
            to_ms(at),
        )

    async def _list(self, where: str, *values: Value, tx: Transaction | None = None) -> list[Memory]:
        rows = await (tx or self._db).fetch_all(f"SELECT * FROM memories WHERE {where}", *values)
        return [_memory(row) for row in rows]

    async def _insert(
        self,
        user_id: UserId,
        new: NewMemory,
        at: datetime,
        *,
        number: int | None = None,
        behind: tuple[Reason, int] | None = None,
        tx: Transaction,
    ) -> Memory:
        reason, replaced_by = behind or (None, None)
        row = await tx.fetch_one(
            "INSERT INTO memories(user_id, number, text, text_key, category, state, reason, replaced_by,"
            " source_turn_id, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)"
            " RETURNING *",
            user_id,
            number,
            new.text,
            new.text_key,
            new.category,
            "active" if number is not None else "inactive",
            reason,
            replaced_by,
            new.turn_id,
            to_ms(at),
        )
        assert row is not None, "an insert with RETURNING gives its row"  # noqa: S101
        return _memory(row)


def _memory(row: Row) -> Memory:
    return Memory(
        id=row["id"],
        number=row["number"] or 0,
        text=row["text"],
        category=row["category"],
        state=row["state"],
        reason=row["reason"],
        replaced_by=row["replaced_by"],
        turn_id=None if row["source_turn_id"] is None else TurnId(row["source_turn_id"]),
        created_at=from_ms(row["created_at"]),
        updated_at=from_ms(row["updated_at"]),
    )


UNDOABLE: Final = Undoable(
    "memories", ("number", "text", "text_key", "category", "state", "reason", "replaced_by", "updated_at")
)


class MemoryRepository:
    """The tables of this room, and those of the core that are read and written together with them."""

    def __init__(self, core: Repository, db: Database) -> None:
        self.memories = Memories(db)
        self.days = Days(db)
        self.snapshots = Snapshots(db)
        self.users = core.users
        self.directory = core.directory
        self.conversations = core.conversations
        self.summaries = core.summaries
        self.traces = core.traces
        self.embeddings = core.embeddings
        self.transaction = core.transaction
        self.recorded = core.recorded
