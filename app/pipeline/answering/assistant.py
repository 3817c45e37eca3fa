"""One assistant turn: choose the tools, run the loop, and answer or say honestly why not."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

import structlog

from app.database.repositories.audit import JournalEntry
from app.database.repositories.conversations import ToolState
from app.database.repositories.traces import TraceRecall, TraceStep, TurnTrace
from app.database.repository import Repository
from app.domain.chat import ChatMessage, Usage
from app.domain.errors import NotReady, Permanent, Transient
from app.domain.ids import WaMessageId
from app.domain.ports import ChatModel, Clock
from app.domain.recollection import Recall, Recollection
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.llm.meter import MeteredModel
from app.llm.profiles import ModelProfile
from app.llm.protocols import ToolProtocol
from app.pipeline.answering.background import describe_background
from app.pipeline.answering.builder import NOTE_OPENING, ContextBuilder, NewestMessage
from app.pipeline.answering.capabilities import build_capabilities_section
from app.pipeline.answering.together import both
from app.pipeline.texts import PIPELINE
from app.skills.catalog import ToolCatalog, ToolSet
from app.skills.executor import Engine, LoopOptions, LoopResult, Speaker, Toolbox, execute_tool_loop
from app.skills.requests import count_requests
from app.skills.router import NO_CATEGORY, Intent, Sorting, sort_message
from app.skills.search.choose import SMALL_CATALOG, Wish, choose_tools
from app.skills.search.index import ToolIndex

log = structlog.get_logger(__name__)

_EXCUSES: Final = MappingProxyType(
    {
        "llm_timeout": PIPELINE.model_slow,
        "llm_busy": PIPELINE.model_busy,
        "llm_model_missing": PIPELINE.model_missing,
        "llm_prompt_too_long": PIPELINE.too_long,
    }
)
_RECENT: Final = 4
"""How many earlier messages the classifier sees."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`is_excuse`: the model could not answer, and `text` says so; it does not belong in history.

    `is_literal`: the text is no Markdown.
    """

    text: str
    usage: Usage
    is_excuse: bool = False
    is_literal: bool = False
    trace: TurnTrace | None = None
    tool_state: ToolState | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """The model that answers, what its family needs, and how it is spoken to about tools."""

    model: ChatModel
    profile: ModelProfile
    protocol: ToolProtocol


Instructions = Callable[[Iterable[str], Collection[str]], list[tuple[str, str]]]
"""Gives (skill, text) for the skills of these tools and for those already in use, in a stable order."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The tools there are, what runs them, how many are offered, and how their skills are to be used."""

    catalog: ToolCatalog
    engine: Engine
    options: LoopOptions
    instructions: Instructions
    index: ToolIndex | None = None


