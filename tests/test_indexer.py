"""What is written becomes findable by meaning; the model may fail, and never works inside a transaction."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import pytest
from structlog.testing import capture_logs

from app.database.db import Database
from app.database.repositories.embeddings import EmbeddingKind
from app.database.repository import Repository
from app.database.vectors import open_index
from app.domain.errors import Permanent, Transient
from app.domain.ids import UserId
from app.embeddings.indexer import Indexer
from tests.fakes.clock import FrozenClock
from tests.fakes.embedder import HashEmbedder
from tests.rooms import text_sources

ANA, BEN = UserId("ana"), UserId("ben")
DOWN: Final = Transient("embedding_unreachable")


@dataclass
class World:
    db: Database
    repository: Repository
    embedder: HashEmbedder
    indexer: Indexer
    clock: FrozenClock

    async def run(self, sql: str, *values: str | int) -> None:
        async with self.db.transaction() as tx:
            await tx.execute(sql, *values)

    async def add_memory(self, text: str, user_id: UserId = ANA) -> int:
        async with self.db.transaction() as tx:
            row = await tx.fetch_one(
                "INSERT INTO memories(user_id, number, text, text_key, created_at, updated_at)"
                " VALUES (?, (SELECT count(*) + 1 FROM memories), ?, ?, 0, 0) RETURNING id",
                user_id,
                text,
                text,
            )
        assert row is not None
        return int(row["id"])

    async def add_note(self, text: str, user_id: UserId = ANA) -> None:
        await self.run(
            "INSERT INTO notes(user_id, number, title, content, created_at)"
            " VALUES (?, (SELECT count(*) + 1 FROM notes), 'Title', ?, 0)",
            user_id,
            text,
        )

    async def found(self, query: str, user_id: UserId = ANA, **kinds: list[EmbeddingKind]) -> list[str]:
        hits = await self.indexer.search(user_id, query, limit=3, **kinds)
        texts = [await self.repository.embeddings.find_text(user_id, hit.kind, hit.owner_id) for hit in hits]
        return [text.text for text in texts if text is not None]


@pytest.fixture
async def world(database: str) -> AsyncIterator[World]:
    async with Database.open(database) as db:
        repository, embedder, clock = Repository(db), HashEmbedder(), FrozenClock()
        for source in text_sources():
            repository.embeddings.add(source)
        index = await open_index(db, embedder.model)
        made = World(db, repository, embedder, Indexer(repository, index, embedder, clock), clock)
        for user_id in (ANA, BEN):
            await made.run(
                "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'es', 0, 0)", user_id
            )
        yield made


async def test_a_fact_is_found_by_its_meaning_once_it_was_read(world: World) -> None:
    cat = await world.add_memory("my cat is called Luna")
    await world.add_memory("the dentist is on Monday")
    assert await world.found("cat") == []

    assert await world.indexer.embed_memory(ANA, cat)

    assert await world.found("what is my cat called") == ["my cat is called Luna"]
    assert await world.found("cat", kinds=["note"]) == []


@pytest.mark.needs("notes", "projects")
async def test_every_kind_of_text_has_its_way_into_the_index(world: World) -> None:
    await world.add_note("bread and milk")
    await world.run(
        "INSERT INTO projects(user_id, number, name, name_key, created_at) VALUES (?, 1, 'p', 'p', 0)", ANA
    )
    await world.run(
        "INSERT INTO project_notes(user_id, project_id, number, content, created_at)"
        " SELECT user_id, id, 1, 'paint the fence', 0 FROM projects"
    )
    await world.run("INSERT INTO conversations(user_id, started_at, ended_at) VALUES (?, 0, 0)", ANA)
    await world.run(
        "INSERT INTO snapshots(user_id, number, conversation_id, title, text, started_at, ended_at, created_at)"
        " SELECT user_id, 1, id, 'Trip', 'flights to Rome', 0, 0, 0 FROM conversations"
    )

    assert await world.indexer.embed_note(ANA, 1)
    assert await world.indexer.embed(ANA, "project_note", 1)
    assert await world.indexer.embed(ANA, "snapshot", 1)

    assert (await world.found("milk"))[0] == "Title\nbread and milk"
    assert (await world.found("fence"))[0] == "paint the fence"
    assert (await world.found("Rome"))[0] == "Trip\nflights to Rome"


async def test_somebody_elses_row_is_not_read_under_my_name(world: World) -> None:
    his = await world.add_memory("the code is 1234", BEN)

    assert not await world.indexer.embed_memory(ANA, his)

    assert world.embedder.requests == []


async def test_what_is_gone_is_not_read(world: World) -> None:
    assert not await world.indexer.embed_memory(ANA, 99)
    assert world.embedder.requests == []


@pytest.mark.needs("notes")
async def test_the_backfill_reads_everything_of_everybody_up_to_the_limit(world: World) -> None:
    for n in range(40):
        await world.add_memory(f"fact {n}", BEN if n % 2 else ANA)
    await world.add_note("bread")

    assert await world.indexer.backfill(35) == 35
    assert await world.indexer.backfill(35) == 6
    assert await world.indexer.backfill(35) == 0

    read = await world.db.fetch_all("SELECT count(*) AS n FROM embeddings GROUP BY user_id ORDER BY user_id")
    assert [row["n"] for row in read] == [21, 20]
    assert max(map(len, world.embedder.requests)) == 32


async def test_inactive_and_blank_texts_are_not_read(world: World) -> None:
    inactive = await world.add_memory("I live in Rome")
    await world.run("UPDATE memories SET state = 'inactive' WHERE id = ?", inactive)
    await world.add_memory("  ")

    assert await world.indexer.backfill(10) == 0


async def test_after_a_change_of_model_everything_is_read_again(world: World) -> None:
    await world.add_memory("my cat is called Luna")
    await world.indexer.backfill(10)
    other = HashEmbedder("other", dims=32)
    index = await open_index(world.db, other.model)
    indexer = Indexer(world.repository, index, other, world.clock)

    assert await indexer.search(ANA, "cat", limit=3) == []
    assert await indexer.backfill(10) == 1

    assert len(await indexer.search(ANA, "cat", limit=3)) == 1


@pytest.mark.parametrize("change", ["DELETE FROM memories", "UPDATE memories SET text = 'new'"])
async def test_a_row_that_changes_while_it_is_read_is_not_stored_and_nobody_waits(
    world: World, change: str
) -> None:
    await world.add_memory("old")
    world.embedder.is_held = True
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        reading = group.create_task(world.indexer.backfill(10))
        await world.embedder.started.wait()
        await world.run(change)  # would wait for ever if the model worked inside a transaction
        world.embedder.is_held = False
        world.embedder.release.set()

    rows = await world.db.fetch_all("SELECT text FROM memories")
    assert reading.result() == 0
    assert await world.indexer.search(ANA, "old", limit=3) == []
    assert await world.indexer.backfill(10) == len(rows)


async def test_while_the_model_is_down_nothing_breaks_and_the_backfill_says_why(world: World) -> None:
    memory_id = await world.add_memory("my cat is called Luna")
    world.embedder.failure = DOWN

    with capture_logs() as logs:
        assert not await world.indexer.embed_memory(ANA, memory_id)
        assert await world.indexer.search(ANA, "my secret question", limit=3) == []
    with pytest.raises(Transient, match="unreachable"):
        await world.indexer.backfill(10)

    assert [(line["event"], line["code"]) for line in logs] == [
        ("embedding.postponed", "embedding_unreachable"),
        ("embedding.unavailable", "embedding_unreachable"),
    ]
    assert "secret" not in str(logs)
    world.embedder.failure = None
    assert await world.indexer.backfill(10) == 1


@pytest.mark.parametrize(
    "failure", [Transient("embedding_failed"), Permanent("embedding_refused"), Transient("embedding_bad_answer")]
)
@pytest.mark.parametrize("others", [0, 3])
async def test_a_text_that_the_model_fails_at_does_not_hold_up_the_rest(
    world: World, failure: Transient | Permanent, others: int
) -> None:
    poison = await world.add_memory("poison")
    for n in range(others):
        await world.add_memory(f"fact {n}")
    world.embedder.fails_at = ("poison", failure)

    assert await world.indexer.backfill(10) == others + 1
    assert await world.indexer.backfill(10) == 0

    assert len(await world.indexer.search(ANA, "fact", limit=10)) == others
    world.embedder.fails_at = None
    await world.run("UPDATE memories SET text = 'cured' WHERE id = ?", poison)
    assert await world.indexer.backfill(10) == 1


async def test_a_model_that_fails_at_everything_is_to_blame_itself(world: World) -> None:
    await world.add_memory("fact")
    world.embedder.failure = Transient("embedding_failed")

    with pytest.raises(Transient):
        await world.indexer.backfill(10)

    world.embedder.failure = None
    assert await world.indexer.backfill(10) == 1


async def test_a_vector_that_was_made_before_is_not_made_again(world: World) -> None:
    await world.add_memory("my cat is called Luna")
    await world.indexer.backfill(10)
    (vector,) = await world.embedder.embed(["cat"], purpose="query")
    world.embedder.requests.clear()

    assert len(await world.indexer.search(ANA, vector, limit=3)) == 1
    assert world.embedder.requests == []


async def test_two_users_with_the_same_words_find_only_their_own(world: World) -> None:
    mine, his = [await world.add_memory("my cat is called Luna", user_id) for user_id in (ANA, BEN)]
    await world.indexer.backfill(10)

    assert [hit.owner_id for hit in await world.indexer.search(ANA, "cat", limit=5)] == [mine]
    assert [hit.owner_id for hit in await world.indexer.search(BEN, "cat", limit=5)] == [his]
