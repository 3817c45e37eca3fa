"""How well and how soon the right tools are found among many: `python -m tests.bench.tool_search`.

On half of each of four sets (data.DATA), through the index that the assistant uses. R@k is the share of the needed
tools among the first k. The Spanish example of each own tool was written by somebody who had seen the questions,
though from the tools' descriptions: read that line as an upper bound.
"""

import asyncio
import json
import logging
import os
import random
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import asdict, dataclass
from statistics import mean, quantiles
from typing import Final

import structlog
from rich.console import Console
from rich.table import Table

from app.database.db import MEMORY, Database
from app.database.migrate import migrate
from app.database.repositories.tool_index import ToolIndexRows
from app.domain.chat import ToolSchema
from app.domain.ports import Embedder
from app.domain.tools import BaseTool
from app.llm.embedders import CachedEmbedder
from app.llm.local_embedder import LocalEmbedder
from app.skills.catalog import ToolSet
from app.skills.examples import OtherWords
from app.skills.router import build_request_more_tools_schema, select_tools
from app.skills.search.choose import Wish, choose_tools, load_by_query
from app.skills.search.documents import load_background
from app.skills.search.embeddings import ToolEmbeddings
from app.skills.search.index import ToolIndex
from tests.bench import tool_search_data as data
from tests.bench.tool_search_data import Question

BUDGET: Final = 8
MANY: Final = 5_000
HOT_ADDED: Final = 20
CHANGES: Final = 200
TIMED: Final = 300
DRAWS: Final = 10
SEED: Final = 20260102
CATEGORY_COUNTS: Final = (1, 2, 3)
CATEGORY_WEIGHTS: Final = (0.6, 0.3, 0.1)
ACCURACIES: Final = (0.8, 0.6)
# Waiting longer than the assistant would: a busy machine must not turn meaning into keywords here.
TIMEOUT_S: Final = 30.0
CHARS_PER_TOKEN: Final = 371_544 / 109_010
"""The servers' own schemas in characters, and in tokens as Qwen's tokenizer was found to count them."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table; `is_met` is None where there is no bar."""

    what: str
    value: str
    bar: str = ""
    is_met: bool | None = None


def at_least(what: str, value: float, bar: float | None = None) -> Measured:
    return Measured(
        what, f"{value:.3f}", "" if bar is None else f"≥ {bar:g}", None if bar is None else value >= bar
    )


def at_most(what: str, value: float, bar: float, unit: str) -> Measured:
    return Measured(what, f"{value:,.2f} {unit}", f"≤ {bar:,g} {unit}", value <= bar)


async def measure(embedder: Embedder | None) -> list[Measured]:
    """Measure everything; without an embedder only what keywords do."""
    found = await _metatool(embedder)
    found += await _servers(embedder)
    found += await _own_and_servers(embedder)
    if embedder is not None:
        found += await _many(embedder)
    return found


def show(found: Sequence[Measured]) -> None:
    """Print the table."""
    table = Table(title="tool search, half of each set", title_justify="left")
    for column in ("", "measured", "bar", ""):
        table.add_column(column, justify="left" if column == "" else "right")
    marks = {None: "", True: "✔", False: "✖"}
    for one in found:
        table.add_row(one.what, one.value, one.bar, marks[one.is_met])
    Console(width=110).print(table)


