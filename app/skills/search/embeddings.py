"""The vectors of the tools: read by each embedder in the background, and compared with what was asked."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import structlog

from app.database.repositories.tool_index import ToolIndexRows, ToolVector
from app.domain.errors import AppError
from app.domain.ports import Embedder
from app.llm.unit_vectors import unit_vectors
from app.skills.search.documents import ToolDocument
from app.skills.search.vectors import ToolVectors, Vector, mean_vector

log = structlog.get_logger(__name__)

QUERY_TIMEOUT_S: Final = 0.3
_FLOAT: Final = "<f4"
# Failures that may be the fault of one text; all others are the model's or the network's.
_TEXT_MAY_BE_TO_BLAME: Final = frozenset({"embedding_failed", "embedding_bad_answer", "embedding_refused"})


@dataclass(frozen=True, slots=True)
class ReadQueries:
    """What the first embedder that could answer made of each text, and its vectors of the tools."""

    model: str
    tools: ToolVectors
    queries: tuple[bytes, ...]


class ToolEmbeddings:
    """Holds what every embedder made of the tools, in memory and in the database.

    Embedders are asked in their order; vectors of different models are never compared with each other.
    `background` are messages about anything: how near a tool is to their mean is its hub.
    """

    def __init__(
        self,
        rows: ToolIndexRows,
        embedders: Sequence[Embedder],
        background: Sequence[str],
        *,
        timeout_s: float = QUERY_TIMEOUT_S,
    ) -> None:
        self._rows = rows
        self._embedders = tuple(embedders)
        self._background = tuple(background)
        self._timeout_s = timeout_s
        self._stored: dict[str, dict[int, ToolVector]] = {}
        self._vectors: dict[str, ToolVectors] = {}
        self._unreadable: dict[str, set[int]] = {}
        self._centres: dict[str, Vector] = {}
        self._ids: Mapping[str, int] = {}

    async def load(self) -> None:
        """Take what is stored from earlier runs, and forget what models made that are no longer asked.

        Raises:
            Transient: the database failed.
        """
        models = [embedder.model for embedder in self._embedders]
        await self._rows.keep_models(models)
        self._stored = {model: {one.tool_id: one for one in await self._rows.vectors(model)} for model in models}

    def follow(self, ids: Mapping[str, int]) -> None:
        """Serve these tools, by name and row, and no others."""
        self._ids = ids
        living = frozenset(ids.values())
        for model, stored in self._stored.items():
            self._stored[model] = {row: one for row, one in stored.items() if row in living}
            self._rebuild(model)

    def vectors(self, model: str) -> ToolVectors | None:
        """Return a model's vectors of the tools; None when it has read none."""
        return self._vectors.get(model)

    async def read_queries(self, texts: Sequence[str]) -> ReadQueries | None:
        """Have the first embedder that can read the texts; None when none can, or none has read a tool.

        Never raises what an embedder raises: each gets 0.3 s, and its failure is a line in the log.
        """
        for embedder in self._embedders:
            tools = self._vectors.get(embedder.model)
            if tools is None or not texts:
                continue
            try:
                async with asyncio.timeout(self._timeout_s):
                    queries = await embedder.embed(texts, purpose="query")
            except (AppError, TimeoutError) as exc:
                reason = exc.code if isinstance(exc, AppError) else "too_slow"
                log.warning("tool_search.embedder_failed", model=embedder.model, reason=reason)
            else:
                return ReadQueries(embedder.model, tools, tuple(queries))
        return None

    async def embed_missing(self, documents: Mapping[str, ToolDocument], limit: int) -> int:
        """Have every embedder read up to `limit` tools that it has not read; returns how many were read.

        One that is down holds up no other: its failure is raised when nothing at all was read.

        Raises:
            Transient, Permanent: an embedder failed, or the database; what was read before that is kept.
        """
        done = 0
        failure: AppError | None = None
        for embedder in self._embedders:
            try:
                done += await self._embed_with(embedder, documents, limit)
            except AppError as exc:
                log.warning("tool_index.embedding_failed", model=embedder.model, code=exc.code)
                failure = failure or exc
        if failure is not None and not done:
            raise failure
        return done

    async def _embed_with(self, embedder: Embedder, documents: Mapping[str, ToolDocument], limit: int) -> int:
        model, ids = embedder.model, self._ids
        if not ids:
            return 0
        # Before anything else: it also has the model loaded when the first question comes.
        centre = await self._centre(embedder)
        done = self._stored.setdefault(model, {}).keys() | self._unreadable.setdefault(model, set())
        missing = [documents[name] for name, row in ids.items() if row not in done and name in documents][:limit]
        read = await self._read(embedder, missing)
        made = [ToolVector(ids[name], vector, _cosine(vector, centre)) for name, vector in read.items()]
        await self._rows.put(model, made)
        self._unreadable[model] |= {ids[one.name] for one in missing if one.name not in read}
        self._keep(model, made)
        return len(made)

    async def _read(self, embedder: Embedder, tools: Sequence[ToolDocument]) -> dict[str, bytes]:
        """Read tools together; where one of them may be what the model fails at, one by one, without it."""
        try:
            return await _meanings(embedder, tools)
        except AppError as exc:
            if len(tools) == 1 or exc.code not in _TEXT_MAY_BE_TO_BLAME:
                raise
            failure = exc
        read: dict[str, bytes] = {}
        for tool in tools:
            try:
                read |= await _meanings(embedder, [tool])
            except AppError as exc:
                if exc.code not in _TEXT_MAY_BE_TO_BLAME:
                    raise
                log.warning("tool_index.unreadable", model=embedder.model, tool=tool.name, code=exc.code)
        if not read:
            raise failure
        return read

    def _keep(self, model: str, made: Sequence[ToolVector]) -> None:
        """Add vectors of tools that are still there, and drop those of another size: another model's."""
        living = frozenset(self._ids.values())
        sizes = {len(one.vector) for one in made}
        old = self._stored[model].values()
        kept = [one for one in (*old, *made) if one.tool_id in living and (not sizes or len(one.vector) in sizes)]
        self._stored[model] = {one.tool_id: one for one in kept}
        self._rebuild(model)

    async def _centre(self, embedder: Embedder) -> Vector:
        """The mean of the background messages."""
        if embedder.model not in self._centres:
            read = await embedder.embed(self._background, purpose="document")
            self._centres[embedder.model] = mean_vector(read)
        return self._centres[embedder.model]

    def _rebuild(self, model: str) -> None:
        stored = self._stored[model]
        have = {name: stored[row] for name, row in self._ids.items() if row in stored}
        if have:
            self._vectors[model] = ToolVectors.of({n: (one.vector, one.hub) for n, one in have.items()})
        else:
            self._vectors.pop(model, None)


async def _meanings(embedder: Embedder, tools: Sequence[ToolDocument]) -> dict[str, bytes]:
    """Make one vector of each tool: half what it says of itself, half the messages that want it."""
    texts = [text for tool in tools for text in (*tool.descriptions, *tool.examples)]
    if not texts:
        return {}
    read = iter(np.frombuffer(vector, _FLOAT) for vector in await embedder.embed(texts, purpose="document"))
    halves = [(list(islice(read, len(one.descriptions))), list(islice(read, len(one.examples)))) for one in tools]
    means = [np.mean([np.mean(half, axis=0) for half in both if half], axis=0) for both in halves]
    return {tool.name: vector for tool, vector in zip(tools, unit_vectors(means), strict=True)}


def _cosine(vector: bytes, other: Vector) -> float:
    return float(np.einsum("i,i->", np.frombuffer(vector, _FLOAT), other))
