"""Finding in documents: by words and by meaning, and telling in which document and on which page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.ids import UserId
from app.domain.recollection import NOTHING_RECALLED, Recollection, Remembrance
from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line, stem, words
from app.embeddings.fusion import Fused, fuse
from app.embeddings.indexer import Indexer
from app.media.repository import PIECES, Document, Documents, Piece

_LOOKED_AT: Final = 40
_RECALLED: Final = 2
_RECALLED_CHARS: Final = 600
_MIN_COVERAGE: Final = 0.6
_MIN_WORDS: Final = 2
_NEAR: Final = 0.55
_MEANING_SHARE: Final = 0.4
_UNRELATED: Final = 0.2


@dataclass(frozen=True, slots=True)
class Passage:
    document: Document
    piece: Piece
    why: Fused[int]
    coverage: float


class Shelf:
    """One person's documents at a time."""

    def __init__(self, documents: Documents, indexer: Indexer | None) -> None:
        self._documents = documents
        self._indexer = indexer

    async def search(
        self, user_id: UserId, query: str, *, within: Document | None = None, limit: int
    ) -> list[Passage]:
        """Return the passages that answer a question best; several of one page count once."""
        known = {one.id: one for one in await self._documents.list_all(user_id)}
        if not known:
            return []
        only = within.id if within else None
        by_words = await self._documents.search(user_id, query, document_id=only, limit=_LOOKED_AT)
        hits = (
            []
            if self._indexer is None
            else await self._indexer.search(user_id, query, kinds=[PIECES.kind], limit=_LOOKED_AT)
        )
        found = {piece.id: piece for piece in by_words}
        missing = [hit.owner_id for hit in hits if hit.owner_id not in found]
        found |= {piece.id: piece for piece in await self._documents.get_pieces(user_id, missing)}
        if only is not None:
            found = {key: piece for key, piece in found.items() if piece.document_id == only}
        wanted = {stem(word) for word in words(query)}
        coverage = {key: _coverage(wanted, piece.text) for key, piece in found.items()}
        ranked = fuse(
            {piece.id: piece.rank for piece in by_words},
            {hit.owner_id: hit.similarity for hit in hits if hit.owner_id in found},
            coverage=coverage,
            weight=_MEANING_SHARE,
            baseline=_UNRELATED,
        )
        passages = [
            Passage(known[found[one.key].document_id], found[one.key], one, coverage[one.key])
            for one in ranked
            if found[one.key].document_id in known
        ]
        return _one_each_page(passages)[:limit]

    async def recall(self, text: str, ctx: TurnContext) -> Recollection:
        """Return what their documents say about a text of the person's, where that is likely to matter."""
        if len(words(text)) < _MIN_WORDS:
            return NOTHING_RECALLED
        found = await self.search(ctx.user_id, text, limit=_RECALLED)
        items = [
            Remembrance(
                PIECES.kind,
                f'their document {one.document.number} "{one.document.title}" says on page {one.piece.page}',
                one_line(one.piece.text, _RECALLED_CHARS),
                f"words {one.coverage:.2f}, meaning {one.why.similarity or 0:.2f}",
            )
            for one in found
            if one.coverage >= _MIN_COVERAGE or (one.why.similarity or 0) >= _NEAR
        ]
        return Recollection(tuple(items))


def _one_each_page(passages: Sequence[Passage]) -> list[Passage]:
    first: dict[tuple[int, int], Passage] = {}
    for one in passages:
        first.setdefault((one.document.id, one.piece.page), one)
    return list(first.values())


def _coverage(wanted: set[str], text: str) -> float:
    """Return the share of a question's words that a text holds."""
    have = {stem(word) for word in words(fold(text))}
    return len(wanted & have) / len(wanted) if wanted else 0.0
