"""Both vector indexes: the nearest texts of one user, of living rows, of one model, and nothing else."""

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import MEMORY, Database
from app.database.repositories.embeddings import EmbeddingKind
from app.database.repository import Repository
from app.database.vectors import BruteForceIndex, Hit, SqliteVecIndex, VectorIndex, open_index
from app.domain.ids import UserId
from app.llm.unit_vectors import unit_vectors
from tests.databases import migrated
from tests.examples import some
from tests.rooms import text_sources

NOW: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ANA, BEN = UserId("ana"), UserId("ben")
MODEL = "m"
INDEXES: Final = ("sqlite-vec", "brute force")
TEXT_COLUMNS: Final = {"memory": "text", "note": "content", "project_note": "content", "snapshot": "text"}
TABLES: Final = {
    "memory": "memories",
    "note": "notes",
    "project_note": "project_notes",
    "snapshot": "snapshots",
}
THERE: Final = {"memory", "snapshot", *(source.kind for source in text_sources())}
KINDS: Final = tuple(kind for kind in TABLES if kind in THERE)


@dataclass
class World:
    """A database with two users, and an index over it."""

    db: Database
    repository: Repository
    index: VectorIndex

    async def add(self, user_id: UserId, kind: EmbeddingKind, text: str) -> int:
        """Write a row of that kind; returns its id."""
        async with self.db.transaction() as tx:
            row = await tx.fetch_one("SELECT coalesce(max(id), 0) + 1 AS n FROM " + TABLES[kind])
            assert row is not None
            n = row["n"]
            await tx.execute(STATEMENTS[kind], n, user_id, text)
        return int(n)

    async def put(
        self, user_id: UserId, kind: EmbeddingKind, owner_id: int, vector: Sequence[float], *, model: str = MODEL
    ) -> bool:
        """Store a vector for a row, as the indexer does."""
        read = await self.repository.embeddings.find_text(user_id, kind, owner_id)
        assert read is not None
        (packed,) = unit_vectors([vector])
        async with self.db.transaction() as tx:
            if model == MODEL:
                await self.index.make_room(len(vector), tx=tx)
            return await self.repository.embeddings.put(user_id, read, packed, model=model, at=NOW, tx=tx)

    async def learn(self, user_id: UserId, kind: EmbeddingKind, vector: Sequence[float]) -> int:
        owner_id = await self.add(user_id, kind, f"text {vector}")
        assert await self.put(user_id, kind, owner_id, vector)
        return owner_id

    async def search(
        self, user_id: UserId, vector: Sequence[float], *, kinds: Sequence[EmbeddingKind] = KINDS, limit: int = 10
    ) -> list[Hit]:
        (packed,) = unit_vectors([vector])
        return await self.index.search(user_id, packed, kinds=kinds, limit=limit)

    async def found(self, user_id: UserId, vector: Sequence[float] = (1, 0, 0)) -> list[tuple[EmbeddingKind, int]]:
        return [(hit.kind, hit.owner_id) for hit in await self.search(user_id, vector)]


STATEMENTS: Final = {
    "memory": "INSERT INTO memories(id, user_id, number, text, text_key, created_at, updated_at)"
    " VALUES (?1, ?2, ?1, ?3, ?3, 0, 0)",
    "note": "INSERT INTO notes(id, user_id, number, title, content, created_at)"
    " VALUES (?1, ?2, ?1, 'title', ?3, 0)",
    "project_note": "INSERT INTO project_notes(id, user_id, project_id, number, content, created_at)"
    " VALUES (?1, ?2, (SELECT id FROM projects WHERE user_id = ?2), ?1, ?3, 0)",
    "snapshot": "INSERT INTO snapshots(id, user_id, number, conversation_id, title, text, started_at, ended_at,"
    " created_at) VALUES (?1, ?2, ?1, (SELECT min(id) FROM conversations WHERE user_id = ?2 AND id NOT IN"
    " (SELECT conversation_id FROM snapshots)), 'title', ?3, 0, 0, 0)",
}


async def settle(db: Database) -> None:
    """Two users, each with a project and some conversations."""
    async with db.transaction() as tx:
        for user_id in (ANA, BEN):
            await tx.execute(
                "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'es', 0, 0)", user_id
            )
            if "project_note" in KINDS:
                await tx.execute(
                    "INSERT INTO projects(user_id, number, name, name_key, created_at) VALUES (?, 1, 'p', 'p', 0)",
                    user_id,
                )
            for _ in range(30):
                await tx.execute(
                    "INSERT INTO conversations(user_id, started_at, ended_at) VALUES (?, 0, 0)", user_id
                )


