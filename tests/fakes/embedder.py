"""An embedder without a model: texts are near when they share words."""

import asyncio
import hashlib
from collections.abc import Sequence

import numpy as np

from app.domain.errors import AppError
from app.domain.ports import EmbeddingPurpose
from app.domain.wording import words
from app.llm.unit_vectors import unit_vectors


class HashEmbedder:
    """`Embedder` that counts the words of a text at places their hashes tell; the same everywhere, always.

    `requests` are the texts of each call. `failure` fails every call, `fails_at` those whose texts hold that
    word. With `is_held`, calls wait until `release` is set; `started` tells that one waits.
    """

    def __init__(self, model: str = "hash", *, dims: int = 64) -> None:
        self.dims = dims
        self.requests: list[list[str]] = []
        self.failure: AppError | None = None
        self.fails_at: tuple[str, AppError] | None = None
        self.is_held = False
        self.started = asyncio.Event()
        self.release = asyncio.Event()
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        self.requests.append(list(texts))
        if self.is_held:
            self.started.set()
            await self.release.wait()
        if self.failure is not None:
            raise self.failure
        if self.fails_at is not None and any(self.fails_at[0] in text for text in texts):
            raise self.fails_at[1]
        return unit_vectors([self._count(text) for text in texts]) if texts else []

    def _count(self, text: str) -> list[float]:
        counts = np.full(self.dims, 0.01)
        for word in words(text):
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            counts[int.from_bytes(digest) % self.dims] += 1 if digest[0] % 2 else -1
        return [float(count) for count in counts]