def run() -> None:
    """Measure and print, or say what is missing."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    if not data.is_there():
        Console().print("tool search: skipped: data not there")
        return
    embedder = LocalEmbedder.open()
    if embedder is None:
        Console().print("tool search: keywords only, the optional extra `local` is not installed")
        show(asyncio.run(measure(None)))
        return
    with closing(embedder):
        show(asyncio.run(measure(embedder)))


@asynccontextmanager
async def indexed(
    tools: ToolSet, embedder: Embedder | None, words: Mapping[str, OtherWords] | None = None
) -> AsyncIterator[ToolIndex]:
    """Yield an index that has read all of the tools."""
    async with Database.open(MEMORY) as db:
        await migrate(db)
        rows = ToolIndexRows(db)
        embedders = [] if embedder is None else [embedder]
        embeddings = ToolEmbeddings(rows, embedders, load_background(), timeout_s=TIMEOUT_S)
        index = ToolIndex(rows, embeddings, words=words or {})
        await index.update(tools)
        while await index.embed_tool_descriptions(limit=256):
            pass
        yield index


def as_set(tools: Sequence[BaseTool], version: int = 1) -> ToolSet:
    """Put every tool into the category of its skill."""
    categories: dict[str, list[str]] = {}
    for tool in tools:
        categories.setdefault(tool.skill, []).append(tool.name)
    return ToolSet({tool.name: tool for tool in tools}, {k: tuple(v) for k, v in categories.items()}, version)


def recall(found: Sequence[str], question: Question, k: int) -> float:
    first = frozenset(found[:k])
    return mean(not group.isdisjoint(first) for group in question.gold)


async def _recalls(index: ToolIndex, questions: Sequence[Question], *ks: int) -> list[float]:
    found = [(await index.search(question.text, limit=max(ks))).names() for question in questions]
    return [mean(recall(names, one, k) for names, one in zip(found, questions, strict=True)) for k in ks]


def _rungs(embedder: Embedder | None) -> list[tuple[str, Embedder | None]]:
    alone: list[tuple[str, Embedder | None]] = [("keywords only", None)]
    return alone if embedder is None else [("in-process encoder", embedder), *alone]


async def _metatool(embedder: Embedder | None) -> list[Measured]:
    tools, questions = as_set(data.metatool()), data.questions("metatool/queries")
    spanish = data.questions("metatool/queries_es")
    words = {one["name"]: OtherWords(one["description_es"]) for one in data.lines("metatool/tools_es")}
    found: list[Measured] = []
    for name, rung in _rungs(embedder):
        async with indexed(tools, rung) as index:
            (right,) = await _recalls(index, questions, 8)
        found.append(at_least(f"MetaTool, 199 tools, R@8, {name}", right, 0.72 if rung is None else 0.81))
        async with indexed(tools, rung, words) as index:
            (right,) = await _recalls(index, spanish, 8)
        found.append(at_least(f"  asked in Spanish ({len(spanish)}), Spanish descriptions, {name}", right))
    return found


async def _servers(embedder: Embedder | None) -> list[Measured]:
    tools, names = data.server_tools("livemcp/tools")
    catalog = as_set(tools)
    questions = data.questions("livemcp/queries", names)
    found: list[Measured] = []
    for name, rung in _rungs(embedder):
        async with indexed(catalog, rung) as index:
            five, eight = await _recalls(index, questions, 5, 8)
            is_graded = rung is not None
            found.append(at_least(f"LiveMCPBench, 527 tools, R@5, {name}", five, 0.38 if is_graded else None))
            found.append(at_least(f"LiveMCPBench, 527 tools, R@8, {name}", eight, 0.47 if is_graded else None))
            found += await _by_steps(index, catalog, names)
            if is_graded:
                found.append(await _tokens(index, catalog, questions))
    return found


async def _by_steps(index: ToolIndex, tools: ToolSet, names: Mapping[str, str]) -> list[Measured]:
    """Search once for each step of a task, as `request_more_tools` with a query does."""
    found, loaded = [], []
    for one in data.questions("livemcp/queries_steps", names):
        got = await load_by_query([one.text], tools, index, already=())
        found.append(recall([tool.name for tool in got.tools], one, 4))
        loaded.append(len(got.tools))
    return [at_least(f"  one step as query, {mean(loaded):.1f} tools loaded", mean(found))]


async def _tokens(index: ToolIndex, tools: ToolSet, questions: Sequence[Question]) -> Measured:
    """How long an offer is, at the mean."""
    meta = ToolSchema.read(build_request_more_tools_schema(tools.categories))
    sizes = []
    for one in questions:
        chosen = await choose_tools(Wish(tuple(tools.categories)[:2], one.text), tools, index, max_tools=BUDGET)
        sizes.append(sum(map(_size, [meta, *(tool.get_schema() for tool in chosen)])))
    every = sum(_size(tool.get_schema()) for tool in tools.tools.values())
    return at_most(
        f"tokens of 8 schemas and the meta-tool, mean (all: {every:,.0f})", mean(sizes), 2_000, "tokens"
    )


def _size(schema: ToolSchema) -> float:
    """Guess how many tokens a schema has as it is sent."""
    sent = {"type": "function", "function": asdict(schema)}
    return len(json.dumps(sent, ensure_ascii=False)) / CHARS_PER_TOKEN


async def _own_and_servers(embedder: Embedder | None) -> list[Measured]:
    served, _ = data.server_tools("livemcp/tools")
    tools = as_set([*data.own(), *served])
    words = {one["name"]: OtherWords(one["description_es"]) for one in data.lines("wasap/tools")}
    questions = data.questions("wasap/queries")
    found: list[Measured] = []
    for name, rung in _rungs(embedder):
        async with indexed(
            tools, None if rung is None else CachedEmbedder(rung, size=len(questions)), words
        ) as index:
            (right,) = await _recalls(index, questions, 8)
            bar = None if rung is None else 0.73
            found.append(at_least(f"Spanish, 60 own and 527 MCP tools, R@8, {name}", right, bar))
            if rung is not None:
                found += [
                    one
                    for accuracy in ACCURACIES
                    for one in await _with_classifier(index, tools, questions, accuracy)
                ]
    return found


async def _with_classifier(
    index: ToolIndex, tools: ToolSet, questions: Sequence[Question], accuracy: float
) -> list[Measured]:
    """Compare categories alone with the union, for a made-up classifier that is right so often.

    It names one, two or three categories; when it is right, the tool's own is among them.
    """
    rng = random.Random(SEED)
    category_of = {name: title for title, names in tools.categories.items() for name in names}
    alone, union = [], []
    for one in [one for one in questions for _ in range(DRAWS)]:
        (gold,) = one.gold[0]
        others = [title for title in tools.categories if title != category_of[gold]]
        named = rng.sample(others, rng.choices(CATEGORY_COUNTS, CATEGORY_WEIGHTS)[0])
        if rng.random() < accuracy:
            named[rng.randrange(len(named))] = category_of[gold]
        by_category = select_tools(named, tools.tools, BUDGET, tools.categories)
        chosen = await choose_tools(Wish(named, one.text), tools, index, max_tools=BUDGET)
        alone.append(gold in {tool.name for tool in by_category})
        union.append(gold in {tool.name for tool in chosen[:BUDGET]})
    bar = 0.85 if accuracy == ACCURACIES[0] else None
    return [
        at_least(f"  {BUDGET} slots, classifier right {accuracy:.0%}: categories alone", mean(alone)),
        at_least(f"  {BUDGET} slots, classifier right {accuracy:.0%}: categories and search", mean(union), bar),
    ]


async def _many(embedder: Embedder) -> list[Measured]:
    """Speed among 5,000 tools, and how soon a server that is added among them is found."""
    served, _ = data.server_tools("livemcp/tools")
    added, rest = served[:HOT_ADDED], served[HOT_ADDED:]
    tools = [*data.own(), *data.metatool(), *rest, *data.filler(MANY)][:MANY]
    questions = [*data.questions("metatool/queries")[:TIMED:2], *data.questions("wasap/queries")]
    questions += data.questions("livemcp/queries")
    async with indexed(as_set(tools), embedder) as index:
        times_ms, worked_ms = [], []
        for one in questions:
            began, worked_at = time.perf_counter(), time.process_time()
            await index.search(one.text, limit=BUDGET)
            times_ms.append((time.perf_counter() - began) * 1000)
            worked_ms.append((time.process_time() - worked_at) * 1000)
        cuts, worked = (quantiles(times, n=100, method="inclusive") for times in (times_ms, worked_ms))
        load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        return [
            at_most(f"{len(tools):,} tools, encoder included, p95 ({load})", cuts[94], 15, "ms"),
            Measured("  p50", f"{cuts[49]:.1f} ms"),
            Measured("  processor time, p50 and p95", f"{worked[49]:.1f}, {worked[94]:.1f} ms"),
            *await _hot_add(index, tools, added),
            await _changes(index, tools, added),
        ]


async def _hot_add(index: ToolIndex, tools: Sequence[BaseTool], added: Sequence[BaseTool]) -> list[Measured]:
    began, worked_at = time.perf_counter(), time.process_time()
    await index.update(as_set([*tools, *added], 2))
    first = (await index.search(added[0].name, limit=BUDGET)).names()
    by_words_s = time.perf_counter() - began
    while await index.embed_tool_descriptions():
        pass
    read_s, worked_s = time.perf_counter() - began, time.process_time() - worked_at
    found = sum([tool.name in (await index.search(tool.name, limit=BUDGET)).names() for tool in added])
    by_words_s = by_words_s if added[0].name in first and found == len(added) else float("inf")
    return [
        at_most(f"a server of {len(added)} tools added: found by its words", by_words_s, 0.5, "s"),
        at_most(f"  and read by the encoder (processor time {worked_s:.2f} s)", read_s, 0.5, "s"),
    ]


async def _changes(index: ToolIndex, tools: Sequence[BaseTool], added: Sequence[BaseTool]) -> Measured:
    """Add and remove tools at random; whoever is found must be there."""
    rng = random.Random(SEED)
    stale = 0
    for version in range(3, 3 + CHANGES):
        present = rng.sample(added, rng.randrange(len(added)))
        await index.update(as_set([*tools, *present], version))
        absent = {tool.name for tool in added} - {tool.name for tool in present}
        stale += len(absent.intersection((await index.search(rng.choice(added).name, limit=50)).names()))
    return at_most(f"stale tools found in {CHANGES} random adds and removes", stale, 0, "")


if __name__ == "__main__":
    run()
