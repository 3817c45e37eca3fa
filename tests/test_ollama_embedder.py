"""Embeddings from Ollama: what is sent, that vectors have length 1, how it fails; and which embedder is chosen."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import httpx
import numpy as np
import pytest

from app.domain.errors import AppError, Permanent, Transient
from app.llm.embedders import CachedEmbedder, open_embedder
from app.llm.local_embedder import LOCAL_MODEL, LocalEmbedder
from app.llm.ollama_embedder import OllamaEmbedder
from tests.fakes.embedder import HashEmbedder
from tests.fakes.ollama import FakeOllama, Fault

URL = "http://ollama.test"
NOMIC = "nomic-embed-text"


@pytest.fixture
def server() -> FakeOllama:
    return FakeOllama(NOMIC)


@pytest.fixture
async def embedder(server: FakeOllama) -> AsyncIterator[OllamaEmbedder]:
    async with aclosing(OllamaEmbedder(URL, NOMIC, transport=server.transport())) as made:
        yield made


def answering(respond: Callable[[httpx.Request], httpx.Response]) -> OllamaEmbedder:
    return OllamaEmbedder(URL, NOMIC, transport=httpx.MockTransport(respond))


async def failure_of(embedder: OllamaEmbedder) -> AppError:
    with pytest.raises(AppError) as raised:
        await embedder.embed(["hola"], purpose="query")
    return raised.value


async def test_each_text_gets_its_own_vector_of_length_one(embedder: OllamaEmbedder) -> None:
    vectors = await embedder.embed(["aaaa", "b"], purpose="document")

    first, second = (np.frombuffer(vector, "<f4") for vector in vectors)
    lengths = len("search_document: aaaa"), len("search_document: b")
    assert first[0] / first[2] == pytest.approx(lengths[0])
    assert second[0] / second[2] == pytest.approx(lengths[1])
    assert [float(np.linalg.norm(vector)) for vector in (first, second)] == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        (NOMIC, "search_query: hola", "search_document: hola"),
        ("nomic-embed-text-v2-moe:latest", "search_query: hola", "search_document: hola"),
        ("jeffh/intfloat-multilingual-e5-large:f16", "query: hola", "passage: hola"),
        ("embeddinggemma", "task: search result | query: hola", "title: none | text: hola"),
        ("bge-m3", "hola", "hola"),
    ],
)
async def test_questions_and_documents_are_marked_as_the_model_wants_it(
    server: FakeOllama, model: str, query: str, document: str
) -> None:
    server.models.append(model)
    async with aclosing(OllamaEmbedder(URL, model, transport=server.transport())) as embedder:
        await embedder.embed(["hola"], purpose="query")
        await embedder.embed(["hola"], purpose="document")

    assert [body["input"] for body in server.requests] == [[query], [document]]


async def test_many_texts_are_asked_for_in_pieces_and_come_back_in_order(
    server: FakeOllama, embedder: OllamaEmbedder
) -> None:
    vectors = await embedder.embed(["a" * n for n in range(1, 71)], purpose="document")

    assert [len(str(body["input"]).split("', '")) for body in server.requests] == [32, 32, 6]
    assert {(body["keep_alive"], body["truncate"]) for body in server.requests} == {("30m", True)}
    ratios = [v[1] / v[2] for v in (np.frombuffer(vector, "<f4") for vector in vectors)]
    assert ratios == sorted(ratios)


async def test_nothing_is_sent_for_no_text(server: FakeOllama, embedder: OllamaEmbedder) -> None:
    assert await embedder.embed([], purpose="document") == []
    assert server.requests == []


async def test_only_the_beginning_of_a_long_text_is_sent(server: FakeOllama, embedder: OllamaEmbedder) -> None:
    await embedder.embed(["x" * 100_000], purpose="query")

    assert server.requests[0]["input"] == ["search_query: " + "x" * 2000]


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [
        ("bad_request", Permanent, "embedding_refused"),
        ("overloaded", Transient, "embedding_busy"),
        ("crash", Transient, "embedding_failed"),
        ("half_json", Transient, "embedding_bad_answer"),
        ("refuse", Transient, "embedding_unreachable"),
    ],
)
async def test_a_failure_says_who_can_fix_it(
    server: FakeOllama, embedder: OllamaEmbedder, fault: Fault, kind: type[AppError], code: str
) -> None:
    server.fault = fault

    failure = await failure_of(embedder)

    assert (type(failure), failure.code) == (kind, code)


async def test_a_missing_model_names_the_command_that_fetches_it(server: FakeOllama) -> None:
    server.models.clear()
    async with aclosing(OllamaEmbedder(URL, NOMIC, transport=server.transport())) as embedder:
        failure = await failure_of(embedder)

    assert (type(failure), failure.code) == (Permanent, "embedding_model_missing")
    assert f"ollama pull {NOMIC}" in failure.detail


@pytest.mark.parametrize(
    "body",
    [
        "null",
        "{}",
        '{"embeddings": []}',
        '{"embeddings": [[1], [2]]}',
        '{"embeddings": [[0, 0]]}',
        '{"embeddings": [[]]}',
        '{"embeddings": ["x"]}',
    ],
)
async def test_an_answer_without_a_vector_for_each_text_is_no_answer(body: str) -> None:
    async with aclosing(answering(lambda _: httpx.Response(200, text=body))) as embedder:
        assert (await failure_of(embedder)).code == "embedding_bad_answer"


async def test_a_server_that_takes_too_long_is_named_as_that() -> None:
    def hang(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("too long", request=request)

    async with aclosing(answering(hang)) as embedder:
        assert (await failure_of(embedder)).code == "embedding_timeout"


async def test_ollama_is_chosen_when_it_has_the_model(server: FakeOllama) -> None:
    async with open_embedder(URL, NOMIC, transport=server.transport()) as embedder:
        assert embedder is not None
        assert embedder.model == NOMIC
        assert len(await embedder.embed(["hola"], purpose="query")) == 1


@pytest.mark.parametrize("fault", [None, "refuse", "crash"])
async def test_without_ollamas_model_the_local_one_is_chosen_if_there_is_one(fault: Fault | None) -> None:
    server = FakeOllama("qwen3:8b")
    server.fault = fault

    async with open_embedder(URL, NOMIC, transport=server.transport()) as embedder:
        chosen = None if embedder is None else embedder.model

    local = LocalEmbedder.open()
    assert chosen == (None if local is None else LOCAL_MODEL)


async def test_ollama_is_not_asked_without_an_address(server: FakeOllama) -> None:
    async with open_embedder(None, NOMIC, transport=server.transport()) as embedder:
        assert embedder is None or embedder.model != NOMIC


async def test_a_question_is_computed_once_however_often_it_is_asked() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)

    first = await cached.embed(["hola", "adiós", "hola"], purpose="query")
    again = await cached.embed(["adiós"], purpose="query")

    assert inner.requests == [["hola", "adiós"]]
    assert first[0] == first[2] != first[1] == again[0]


async def test_questions_at_the_same_time_share_one_computation() -> None:
    inner = HashEmbedder()
    inner.is_held = True
    cached = CachedEmbedder(inner)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        asking = [group.create_task(cached.embed(["hola"], purpose="query")) for _ in range(3)]
        await inner.started.wait()
        more = group.create_task(cached.embed(["hola", "qué tal"], purpose="query"))
        await asyncio.sleep(0)
        inner.release.set()

    assert inner.requests == [["hola"], ["qué tal"]]
    assert len({task.result()[0] for task in [*asking, more]}) == 1


async def test_when_the_one_who_computes_is_cancelled_the_next_one_computes() -> None:
    inner = HashEmbedder()
    inner.is_held = True
    cached = CachedEmbedder(inner)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        first = group.create_task(cached.embed(["hola"], purpose="query"))
        await inner.started.wait()
        second = group.create_task(cached.embed(["hola"], purpose="query"))
        await asyncio.sleep(0)
        first.cancel()
        inner.release.set()

    assert first.cancelled()
    assert second.result() == await HashEmbedder().embed(["hola"], purpose="query")
    assert inner.requests == [["hola"], ["hola"]]


async def test_a_failure_reaches_all_who_wait_and_is_not_remembered() -> None:
    inner = HashEmbedder()
    inner.is_held = True
    inner.failure = Transient("embedding_timeout")
    cached = CachedEmbedder(inner)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        asking = [
            group.create_task(asyncio.wait_for(failing(cached), timeout=5), name=f"asker {n}") for n in range(2)
        ]
        await inner.started.wait()
        inner.release.set()
    inner.failure = None

    assert [task.result() for task in asking] == ["embedding_timeout"] * 2
    assert len(inner.requests) == 1
    assert await cached.embed(["hola"], purpose="query")


async def failing(embedder: CachedEmbedder) -> str:
    with pytest.raises(AppError) as raised:
        await embedder.embed(["hola"], purpose="query")
    return raised.value.code


async def test_the_oldest_question_is_forgotten_first_and_documents_push_none_out() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner, size=2)
    for text in ("uno", "dos", "uno", "tres"):
        await cached.embed([text], purpose="query")
    await cached.embed(["a", "b", "c", "d"], purpose="document")
    inner.requests.clear()

    for text in ("uno", "tres", "dos"):
        await cached.embed([text], purpose="query")

    assert inner.requests == [["dos"]]


async def test_more_questions_than_are_remembered_are_all_answered() -> None:
    cached = CachedEmbedder(HashEmbedder(), size=1)
    texts = ["uno", "dos", "tres"]

    assert await cached.embed(texts, purpose="query") == await HashEmbedder().embed(texts, purpose="query")