@asynccontextmanager
async def opened(name: str, path: Path | str = MEMORY) -> AsyncIterator[World]:
    async with migrated(path) as db:
        if await db.fetch_one("SELECT 1 FROM conversations") is None:
            await settle(db)
        if name == "brute force":
            db.has_vectors = False
        elif not db.has_vectors:
            pytest.skip("no SQLite here can load extensions")
        repository = Repository(db)
        for source in text_sources():
            repository.embeddings.add(source)
        yield World(db, repository, await open_index(db, MODEL))


@pytest.fixture(params=INDEXES)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with opened(request.param) as made:
        yield made


async def test_the_index_in_use_is_the_one_that_the_database_allows() -> None:
    async with opened("brute force") as exact:
        assert isinstance(exact.index, BruteForceIndex)
    async with opened("sqlite-vec") as fast:
        assert isinstance(fast.index, SqliteVecIndex)


async def test_nothing_is_found_where_nothing_was_read(world: World) -> None:
    assert await world.search(ANA, (1, 0, 0)) == []


@pytest.mark.needs("notes")
async def test_the_nearest_comes_first_with_its_cosine(world: World) -> None:
    far = await world.learn(ANA, "memory", (0, 1, 0))
    near = await world.learn(ANA, "note", (4, 3, 0))
    opposite = await world.learn(ANA, "memory", (-2, 0, 0))

    hits = await world.search(ANA, (1, 0, 0))

    assert [(hit.kind, hit.owner_id) for hit in hits] == [("note", near), ("memory", far), ("memory", opposite)]
    assert [hit.similarity for hit in hits] == pytest.approx([0.8, 0, -1], abs=1e-6)
    assert await world.search(ANA, (1, 0, 0), limit=1) == hits[:1]
    assert await world.search(ANA, (1, 0, 0), limit=0) == []


async def test_only_the_kinds_that_were_asked_for_are_found(world: World) -> None:
    ids = {kind: await world.learn(ANA, kind, (1, n, 0)) for n, kind in enumerate(KINDS)}

    assert await world.found(ANA) == list(ids.items())
    for kind in KINDS:
        hits = await world.search(ANA, (1, 0, 0), kinds=[kind])
        assert [(hit.kind, hit.owner_id) for hit in hits] == [(kind, ids[kind])]
    assert await world.search(ANA, (1, 0, 0), kinds=[]) == []


async def test_nobody_finds_what_is_somebody_elses_however_near_it_is(world: World) -> None:
    hers = [await world.learn(ANA, kind, (0, 1, 0)) for kind in KINDS]
    for kind in KINDS:
        for _ in range(5):
            await world.learn(BEN, kind, (1, 0, 0))

    assert await world.found(ANA) == list(zip(KINDS, hers, strict=True))
    assert len(await world.found(BEN)) == 10


@pytest.mark.parametrize("kind", KINDS)
async def test_a_deleted_row_is_never_found_again(world: World, kind: EmbeddingKind) -> None:
    gone, kept = await world.learn(ANA, kind, (1, 0, 0)), await world.learn(ANA, kind, (0, 1, 0))
    async with world.db.transaction() as tx:
        assert await tx.execute(f"DELETE FROM {TABLES[kind]} WHERE id = ?", gone) == 1

    assert await world.found(ANA) == [(kind, kept)]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_row_that_was_edited_is_not_found_until_it_is_read_again(
    world: World, kind: EmbeddingKind
) -> None:
    owner_id = await world.learn(ANA, kind, (1, 0, 0))
    async with world.db.transaction() as tx:
        await tx.execute(f"UPDATE {TABLES[kind]} SET {TEXT_COLUMNS[kind]} = 'new' WHERE id = ?", owner_id)
    assert await world.found(ANA) == []

    await world.put(ANA, kind, owner_id, (0, 1, 0))

    assert [hit.similarity for hit in await world.search(ANA, (0, 1, 0))] == pytest.approx([1])


async def test_a_fact_that_became_inactive_is_not_found(world: World) -> None:
    owner_id = await world.learn(ANA, "memory", (1, 0, 0))
    async with world.db.transaction() as tx:
        await tx.execute("UPDATE memories SET state = 'inactive' WHERE id = ?", owner_id)

    assert await world.found(ANA) == []
    assert await world.repository.embeddings.find_text(ANA, "memory", owner_id) is None


