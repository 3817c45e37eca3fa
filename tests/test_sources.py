"""Where answers come from: the head against a hand that it has not seen, and what is said for it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.sorting.small_head import load_head
from app.skills.sources.fit import digest_of, load_examples
from app.skills.sources.sources import Source, SourceReader, data_folder
from tests.builders import ALICE
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

CHECK: Final = Path(__file__).parent / "data" / "sources.toml"


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    opened = LocalEmbedder.open()
    if opened is None:
        pytest.skip("the optional extra `local` is not installed")
    with closing(opened):
        yield opened


@pytest.fixture(scope="module")
def reader(embedder: LocalEmbedder) -> SourceReader:
    opened = SourceReader.open(embedder)
    assert opened is not None
    return opened


def test_the_fitted_head_belongs_to_the_examples() -> None:
    assert load_head(data_folder() / "head.npz").digest == digest_of(data_folder()), (
        "run `python -m app.skills.sources.fit`"
    )


def test_examples_and_held_out_messages_have_nothing_in_common() -> None:
    known = {one.text.casefold() for name in ("en.toml", "es.toml") for one in load_examples(data_folder() / name)}
    held_out = {one.text.casefold() for one in load_examples(CHECK)}
    assert len(held_out) == 240
    assert known.isdisjoint(held_out)


async def test_where_a_strangers_answer_comes_from_is_read_right(reader: SourceReader) -> None:
    right, book, live = Counter[bool](), Counter[bool](), Counter[bool]()
    for one in load_examples(CHECK):
        found = await reader.read(one.text)
        right[found.origin == one.origin] += 1
        book[one.origin == "timeless"] += found.is_book
        live[one.origin == "live"] += found.is_live

    assert right[True] / right.total() > 0.85
    assert book[True] > 65
    assert book[False] <= 8
    assert live[True] > 25
    assert live[False] <= 2


async def test_what_is_too_long_is_not_read(reader: SourceReader) -> None:
    assert await reader.read("why is the sky blue " * 40) == Source()


@pytest.mark.parametrize(
    "message",
    [
        "how long is a game of water polo",
        "cuánto dura un combate de boxeo",
        "anoche en la cena nadie se acordaba: ¿en qué año llegó el hombre a la luna?",
        "my two got into it over whether a tomato is a fruit, back me up, what is it",
    ],
)
async def test_what_a_book_could_tell_is_asked_of_the_model(
    tmp_path: Path, embedder: LocalEmbedder, message: str
) -> None:
    llm = ScriptedChatModel("what the model knows")
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, embedder=embedder) as app:
        await app.say(ALICE, message)
        assert app.replies_to(ALICE)[-1] == "what the model knows"


@pytest.mark.parametrize(
    "message", ["what was the score in the water polo last night", "quién va ganando la pelea de boxeo"]
)
async def test_what_only_a_look_at_the_world_could_tell_is_not_made_up(
    tmp_path: Path, embedder: LocalEmbedder, message: str
) -> None:
    llm = ScriptedChatModel("what the model makes up")
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, embedder=embedder) as app:
        await app.say(ALICE, message)
        assert app.replies_to(ALICE)[-1] != "what the model makes up"
