"""Finding texts by meaning: has them read by the model, and looks among what was read."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import structlog

from app.database.repositories.embeddings import FLOAT_BYTES, EmbeddingKind, Readable
from app.database.repository import Repository
from app.database.vectors import Hit, VectorIndex
from app.domain.errors import AppError, Permanent, Transient
from app.domain.ids import UserId
from app.domain.ports import Clock, Embedder

log = structlog.get_logger(__name__)

_BATCH: Final = 32
# Failures that may be the fault of one text; all others are the model's or the network's.
_TEXT_MAY_BE_TO_BLAME: Final = frozenset({"embedding_failed", "embedding_bad_answer", "embedding_refused"})
_LEAST_ALIKE: Final = 0.25
_CLEARLY_CLOSER: Final = 0.1
_HARMLESS: Final = "hello"
_UNREADABLE: Final = b""


class Indexer:
    """Keeps embeddings of everything a user may look for; the model works outside of any transaction.

    The embedder may go over to another model: what it makes is kept and looked for under the name of the model
    that made it, never beside that of another. `index` is over the vectors of the model that it has now, `spare`
    over those of the one that may follow.
    """

    def __init__(
        self,
        repository: Repository,
        index: VectorIndex,
        embedder: Embedder,
        clock: Clock,
        *,
        spare: VectorIndex | None = None,
    ) -> None:
        self._repository = repository
        self._index = index
        self._model = embedder.model
        self._spare = spare
        self._embedder = embedder
        self._clock = clock

    async def embed_memory(self, user_id: UserId, memory_id: int) -> bool:
        """Read one fact; see `embed`."""
        return await self.embed(user_id, "memory", memory_id)

    async def embed_note(self, user_id: UserId, note_id: int) -> bool:
        """Read one note; `note_id` is the row, not the number that people say."""
        return await self.embed(user_id, "note", note_id)

    async def embed(self, user_id: UserId, kind: EmbeddingKind, owner_id: int) -> bool:
        """Read one text; False when it is gone or the model cannot work now: `backfill` comes back to it."""
        text = await self._repository.embeddings.find_text(user_id, kind, owner_id)
        if text is None:
            return False
        model = self._embedder.model
        try:
            vectors = await self._documents([text.text], model)
        except (Transient, Permanent) as exc:
            log.warning("embedding.postponed", model=model, kind=kind, code=exc.code)
            return False
        return await self._store([text], vectors, model) == 1

    async def backfill(self, limit: int) -> int:
        """Read at most `limit` texts of anybody that the present model has not read; returns how many.

        A text that the model fails at, while it can read others, is noted as unreadable until it changes.

        Raises:
            Transient, Permanent: the model cannot work now; what was read before that is kept.
        """
        done = 0
        while done < limit:
            model = self._embedder.model
            batch = await self._repository.embeddings.list_missing(model, limit=min(_BATCH, limit - done))
            kept = await self._store(batch, await self._read(batch, model), model) if batch else 0
            if kept == 0:
                break
            done += kept
        return done

    async def search(
        self, user_id: UserId, query: str | bytes, *, kinds: Sequence[EmbeddingKind] = (), limit: int
    ) -> list[Hit]:
        """Return the user's nearest texts, nearest first; none while the model cannot work.

        `query` is a text, or a vector that the present model made of one. Without `kinds`, texts of any kind.

        Raises:
            Transient: the database failed.
        """
        wanted, model = kinds or self._repository.embeddings.kinds, self._embedder.model
        try:
            vectors = [query] if isinstance(query, bytes) else await self._embedder.embed([query], purpose="query")
        except (Transient, Permanent) as exc:
            log.warning("embedding.unavailable", model=model, code=exc.code)
            return []
        return await self._index_of(self._embedder.model).search(user_id, vectors[0], kinds=wanted, limit=limit)

    async def find_closest(self, said: str, texts: Sequence[str]) -> int | None:
        """Return the place of the text that is clearly the closest in meaning; None where none is.

        Of fifteen descriptions ("the stuff for the birds" among soap, matches and bird seed) twelve were found and
        none was taken for another (use-multilingual-v3).
        """
        try:
            vectors = await self._embedder.embed([said, *texts], purpose="query")
        except (Transient, Permanent) as exc:
            log.warning("embedding.unavailable", model=self._embedder.model, code=exc.code)
            return None
        question, *others = [np.frombuffer(one, "<f4") for one in vectors]
        likeness = [float(question @ one) for one in others]
        best, second = sorted(likeness, reverse=True)[:2] if len(likeness) > 1 else (*likeness, 0.0)
        return likeness.index(best) if best >= _LEAST_ALIKE and best - second >= _CLEARLY_CLOSER else None

    def _index_of(self, model: str) -> VectorIndex:
        return self._index if model == self._model or self._spare is None else self._spare

    async def _documents(self, texts: Sequence[str], model: str) -> list[bytes]:
        """Have that model read texts, or nobody."""
        vectors = await self._embedder.embed(texts, purpose="document")
        if self._embedder.model != model:
            raise Transient("embedding_model_changed", f"{model} is not asked any more")
        return vectors

    async def _store(self, batch: Sequence[Readable], vectors: Sequence[bytes], model: str) -> int:
        """Keep the vectors, which that model made, of those texts that are still as they were read."""
        sizes = {len(vector) // FLOAT_BYTES for vector in vectors} - {0}
        now, kept = self._clock.now(), 0
        async with self._repository.transaction() as tx:
            for dims in sizes:
                await self._index_of(model).make_room(dims, tx=tx)
            for text, vector in zip(batch, vectors, strict=True):
                kept += await self._repository.embeddings.put(
                    text.user_id, text, vector, model=model, at=now, tx=tx
                )
        return kept

    async def _read(self, batch: Sequence[Readable], model: str) -> list[bytes]:
        """Return a vector for each text; an empty one for those that the model fails at."""
        try:
            return await self._documents([text.text for text in batch], model)
        except (Transient, Permanent) as exc:
            _raise_unless_text_may_be_to_blame(exc)
        vectors = [await self._read_alone(text, model) for text in batch]
        # A model that just broke down fails at everything: then it is not the text.
        await self._documents([_HARMLESS], model)
        return vectors

    async def _read_alone(self, text: Readable, model: str) -> bytes:
        try:
            (vector,) = await self._documents([text.text], model)
        except (Transient, Permanent) as exc:
            _raise_unless_text_may_be_to_blame(exc)
            log.warning("embedding.unreadable", model=model, kind=text.kind, code=exc.code)
            return _UNREADABLE
        return vector


def _raise_unless_text_may_be_to_blame(exc: AppError) -> None:
    if exc.code not in _TEXT_MAY_BE_TO_BLAME:
        raise exc
