"""One assistant turn: choose the tools, run the loop, and answer or say honestly why not."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

import structlog

from app.database.repositories.conversations import NewMessage, ToolState
from app.database.repository import Repository
from app.domain.chat import ChatMessage
from app.domain.errors import NotReady, Permanent, Transient
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.ports import ChatModel
from app.domain.recollection import NOTHING_RECALLED, Recollection, Remembering
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.language.ellipsis import in_full
from app.llm.gate import MeteredModel
from app.pipeline.answering.apart import Apart, Wish
from app.pipeline.answering.background import describe_background
from app.pipeline.answering.brief import BriefBuilder, without_small_talk
from app.pipeline.answering.builder import ContextBuilder, NewestMessage
from app.pipeline.answering.conditions import asked_of_book, book_before, book_in, with_condition
from app.pipeline.answering.conversation import Conversation
from app.pipeline.answering.drafts import for_talk
from app.pipeline.answering.outcome import Outcome, joined, outcome_of, said_by_code, tools_after, trace_of
from app.pipeline.answering.own_things import known_of_theirs
from app.pipeline.answering.perceiving import Question
from app.pipeline.answering.redrafting import Redrafting, is_talk
from app.pipeline.answering.refusing import asks_of_refused, asks_price_of_refused, found_no_date, refusal_for
from app.pipeline.answering.retold import asks_back, told_back, told_near
from app.pipeline.answering.wishes import (
    MEMORY,
    about_self,
    as_they_told,
    asked_of_other,
    is_about,
    is_doubtful,
    may_go_on_from_book,
    of_book,
    plainly,
    quoted,
)
from app.pipeline.lexicon import ends_asking_who, takes_back, wants_draft_alone
from app.pipeline.lexicon.moods import thanks_for_listening
from app.pipeline.lexicon.reported import cites_only, noted_of_others, only_talks
from app.pipeline.lexicon.world import supposes
from app.pipeline.texts import PIPELINE
from app.skills.amending import is_correction
from app.skills.concise import concise
from app.skills.executor import Engine, LoopResult, execute_tool_loop
from app.skills.letting_be.reading import lets_be
from app.skills.offer import Offer
from app.skills.router import NO_CATEGORY, Intent
from app.skills.selection import ToolSelection
from app.skills.sources.sources import Source
from app.skills.texts import SKILLS

log = structlog.get_logger(__name__)

_EXCUSES: Final = MappingProxyType(
    {
        "llm_timeout": PIPELINE.model_slow,
        "llm_busy": PIPELINE.model_busy,
        "llm_model_missing": PIPELINE.model_missing,
        "llm_prompt_too_long": PIPELINE.too_long,
    }
)
_TALK: Final = Intent((NO_CATEGORY,), by="rule", wish="talk")
_RECENT: Final = 4
"""How many earlier messages the classifier sees."""
_TOLD_BEFORE: Final = 40
"""In how many earlier messages of theirs it is looked for what they told."""


class Assistant:
    def __init__(
        self,
        repository: Repository,
        model: ChatModel,
        selection: ToolSelection,
        engine: Engine,
        remembering: Remembering,
        builder: ContextBuilder | BriefBuilder,
    ) -> None:
        self._repository = repository
        self._model = model
        self._selection = selection
        self._engine = engine
        self._remembering = remembering
        self._builder = builder
        self._redrafting = Redrafting(repository, selection)
        self._apart = Apart(selection, remembering)

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
            outcome = None
            if isinstance(self._builder, BriefBuilder) and question.shown == question.asked:
                outcome = await self._rewrite(question, conversation, model)
                outcome = outcome or await self._call(question, conversation, model)
            outcome = outcome or await self._converse(question, conversation, model)
        except NotReady:
            raise
        except (Transient, Permanent) as exc:
            log.error("llm.failed", code=exc.code, detail=exc.detail)
            phrase = _EXCUSES.get(exc.code, PIPELINE.model_down)
            outcome = Outcome("excuse", Reply(say(phrase, ctx.language, ref=ctx.turn_id)))
        return replace(outcome, said=(*question.said, *outcome.said), usage=model.usage)

    async def _read(self, messages: Sequence[InboundMessage], ctx: TurnContext) -> Conversation:
        user_id, repository = ctx.user_id, self._repository
        quoted_id = next((message.quoted_id for message in reversed(messages) if message.quoted_id), None)
        standing = await repository.summaries.read(user_id, ctx.conversation_id)
        return Conversation(
            standing,
            await repository.conversations.find_quoted(user_id, quoted_id) if quoted_id else None,
            ToolState() if standing is None else standing.tools_at(ctx.received_at),
            await repository.tool_journal.list_for_turn(user_id, ctx.turn_id) if ctx.is_retry else [],
        )

    async def _rewrite(self, question: Question, before: Conversation, model: ChatModel) -> Outcome | None:
        """Change the text that was just written, or is quoted; None where a message wants no such thing."""
        if (redraft := await self._redrafting.find(question.asked, before, question.ctx)) is None:
            return None
        if redraft.made:
            return said_by_code(redraft.made, _TALK)
        before = before if redraft.wish else replace(before, redraft=redraft)
        text = redraft.wish or question.asked
        return await self._respond(text, _TALK, question, before, NOTHING_RECALLED, model)

    async def _call(self, question: Question, before: Conversation, model: ChatModel) -> Outcome | None:
        """Answer a message whose call leaves nothing to a small model; None where there is no such call."""
        # What a text for somebody tells ("we meet at 5") is no call.
        if before.quoted is not None or wants_draft_alone(question.asked):
            return None
        said = self._told_before(before) if asks_back(question.asked) else []
        if (known := told_back(question.asked, said)) is not None:
            return said_by_code(say(known.sentence, question.ctx.language, facts=known.facts), _TALK)
        if takes_back(question.asked) or lets_be(question.asked):
            return said_by_code(say(SKILLS.passed_over, question.ctx.language), _TALK)
        if is_correction(question.asked) and (told := before.told_once) is not None:
            # What an earlier attempt put right is right: the words would find nothing, or something else.
            return Outcome("answer", Reply(literal=told), (NewMessage("assistant", told),))
        if cites_only(question.asked) or only_talks(question.asked):
            return None
        if noted := noted_of_others(question.asked):
            return await self._note(noted, question, before, model)
        if (of_each := await self._call_each(question, before, model)) is not None:
            return of_each
        if (intent := await self._selection.find_certain(question.asked, question.ctx, model)) is None:
            return None
        question = replace(question, ctx=replace(question.ctx, in_doubt=intent.in_doubt, is_read=intent.is_read))
        return await self._respond(question.asked, intent, question, before, NOTHING_RECALLED, model)

    async def _note(self, noted: str, question: Question, before: Conversation, model: ChatModel) -> Outcome:
        """Note what is told, which tells that somebody reminds, and reminds of nothing."""
        note = f"note: {noted}"
        question = replace(question, asked=note, shown=note, ctx=replace(question.ctx, is_read=False))
        certain = await self._selection.find_certain(note, question.ctx, model)
        intent = certain or Intent(("notes",), by="rule", wish="act", is_one_wish=True)
        question = replace(question, ctx=replace(question.ctx, in_doubt=intent.in_doubt, is_read=intent.is_read))
        return await self._respond(note, intent, question, before, NOTHING_RECALLED, model)

    async def _call_each(self, question: Question, before: Conversation, model: ChatModel) -> Outcome | None:
        """Answer a message for a list and for something else part by part; None where a part is not clear."""
        told = [await self._one(wish, before, model) for wish in await self._apart.of_kinds(question, model)]
        return joined(told) if told else None

    async def _one(self, wish: Wish, before: Conversation, model: ChatModel) -> Outcome:
        if not wish.told:
            return await self._respond(*wish[:3], before, NOTHING_RECALLED, model)
        await self._remembering.learn(wish.told, wish.question.ctx)
        return said_by_code(say(PIPELINE.told, wish.question.ctx.language, facts=quoted(wish.told)), wish.intent)

    async def _converse(self, question: Question, before: Conversation, model: ChatModel) -> Outcome:
        selection, ctx = self._selection, question.ctx
        # A small model that is shown both questions repeats the first.
        is_brief = isinstance(self._builder, BriefBuilder)
        text = in_full(question.asked, before.said_before) if is_brief else question.asked
        recent = [ChatMessage(one.role, one.text) for one in before.history[-_RECENT:]]
        # Beside the sorting, which asks the model; the error of either ends the other.
        recalling = asyncio.ensure_future(self._remembering.recall(text, ctx))
        try:
            intent = await selection.sort(text, recent, before.tools.sticky, model, ctx)
            recollection = await recalling
        finally:
            recalling.cancel()
            await asyncio.wait({recalling})
        if isinstance(self._builder, BriefBuilder):
            if intent.categories == (MEMORY,):
                recollection = about_self(recollection)
            intent = plainly(text, intent, recollection, has_history=bool(before.history))
            alone, source, intent = await self._source_of(text, intent, before, ctx)
            if intent.is_story and is_doubtful(intent):
                intent = replace(intent, categories=(NO_CATEGORY,), wish="talk")
            # What people tell of themselves is kept, asked for or not.
            is_kept = intent.categories == (MEMORY,) and bool(recollection.told)
            ctx = replace(ctx, in_doubt=is_doubtful(intent) and not is_kept)
            if intent.wish == "talk":
                await self._remembering.learn(recollection.told, ctx)
            question = replace(question, ctx=ctx)
            if (answer := await self._by_code(text, intent, question, before, recollection, source)) is not None:
                return said_by_code(answer, intent)
            if intent.is_plain and (whole := await self._with_condition(question, before)) is not None:
                question, earlier = replace(question, asked=whole, shown=whole), replace(before, standing=None)
                return await self._respond(whole, intent, question, earlier, recollection, model)
            if source.is_book:
                text, question, before = asked_of_book(text, alone, question, before)
        if question.categories:
            wished = [name for name in intent.categories if name != NO_CATEGORY]
            intent = replace(intent, categories=tuple(dict.fromkeys([*question.categories, *wished])))
        apart = (
            await self._apart.as_sorted(intent, question, model) if is_brief and not question.categories else ()
        )
        if apart:
            return joined([await self._respond(*one[:3], before, recollection, model) for one in apart])
        return await self._respond(text, intent, question, before, recollection, model)

    async def _with_condition(self, question: Question, before: Conversation) -> str | None:
        """Return the question just talked about with what a message adds to it; None where it adds nothing."""
        is_alone = before.quoted is None and question.shown == question.asked
        whole = with_condition(question.asked, before.history) if is_alone else None
        return whole if whole and await self._was_talk(question.ctx) else None

    async def _source_of(
        self, text: str, intent: Intent, before: Conversation, ctx: TurnContext
    ) -> tuple[str, Source, Intent]:
        """Return what is asked, where its answer comes from, and the intent by that: from a book, it is talk; so
        is what only supposes something behind talk ("y si llueve?")."""
        if intent.wish == "look" and not intent.names_place and supposes(text) and before.history:
            intent = replace(_TALK, by=intent.by) if await self._was_talk(ctx) else intent
        source_of, goes_on = self._selection.source_of, may_go_on_from_book(text, intent)
        is_behind = goes_on and await self._was_talk(ctx)
        book = await book_before(before.said_before[-_RECENT:], source_of) if is_behind else None
        whole = text, book or await source_of(text)
        asked, source = await book_in(*whole, source_of) if intent.is_plain and not book else whole
        return asked, source, replace(_TALK, by=intent.by) if book else of_book(asked, intent, source)

    async def _was_talk(self, ctx: TurnContext) -> bool:
        traces = await self._repository.traces.list_last(ctx.user_id, turns=1)
        return all(map(is_talk, traces.values()))

    async def _by_code(
        self,
        text: str,
        intent: Intent,
        question: Question,
        before: Conversation,
        recollection: Recollection,
        source: Source,
    ) -> str | None:
        """Return what is answered without asking a small model; None where it is asked."""
        language = question.ctx.language
        if intent.wish != "act" and ends_asking_who(text):
            return say(PIPELINE.who_i_am, language)
        if thanks_for_listening(text):
            return say(PIPELINE.glad_to_listen, language)
        answers = [one.text for one in without_small_talk(before.history) if one.role == "assistant"]
        if asks_of_refused(text, answers):
            return say(PIPELINE.nothing_went_out, language)
        if asks_price_of_refused(question.asked, answers):
            return say(PIPELINE.cannot_know_price, language)
        told = partial(self._remembering.told_in, before.said_before[-_TOLD_BEFORE:])
        known = asked_of_other(question.asked, before.said_before, recollection)
        known = known or await known_of_theirs(text, intent, source, recollection, told, self._selection.likeness)
        if (known is None or not known.facts) and asks_back(question.asked):
            known = told_near(question.asked, self._told_before(before)) or known
        if known is not None:
            return say(known.sentence, language, facts=known.facts)
        refusal = refusal_for(intent, question, recollection, before.said_before, source)
        return None if refusal is None else say(refusal, language)

    def _told_before(self, before: Conversation) -> list[str]:
        return self._remembering.not_unsaid(before.said_before[-_TOLD_BEFORE:])

    async def _respond(
        self,
        text: str,
        intent: Intent,
        question: Question,
        before: Conversation,
        recollection: Recollection,
        model: ChatModel,
    ) -> Outcome:
        selection, ctx = self._selection, question.ctx
        skills = selection.instructions(intent, before.tools.given_skills, ctx)
        used = await self._repository.traces.list_recent_tools(ctx.user_id) if selection.is_searched(ctx) else ()
        said_before = before.said_before
        earlier = "".join(said_before[-1:]) if intent.refers_back or intent.by != "head" else ""
        offer = await selection.offer(intent, text, earlier, used, ctx)
        shown = text if question.shown == question.asked else question.shown
        newest = NewestMessage(shown, ctx.language, ctx.received_at, before.quoted)
        if isinstance(self._builder, BriefBuilder):
            prompt = _brief_prompt(self._builder, newest, before, intent, recollection, offer)
        else:
            capabilities = selection.capabilities(intent, ctx)
            prompt = _prompt(self._builder, newest, before, recollection, capabilities, skills)
        is_brief = isinstance(self._builder, BriefBuilder)
        is_talk = is_brief and not offer.tools
        # What an earlier attempt did may be told as done, although no tool did it in this one.
        options = selection.options(text, intent, has_acted=before.has_acted)
        if isinstance(self._builder, BriefBuilder) and is_talk:
            options = for_talk(options, text, before.redraft, before.history, self._builder.avoided(newest))
        result = await execute_tool_loop(
            prompt,
            model=model,
            offer=offer,
            engine=self._engine,
            ctx=ctx,
            options=options,
        )
        if is_talk:
            result = replace(result, text=concise(result.text, options.max_sentences))
        is_of_talk = result.ended == "nothing" and not intent.names_place and is_about(text, before.said_before)
        if is_of_talk or found_no_date(result):
            plain = replace(intent, categories=(NO_CATEGORY,), wish="talk")
            return await self._respond(text, plain, question, before, recollection, model)
        if result.ended == "nothing" and not (intent.names_place and result.text):
            result = replace(result, text=say(PIPELINE.nothing_found, ctx.language))
        if (
            is_talk
            and options.draft is None
            and (own := as_they_told(result.text, text, recollection, said_before)) is not None
        ):
            result = replace(result, text=say(own.sentence, ctx.language, facts=own.facts), is_literal=True)
        trace = trace_of(result, intent, recollection)
        given = tuple(name for name, _ in skills)
        outcome = outcome_of(result, trace, tools_after(result, intent, before.tools, given), ctx)
        if options.draft is None and is_brief and _may_try_plainly(outcome, result, before, is_talk=is_talk):
            alone = replace(before, standing=None)
            return await self._respond(text, _TALK, question, alone, recollection, model)
        return _with_warnings(outcome, recollection.warnings, ctx) if is_talk else outcome


def _prompt(
    builder: ContextBuilder,
    newest: NewestMessage,
    before: Conversation,
    recollection: Recollection,
    capabilities: str,
    skills: Sequence[tuple[str, str]],
) -> tuple[ChatMessage, ...]:
    background = describe_background(
        recollection,
        capabilities=capabilities,
        instructions=skills,
        summary=before.summary,
        done_before=before.done_before,
    )
    return builder.build(before.history, newest, background)


def _brief_prompt(
    builder: BriefBuilder,
    newest: NewestMessage,
    before: Conversation,
    intent: Intent,
    recollection: Recollection,
    offer: Offer,
) -> tuple[ChatMessage, ...]:
    if before.redraft is not None:
        return builder.build_redraft(before.redraft)
    known = describe_background(NOTHING_RECALLED, summary=before.summary, done_before=before.done_before)
    if offer.tools:
        return builder.build_call(before.history, newest, known, refers_back=intent.refers_back)
    return builder.build_talk(before.history, newest, known, recollection.items)


def _may_try_plainly(outcome: Outcome, result: LoopResult, before: Conversation, *, is_talk: bool) -> bool:
    """Tell whether a model that had nothing to say, and did nothing, may be asked once more, the message alone."""
    is_empty = outcome.kind == "excuse" and result.ended != "aborted" and not result.steps
    return is_empty and before.redraft is None and not (is_talk and before.standing is None)


def _with_warnings(outcome: Outcome, warnings: Sequence[str], ctx: TurnContext) -> Outcome:
    """A small model may turn a fact about health around: the person reads it in their own words, too."""
    if not warnings or not outcome.reply.markdown:
        return outcome
    told = say(PIPELINE.health_warning, ctx.language, facts="; ".join(f"«{fact}»" for fact in warnings))
    return replace(outcome, reply=replace(outcome.reply, markdown=f"{outcome.reply.markdown}\n\n{told}"))
