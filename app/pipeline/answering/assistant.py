"""One assistant turn: choose the tools, run the loop, and answer or say honestly why not."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import structlog

from app.database.repositories.audit import JournalEntry
from app.database.repositories.conversations import NewMessage, StoredMessage, ToolState
from app.database.repositories.summaries import Standing
from app.database.repositories.traces import TraceRecall, TraceStep, TurnTrace
from app.database.repository import Repository
from app.domain.chat import ChatMessage
from app.domain.errors import NotReady, Permanent, Transient
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.ports import ChatModel
from app.domain.recollection import Recall, Recollection
from app.domain.turn import Said, TurnContext
from app.language.catalogue import say
from app.llm.gate import MeteredModel
from app.pipeline.answering.background import describe_background
from app.pipeline.answering.builder import NOTE_OPENING, ContextBuilder, NewestMessage
from app.pipeline.answering.outcome import Outcome
from app.pipeline.answering.perceiving import Question
from app.pipeline.texts import PIPELINE
from app.skills.executor import Engine, LoopResult, execute_tool_loop
from app.skills.router import NO_CATEGORY, Intent
from app.skills.selection import ToolSelection

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
_SAID_BEFORE: Final = 6
"""How many earlier messages a person's words are looked for in."""


@dataclass(frozen=True, slots=True)
class _Conversation:
    """What was said before, and what the turn did already if it is tried again."""

    standing: Standing | None
    quoted: StoredMessage | None
    tools: ToolState
    done_before: list[JournalEntry]

    @property
    def history(self) -> list[StoredMessage]:
        return [] if self.standing is None else [one.stored for one in self.standing.messages]

    def said(self, text: str) -> Said:
        """Return what the person's words may be taken from, when this is what they write now."""
        recent = self.history[: -_SAID_BEFORE - 1 : -1]
        return Said(
            now=(text,) if self.quoted is None else (text, self.quoted.text),
            before=tuple(one.text for one in recent if one.role == "user"),
            answers=tuple(one.text for one in recent if one.role == "assistant"),
        )

    @property
    def has_acted(self) -> bool:
        return any(entry.result is not None and entry.result.success for entry in self.done_before)