async def test_a_fact_whose_category_changes_stays_read(world: World) -> None:
    owner_id = await world.learn(ANA, "memory", (1, 0, 0))
    async with world.db.transaction() as tx:
        await tx.execute("UPDATE memories SET category = 'home', text = text, state = 'active'")

    assert await world.found(ANA) == [("memory", owner_id)]


@pytest.mark.needs("notes")
async def test_with_the_user_all_vectors_go(world: World) -> None:
    for kind in KINDS:
        await world.learn(ANA, kind, (1, 0, 0))
    his = await world.learn(BEN, "note", (1, 0, 0))
    async with world.db.transaction() as tx:
        await tx.execute("DELETE FROM users WHERE user_id = ?", ANA)

    assert await world.found(ANA) == []
    assert await world.found(BEN) == [("note", his)]
    assert [row["user_id"] for row in await world.db.fetch_all("SELECT user_id FROM embeddings")] == [BEN]


async def test_what_a_failed_transaction_wrote_is_not_found(world: World) -> None:
    kept = await world.learn(ANA, "memory", (0, 1, 0))
    owner_id = await world.add(ANA, "memory", "text")
    read = await world.repository.embeddings.find_text(ANA, "memory", owner_id)
    assert read is not None

    async def fail() -> None:
        async with world.db.transaction() as tx:
            await tx.execute("DELETE FROM memories WHERE id = ?", kept)
            (vector,) = unit_vectors([(1, 0, 0)])
            await world.repository.embeddings.put(ANA, read, vector, model=MODEL, at=NOW, tx=tx)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert await world.found(ANA) == [("memory", kept)]


async def test_a_vector_of_another_model_is_never_compared(world: World) -> None:
    owner_id = await world.add(ANA, "memory", "text")
    assert await world.put(ANA, "memory", owner_id, (1, 0, 0), model="another")
    assert await world.found(ANA) == []

    await world.put(ANA, "memory", owner_id, (0, 1, 0))

    assert [hit.similarity for hit in await world.search(ANA, (1, 0, 0))] == pytest.approx([0], abs=1e-6)


@pytest.mark.needs("notes")
async def test_when_the_vectors_change_their_size_the_old_ones_are_dropped(world: World) -> None:
    await world.learn(ANA, "memory", (1, 0, 0))
    his = await world.learn(BEN, "note", (1, 0, 0, 0))

    assert await world.search(ANA, (1, 0, 0)) == []
    assert await world.found(BEN, (1, 0, 0, 0)) == [("note", his)]
    assert [one.kind for one in await world.repository.embeddings.list_missing(MODEL, limit=9)] == ["memory"]


@pytest.mark.needs("notes")
async def test_a_text_that_changed_while_it_was_read_is_not_stored(world: World) -> None:
    owner_id = await world.add(ANA, "note", "old")
    read = await world.repository.embeddings.find_text(ANA, "note", owner_id)
    assert read is not None
    (vector,) = unit_vectors([(1, 0, 0)])
    async with world.db.transaction() as tx:
        await world.index.make_room(3, tx=tx)
        await tx.execute("UPDATE notes SET content = 'new' WHERE id = ?", owner_id)
        assert not await world.repository.embeddings.put(ANA, read, vector, model=MODEL, at=NOW, tx=tx)
        assert not await world.repository.embeddings.put(BEN, read, vector, model=MODEL, at=NOW, tx=tx)

    assert await world.found(ANA) == await world.found(BEN) == []


@pytest.mark.needs("notes")
async def test_an_unreadable_text_is_neither_found_nor_missing(world: World) -> None:
    owner_id = await world.add(ANA, "note", "old")
    read = await world.repository.embeddings.find_text(ANA, "note", owner_id)
    assert read is not None
    async with world.db.transaction() as tx:
        assert await world.repository.embeddings.put(ANA, read, b"", model=MODEL, at=NOW, tx=tx)

    assert await world.found(ANA) == []
    assert await world.repository.embeddings.list_missing(MODEL, limit=9) == []


@pytest.mark.parametrize("first", INDEXES)
@pytest.mark.parametrize("second", INDEXES)
@pytest.mark.needs("notes")
async def test_after_a_restart_the_index_holds_what_is_stored(tmp_path: Path, first: str, second: str) -> None:
    path = tmp_path / "w.db"
    async with opened(first, path) as before:
        gone = await before.learn(ANA, "memory", (1, 0, 0))
        kept = await before.learn(ANA, "note", (0, 1, 0))
    async with opened(second, path) as meanwhile:
        assert await meanwhile.found(ANA) == [("memory", gone), ("note", kept)]
        async with meanwhile.db.transaction() as tx:
            await tx.execute("DELETE FROM memories WHERE id = ?", gone)
        added = await meanwhile.learn(ANA, "note", (1, 1, 0))
    async with opened(first, path) as after:
        assert await after.found(ANA) == [("note", added), ("note", kept)]
        assert await after.found(BEN) == []


