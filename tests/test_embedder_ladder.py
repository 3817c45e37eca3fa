"""Behind Ollama's embedder stands another one: when it takes over, and that vectors of two models never mix."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import pytest

from app.database.db import Database
from app.database.repositories.tool_index import ToolText
from app.database.repository import Repository
from app.database.vectors import BruteForceIndex, open_index
from app.domain.errors import AppError, Permanent, Transient
from app.domain.ids import UserId
from app.domain.ports import EmbeddingPurpose
from app.embeddings.indexer import Indexer
from app.llm.embedders import EmbedderLadder, open_embedder
from app.llm.local_embedder import LOCAL_MODEL, LocalEmbedder
from app.llm.ollama_embedder import MODEL_MISSING, OllamaEmbedder
from app.memory.repository import MEMORIES
from app.skills.search.documents import ToolDocument
from app.skills.search.embeddings import ToolEmbeddings
from tests.databases import migrated
from tests.fakes.clock import FrozenClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.ollama import FakeOllama, Fault

URL = "http://ollama.test"
NOMIC = "nomic-embed-text"
ANA = UserId("ana")
GONE = "gone"
MISSING = Permanent(MODEL_MISSING)


async def code_of(ladder: EmbedderLadder, text: str, purpose: EmbeddingPurpose = "query") -> str:
    with pytest.raises(AppError) as raised:
        await ladder.embed([text], purpose=purpose)
    return raised.value.code


def failing_at_gone() -> HashEmbedder:
    first = HashEmbedder("first")
    first.fails_at = (GONE, MISSING)
    return first


async def test_when_ollama_says_that_it_has_the_model_no_more_the_next_call_is_the_local_ones() -> None:
    server, local = FakeOllama(NOMIC), HashEmbedder("local")
    async with aclosing(OllamaEmbedder(URL, NOMIC, transport=server.transport())) as served:
        ladder = EmbedderLadder(served, local)
        await ladder.embed(["hola"], purpose="query")
        assert ladder.model == NOMIC
        server.models.clear()
        assert await code_of(ladder, "hola") == MODEL_MISSING
        assert ladder.model == "local"
        assert await ladder.embed(["hola"], purpose="query") == await local.embed(["hola"], purpose="query")
        server.models.append(NOMIC)
        await ladder.embed(["hola"], purpose="query")
        assert ladder.model == "local"


@pytest.mark.parametrize("fault", ["refuse", "crash", "overloaded", "bad_request", "half_json"])
async def test_a_hiccup_of_ollama_takes_no_step(fault: Fault) -> None:
    server, local = FakeOllama(NOMIC), HashEmbedder("local")
    async with aclosing(OllamaEmbedder(URL, NOMIC, transport=server.transport())) as served:
        ladder = EmbedderLadder(served, local)
        server.fault = fault
        assert await code_of(ladder, "hola") != MODEL_MISSING
        server.fault = None
        await ladder.embed(["hola"], purpose="document")
        assert (ladder.model, local.requests) == (NOMIC, [])


@pytest.mark.skipif(LocalEmbedder.open() is None, reason="the optional extra `local` is not installed")
async def test_the_local_embedder_stands_behind_ollamas_without_being_loaded() -> None:
    server = FakeOllama(NOMIC)
    async with open_embedder(URL, NOMIC, transport=server.transport()) as embedder:
        assert isinstance(embedder, EmbedderLadder)
        server.models.clear()
        assert await code_of(embedder, "hola") == MODEL_MISSING
        assert embedder.model == LOCAL_MODEL


async def test_a_call_that_the_step_overtakes_returns_no_vectors_of_the_model_before() -> None:
    first = failing_at_gone()
    ladder = EmbedderLadder(first, HashEmbedder("behind"))
    first.is_held = True
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        overtaken = group.create_task(code_of(ladder, "a note", "document"))
        await first.started.wait()
        first.is_held = False
        assert await code_of(ladder, GONE) == MODEL_MISSING
        first.release.set()
    assert overtaken.result() == "embedding_model_changed"
    await ladder.embed(["a note"], purpose="document")


async def test_whoever_reads_documents_one_after_the_other_hears_once_of_the_step() -> None:
    ladder = EmbedderLadder(failing_at_gone(), HashEmbedder("behind"))
    await ladder.embed(["one"], purpose="document")
    assert await code_of(ladder, GONE) == MODEL_MISSING
    assert await code_of(ladder, "two", "document") == "embedding_model_changed"
    await ladder.embed(["two"], purpose="document")
    other = EmbedderLadder(failing_at_gone(), HashEmbedder("behind"))
    assert await code_of(other, GONE, "document") == MODEL_MISSING
    await other.embed(["two"], purpose="document")


class Forsaken(HashEmbedder):
    """Fails at what holds "poison"; while its n-th call runs, somebody's question finds the model missing."""

    def __init__(self, at_call: int) -> None:
        super().__init__("first", dims=32)
        self.fails_at = ("poison", Transient("embedding_failed"))
        self.at_call = at_call
        self.ladder = EmbedderLadder(self, HashEmbedder("behind", dims=64))

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        if purpose == "query":
            raise MISSING
        try:
            return await super().embed(texts, purpose=purpose)
        finally:
            if len(self.requests) == self.at_call:
                with pytest.raises(Permanent):
                    await self.ladder.embed(["hello?"], purpose="query")