class Assistant:
    def __init__(
        self,
        repository: Repository,
        model: ChatModel,
        selection: ToolSelection,
        engine: Engine,
        recalls: Sequence[Recall],
        builder: ContextBuilder,
    ) -> None:
        self._repository = repository
        self._model = model
        self._selection = selection
        self._engine = engine
        self._recalls = recalls
        self._builder = builder

    async def answer(self, messages: Sequence[InboundMessage], question: Question) -> Outcome:
        """Answer the messages of one turn, which ask something.

        Raises:
            NotReady: the model is being fetched or loaded; the turn should wait.
        """
        ctx = question.ctx
        conversation = await self._read(messages, ctx)
        model = MeteredModel(self._model, ctx.user_id)
        question = replace(question, ctx=replace(ctx, said=conversation.said(question.shown)))
        try:
            outcome = await self._converse(question, conversation, model)
        except NotReady:
            raise
        except (Transient, Permanent) as exc:
            log.error("llm.failed", code=exc.code, detail=exc.detail)
            phrase = _EXCUSES.get(exc.code, PIPELINE.model_down)
            outcome = Outcome("excuse", Reply(say(phrase, ctx.language, ref=ctx.turn_id)))
        return replace(outcome, said=(*question.said, *outcome.said), usage=model.usage)

    async def _read(self, messages: Sequence[InboundMessage], ctx: TurnContext) -> _Conversation:
        conversations, user_id = self._repository.conversations, ctx.user_id
        quoted_id = next((message.quoted_id for message in reversed(messages) if message.quoted_id), None)
        return _Conversation(
            await self._repository.summaries.read(user_id, ctx.conversation_id),
            await conversations.find_quoted(user_id, quoted_id) if quoted_id else None,
            await conversations.tool_state(user_id, ctx.conversation_id, ctx.received_at),
            await self._repository.tool_journal.list_for_turn(user_id, ctx.turn_id) if ctx.is_retry else [],
        )

    async def _recall(self, text: str, ctx: TurnContext) -> Recollection:
        found = [await recall(text, ctx) for recall in self._recalls]
        return Recollection(
            tuple(item for one in found for item in one.items),
            tuple(text for one in found for text in one.lasting),
        )

    async def _converse(self, question: Question, before: _Conversation, model: ChatModel) -> Outcome:
        selection, text, ctx = self._selection, question.asked, question.ctx
        recent = [ChatMessage(one.role, one.text) for one in before.history[-_RECENT:]]
        # Beside the sorting, which asks the model; the error of either ends the other.
        recalling = asyncio.ensure_future(self._recall(text, ctx))
        try:
            intent = await selection.sort(text, recent, before.tools.sticky, model, ctx)
            recollection = await recalling
        finally:
            recalling.cancel()
            await asyncio.wait({recalling})
        if question.categories:
            wished = [name for name in intent.categories if name != NO_CATEGORY]
            intent = replace(intent, categories=tuple(dict.fromkeys([*question.categories, *wished])))
        skills = selection.instructions(intent, before.tools.given_skills, ctx)
        used = await self._repository.traces.list_recent_tools(ctx.user_id) if selection.is_searched(ctx) else ()
        prompt = self._prompt(question.shown, before, intent, recollection, skills, ctx)
        said_before = next((one.content for one in reversed(prompt[:-1]) if one.role == "user"), "")
        result = await execute_tool_loop(
            prompt,
            model=model,
            offer=await selection.offer(intent, text, said_before, used, ctx),
            engine=self._engine,
            ctx=ctx,
            # What an earlier attempt did may be told as done, although no tool did it in this one.
            options=selection.options(text, intent, has_acted=before.has_acted),
        )
        trace = _trace_of(result, intent, recollection)
        given = tuple(name for name, _ in skills)
        return _outcome(result, trace, _tools_after(result, intent, before.tools, given), ctx)

    def _prompt(
        self,
        text: str,
        before: _Conversation,
        intent: Intent,
        recollection: Recollection,
        skills: Sequence[tuple[str, str]],
        ctx: TurnContext,
    ) -> tuple[ChatMessage, ...]:
        summary = before.standing.summary if before.standing is not None else None
        background = describe_background(
            recollection,
            capabilities=self._selection.capabilities(intent, ctx),
            instructions=skills,
            summary=summary.text if summary is not None else "",
            done_before=before.done_before,
        )
        newest = NewestMessage(text, ctx.language, ctx.received_at, before.quoted)
        return self._builder.build(before.history, newest, background)


def _outcome(result: LoopResult, trace: TurnTrace, tools: ToolState | None, ctx: TurnContext) -> Outcome:
    if result.ended == "aborted":
        return Outcome("excuse", Reply(say(PIPELINE.stopped, ctx.language)), trace=trace)
    text = result.text.partition(NOTE_OPENING)[0].strip()
    if not text:
        excuse = say(PIPELINE.empty_answer, ctx.language, ref=ctx.turn_id)
        return Outcome("excuse", Reply(excuse), trace=trace)
    shown = f"{text} …" if result.is_truncated else text
    reply = Reply(literal=shown) if result.is_literal else Reply(shown)
    return Outcome("answer", reply, (NewMessage("assistant", shown),), trace=trace, tool_state=tools)


def _tools_after(
    result: LoopResult, intent: Intent, before: ToolState, given: tuple[str, ...]
) -> ToolState | None:
    """What the next turns should know; None where that is nothing new.

    Categories that only stood in for "none", and were no use, do not stand in again.
    """
    is_stale = intent.categories == before.sticky and not result.steps
    sticky = () if is_stale else tuple(name for name in intent.categories if name != NO_CATEGORY)
    is_old = not sticky and not before.sticky and given == before.given_skills
    return None if is_old else ToolState(sticky, given)


def _trace_of(result: LoopResult, intent: Intent, recollection: Recollection) -> TurnTrace:
    return TurnTrace(
        categories=intent.categories,
        sorted_by=intent.by,
        confidence=intent.confidence,
        offered=tuple(dict.fromkeys(name for names in result.offered for name in names)),
        steps=tuple(TraceStep(step.name, step.kind, step.duration_ms) for step in result.steps),
        recalled=tuple(TraceRecall(one.kind, one.text, one.why) for one in recollection.items),
    )
