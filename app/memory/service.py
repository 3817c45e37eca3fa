"""What the assistant knows about a person: kept, merged, corrected, forgotten and found again."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import structlog

from app.database.db import Transaction
from app.database.repositories.acts import Act
from app.domain.errors import ToolFault
from app.domain.ids import TurnId, UserId
from app.domain.ports import Clock
from app.domain.wording import said_number
from app.memory.categories import category_of, known_category
from app.memory.judgement import Judgement, KnownFacts
from app.memory.recall import Recalled, rank
from app.memory.repository import Memory, MemoryRepository, NewMemory, Reason
from app.memory.similarity import FactText, content_words, text_key, tidy

log = structlog.get_logger(__name__)

MAX_FACT_CHARS: Final = 1000
MAX_CANDIDATES: Final = 10
_FOUND_BY_WORDS: Final = 50
_LINES_AT_ONCE: Final = 500

SimilarSearch = Callable[[UserId, str, int], Awaitable[Sequence[tuple[int, float]]]]
"""Returns up to so many of the user's memories like a text: their ids, and how alike they are (0 to 1)."""
OnChange = Callable[[UserId], None]


@dataclass(frozen=True, slots=True)
class Remembered:
    """`memory` is what counts now: the new fact, or the one that already said it (`known`).

    `replaced` are those that no longer count. `outdated`: an older message, read late, says what a newer one
    corrected; `memory` is the newer fact. `forgotten`: the person forgot this after the message it comes from, so
    nothing was kept and `memory` is None.
    """

    kind: Literal["added", "merged", "replaced", "known", "outdated", "forgotten"]
    memory: Memory | None
    replaced: tuple[Memory, ...] = ()

    @property
    def has_changed(self) -> bool:
        """The facts are no longer what they were."""
        return self.kind in {"added", "merged", "replaced"}


@dataclass(frozen=True, slots=True)
class _Told:
    text: str
    category: str | None
    turn_id: TurnId | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    memory: Memory


@dataclass(frozen=True, slots=True)
class CloseMatches:
    """Nothing was forgotten; these may have been meant, the closest first. Empty: nothing is close."""

    candidates: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class TurnForgotten:
    """What came from the turn, and what counts again because of that."""

    removed: tuple[Memory, ...]
    restored: tuple[Memory, ...]


