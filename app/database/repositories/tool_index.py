"""What tools are searched by: their words in full-text search, and their vectors. It belongs to no user."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from app.database.db import Database
from app.database.full_text import word_search

# By column: the name, the description, the parameters, other words for it. A name says most in the fewest words.
_WEIGHTS: Final = (4.0, 1.0, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class ToolText:
    """What there is to search of a tool; `sha` tells whether it changed, `alt` holds other words for it."""

    name: str
    sha: str
    title: str
    description: str
    params: str
    alt: str


@dataclass(frozen=True, slots=True)
class ToolVector:
    """What one model made of a tool; `tool_id` is its row, `hub` its mean cosine with messages about anything."""

    tool_id: int
    vector: bytes
    hub: float


class ToolIndexRows:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def ids(self) -> dict[str, tuple[int, str]]:
        """Return row and sha of every tool, by name."""
        rows = await self._db.fetch_all("SELECT id, name, sha FROM tool_index ORDER BY id")
        return {row["name"]: (row["id"], row["sha"]) for row in rows}

    async def replace(self, gone: Collection[str], new: Sequence[ToolText]) -> dict[str, int]:
        """Drop tools with their vectors and add others, all or nothing; returns the rows of the new ones."""
        async with self._db.transaction() as tx:
            await tx.execute_many("DELETE FROM tool_index WHERE name = ?", [(name,) for name in gone])
            await tx.execute_many(
                "INSERT INTO tool_index(name, sha, title, description, params, alt) VALUES (?, ?, ?, ?, ?, ?)",
                [(one.name, one.sha, one.title, one.description, one.params, one.alt) for one in new],
            )
            rows = await tx.fetch_all("SELECT id, name FROM tool_index ORDER BY id DESC LIMIT ?", len(new))
        return {row["name"]: row["id"] for row in rows}

    async def search(self, expression: str, *, limit: int) -> list[tuple[str, float]]:
        """Return the tools that match the FTS5 expression, best first, with scores of which more is better."""
        words = word_search(self._db, "tool_index_fts", *_WEIGHTS)
        rows = await self._db.fetch_all(
            f"WITH found AS (SELECT rowid AS id, {words.cost} AS cost FROM tool_index_fts"
            f" WHERE {words.matches} ORDER BY cost, rowid LIMIT ?2)"
            " SELECT t.name, -found.cost AS score FROM found JOIN tool_index AS t ON t.id = found.id"
            " ORDER BY found.cost, found.id",
            expression,
            limit,
        )
        return [(row["name"], row["score"]) for row in rows]

    async def vectors(self, model: str) -> list[ToolVector]:
        """Return what a model has read so far."""
        rows = await self._db.fetch_all(
            "SELECT tool_id, vector, hub FROM tool_vectors WHERE model = ? ORDER BY tool_id", model
        )
        return [ToolVector(row["tool_id"], row["vector"], row["hub"]) for row in rows]

    async def put(self, model: str, vectors: Sequence[ToolVector]) -> None:
        """Keep what a model made of tools, but for those whose row is gone meanwhile."""
        async with self._db.transaction() as tx:
            await tx.execute_many(
                "INSERT INTO tool_vectors(tool_id, model, vector, hub)"
                " SELECT id, ?2, ?3, ?4 FROM tool_index WHERE id = ?1"
                " ON CONFLICT (tool_id, model) DO UPDATE SET vector = excluded.vector, hub = excluded.hub",
                [(one.tool_id, model, one.vector, one.hub) for one in vectors],
            )

    async def keep_models(self, models: Collection[str]) -> None:
        """Forget what other models made: nobody asks them any more."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "DELETE FROM tool_vectors WHERE model NOT IN (SELECT value FROM json_each(?))",
                json.dumps(list(models)),
            )
