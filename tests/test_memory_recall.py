"""The memory service finds what people ask for, on the questions and memories kept for this."""

from contextlib import closing

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.bench.memory_quality import by_meaning, by_service, by_words, measure, recall


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
