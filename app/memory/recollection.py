"""What comes to mind for a message: facts, texts that mean the same, and the last days."""

from typing import Final
from zoneinfo import ZoneInfo

from app.database.repositories.embeddings import EmbeddingKind
from app.domain.recollection import Recollection, Remembrance
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.embeddings.indexer import Indexer
from app.memory.eating import cautions_for, read_eating
from app.memory.health import (
    allergy_to,
    is_about_medicine,
    tells_of_health,
    touches_health,
    warnings_among,
)
from app.memory.recall import Recalled
from app.memory.repository import MEMORIES, SNAPSHOTS, Memory, MemoryRepository
from app.memory.service import MemoryService
from app.memory.sessions import Sessions
from app.memory.similarity import content_words
from app.memory.statements import holds_only, self_statements, statements

MAX_FACTS: Final = 5
MAX_TEXTS: Final = 2
_MORE_FACTS: Final = 8
_NEAR_TEXT: Final = 0.40
_LOOKED_AT: Final = 20
_FACT_CHARS: Final = 200
_TEXT_CHARS: Final = 240
_DAYS: Final = 2
_DAYS_CHARS: Final = 400


class Recollector:
    """Looks for one person at a time; the text's vector is computed once for all kinds."""

    def __init__(
        self, repository: MemoryRepository, facts: MemoryService, sessions: Sessions, indexer: Indexer | None
    ) -> None:
        self._repository = repository
        self._facts = facts
        self._sessions = sessions
        self._indexer = indexer

    async def recall(self, text: str, ctx: TurnContext) -> Recollection:
        """Return what matters for a text of the person who asks.

        Raises:
            Transient: the database failed. A model that is down only makes it find less.
        """
        user_id = ctx.user_id
        today = ctx.received_at.astimezone(ZoneInfo(ctx.timezone)).date()
        hits = [] if self._indexer is None else await self._indexer.search(user_id, text, limit=_LOOKED_AT)
        similar = [(hit.owner_id, hit.similarity) for hit in hits if hit.kind == MEMORIES.kind]
        facts = await self._facts.recall(user_id, text, limit=_LOOKED_AT, similar=similar)
        items = [_fact(one) for one in facts if one.is_near][:MAX_FACTS]
        looked = ((one.memory, allergy_to(one.memory.text, text)) for one in facts)
        allergies = [(fact, whose) for fact, whose in looked if whose is not None]
        warnings = [fact for fact, _ in allergies]
        if touches_health(text):
            warnings = warnings_among(await self._facts.list_active(user_id))
        eating = read_eating(text)
        cautions = [] if eating is None else cautions_for(eating, await self._facts.list_active(user_id))
        named = frozenset(content_words(text))
        for hit in [hit for hit in hits if self._is_text(hit.kind) and hit.similarity >= _NEAR_TEXT][:MAX_TEXTS]:
            found = await self._repository.embeddings.find_text(user_id, hit.kind, hit.owner_id)
            if found is not None:
                says = self._repository.embeddings.says(hit.kind)
                items.append(
                    Remembrance(hit.kind, says, _gist(hit.kind, found.text), f"meaning {hit.similarity:.2f}")
                )
        more = [_fact(one) for one in facts if not one.is_near]
        if len(facts) < _MORE_FACTS:
            known = {one.memory.id for one in facts}
            newest = await self._repository.memories.list_newest(user_id, _MORE_FACTS)
            more += [_remembered(one, "newest") for one in newest if one.id not in known]
        days = await self._sessions.recent_days(user_id, today, days=_DAYS, limit_chars=_DAYS_CHARS)
        told = tuple(self_statements(statements(text)))
        return Recollection(
            tuple(items),
            (("recent_days", days),) if days else (),
            more=tuple(more[:_MORE_FACTS]),
            warnings=tuple(one_line(fact.text, _FACT_CHARS) for fact in warnings),
            told=told,
            # What is told of somebody's health, a small model turns around.
            is_only_told=holds_only(text, told) or ("?" not in text and any(map(tells_of_health, told))),
            is_for_doctor=is_about_medicine(text),
            # Theirs, or of somebody whom they name.
            against=tuple(
                one_line(fact.text, _FACT_CHARS) for fact, whose in allergies if not whose or whose & named
            ),
            cautions=tuple(one_line(fact.text, _FACT_CHARS) for fact in cautions),
        )

    def _is_text(self, kind: EmbeddingKind) -> bool:
        """Facts are told above; what has nothing to introduce it is recalled by its own ability."""
        return kind != MEMORIES.kind and bool(self._repository.embeddings.says(kind))


def _fact(one: Recalled) -> Remembrance:
    return _remembered(one.memory, _why(one))


def _remembered(fact: Memory, why: str) -> Remembrance:
    return Remembrance(MEMORIES.kind, MEMORIES.says, one_line(fact.text, _FACT_CHARS), why, is_fact=True)


def _gist(kind: EmbeddingKind, text: str) -> str:
    """Of an earlier conversation the title only: a small model answers with what it said there (measured)."""
    return one_line(text.partition("\n")[0] if kind == SNAPSHOTS.kind else text, _TEXT_CHARS)


def _why(one: Recalled) -> str:
    parts = [f"words {', '.join(one.why.words)}"] if one.why.words else []
    if one.why.similarity is not None:
        parts.append(f"meaning {one.why.similarity:.2f}")
    return "; ".join(parts)
