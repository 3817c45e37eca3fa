"""Which embedder answers, and the memory that spares it the same question twice.

The ladder: Ollama's model, the local one, none (then words are compared). Vectors of two models say nothing
about each other, so a step from one to the other means to read every text anew. That is not done for a hiccup:
while Ollama does not answer, words must do, and what was read stays good. (Where Ollama is gone for long, the
chat model mostly is gone with it.) A step is taken at the start, and when Ollama itself says that it does not
have the model any more: without a restart, and only down. What Ollama's model read is kept under its name until
it is chosen again.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing
from typing import Final

import httpx
import structlog

from app.domain.errors import AppError, Permanent, Transient
from app.domain.ports import Embedder, EmbeddingPurpose
from app.llm.local_embedder import LocalEmbedder
from app.llm.ollama import OllamaClient
from app.llm.ollama_embedder import MODEL_MISSING, OllamaEmbedder
from app.llm.profiles import profile_for

log = structlog.get_logger(__name__)

_REMEMBERED: Final = 256
_ANY_CONTEXT: Final = 2048

_Computation = asyncio.Future[AppError | None]
"""Ends with the failure, or with None: then the vectors are remembered, or nobody computed them."""


@asynccontextmanager
async def open_embedder(
    ollama_base_url: str | None,
    embedding_model: str,
    *,
    is_loaded_at_once: bool = False,
    transport: httpx.AsyncBaseTransport | None = None,
) -> AsyncIterator[Embedder | None]:
    """Yield Ollama's model if it answers and has it, else the local one if installed, else None.

    Behind Ollama's stands the local one, if installed: see `EmbedderLadder`.
    Without `ollama_base_url` Ollama is not asked. If `is_loaded_at_once`, the local one begins to load where it
    comes first; else at its first call. `transport` replaces the network to it, for tests.
    """
    async with AsyncExitStack() as stack:
        local = LocalEmbedder.open()
        behind = None if local is None else CachedEmbedder(stack.enter_context(closing(local)))
        if ollama_base_url is not None and await _has(ollama_base_url, embedding_model, transport):
            log.info("embedder.chosen", provider="ollama", model=embedding_model)
            served = OllamaEmbedder(ollama_base_url, embedding_model, transport=transport)
            first = CachedEmbedder(await stack.enter_async_context(aclosing(served)))
            yield first if behind is None else EmbedderLadder(first, behind)
            return
        if behind is None:
            log.warning(
                "embedder.missing", detail="search by words only; install the extra `local`, or run Ollama"
            )
        else:
            log.info("embedder.chosen", provider="local", model=behind.model)
        if local is not None and is_loaded_at_once:
            local.load()
        yield behind


class EmbedderLadder:
    """An `Embedder` that goes over to another one, once, when the first says that it does not have its model.

    `model` changes with that. Until a call returns, its vectors are of the model that was named when it began:
    a call that the step overtakes fails, as does the one that brings it about. So does the next call for
    documents, as whoever reads one text after the other has begun with the model before.
    """

    def __init__(self, first: Embedder, behind: Embedder) -> None:
        self._now = first
        self._behind = behind
        self._owes_notice = False

    @property
    def model(self) -> str:
        return self._now.model

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        """See `Embedder`.

        Raises:
            Transient: also `embedding_model_changed`: begin again, with the model that is named now.
        """
        begun_with, is_document = self._now, purpose == "document"
        if self._owes_notice and is_document:
            self._owes_notice = False
            raise _changed(begun_with.model)
        try:
            vectors = await begun_with.embed(texts, purpose=purpose)
        except Permanent as exc:
            if exc.code == MODEL_MISSING:
                self._step_down(begun_with)
                self._owes_notice &= not is_document
            raise
        if begun_with is not self._now:
            self._owes_notice &= not is_document
            raise _changed(self.model)
        return vectors

    def _step_down(self, missing: Embedder) -> None:
        if self._now is missing:
            self._now, self._owes_notice = self._behind, True
            log.warning("embedder.stepped_down", missing=missing.model, model=self.model)


class CachedEmbedder:
    """An `Embedder` that computes a question once, however many parts of a turn ask for it.

    Documents pass through: each is read once, and would push the questions out. Texts are remembered as
    hashes. Of callers that wait for the same question, one computes; if that one is cancelled, another does.
    """

    def __init__(self, inner: Embedder, *, size: int = _REMEMBERED) -> None:
        self._inner = inner
        self._size = size
        self._known: OrderedDict[bytes, bytes] = OrderedDict()
        self._running: dict[bytes, _Computation] = {}

    @property
    def model(self) -> str:
        return self._inner.model

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        """Return one vector for each text; raises what the inner embedder raises, and remembers no failure."""
        if purpose == "document":
            return await self._inner.embed(texts, purpose=purpose)
        wanted = {self._key(text, purpose): text for text in texts}
        found: dict[bytes, bytes] = {}
        while missing := [key for key in wanted if key not in found]:
            found |= {key: self._recall(key) for key in missing if key in self._known}
            unknown = [key for key in missing if key not in found]
            if mine := {key: wanted[key] for key in unknown if key not in self._running}:
                found |= await self._compute(mine, purpose)
            elif unknown:
                await self._await_others({self._running[key] for key in unknown})
        return [found[self._key(text, purpose)] for text in texts]

    def _key(self, text: str, purpose: EmbeddingPurpose) -> bytes:
        return hashlib.sha256("\0".join((self.model, purpose, text)).encode("utf-8", "surrogatepass")).digest()

    def _recall(self, key: bytes) -> bytes:
        self._known.move_to_end(key)
        return self._known[key]

    async def _compute(self, mine: dict[bytes, str], purpose: EmbeddingPurpose) -> dict[bytes, bytes]:
        ended: _Computation = asyncio.get_running_loop().create_future()
        self._running |= dict.fromkeys(mine, ended)
        try:
            made = dict(zip(mine, await self._inner.embed(list(mine.values()), purpose=purpose), strict=True))
        except AppError as exc:
            ended.set_result(exc)
            raise
        finally:
            for key in mine:
                del self._running[key]
            if not ended.done():
                ended.set_result(None)
        self._remember(made)
        return made

    def _remember(self, made: dict[bytes, bytes]) -> None:
        self._known |= made
        while len(self._known) > self._size:
            self._known.popitem(last=False)

    async def _await_others(self, running: set[_Computation]) -> None:
        """Wait until computations of other callers ended; a failure is this caller's too.

        After a cancellation nothing is known, and the caller looks again.
        """
        await asyncio.wait(running)
        for computation in running:
            if failure := computation.result():
                raise failure


def _changed(model: str) -> Transient:
    return Transient("embedding_model_changed", f"vectors are made by {model} now")


async def _has(base_url: str, model: str, transport: httpx.AsyncBaseTransport | None) -> bool:
    client = OllamaClient(
        base_url, model, context_tokens=_ANY_CONTEXT, profile=profile_for(model), transport=transport
    )
    async with aclosing(client):
        state = await client.state()
    if state.state != "ready":
        log.info("embedder.ollama_passed_over", reason=state.detail)
    return state.state == "ready"
