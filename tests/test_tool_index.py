"""The tool index: what is there is found, what is gone is not, and no embedder can break it."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from app.database.db import MEMORY, Database
from app.database.repositories.tool_index import ToolIndexRows
from app.domain.chat import ToolSchema
from app.domain.errors import Permanent, Transient
from app.domain.ports import Embedder, EmbeddingPurpose
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import TurnContext
from app.llm.unit_vectors import unit_vectors
from app.skills.catalog import ToolSet
from app.skills.examples import EXAMPLES, OtherWords
from app.skills.router import TOOL_CATEGORIES
from app.skills.search.documents import load_background
from app.skills.search.embeddings import ToolEmbeddings
from app.skills.search.index import KEYWORDS, ToolIndex
from tests.databases import migrated
from tests.examples import some
from tests.fakes.embedder import HashEmbedder

DOWN: Final = Transient("embedding_unreachable", "no route")
BACKGROUND: Final = ("hello there", "gracias por todo")
TABLES: Final = ("tool_index", "tool_index_fts", "tool_vectors")


class Tool(BaseTool):
    """A tool that is only looked for; with a `server` it comes from there."""

    args_model = BaseModel

    def __init__(
        self, name: str, description: str = "", *, server: str = "", params: Mapping[str, object] | None = None
    ) -> None:
        self.name = f"mcp_{server}_{name}" if server else name
        self.description, self.skill = description, server
        self.kind = "mcp" if server else "builtin"  # type: ignore[misc]  # one class for both kinds
        self._schema = ToolSchema(self.name, description, {"type": "object", "properties": params or {}})

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        raise AssertionError("nobody calls it")

    def get_schema(self) -> ToolSchema:
        return self._schema

    def validate_args(self, arguments: object) -> Mapping[str, object]:
        return {}


class FixedEmbedder:
    """`Embedder` that knows the vector of each text by a word in it; (0, 0, 1) of others."""

    model = "fixed"

    def __init__(self, **by_word: Sequence[float]) -> None:
        self._by_word = by_word

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        return unit_vectors(
            [next((v for word, v in self._by_word.items() if word in text), (0, 0, 1)) for text in texts]
        )


def catalog(*tools: BaseTool, version: int = 1) -> ToolSet:
    return ToolSet({tool.name: tool for tool in tools}, {}, version)


@asynccontextmanager
async def opened(
    *embedders: Embedder,
    path: Path | str = MEMORY,
    words: Mapping[str, OtherWords] | None = None,
    background: Sequence[str] = BACKGROUND,
    timeout_s: float = 5,
) -> AsyncIterator[tuple[ToolIndex, Database]]:
    async with migrated(path) as db:
        rows = ToolIndexRows(db)
        yield (
            ToolIndex(rows, ToolEmbeddings(rows, embedders, background, timeout_s=timeout_s), words=words or {}),
            db,
        )


async def counts(db: Database) -> list[int]:
    """The number of rows in each table."""
    rows = [await db.fetch_one(f"SELECT count(*) AS n FROM {table}") for table in TABLES]
    return [row["n"] for row in rows if row is not None]


async def names(index: ToolIndex, query: str, *, server: str | None = None) -> list[str]:
    return (await index.search(query, limit=8, server=server)).names()


async def test_a_new_tool_is_found_by_its_words_before_anything_has_read_it() -> None:
    async with opened(HashEmbedder()) as (index, _):
        await index.update(catalog(Tool("play_song"), Tool("roll_dice")))

        ranking = await index.search("roll the dice", limit=8)

    assert ranking.names() == ["roll_dice"]
    assert ranking.rung == KEYWORDS


async def test_a_tool_that_comes_later_is_found_by_its_words_among_tools_that_were_read() -> None:
    async with opened(HashEmbedder()) as (index, _):
        old = [Tool(f"thing_{n}", "dice are not for it") for n in range(30)]
        await index.update(catalog(*old))
        await index.embed_tool_descriptions(limit=100)
        await index.update(catalog(*old, Tool("roll_dice", server="casino"), version=2))

        assert (await names(index, "roll dice"))[0] == "mcp_casino_roll_dice"


async def test_a_tool_is_found_by_meaning_once_it_was_read() -> None:
    embedder = FixedEmbedder(dice=(1, 0, 0), fortune=(1, 0.1, 0), song=(0, 1, 0))
    async with opened(embedder, background=["nothing"]) as (index, _):
        await index.update(catalog(Tool("play_song"), Tool("roll_dice")))
        assert await names(index, "tempt fortune") == []

        assert await index.embed_tool_descriptions() == 2

        ranking = await index.search("tempt fortune", limit=1)
        assert (ranking.names(), ranking.rung) == (["roll_dice"], "fixed")


async def test_a_tool_that_is_near_to_everything_does_not_win_everywhere() -> None:
    embedder = FixedEmbedder(anything=(1, 0, 0), hub=(0.9, 0.1, 0), asked=(0.8, 0.6, 0), right=(0.6, 0.8, 0))
    async with opened(embedder, background=["anything"]) as (index, _):
        await index.update(catalog(Tool("hub"), Tool("right")))
        await index.embed_tool_descriptions()
        (vector,) = await embedder.embed(["asked"], purpose="query")

        assert await names(index, "asked") == ["right"]
        assert [one.name for one in index.search_tools_by_embedding(vector, 2, model="fixed")] == ["right", "hub"]
        assert len(index.search_tools_by_embedding(vector, 1, model="fixed")) == 1
        assert index.search_tools_by_embedding(vector, 2, model="another") == []


async def test_a_tool_that_is_gone_is_gone_from_every_table() -> None:
    async with opened(HashEmbedder()) as (index, db):
        stays = Tool("play_song")
        await index.update(catalog(stays, Tool("roll_dice")))
        await index.embed_tool_descriptions()
        assert await counts(db) == [2, 2, 2]

        assert await index.update(catalog(stays, version=2))

        assert await counts(db) == [1, 1, 1]
        assert "roll_dice" not in await names(index, "roll dice")


async def test_a_changed_description_replaces_the_old_one_and_its_vector() -> None:
    embedder = FixedEmbedder(yachts=(1, 0, 0), trains=(0, 1, 0), ships=(1, 0.1, 0))
    async with opened(embedder, background=["nothing"]) as (index, _):
        await index.update(catalog(Tool("book", "yachts")))
        await index.embed_tool_descriptions()
        await index.update(catalog(Tool("book", "trains"), version=2))
        assert await names(index, "yachts") == []
        assert await names(index, "trains") == ["book"]

        await index.embed_tool_descriptions()

        assert (await index.search("ships", limit=1)).closest == pytest.approx(0.0995, abs=1e-3)


async def test_what_was_read_is_never_read_again_not_even_after_a_restart(tmp_path: Path) -> None:
    first = HashEmbedder()
    async with opened(first, path=tmp_path / "w.db") as (index, _):
        await index.update(catalog(Tool("play_song"), Tool("roll_dice")))
        assert await index.embed_tool_descriptions() == 2
        assert not await index.update(catalog(Tool("play_song"), Tool("roll_dice"), version=2))
        assert await index.embed_tool_descriptions() == 0

    second = HashEmbedder()
    async with opened(second, path=tmp_path / "w.db") as (index, db):
        await index.update(catalog(Tool("play_song"), Tool("roll_dice"), Tool("new_one")))
        assert await index.embed_tool_descriptions() == 1
        assert await counts(db) == [3, 3, 3]
    assert not [text for request in second.requests for text in request if "song" in text]


async def test_vectors_of_another_model_count_for_nothing(tmp_path: Path) -> None:
    async with opened(HashEmbedder("old"), path=tmp_path / "w.db") as (index, _):
        await index.update(catalog(Tool("roll_dice")))
        await index.embed_tool_descriptions()

    async with opened(HashEmbedder("new"), path=tmp_path / "w.db") as (index, db):
        await index.update(catalog(Tool("roll_dice")))
        assert await counts(db) == [1, 1, 0]
        assert (await index.search("dice", limit=1)).rung == KEYWORDS
        await index.embed_tool_descriptions()
        assert (await index.search("dice", limit=1)).rung == "new"


async def test_a_model_whose_vectors_changed_their_size_reads_everything_anew(tmp_path: Path) -> None:
    async with opened(HashEmbedder(dims=64), path=tmp_path / "w.db") as (index, _):
        await index.update(catalog(Tool("roll_dice")))
        await index.embed_tool_descriptions()

    async with opened(HashEmbedder(dims=32), path=tmp_path / "w.db") as (index, _):
        await index.update(catalog(Tool("roll_dice"), Tool("play_song")))
        assert [await index.embed_tool_descriptions() for _ in range(3)] == [1, 1, 0]
        assert (await index.search("dice", limit=1)).closest is not None


async def test_an_older_catalog_is_ignored() -> None:
    async with opened() as (index, db):
        await index.update(catalog(Tool("roll_dice"), version=5))

        assert not await index.update(catalog(version=4))
        assert await counts(db) == [1, 1, 0]


async def test_the_first_embedder_answers_and_the_next_one_when_it_dies() -> None:
    first, second = HashEmbedder("first"), HashEmbedder("second")
    async with opened(first, second) as (index, _):
        await index.update(catalog(Tool("roll_dice"), Tool("play_song")))
        await index.embed_tool_descriptions()
        rungs = []
        for broken in ((), (first,), (first, second)):
            for embedder in broken:
                embedder.failure = DOWN
            ranking = await index.search("roll dice", limit=1)
            assert ranking.names() == ["roll_dice"]
            rungs.append(ranking.rung)
        first.failure = None
        rungs.append((await index.search("roll dice", limit=1)).rung)

    assert rungs == ["first", "second", KEYWORDS, "first"]


async def test_an_embedder_that_takes_too_long_is_passed_over() -> None:
    slow = HashEmbedder()
    async with opened(slow, timeout_s=0.01) as (index, _):
        await index.update(catalog(Tool("roll_dice")))
        await index.embed_tool_descriptions()
        slow.is_held = True

        async with asyncio.timeout(5):
            ranking = await index.search("dice", limit=1)

    assert (ranking.names(), ranking.rung) == (["roll_dice"], KEYWORDS)


async def test_an_embedder_that_is_down_holds_up_no_other() -> None:
    first, second = HashEmbedder("first"), HashEmbedder("second")
    first.failure = DOWN
    async with opened(first, second) as (index, _):
        await index.update(catalog(Tool("roll_dice")))
        assert await index.embed_tool_descriptions() == 1
        assert (await index.search("dice", limit=1)).rung == "second"

        with pytest.raises(Transient):
            await index.embed_tool_descriptions()


async def test_a_tool_that_the_model_fails_at_is_left_to_the_words() -> None:
    embedder = HashEmbedder()
    embedder.fails_at = ("dice", Permanent("embedding_refused", "no"))
    async with opened(embedder) as (index, _):
        await index.update(catalog(Tool("roll_dice"), Tool("play_song"), Tool("send_mail")))

        assert [await index.embed_tool_descriptions() for _ in range(2)] == [2, 0]
        assert "roll_dice" in await names(index, "roll")


async def test_a_tool_that_vanishes_while_it_is_read_leaves_nothing_behind() -> None:
    embedder = HashEmbedder()
    async with opened(embedder) as (index, db), asyncio.timeout(5):
        await index.update(catalog(Tool("roll_dice")))
        embedder.is_held = True
        reading = asyncio.create_task(index.embed_tool_descriptions())
        await embedder.started.wait()
        await index.update(catalog(Tool("play_song"), version=2))
        embedder.release.set()
        await reading

        assert await counts(db) == [1, 1, 0]
        assert await names(index, "dice") == []


async def test_only_the_tools_of_the_server_asked_for_are_found() -> None:
    async with opened(HashEmbedder()) as (index, _):
        await index.update(catalog(*(Tool("open_door", server=server) for server in ("house", "garage"))))
        await index.embed_tool_descriptions()

        assert await names(index, "open the door", server="garage") == ["mcp_garage_open_door"]
        assert await names(index, "open the door", server="unknown") == []


@pytest.mark.parametrize(
    "query", ["please run_mcp", "open_door", "use mcp_house_open_door now", "openDoor"], ids=lambda query: query
)
async def test_a_tool_that_is_named_comes_first(query: str) -> None:
    decoys = [Tool(f"door_{n}", "please run the mcp house and open, use it now") for n in range(5)]
    async with opened() as (index, _):
        await index.update(catalog(*decoys, Tool("run_mcp"), Tool("open_door", server="house")))

        assert (await names(index, query))[0] in {"run_mcp", "mcp_house_open_door"}


@pytest.mark.parametrize(
    "query", ["", "   ", "¿?", '"', "NEAR(", "a OR", "title:x", "-*^", "\ud800", "x" * 50_000]
)
async def test_any_text_is_a_valid_query(query: str) -> None:
    async with opened(HashEmbedder()) as (index, _):
        await index.update(catalog(Tool("roll_dice")))
        await index.embed_tool_descriptions()

        assert set(await names(index, query)) <= {"roll_dice"}


async def test_builtin_tools_are_found_by_their_spanish_words_and_servers_get_none() -> None:
    words = {"roll_dice": OtherWords("tira un dado", ("echá los dados",))}
    words["mcp_casino_roll_dice"] = words["roll_dice"]
    async with opened(words=words) as (index, _):
        await index.update(catalog(Tool("roll_dice"), Tool("roll_dice", server="casino")))

        assert await names(index, "dados") == ["roll_dice"]


async def test_parameters_and_the_server_are_words_of_a_tool() -> None:
    params = {"reviewerLogin": {"type": "string", "description": "whose approval is wanted"}}
    async with opened() as (index, _):
        await index.update(catalog(Tool("merge", "join branches", server="github", params=params)))

        for query in ("github", "reviewer", "approval"):
            assert await names(index, query) == ["mcp_github_merge"]


def test_every_builtin_tool_has_spanish_words() -> None:
    builtin = {name for names in TOOL_CATEGORIES.values() for name in names}

    words = EXAMPLES.words

    assert builtin <= words.keys()
    assert all(one.description and one.examples for one in words.values())


def test_the_background_is_a_hundred_messages_of_each_language() -> None:
    background = load_background()

    assert len(background) == len(set(background)) == 200


async def test_after_two_hundred_adds_and_removes_exactly_what_is_there_is_found() -> None:
    rng = random.Random(5)
    changes = [(rng.randrange(40), rng.random() < 0.5, rng.random() < 0.3) for _ in range(200)]

    await play(changes)


@given(changes=st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), min_size=1, max_size=12))
@some(0.2)
def test_after_any_adds_and_removes_exactly_what_is_there_is_found(changes: list[tuple[int, bool, bool]]) -> None:
    asyncio.run(play(changes))


async def play(changes: Sequence[tuple[int, bool, bool]]) -> None:
    """Each change adds or removes one tool; some are followed by a round of reading, some by a search."""
    async with opened(HashEmbedder()) as (index, db):
        present: dict[int, Tool] = {}
        for version, (number, is_read, is_searched) in enumerate(changes):
            if present.pop(number, None) is None:
                present[number] = Tool(f"tool_w{number}w", server="house")
            await index.update(catalog(*present.values(), version=version))
            if is_read:
                await index.embed_tool_descriptions(limit=4)
            if is_searched:
                found = set(await names(index, f"w{number}w"))
                assert found <= {tool.name for tool in present.values()}
                assert (f"mcp_house_tool_w{number}w" in found) == (number in present)
        while await index.embed_tool_descriptions():
            pass
        assert await counts(db) == [len(present)] * 3
        rows = await db.fetch_all("SELECT name FROM tool_index")
        assert {row["name"] for row in rows} == {tool.name for tool in present.values()}