class MemoryService:
    """One person's facts at a time. `on_change` is told whose facts changed, after each commit."""

    def __init__(
        self,
        repository: MemoryRepository,
        clock: Clock,
        *,
        search: SimilarSearch | None = None,
        on_change: OnChange | None = None,
    ) -> None:
        self._repository = repository
        self._memories = repository.memories
        self._clock = clock
        self._search = search
        self._on_change = on_change

    async def remember(
        self,
        user_id: UserId,
        text: str,
        *,
        category: str | None = None,
        turn_id: TurnId | None = None,
        act: Act | None = None,
    ) -> Remembered:
        """Keep a fact, unless it is known; what it says more fully or contradicts stops counting.

        A turn that says the same words twice, or is tried again, adds nothing the second time.

        Raises:
            ToolFault: there is no text, or it is longer than `MAX_FACT_CHARS`.
            NotFound: the person is not there any more.
        """
        return (await self._remember(user_id, [_Told(_checked(text), category, turn_id)], act))[0]

    async def remember_from_file(self, user_id: UserId, lines: Sequence[tuple[str, str | None]]) -> None:
        """As `remember`, for lines (text and category) that somebody typed in MEMORY.md: of any length, no turn's.

        Many at once are compared with what is known as one, and kept in few transactions.
        """
        told = [_Told(tidy(text), category) for text, category in lines]
        for start in range(0, len(told), _LINES_AT_ONCE):
            await self._remember(user_id, told[start : start + _LINES_AT_ONCE])

    async def _remember(self, user_id: UserId, told: Sequence[_Told], act: Act | None = None) -> list[Remembered]:
        while True:
            active = await self._memories.list_active(user_id)
            known = await asyncio.to_thread(KnownFacts, active)
            async with self._repository.recorded(act) as tx:
                await self._repository.directory.get_in(user_id, tx=tx)
                if await self._memories.list_active(user_id, tx=tx) != active:
                    continue  # somebody else changed the facts meanwhile: judge again
                results = [await self._remember_one(user_id, one, known, tx) for one in told]
            for result in results:
                if result.has_changed:
                    log.info("memory.remembered", kind=result.kind, replaced=len(result.replaced))
            if any(result.has_changed for result in results):
                self.announce(user_id)
            return results

    async def _remember_one(self, user_id: UserId, told: _Told, known: KnownFacts, tx: Transaction) -> Remembered:
        fact = FactText(told.text)
        if told.turn_id is not None and (done := await self._already(user_id, fact, told.turn_id, tx)):
            return done
        category = known_category(told.category) or category_of(fact.text)
        new = NewMemory(fact.text, fact.key, category, told.turn_id)
        result = await self._keep(user_id, new, known.judge(fact), tx)
        for one in result.replaced:
            known.remove(one)
        if result.has_changed and result.memory is not None:
            known.add(result.memory)
        return result

    async def forget(
        self, user_id: UserId, wanted: str, *, turn_id: TurnId | None = None, act: Act | None = None
    ) -> Forgotten | CloseMatches:
        """Delete the fact with that number or those words; else return what is close.

        Facts that only repeated it go too; older ones that it contradicted stay inactive. Messages up to the
        turn that asks (None: all received so far), read once more later, do not bring it back.
        """
        target = await self._find_exactly(user_id, wanted)
        if target is None:
            return CloseMatches(await self._close_to(user_id, wanted))
        act = None if act is None else replace(act, subject=target.text)
        async with self._repository.recorded(act) as tx:
            if await self._memories.find(user_id, target.number, tx=tx) is None:
                return CloseMatches(())
            behind = await self._memories.list_behind(user_id, target.id, tx=tx)
            gone = [target, *(one for one in behind if one.reason != "contradicted")]
            marks = {mark for one in gone for mark in _fingerprints(FactText(one.text))}
            await self._memories.mark_forgotten(user_id, sorted(marks), turn_id, tx=tx)
            for one in gone:
                await self._memories.delete(user_id, one.id, tx=tx)
            await self._repository.traces.forget_recalled(user_id, tx=tx)
        log.info("memory.forgotten", facts=len(gone))
        self.announce(user_id)
        return Forgotten(target)

    async def find(self, user_id: UserId, wanted: str, *, row_id: int | None = None) -> Memory | None:
        """Return the fact with that number or those words, or the one in that row."""
        if row_id is not None:
            return next((one for one in await self._memories.list_active(user_id) if one.id == row_id), None)
        return await self._find_exactly(user_id, wanted)

    async def correct(self, user_id: UserId, before: Memory, text: str, act: Act | None = None) -> bool:
        """Write a fact anew, under its number; returns whether it still counted.

        Raises:
            ToolFault: there is no text, or it is longer than `MAX_FACT_CHARS`.
        """
        fact = FactText(_checked(text))
        new = NewMemory(fact.text, fact.key, category_of(fact.text), before.turn_id)
        async with self._repository.recorded(act) as tx:
            is_done = await self._memories.reword(user_id, before.id, new, self._clock.now(), tx=tx)
        if is_done:
            self.announce(user_id)
        return is_done

    async def list_active(self, user_id: UserId) -> list[Memory]:
        """Return what counts, in the order in which it was learnt."""
        return await self._memories.list_active(user_id)

    async def recall(
        self, user_id: UserId, query: str, *, limit: int, similar: Sequence[tuple[int, float]] | None = None
    ) -> list[Recalled]:
        """Return the facts that matter for a text, best first, with the reason.

        `similar` are memory ids with similarities, as a vector search returns them; those of other people and
        dead ones are ignored. Where nobody searched yet (None), the service's own search is asked, if it has one,
        and only what is near counts.
        """
        only_near = similar is None
        if similar is None:
            similar = [] if self._search is None else await self._search(user_id, query, limit)
        stems = content_words(query)
        by_words = await self._memories.search(user_id, stems, limit=max(limit, _FOUND_BY_WORDS))
        ids = [memory_id for memory_id, _ in similar]
        by_meaning = await self._memories.list_active_ids(user_id, ids) if ids else []
        ranked = rank(stems, by_words, by_meaning, dict(similar))[:limit]
        return [one for one in ranked if one.is_near or not only_near]

    async def forget_turn(self, user_id: UserId, turn_id: TurnId) -> TurnForgotten:
        """Delete what came from a revoked message; what it replaced counts again. Doing it twice changes nothing.

        A fact that another message said too stays, under its number.
        """
        restored: list[Memory] = []
        async with self._repository.transaction() as tx:
            removed = await self._memories.list_of_turn(user_id, turn_id, tx=tx)
            for one in removed:
                restored += await self._take_back(user_id, one, tx)
            if removed:
                await self._repository.traces.forget_recalled(user_id, tx=tx)
        if removed:
            log.info("memory.turn_forgotten", facts=len(removed), restored=len(restored))
            self.announce(user_id)
        gone = {one.id for one in removed}
        return TurnForgotten(tuple(removed), tuple(one for one in restored if one.id not in gone))

    def announce(self, user_id: UserId) -> None:
        """Tell whoever listens that the facts of that person changed."""
        if self._on_change is not None:
            self._on_change(user_id)

    async def _already(
        self, user_id: UserId, fact: FactText, turn_id: TurnId, tx: Transaction
    ) -> Remembered | None:
        said = await self._memories.find_said(user_id, turn_id, fact.key, tx=tx)
        while said is not None and said.replaced_by is not None:
            said = await self._memories.find_by_id(user_id, said.replaced_by, tx=tx)
        if said is not None:
            return Remembered("known", said)
        if await self._memories.is_forgotten(user_id, _fingerprints(fact), turn_id, tx=tx):
            return Remembered("forgotten", None)
        return None

    async def _keep(self, user_id: UserId, new: NewMemory, judged: Judgement, tx: Transaction) -> Remembered:
        now = self._clock.now()
        if (newer := await self._newer(user_id, new.turn_id, judged.contradicted, tx)) is not None:
            await self._memories.add_behind(user_id, new, newer.id, "contradicted", now, tx=tx)
            return Remembered("outdated", newer)
        kept = judged.known
        if kept is None:
            kept = await self._memories.add(user_id, new, now, tx=tx)
        elif new.turn_id is not None and new.turn_id != kept.turn_id:
            await self._memories.add_behind(user_id, new, kept.id, "said_again", now, tx=tx)
        groups: tuple[tuple[Reason, tuple[Memory, ...]], ...] = (
            ("merged", judged.merged),
            ("contradicted", judged.contradicted),
        )
        for reason, memories in groups:
            for one in memories:
                await self._memories.deactivate(user_id, one.id, reason, now, replaced_by=kept.id, tx=tx)
        if judged.contradicted:
            return Remembered("replaced", kept, (*judged.contradicted, *judged.merged))
        if judged.known is not None:
            return Remembered("known", kept)
        return Remembered("merged" if judged.merged else "added", kept, judged.merged)

    async def _newer(
        self, user_id: UserId, turn_id: TurnId | None, contradicted: Iterable[Memory], tx: Transaction
    ) -> Memory | None:
        """Return the first fact that was learnt after that turn's message, as far as that can be told."""
        if turn_id is None:
            return None
        said_at = await self._memories.said_at(user_id, turn_id, tx=tx)
        for one in contradicted:
            is_typed_later = one.turn_id is None and said_at is not None and one.updated_at > said_at
            if is_typed_later or (one.turn_id is not None and one.turn_id > turn_id):
                return one
        return None

    async def _take_back(self, user_id: UserId, one: Memory, tx: Transaction) -> list[Memory]:
        """Delete a fact: another message that said it takes its place, else what it replaced comes back."""
        now = self._clock.now()
        if one.state == "inactive":
            await self._memories.rehang(user_id, one.id, one.replaced_by, tx=tx)
            await self._memories.delete(user_id, one.id, tx=tx)
            return []
        behind = await self._memories.list_behind(user_id, one.id, tx=tx)
        heirs = [old for old in behind if old.reason == "said_again" and old.turn_id != one.turn_id]
        back = heirs[:1] or [old for old in behind if old.turn_id != one.turn_id]
        if heirs:
            await self._memories.rehang(user_id, one.id, heirs[0].id, tx=tx)
        await self._memories.delete(user_id, one.id, tx=tx)
        number = one.number if heirs else None
        restored = []
        for old in back:
            await self._memories.reactivate(user_id, old.id, now, number=number, tx=tx)
            if (again := await self._memories.find_by_id(user_id, old.id, tx=tx)) is not None:
                restored.append(again)
        return restored

    async def _find_exactly(self, user_id: UserId, wanted: str) -> Memory | None:
        number = said_number(wanted)
        if number is not None and (numbered := await self._memories.find(user_id, number)) is not None:
            return numbered
        key = text_key(tidy(wanted))
        same = [one for one in await self._memories.list_active(user_id) if text_key(one.text) == key]
        return same[0] if len(same) == 1 else None

    async def _close_to(self, user_id: UserId, wanted: str) -> tuple[Memory, ...]:
        found = await self.recall(user_id, wanted, limit=MAX_CANDIDATES)
        return tuple(one.memory for one in found)


def _checked(text: str) -> str:
    fact = tidy(text)
    if not fact:
        raise ToolFault("memory_empty", "There is no text to remember.")
    if len(fact) > MAX_FACT_CHARS:
        raise ToolFault(
            "memory_too_long", f"The fact has {len(fact)} characters, at most {MAX_FACT_CHARS} can be remembered."
        )
    return fact


def _fingerprints(fact: FactText) -> list[str]:
    return [hashlib.sha256(mark.encode()).hexdigest() for mark in fact.fingerprints]