class Assistant:
    def __init__(
        self,
        repository: Repository,
        voice: Voice,
        abilities: Abilities,
        recalls: Sequence[Recall],
        builder: ContextBuilder,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._voice = voice
        self._abilities = abilities
        self._recalls = recalls
        self._builder = builder
        self._clock = clock

    async def answer(self, text: str, quoted_id: WaMessageId | None, ctx: TurnContext) -> Answer:
        """Answer one turn's text.

        Raises:
            NotReady: the model is being fetched or loaded; the turn should wait.
        """
        began_at = self._clock.now()
        model = MeteredModel(self._voice.model)
        conversations = self._repository.conversations
        standing = await self._repository.summaries.read(ctx.user_id, ctx.conversation_id)
        history = [] if standing is None else [one.stored for one in standing.messages]
        quoted = await conversations.find_quoted(ctx.user_id, quoted_id) if quoted_id else None
        state = await conversations.tool_state(ctx.user_id, ctx.conversation_id, began_at)
        done_before = await self._repository.tool_journal.list_for_turn(ctx.user_id, ctx.turn_id)
        try:
            recent = tuple(ChatMessage(one.role, one.text) for one in history[-_RECENT:])
            intent, recollection = await both(self._sort(text, recent, state, model, ctx), self._recall(text, ctx))
            categories = list(intent.categories)
            skills = self._skills_in_use(categories, state, ctx)
            background = describe_background(
                recollection,
                capabilities=build_capabilities_section(self._tools_for(ctx).categories),
                instructions=skills,
                summary=standing.summary.text if standing is not None and standing.summary is not None else "",
                done_before=done_before,
            )
            newest = NewestMessage(text, ctx.language, ctx.received_at, quoted)
            prompt = self._builder.build(history, newest, background)
            options = self._options(self._expected_calls(text, categories), done_before)
            result = await self._run(prompt, text, intent, model, ctx, options)
        except NotReady:
            raise
        except (Transient, Permanent) as exc:
            log.error("llm.failed", code=exc.code, detail=exc.detail)
            phrase = _EXCUSES.get(exc.code, PIPELINE.model_down)
            return Answer(say(phrase, ctx.language, ref=ctx.turn_id), model.usage, is_excuse=True)
        trace = replace(
            self._trace(result, categories, model.usage, began_at),
            recalled=tuple(TraceRecall(one.kind, one.text, one.why) for one in recollection.items),
        )
        state = replace(state, given_skills=tuple(name for name, _ in skills))
        return self._answer(result, categories, state, ctx, trace)

    def _tools_for(self, ctx: TurnContext) -> ToolSet:
        return self._abilities.catalog.snapshot().visible_to(is_admin=ctx.is_admin)

    async def _recall(self, text: str, ctx: TurnContext) -> Recollection:
        found = [await recall(text, ctx) for recall in self._recalls]
        return Recollection(
            tuple(item for one in found for item in one.items),
            tuple(text for one in found for text in one.lasting),
        )

    def _skills_in_use(self, categories: list[str], state: ToolState, ctx: TurnContext) -> list[tuple[str, str]]:
        """The instructions of skills that this conversation has used: each once, for all its turns.

        Those of small models are in the examples of their system text instead.
        """
        if self._voice.profile.tool_protocol == "constrained":
            return []
        by_category = self._tools_for(ctx).categories
        names = [name for category in categories for name in by_category.get(category, ())]
        return self._abilities.instructions(names, state.given_skills)

    async def _sort(
        self, text: str, recent: tuple[ChatMessage, ...], state: ToolState, model: ChatModel, ctx: TurnContext
    ) -> Intent:
        tools = self._tools_for(ctx)
        if not tools.categories:
            return Intent((NO_CATEGORY,))
        sorting = Sorting(
            tuple(tools.categories),
            recent,
            state.sticky,
            leans_to_category=not self._voice.profile.leaves_meta_tool_alone,
            asks_for_query=self._abilities.index is not None and len(tools.tools) > SMALL_CATALOG,
        )
        return await sort_message(text, model, sorting)

    async def _run(
        self,
        prompt: tuple[ChatMessage, ...],
        text: str,
        intent: Intent,
        model: ChatModel,
        ctx: TurnContext,
        options: LoopOptions,
    ) -> LoopResult:
        index = self._abilities.index

        def at_hand() -> ToolSet:
            tools = self._tools_for(ctx)
            return tools.cued_by("\n".join((*before, text))) if options.expected_calls is not None else tools

        # "And in Lima?" belongs to the message before it.
        before = [message.content for message in prompt[:-1] if message.role == "user"][-1:]
        tools, chosen = at_hand(), None
        if index is not None and len(tools.tools) > SMALL_CATALOG:
            recent = await self._repository.traces.list_recent_tools(ctx.user_id)
            wish = Wish(intent.categories, text, intent.tool_query, recent)
            chosen = tuple(await choose_tools(wish, tools, index, max_tools=options.max_tools))
        return await execute_tool_loop(
            prompt,
            speaker=Speaker(model, self._voice.protocol),
            toolbox=Toolbox(tools, at_hand, self._abilities.engine, chosen, index),
            ctx=ctx,
            categories=intent.categories,
            options=options,
        )

    def _options(self, expected_calls: int | None, done_before: list[JournalEntry]) -> LoopOptions:
        """What an earlier attempt did may be told as done, although no tool did it in this one."""
        has_acted = any(entry.result is not None and entry.result.success for entry in done_before)
        options = self._abilities.options
        return replace(
            options, expected_calls=expected_calls, checks_claims=options.checks_claims and not has_acted
        )

    def _expected_calls(self, text: str, categories: list[str]) -> int | None:
        """A small model adds calls that nobody asked for, and does not stop: it gets as many as were asked for."""
        if self._voice.profile.tool_protocol != "constrained":
            return None
        return max(len(categories), count_requests(text))

    def _trace(self, result: LoopResult, categories: list[str], usage: Usage, began_at: datetime) -> TurnTrace:
        offered = tuple(dict.fromkeys(name for names in result.offered for name in names))
        return TurnTrace(
            categories=tuple(categories),
            offered=offered,
            steps=tuple(TraceStep(step.name, step.kind, step.duration_ms) for step in result.steps),
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=usage.completion_tokens,
            model_calls=usage.calls,
            duration_ms=round((self._clock.now() - began_at).total_seconds() * 1000),
        )

    @staticmethod
    def _answer(
        result: LoopResult, categories: list[str], state: ToolState, ctx: TurnContext, trace: TurnTrace
    ) -> Answer:
        usage = Usage(trace.prompt_tokens, trace.cached_tokens, trace.completion_tokens, trace.model_calls)
        if result.ended == "aborted":
            return Answer(say(PIPELINE.stopped, ctx.language), usage, is_excuse=True, trace=trace)
        text = result.text.partition(NOTE_OPENING)[0].strip()
        if not text:
            excuse = say(PIPELINE.empty_answer, ctx.language, ref=ctx.turn_id)
            return Answer(excuse, usage, is_excuse=True, trace=trace)
        # Categories that only stood in for "none", and were no use, do not stand in again.
        is_stale = tuple(categories) == state.sticky and not result.steps
        sticky = () if is_stale else tuple(name for name in categories if name != NO_CATEGORY)
        new_state = ToolState(sticky, state.given_skills)
        shown = f"{text} …" if result.is_truncated else text
        return Answer(shown, usage, is_literal=result.is_literal, trace=trace, tool_state=new_state)