@pytest.mark.parametrize("name", INDEXES)
async def test_after_a_change_of_model_only_its_own_vectors_are_found(tmp_path: Path, name: str) -> None:
    path = tmp_path / "w.db"
    async with opened(name, path) as world:
        old = await world.learn(ANA, "memory", (1, 0, 0))
        await world.put(ANA, "memory", old, (1, 0, 0, 0, 0), model="new's")
    async with opened(name, path) as world:
        index = await open_index(world.db, "new's")
        (wanted,) = unit_vectors([(1, 0, 0, 0, 0)])
        hits = await index.search(ANA, wanted, kinds=KINDS, limit=5)
        assert [(hit.kind, hit.owner_id) for hit in hits] == [("memory", old)]
        (wanted,) = unit_vectors([(1, 0, 0)])
        assert await index.search(ANA, wanted, kinds=KINDS, limit=5) == []


@pytest.mark.parametrize("last", ["brute force", "no model"])
async def test_no_deleted_vector_stays_in_the_file(tmp_path: Path, last: str) -> None:
    path = tmp_path / "w.db"
    vector = [math.pi, math.e, *range(3, 40)]
    async with opened("sqlite-vec", path) as world:
        owner_id = await world.learn(ANA, "memory", vector)
        other = await world.learn(ANA, "memory", [1.0] * len(vector))
    (packed,) = unit_vectors([vector])
    assert packed in stored_bytes(path)
    async with opened("brute force" if last == "brute force" else "sqlite-vec", path) as world:
        if last == "no model":
            await open_index(world.db, None)
        async with world.db.transaction() as tx:
            await tx.execute("DELETE FROM memories WHERE id = ?", owner_id)
            await tx.execute("DELETE FROM memories WHERE id = ?", other)

    assert packed not in stored_bytes(path)


async def test_a_vector_that_was_deleted_while_the_index_follows_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    vector = [math.pi, math.e, *range(3, 40)]
    async with opened("sqlite-vec", path) as world:
        owner_id = await world.learn(ANA, "memory", vector)
        await world.learn(ANA, "memory", [1.0] * len(vector))
        async with world.db.transaction() as tx:
            await tx.execute("DELETE FROM memories WHERE id = ?", owner_id)

    assert unit_vectors([vector])[0] not in stored_bytes(path)


def stored_bytes(path: Path) -> bytes:
    """The closed database's file: closing has written the log back into it."""
    assert not path.with_name(path.name + "-wal").exists()
    return path.read_bytes()


coordinates = st.lists(st.integers(-3, 3), min_size=4, max_size=4).filter(any)
rows = st.lists(
    st.tuples(st.sampled_from([ANA, BEN]), st.sampled_from(KINDS), coordinates), min_size=1, max_size=12
)


@pytest.mark.parametrize("name", INDEXES)
@some(0.4)
@given(rows=rows, wanted=coordinates, limit=st.integers(1, 6), drop=st.integers(0, 11))
async def test_what_is_found_is_what_an_exact_scan_finds(
    name: str,
    rows: list[tuple[UserId, EmbeddingKind, list[int]]],
    wanted: list[int],
    limit: int,
    drop: int,
) -> None:
    async with opened(name) as world:
        stored = [(user, kind, await world.learn(user, kind, v), v) for user, kind, v in rows]
        gone = stored.pop(drop % len(stored))
        async with world.db.transaction() as tx:
            await tx.execute(f"DELETE FROM {TABLES[gone[1]]} WHERE id = ?", gone[2])
        for user_id in (ANA, BEN):
            hits = await world.search(user_id, wanted, limit=limit)
            exact = {(kind, owner_id): cosine(v, wanted) for user, kind, owner_id, v in stored if user == user_id}
            best = sorted(exact.values(), reverse=True)[:limit]
            assert [hit.similarity for hit in hits] == pytest.approx(best, abs=1e-5)
            assert [exact[hit.kind, hit.owner_id] for hit in hits] == pytest.approx(best, abs=1e-5)
            assert len({(hit.kind, hit.owner_id) for hit in hits}) == len(hits)


def cosine(one: Sequence[int], other: Sequence[int]) -> float:
    return float(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other))