@dataclass
class World:
    db: Database
    repository: Repository
    indexer: Indexer

    async def add(self, *texts: str) -> None:
        async with self.db.transaction() as tx:
            for text in texts:
                await tx.execute(
                    "INSERT INTO memories(user_id, number, text, text_key, created_at, updated_at)"
                    " VALUES (?, (SELECT count(*) + 1 FROM memories), ?, ?, 0, 0)",
                    ANA,
                    text,
                    text,
                )

    async def found(self, query: str) -> list[str]:
        hits = await self.indexer.search(ANA, query, limit=2)
        texts = [await self.repository.embeddings.find_text(ANA, hit.kind, hit.owner_id) for hit in hits]
        return [text.text for text in texts if text is not None]

    async def read_all(self) -> list[str]:
        """Let the background read until nothing is left; returns how it was put off meanwhile."""
        delays: list[str] = []
        async with asyncio.timeout(10):
            while True:
                try:
                    if not await self.indexer.backfill(100):
                        return delays
                except AppError as exc:
                    delays.append(exc.code)

    async def vectors(self) -> set[tuple[str, str, bytes]]:
        rows = await self.db.fetch_all(
            "SELECT m.text, e.model, e.vector FROM embeddings AS e JOIN memories AS m ON m.id = e.owner_id"
        )
        return {(row["text"], row["model"], row["vector"]) for row in rows}


@asynccontextmanager
async def opened(ladder: EmbedderLadder) -> AsyncIterator[World]:
    async with migrated() as db:
        async with db.transaction() as tx:
            await tx.execute(
                "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'es', 0, 0)", ANA
            )
        repository = Repository(db)
        index, spare = await open_index(db, ladder.model), BruteForceIndex(db, "behind")
        repository.embeddings.add(MEMORIES)
        yield World(db, repository, Indexer(repository, index, ladder, FrozenClock(), spare=spare))


async def test_after_the_step_nothing_is_found_by_old_vectors_and_everything_once_it_was_read_anew() -> None:
    first, behind = failing_at_gone(), HashEmbedder("behind")
    ladder = EmbedderLadder(first, behind)
    async with opened(ladder) as world:
        await world.add("my cat is called Luna", "the dentist is on Monday")
        await world.read_all()
        assert (await world.found("cat"))[0] == "my cat is called Luna"
        assert await world.found(GONE) == []
        assert ladder.model == "behind"
        assert await world.found("cat") == []
        assert await world.read_all() == ["embedding_model_changed"]
        assert (await world.found("cat"))[0] == "my cat is called Luna"
        assert {(text, model) for text, model, _ in await world.vectors()} == {
            (text, model)
            for text in ("my cat is called Luna", "the dentist is on Monday")
            for model in ("first", "behind")
        }


@pytest.mark.parametrize("at_call", range(1, 8))
async def test_whenever_the_step_comes_each_vector_is_kept_under_the_model_that_made_it(at_call: int) -> None:
    forsaken = Forsaken(at_call)
    texts = ("one fact", "poison", "another fact", "a third fact")
    async with opened(forsaken.ladder) as world:
        await world.add(*texts)
        await world.read_all()
        kept = await world.vectors()
        made = {"first": HashEmbedder(dims=32), "behind": HashEmbedder(dims=64)}
        for text, model, vector in kept:
            if vector:
                assert [vector] == await made[model].embed([text], purpose="document")
        assert forsaken.ladder.model == ("behind" if at_call <= len(forsaken.requests) else "first")
        assert {text for text, model, _ in kept if model == forsaken.ladder.model} == set(texts)


@pytest.mark.parametrize("at_call", range(1, 7))
async def test_whenever_the_step_comes_the_tools_have_vectors_of_one_model_each(at_call: int) -> None:
    forsaken = Forsaken(at_call)
    texts = [ToolText(name, name, name, f"does {name}", "", "") for name in ("alpha", "poison", "gamma")]
    documents = {one.name: ToolDocument(one, "", (one.description,), ()) for one in texts}
    async with opened(forsaken.ladder) as world:
        rows = world.repository.tool_index
        embeddings = ToolEmbeddings(rows, [forsaken.ladder], ["hello", "good morning"])
        await embeddings.load()
        embeddings.follow(await rows.replace([], texts))
        for _ in range(6):
            try:
                await embeddings.embed_missing(documents, 10)
            except AppError:
                continue
        kept = {model: await rows.vectors(model) for model in ("first", "behind")}
        for model, size in (("first", 32), ("behind", 64)):
            assert {len(one.vector) for one in kept[model]} <= {4 * size}
        assert len(kept[forsaken.ladder.model]) == (3 if forsaken.ladder.model == "behind" else 2)
