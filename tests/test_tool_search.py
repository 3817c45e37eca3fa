"""Choosing among many tools: categories and search share the slots, and every rung below still works."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import permutations
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.repositories.tool_index import ToolIndexRows
from app.domain.errors import Transient
from app.domain.ports import Embedder
from app.llm.local_embedder import LOCAL_MODEL
from app.skills.catalog import ToolSet
from app.skills.router import select_tools
from app.skills.search.choose import Wish, choose_tools, load_by_query, queries_in
from app.skills.search.embeddings import ToolEmbeddings
from app.skills.search.index import ToolIndex
from app.skills.search.score import Evidence, score
from app.skills.search.text import match_expression, search_words, split_identifier
from tests.databases import migrated
from tests.fakes.embedder import HashEmbedder
from tests.test_tool_index import FixedEmbedder, Tool

COLOURS: Final = ("red", "blue", "green", "black", "white", "pink")
DEEDS: Final = ("paint", "wash", "fold", "sell", "buy", "lend", "hide", "count", "weigh", "tear")


def big_catalog(version: int = 1) -> ToolSet:
    """Sixty tools of six servers named after colours: `paint_red`, `wash_red` and so on."""
    tools = [Tool(f"{deed}_{colour}", server=colour) for colour in COLOURS for deed in DEEDS]
    categories = {colour: tuple(tool.name for tool in tools if tool.skill == colour) for colour in COLOURS}
    return ToolSet({tool.name: tool for tool in tools}, categories, version)


def small_catalog() -> ToolSet:
    whole = big_catalog()
    tools = dict(list(whole.tools.items())[:50])
    return ToolSet(tools, {colour: whole.categories[colour] for colour in COLOURS[:5]}, 1)


@asynccontextmanager
async def opened(*embedders: Embedder) -> AsyncIterator[ToolIndex]:
    async with migrated() as db:
        rows = ToolIndexRows(db)
        yield ToolIndex(rows, ToolEmbeddings(rows, embedders, ["hello"], timeout_s=5), words={})


@pytest.fixture
async def index() -> AsyncIterator[ToolIndex]:
    async with opened() as made:
        yield made


async def chosen(wish: Wish, index: ToolIndex, tools: ToolSet | None = None, *, max_tools: int = 8) -> list[str]:
    return [tool.name for tool in await choose_tools(wish, tools or big_catalog(), index, max_tools=max_tools)]


async def loaded(queries: list[str], index: ToolIndex, already: frozenset[str] = frozenset()) -> list[str]:
    got = await load_by_query(queries, big_catalog(), index, already=already)
    return [tool.name for tool in got.tools]


async def test_up_to_fifty_tools_the_categories_alone_choose(index: ToolIndex) -> None:
    tools = small_catalog()
    wish = Wish(["red", "blue"], "tear something green", used_recently=["mcp_green_buy_green"])

    expected = [tool.name for tool in select_tools(["red", "blue"], tools.tools, 8, tools.categories)]
    assert await chosen(wish, index, tools) == expected


async def test_without_a_servers_tools_the_categories_alone_choose_however_many_there_are(
    index: ToolIndex,
) -> None:
    whole = big_catalog()
    ours = {name: Tool(name) for name in whole.tools}
    tools = ToolSet(ours, whole.categories, 1)
    wish = Wish(["red", "blue"], "tear something green", used_recently=["mcp_green_buy_green"])

    expected = [tool.name for tool in select_tools(["red", "blue"], tools.tools, 8, tools.categories)]
    assert await chosen(wish, index, tools) == expected


async def test_a_category_gives_its_best_tools_instead_of_its_first(index: ToolIndex) -> None:
    names = await chosen(Wish(["red"], "please tear it or weigh it"), index)

    assert names[:2] == ["mcp_red_weigh_red", "mcp_red_tear_red"]
    assert sum(name.startswith("mcp_red") for name in names) == 5


@pytest.mark.parametrize(("one", "other"), list(permutations(COLOURS, 2)))
async def test_each_of_two_categories_gets_its_share_of_a_large_catalog(
    index: ToolIndex, one: str, other: str
) -> None:
    recent = ["mcp_pink_buy_pink", "mcp_green_buy_green"]
    names = await chosen(Wish([one, other], f"sell, buy, lend, hide and count {one}", used_recently=recent), index)

    assert [sum(name.startswith(f"mcp_{colour}_") for name in names) for colour in (one, other)] == [4, 4]
    assert {f"mcp_{one}_sell_{one}", f"mcp_{other}_sell_{other}"} <= set(names)


async def test_three_categories_get_two_tools_each_and_the_rest_is_ranked_across(index: ToolIndex) -> None:
    names = await chosen(Wish(["red", "blue", "black"], "sell pink"), index)

    shares = [sum(name.startswith(f"mcp_{colour}_") for name in names[:6]) for colour in ("red", "blue", "black")]
    assert shares == [2, 2, 2]
    assert "mcp_pink_sell_pink" in names[6:]


async def test_three_slots_go_to_the_best_of_all_the_rest(index: ToolIndex) -> None:
    names = await chosen(Wish(["red"], "sell the green one"), index)

    assert names[0] == "mcp_red_sell_red"
    assert names[5] == "mcp_green_sell_green"
    assert len(names) == len(set(names)) == 8


async def test_a_tool_is_found_although_its_category_was_not_named(index: ToolIndex) -> None:
    assert "mcp_pink_lend_pink" in await chosen(Wish(["red", "blue", "white"], "lend me the pink one"), index)


async def test_what_the_model_says_in_english_counts_as_much_as_the_message(index: ToolIndex) -> None:
    names = await chosen(Wish(["red"], "prestame el rosa", "lend pink"), index)

    assert names[5] == "mcp_pink_lend_pink"


async def test_the_latest_two_tools_stay_and_others_do_not(index: ToolIndex) -> None:
    recent = ["mcp_gone", "mcp_blue_hide_blue", "mcp_pink_buy_pink", "mcp_white_buy_white"]

    names = await chosen(Wish(["red"], "count red", used_recently=recent), index)

    assert names[:3] == ["mcp_blue_hide_blue", "mcp_pink_buy_pink", "mcp_red_count_red"]
    assert "mcp_white_buy_white" not in names
    assert sum(name.startswith("mcp_red") for name in names) >= 3


async def test_a_small_category_leaves_its_slots_to_the_rest(index: ToolIndex) -> None:
    whole = big_catalog()
    tools = ToolSet(whole.tools, {**whole.categories, "odd": ("mcp_red_buy_red",)}, 1)

    names = await chosen(Wish(["odd"], "paint and wash and fold"), index, tools)

    assert names[0] == "mcp_red_buy_red"
    assert len(names) == 8


async def test_plain_chat_is_offered_nothing(index: ToolIndex) -> None:
    assert await chosen(Wish(["none"], "buy red"), index) == []


async def test_the_categories_decide_where_no_word_is_known(index: ToolIndex) -> None:
    tools = big_catalog()
    by_category = [tool.name for tool in select_tools(["red", "blue"], tools.tools, 8, tools.categories)]

    assert await chosen(Wish(["red", "blue"], "¿?"), index, tools) == by_category
    names = await chosen(Wish(["red", "blue"], "¿?", used_recently=["mcp_pink_buy_pink"]), index, tools)
    assert names == ["mcp_pink_buy_pink", *by_category[:7]]


async def test_the_categories_decide_while_the_database_fails(index: ToolIndex) -> None:
    tools = big_catalog()

    class Failing(ToolIndex):
        def __init__(self) -> None:
            pass

        async def update(self, tools: ToolSet) -> bool:
            raise Transient("database_failed", "disk full")

    by_category = [tool.name for tool in select_tools(["red", "blue"], tools.tools, 8, tools.categories)]
    assert await chosen(Wish(["red", "blue"], "sell pink"), Failing(), tools) == by_category
    got = await load_by_query(["sell pink"], tools, Failing(), already=())
    assert (got.tools, got.unmatched) == ((), ("sell pink",))


@pytest.mark.parametrize("max_tools", [0, 1, 2, 3, 8, 100])
async def test_the_budget_is_never_exceeded_and_no_tool_comes_twice(index: ToolIndex, max_tools: int) -> None:
    recent = ["mcp_red_buy_red", "mcp_red_buy_red", "mcp_blue_buy_blue"]

    names = await chosen(Wish(["red", "red", "blue"], "buy red", used_recently=recent), index, max_tools=max_tools)

    assert len(names) <= max_tools
    assert len(names) == len(set(names))
    assert bool(names) == bool(max_tools)


async def test_the_same_wish_gets_the_same_tools_in_the_same_order() -> None:
    wish = Wish(["red", "pink"], "wash the white one", used_recently=["mcp_blue_buy_blue"])
    async with opened(HashEmbedder()) as first, opened(HashEmbedder()) as second:
        for index in (first, second):
            await index.update(big_catalog())
            await index.embed_tool_descriptions(limit=100)

        assert await chosen(wish, first) == await chosen(wish, second) == await chosen(wish, first)


async def test_choosing_goes_on_when_the_embedder_dies_mid_run() -> None:
    embedder = HashEmbedder()
    wish = Wish(["red"], "sell the green one")
    async with opened(embedder) as index:
        await index.update(big_catalog())
        await index.embed_tool_descriptions(limit=100)
        assert "mcp_green_sell_green" in await chosen(wish, index)

        embedder.failure = Transient("embedding_unreachable", "no route")

        assert "mcp_green_sell_green" in await chosen(wish, index)


async def test_a_server_that_was_just_added_is_offered_without_anybody_telling_the_index(index: ToolIndex) -> None:
    await chosen(Wish(["red"], "buy red"), index)
    whole = big_catalog()
    new = Tool("polish_brass", server="metal")
    tools = ToolSet({**whole.tools, new.name: new}, {**whole.categories, "metal": (new.name,)}, 2)

    assert new.name in await chosen(Wish(["red"], "polish some brass"), index, tools)


async def test_each_query_loads_its_four_best_tools_in_turns(index: ToolIndex) -> None:
    assert await loaded(["sell"], index) == [f"mcp_{colour}_sell_{colour}" for colour in COLOURS[:4]]
    names = await loaded(["sell pink", "buy white"], index)
    assert names[:2] == ["mcp_pink_sell_pink", "mcp_white_buy_white"]
    assert len(names) == 8


async def test_the_same_query_again_brings_the_next_tools(index: ToolIndex) -> None:
    first = await loaded(["sell"], index)

    second = await loaded(["sell"], index, already=frozenset(first))

    assert second[:2] == ["mcp_white_sell_white", "mcp_pink_sell_pink"]


async def test_no_more_than_sixteen_tools_come_at_once(index: ToolIndex) -> None:
    assert len(await loaded([*DEEDS], index)) == 16
    got = await load_by_query(["sell"], big_catalog(), index, already=(), limit=2)
    assert len(got.tools) == 2


async def test_a_query_that_no_tool_fits_loads_nothing_and_is_named(index: ToolIndex) -> None:
    got = await load_by_query(["  juggle   knives ", "", "sell pink"], big_catalog(), index, already=())

    assert got.unmatched == ("juggle knives",)
    assert got.tools[0].name == "mcp_pink_sell_pink"


@pytest.mark.parametrize(
    ("given", "queries"),
    [
        ("read a PDF", ["read a PDF"]),
        ("read a PDF; send mail\n", ["read a PDF", "send mail"]),
        (["read a PDF", " ", 7, "send mail"], ["read a PDF", "send mail"]),
        (None, []),
        ({"a": "b"}, []),
    ],
)
def test_a_model_may_give_its_queries_as_a_text_or_as_a_list(given: object, queries: list[str]) -> None:
    assert queries_in({"query": given}) == queries
    assert queries_in({}) == []


@pytest.mark.parametrize(
    ("query", "is_loaded"), [("fly to the moon", False), ("fly the pink", False), ("sell", True)]
)
async def test_a_wild_guess_of_the_encoder_loads_nothing(query: str, is_loaded: bool) -> None:
    """All tools are as near as 0.14; "fly" is a word that no tool has."""

    class Local(FixedEmbedder):
        model = LOCAL_MODEL

    async with opened(Local(hello=(0, 1, 0), **{":": (1, 0, 0.14)})) as index:
        await index.update(big_catalog())
        await index.embed_tool_descriptions(limit=100)

        assert bool((await load_by_query([query], big_catalog(), index, already=())).tools) == is_loaded


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("create_issue", "create issue"),
        ("listPullRequests", "list pull requests"),
        ("getHTTPStatus", "get http status"),
        ("mcp-server.chart/draw", "mcp server chart draw"),
        ("PDF&URLTool", "pdf url tool"),
        ("ABCmouse", "ab cmouse"),
    ],
)
def test_a_name_is_split_into_its_words(name: str, words: str) -> None:
    assert split_identifier(name) == words


def test_small_words_are_left_out_unless_there_are_no_others() -> None:
    assert search_words("¿Qué notas tengo de la MUDANZA?") == ["notas", "mudanza"]
    assert search_words("what is it?") == ["what", "is", "it"]


@given(st.text(max_size=60))
def test_an_expression_holds_quoted_words_and_nothing_else(text: str) -> None:
    pieces = match_expression(text).split(" OR ")

    assert pieces == [""] or all(piece[1:-1].isalnum() and piece[0] == piece[-1] == '"' for piece in pieces)


def test_meaning_and_words_are_scaled_by_the_best_of_each_before_they_are_added() -> None:
    scores = score(Evidence({"a": 8.0, "b": 4.0}, {"b": 0.4, "c": 0.2, "d": -0.1}), own=())

    assert scores == pytest.approx({"a": 0.4, "b": 0.8, "c": 0.3})


def test_our_own_tools_have_a_small_head_start_and_named_ones_a_large_one() -> None:
    scores = score(Evidence({"a": 8.0, "b": 8.0}, {}, named=["c"]), own=("b", "d"))

    assert scores == pytest.approx({"a": 1.0, "b": 1.15, "c": 1.0})


def test_an_unread_tool_is_taken_to_be_as_near_as_its_words() -> None:
    scores = score(Evidence({"new": 4.0, "old": 2.0}, {"old": 0.5}, unread=["new"]), own=())

    assert scores == pytest.approx({"new": 1.0, "old": 0.8})
