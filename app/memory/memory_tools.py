"""Facts about the user by message: keep one, look some up, forget one; each person's own only."""

from dataclasses import replace
from typing import Final

from app.database.repositories.acts import Act, Acts
from app.domain.errors import ToolFault
from app.domain.ports import Clock
from app.domain.tools import LooseWords, OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, one_line, points_back
from app.language.catalogue import Sentence, say
from app.memory.asked import asks_of_self
from app.memory.repository import Memory
from app.memory.service import Forgotten, MemoryService
from app.memory.texts import MEMORY
from app.skills.own_words import corrected
from app.skills.registry import SkillRegistry

SKILL: Final = "memory"
_SHOWN_CHARS: Final = 300
_SHOWN_FACTS: Final = 10
_LISTED_FACTS: Final = 30


class _MemoryTools:
    def __init__(self, service: MemoryService, acts: Acts, clock: Clock) -> None:
        self._service = service
        self._acts = acts
        self._clock = clock

    async def remember_fact(self, fact: OwnWords, *, ctx: TurnContext) -> str | ToolResult:
        """Remember a fact about the user for good.

        Args:
            fact: one fact, in the user's words
        """
        act = Act.of(ctx, "added", one_line(clean(fact), _SHOWN_CHARS), self._clock.now())
        result = await self._service.remember(ctx.user_id, fact, turn_id=ctx.turn_id, act=act)
        if result.memory is None:
            raise ToolFault("memory_forgotten", "The user asked to forget this. It was not kept.")
        line = _line(result.memory)
        old = "; ".join(_line(one) for one in result.replaced)
        match result.kind:
            case "known":
                return ToolResult.ok(f"Already known: {line}", _told(MEMORY.known, result.memory, ctx))
            case "replaced" | "merged":
                return f"Remembered {line}\nIt replaces: {old}"
            case "outdated":
                return f"Not kept: the user said something newer since. {line}"
            case _:
                return ToolResult.ok(f"Remembered {line}", _told(MEMORY.added, result.memory, ctx))

    async def search_memories(self, query: OwnWords, *, ctx: TurnContext) -> str | ToolResult:
        """Look up what is known about the user."""
        if asks_of_self(query) and (known := await self._service.list_active(ctx.user_id)):
            title = say(MEMORY.list_title, ctx.language, count=len(known))
            listed = "\n".join(_line(one) for one in known[-_LISTED_FACTS:])
            return ToolResult.ok(listed, f"{title}\n{listed}")
        found = await self._service.recall(ctx.user_id, query, limit=_SHOWN_FACTS)
        if found and found[0].memory.text == query:
            return ToolResult.ok(_line(found[0].memory), _line(found[0].memory))
        if found:
            return "\n".join(_line(one.memory) for one in found)
        known = await self._service.list_active(ctx.user_id)
        if not known:
            return ToolResult.nothing("Nothing is remembered about the user yet.")
        lines = [_line(one) for one in known[-_LISTED_FACTS:]]
        head = f'Nothing matches "{one_line(clean(query), 60)}".'
        return "\n".join([f"{head} The latest of {len(known)} facts:", *lines])

    async def correct_fact(
        self, new: OwnWords, old: LooseWords = "", fact: str = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Correct a fact about the user that is remembered.

        Args:
            new: the right words, no others
            old: the wrong words, if they were said
            fact: its number, or its exact text; empty: the last
        """
        found = await self._find(ctx, fact)
        better = None if found is None else corrected(found.text, clean(new), clean(old))
        if found is None or better is None:
            raise ToolFault("memory_unknown", "It is not clear what to correct: ask which fact, and how.")
        act = Act.of(ctx, "changed", found.text, self._clock.now())
        if not await self._service.correct(ctx.user_id, found, better, act):
            raise ToolFault("memory_unknown", "That fact was forgotten meanwhile.")
        now = replace(found, text=better)
        return ToolResult.ok(f"Corrected: {_line(now)}", _told(MEMORY.corrected, now, ctx))

    async def _find(self, ctx: TurnContext, wanted: str) -> Memory | None:
        if not points_back(wanted):
            return await self._service.find(ctx.user_id, wanted)
        row_id = await self._acts.find_last_row(ctx.user_id, "memories")
        return None if row_id is None else await self._service.find(ctx.user_id, "", row_id=row_id)

    async def forget_fact(self, number: str, *, ctx: TurnContext) -> ToolResult:
        """Forget a fact about the user.

        Args:
            number: its number, or its exact text
        """
        act = Act.of(ctx, "deleted", one_line(clean(number), _SHOWN_CHARS), self._clock.now())
        if points_back(number) and (last := await self._find(ctx, number)) is not None:
            number = str(last.number)
        result = await self._service.forget(ctx.user_id, number, turn_id=ctx.turn_id, act=act)
        if isinstance(result, Forgotten):
            reply = _told(MEMORY.forgotten, result.memory, ctx)
            return ToolResult.ok(f"Forgotten: {_line(result.memory)}", reply)
        said = one_line(clean(number), 60)
        if not result.candidates:
            reply = say(MEMORY.forget_nothing, ctx.language, text=said)
            return ToolResult.ok(f'No fact matches "{said}". Nothing was forgotten.', reply)
        shown = "\n".join(_line(one) for one in result.candidates)
        reply = "\n".join(
            [say(MEMORY.forget_which, ctx.language), shown, say(MEMORY.forget_by_number, ctx.language)]
        )
        told = f'No fact is exactly "{said}". Nothing was forgotten. Ask which one:\n{shown}'
        return ToolResult.ok(told, reply)


def register(registry: SkillRegistry, service: MemoryService, acts: Acts, clock: Clock) -> None:
    """Add the four memory tools."""
    tools = _MemoryTools(service, acts, clock)
    registry.add(tools.remember_fact, SKILL, asks=MEMORY.ask_remember)
    registry.add(
        tools.search_memories,
        SKILL,
        read_only=True,
    )
    registry.add(tools.correct_fact, SKILL, asks=MEMORY.ask_correct)
    registry.add(tools.forget_fact, SKILL, asks=MEMORY.ask_forget)


def _told(phrase: Sentence, memory: Memory, ctx: TurnContext) -> str:
    return say(phrase, ctx.language, number=memory.number, text=one_line(memory.text, _SHOWN_CHARS))


def _line(memory: Memory) -> str:
    return f"{memory.number}. {one_line(memory.text, _SHOWN_CHARS)}"
