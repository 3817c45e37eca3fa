"""The index of all tools there are: kept in step with the catalog, searched by words and by meaning."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import structlog

from app.database.repositories.tool_index import ToolIndexRows
from app.domain.tools import BaseTool
from app.skills.catalog import ToolSet
from app.skills.examples import NO_WORDS, OtherWords
from app.skills.search.documents import ToolDocument, read_tool
from app.skills.search.embeddings import ReadQueries, ToolEmbeddings
from app.skills.search.score import Evidence, score
from app.skills.search.text import identifiers, match_expression, search_words, split_identifier
from app.skills.search.vectors import ToolVectors, Vector

log = structlog.get_logger(__name__)

KEYWORDS: Final = "keywords"
_CANDIDATES: Final = 100
_BATCH: Final = 32
_QUERY_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class FoundTool:
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Tools, best first. `rung` tells what answered: the model whose vectors were compared, or "keywords".

    `closest` is how near the nearest tool is (cosine less hub); None where no vectors were compared.
    """

    found: tuple[FoundTool, ...]
    rung: str
    closest: float | None = None

    def names(self) -> list[str]:
        return [one.name for one in self.found]


class ToolIndex:
    """Searches the tools of the newest catalog that `update` was given.

    `words` are other words for builtin tools, by name.
    """

    def __init__(
        self, rows: ToolIndexRows, embeddings: ToolEmbeddings, *, words: Mapping[str, OtherWords]
    ) -> None:
        self._rows = rows
        self._embeddings = embeddings
        self._words = words
        self._version: int | None = None
        self._tools: Mapping[str, BaseTool] = {}
        self._documents: dict[str, ToolDocument] = {}
        self._places: Mapping[str, int] = {}
        self._own: frozenset[str] = frozenset()
        self._called: Mapping[str, Sequence[str]] = {}
        self._writing = asyncio.Lock()

    async def update(self, tools: ToolSet) -> bool:
        """Bring the index in line with the catalog; returns whether anything changed.

        New and changed tools are found by their words from now on, and by their meaning once
        `embed_tool_descriptions` has read them. A catalog older than the last one is ignored.

        Raises:
            Transient: the database failed; the index is as it was.
        """
        if self._is_known(tools):
            return False
        async with self._writing:
            return not self._is_known(tools) and await self._follow(tools)

    async def embed_tool_descriptions(self, limit: int = _BATCH) -> int:
        """Read up to `limit` tools that are not read yet; returns how many were. See `ToolEmbeddings`.

        Raises:
            Transient, Permanent: an embedder failed, or the database.
        """
        return await self._embeddings.embed_missing(self._documents, limit)

    async def search(self, query: str, *, limit: int, server: str | None = None) -> Ranking:
        """Return the tools that fit a text, best first; those of one server only, if it is named.

        Raises:
            Transient: the database failed.
        """
        if server is None:
            ranking = await self.rank([query])
            return replace(ranking, found=ranking.found[:limit])
        wanted = frozenset(name for name, one in self._documents.items() if one.server == server)
        ranking = await self.rank([query], always=wanted)
        return replace(ranking, found=tuple(one for one in ranking.found if one.name in wanted)[:limit])

    def search_tools_by_embedding(self, query_vec: bytes, top_k: int, *, model: str) -> list[FoundTool]:
        """Return the `top_k` tools nearest to a vector of that model, nearest first.

        `score` is the cosine less the tool's mean cosine with messages about anything.
        """
        vectors = self._embeddings.vectors(model)
        if vectors is None:
            return []
        closeness = vectors.closeness(query_vec)
        best = np.argsort(-closeness, kind="stable")[: max(0, top_k)]
        return [FoundTool(vectors.names[at], float(closeness[at])) for at in best]

    async def rank(self, texts: Sequence[str], *, always: Collection[str] = ()) -> Ranking:
        """Score tools by the best that any of the texts says of them, best first.

        0 to 1, a little more for our own, 1 more for a tool that was named. Looked at are the 100 that share
        most words, the 100 nearest, and how near `always` are. Ties are in the order of the catalog. An
        embedder that fails is passed over, with a line in the log.

        Raises:
            Transient: the database failed.
        """
        asked = list(dict.fromkeys(text[:_QUERY_CHARS] for text in texts if text.strip()))
        # An embedder and the database each have a thread of their own, and take about as long.
        reading = asyncio.create_task(self._embeddings.read_queries(asked), name="tool_search:embed")
        try:
            matching = [await self._matching(text) for text in asked]
            read = await reading
        finally:
            reading.cancel()
        best: dict[str, float] = {}
        closest: list[float] = []
        for number, (text, keywords) in enumerate(zip(asked, matching, strict=True)):
            near = None if read is None else read.tools.closeness(read.queries[number])
            closest += [] if near is None else [float(near.max())]
            vectors = None if read is None else read.tools
            nearest = [] if read is None else self._nearest(read, number)
            names = dict.fromkeys([*nearest, *keywords, *always])
            evidence = self._evidence(keywords, vectors, near, names, named=self._named(text))
            for name, value in score(evidence, self._own).items():
                best[name] = max(value, best.get(name, 0.0))
        places = self._places
        ordered = sorted((name for name in best if name in places), key=lambda name: (-best[name], places[name]))
        rung = KEYWORDS if read is None else read.model
        log.info("tool_search.answered", rung=rung, texts=len(asked), found=len(ordered))
        return Ranking(tuple(FoundTool(n, best[n]) for n in ordered), rung, max(closest, default=None))

    async def has_unknown_word(self, text: str) -> bool:
        """Tell whether a text says something that no tool has a word for.

        Raises:
            Transient: the database failed.
        """
        for word in search_words(text):
            if not await self._rows.search(match_expression(word), limit=1):
                return True
        return False

    def _is_known(self, tools: ToolSet) -> bool:
        return self._version is not None and tools.version <= self._version

    async def _follow(self, tools: ToolSet) -> bool:
        documents = {name: self._read(tool) for name, tool in tools.tools.items()}
        stored = await self._rows.ids()
        kept = {
            name: row
            for name, (row, sha) in stored.items()
            if name in documents and documents[name].text.sha == sha
        }
        gone = [name for name in stored if name not in kept]
        new = [one.text for name, one in documents.items() if name not in kept]
        if gone or new:
            kept |= await self._rows.replace(gone, new)
            log.info("tool_index.updated", added=len(new), removed=len(gone), tools=len(documents))
        if self._version is None:
            await self._embeddings.load()
        self._tools, self._documents, self._version = tools.tools, documents, tools.version
        self._places = {name: place for place, name in enumerate(documents)}
        self._own = frozenset(name for name, one in documents.items() if one.is_own)
        self._called = _by_call_name(documents)
        self._embeddings.follow(kept)
        return bool(gone or new)

    def _read(self, tool: BaseTool) -> ToolDocument:
        """Read a tool, or take what was read of the very same object before."""
        if self._tools.get(tool.name) is tool:
            return self._documents[tool.name]
        return read_tool(tool, self._words.get(tool.name, NO_WORDS) if tool.kind != "mcp" else NO_WORDS)

    async def _matching(self, text: str) -> dict[str, float]:
        expression = match_expression(text)
        rows = await self._rows.search(expression, limit=_CANDIDATES) if expression else []
        return {name: value for name, value in rows if name in self._documents}

    def _nearest(self, read: ReadQueries, number: int) -> list[str]:
        found = self.search_tools_by_embedding(read.queries[number], _CANDIDATES, model=read.model)
        return [one.name for one in found]

    @staticmethod
    def _evidence(
        keywords: Mapping[str, float],
        vectors: ToolVectors | None,
        near: Vector | None,
        names: Iterable[str],
        *,
        named: Collection[str],
    ) -> Evidence:
        closeness: dict[str, float] = {}
        unread: list[str] = []
        if vectors is not None and near is not None:
            closeness = {name: float(near[vectors.rows[name]]) for name in names if name in vectors.rows}
            unread = [name for name in keywords if name not in vectors.rows]
        return Evidence(keywords, closeness, unread, named)

    def _named(self, text: str) -> list[str]:
        said = identifiers(text) | {split_identifier(text)}
        return [name for called in said for name in self._called.get(called, ())]


def _by_call_name(documents: Mapping[str, ToolDocument]) -> dict[str, list[str]]:
    called: dict[str, list[str]] = {}
    for name, one in documents.items():
        for said in one.names:
            called.setdefault(said, []).append(name)
    return called
