"""Embeddings from a model that Ollama serves."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import httpx
from pydantic import BaseModel, ValidationError

from app.domain.errors import AppError, Permanent, Transient
from app.domain.ports import EmbeddingPurpose
from app.llm.unit_vectors import unit_vectors

# A question that finds the model asleep is not waited for: the turn goes on with keywords. Documents are
# read in the background, and wake it.
_TIMEOUT_S: Final[Mapping[EmbeddingPurpose, float]] = MappingProxyType({"query": 5.0, "document": 120.0})
_CONNECT_TIMEOUT_S: Final = 2.0
_PIECE: Final = 32
_MAX_CHARS: Final = 2000
_BUSY_RETRY_AFTER_S: Final = 2.0
_DETAIL_CHARS: Final = 300
_BUSY: Final = frozenset({429, 503})
_TIMED_OUT: Final = frozenset({408, 504})
# A proxy named in the environment must not be asked for this machine's own Ollama.
_NO_PROXY: Final[Mapping[str, None]] = MappingProxyType(
    {"all://localhost": None, "all://127.0.0.1": None, "all://[::1]": None}
)
MODEL_MISSING: Final = "embedding_model_missing"
"""The code of the failure that only somebody's hand can end: Ollama says that it does not have the model."""
_PREFIXES: Final = (
    # (part of the model's name, before a question, before a document), from the models' cards.
    ("nomic-embed", "search_query: ", "search_document: "),
    ("e5", "query: ", "passage: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
)


class _Answer(BaseModel):
    embeddings: list[list[float]]


class OllamaEmbedder:
    """`Embedder` over `POST /api/embed` (Ollama's API documentation); close it with `aclose()`.

    `transport` replaces the network, for tests.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        keep_alive: str = "30m",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._base_url = base_url
        self._model = model
        self._keep_alive = keep_alive
        self._http = httpx.AsyncClient(
            base_url=base_url, transport=transport, mounts=dict(_NO_PROXY) if transport is None else None
        )

    @property
    def model(self) -> str:
        return self._model

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        """Return one vector for each text, of its first 2000 characters, asking for 32 at a time.

        Raises:
            Transient: `embedding_unreachable`, `embedding_busy`, `embedding_timeout`, `embedding_failed`,
                `embedding_bad_answer`.
            Permanent: `embedding_model_missing`, `embedding_refused`.
        """
        prefix = _prefix(self._model, purpose)
        inputs = [prefix + text[:_MAX_CHARS] for text in texts]
        vectors: list[bytes] = []
        for begin in range(0, len(inputs), _PIECE):
            vectors += await self._embed_piece(inputs[begin : begin + _PIECE], _TIMEOUT_S[purpose])
        return vectors

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _embed_piece(self, inputs: list[str], timeout_s: float) -> list[bytes]:
        body = {"model": self._model, "input": inputs, "truncate": True, "keep_alive": self._keep_alive}
        timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_TIMEOUT_S))
        try:
            response = await self._http.post("/api/embed", json=body, timeout=timeout)
        except httpx.HTTPError as exc:
            raise self._translate(exc) from exc
        if response.is_error:
            raise self._classify(response)
        try:
            vectors = unit_vectors(_Answer.model_validate_json(response.content).embeddings)
        except (ValidationError, ValueError) as exc:
            raise Transient("embedding_bad_answer", str(exc)[:_DETAIL_CHARS]) from exc
        if len(vectors) != len(inputs):
            raise Transient("embedding_bad_answer", f"{len(vectors)} vectors for {len(inputs)} texts")
        return vectors

    def _translate(self, exc: httpx.HTTPError) -> AppError:
        detail = f"{type(exc).__name__}: {exc}"[:_DETAIL_CHARS]
        if isinstance(exc, httpx.TimeoutException) and not isinstance(exc, httpx.ConnectTimeout):
            return Transient("embedding_timeout", detail)
        return Transient("embedding_unreachable", f"no Ollama at {self._base_url} ({detail})")

    def _classify(self, response: httpx.Response) -> AppError:
        status = response.status_code
        detail = f"{status}: {response.text}"[:_DETAIL_CHARS]
        if status == 404:
            return Permanent(MODEL_MISSING, f"run: ollama pull {self._model} ({detail})")
        if status in _BUSY:
            return Transient("embedding_busy", detail, retry_after_s=_BUSY_RETRY_AFTER_S)
        if status in _TIMED_OUT:
            return Transient("embedding_timeout", detail)
        return Permanent("embedding_refused", detail) if status < 500 else Transient("embedding_failed", detail)


def _prefix(model: str, purpose: EmbeddingPurpose) -> str:
    for part, query, document in _PREFIXES:
        if part in model.casefold():
            return query if purpose == "query" else document
    return ""
