"""The memory service finds what people ask for, on the questions and memories kept for this."""

from collections.abc import Sequence
from contextlib import closing

import pytest

from app.domain.ids import UserId
from app.llm.local_embedder import LocalEmbedder
from app.memory.service import CloseMatches, MemoryService
from tests.bench.memory_quality import by_meaning, by_service, by_words, measure, recall
from tests.talks import ANN, talking


async def test_nine_of_ten_questions_find_their_memory_among_the_first_five() -> None:
    embedder = LocalEmbedder.open()
    if embedder is None:
        pytest.skip("the optional extra `local` is not installed")
    with closing(embedder):
        found = await measure(embedder)

    assert recall(found, by_service) >= 0.9
    assert recall(found, by_service) > recall(found, by_words)
    by_name = [one for one in found if one.question.group == "by name"]
    assert recall(by_name, by_service) >= max(recall(by_name, by_meaning), recall(by_name, by_words))


async def test_only_what_is_near_in_words_or_meaning_is_offered_to_a_person() -> None:
    async with talking() as talks:
        store = MemoryService(talks.repository, talks.clock)
        facts = [(await store.remember(ANN, text)).memory for text in ("soy celíaca", "vivo en Oslo", "amo el té")]
        ids = [one.id for one in facts if one is not None]

        async def search(user_id: UserId, text: str, limit: int) -> Sequence[tuple[int, float]]:
            return [(ids[0], 0.5), (ids[1], 0.1), (ids[2], 0.1)]

        service = MemoryService(talks.repository, talks.clock, search=search)
        found = await service.recall(ANN, "¿hay gluten en el té?", limit=5)

    assert {one.memory.text for one in found} == {"amo el té", "soy celíaca"}


async def test_who_has_searched_already_and_found_nothing_is_not_searched_for_again() -> None:
    async def search(user_id: UserId, text: str, limit: int) -> Sequence[tuple[int, float]]:
        raise AssertionError("the text was read by the model once already")

    async with talking() as talks:
        service = MemoryService(talks.repository, talks.clock, search=search)
        await service.remember(ANN, "soy celíaca")
        found = await service.recall(ANN, "¿soy celíaca?", limit=5, similar=[])

    assert [one.why.kind for one in found] == ["words"]


async def test_forgetting_finds_a_fact_that_means_the_same_in_other_words() -> None:
    async with talking() as talks:
        fact = (await MemoryService(talks.repository, talks.clock).remember(ANN, "mi hija se llama Ana")).memory
        assert fact is not None

        async def search(user_id: UserId, text: str, limit: int) -> Sequence[tuple[int, float]]:
            return [(fact.id, 0.6)]

        service = MemoryService(talks.repository, talks.clock, search=search)
        assert await service.forget(ANN, "the girl's name") == CloseMatches((fact,))
