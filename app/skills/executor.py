"""The tool loop of one turn: ask the model, run what it calls, until it has an answer."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, Protocol

import structlog

from app.domain.chat import ANSWER_TOKENS, ChatMessage, ChatRequest, ChatResponse, ToolCall, ToolSchema
from app.domain.outbound import OutMedia
from app.domain.ports import ChatModel
from app.domain.tools import BaseTool, ResultKind, ToolResult, shown_once
from app.domain.turn import TurnContext
from app.llm.answer_grammar import MAX_CALLS
from app.llm.claims import claims_side_effect
from app.llm.protocols import ToolProtocol, own_text
from app.llm.salvage import looks_like_call, without_quotes, without_result_tags
from app.skills import unusable
from app.skills.binding import Unsaid, bind_calls, told_unsaid
from app.skills.compaction import compact, shrunk
from app.skills.drafted import WantedText
from app.skills.engine import call_identity
from app.skills.offer import NAME_CHARS, Offer
from app.skills.router import REQUEST_MORE_TOOLS_NAME
from app.skills.unusable import Objection, loop_start, talk_objection, words_alone

MAX_TOOL_ITERATIONS: Final = 5

Ending = Literal["answered", "out_of_rounds", "repeated", "aborted", "unsaid", "refused", "nothing"]

_WHOLE_ROUNDS: Final = 2
_ENOUGH_CHARS: Final = 80
_STRAYING_HEAT: Final = 0.9
_REJECTED_CHARS: Final = 600

_ALREADY_CALLED: Final = ToolResult.ok("Called before with the same arguments; the result is above.")

log = structlog.get_logger(__name__)


class Engine(Protocol):
    """Runs one call."""

    async def execute(
        self, call: ToolCall, *, tools: Mapping[str, BaseTool], ctx: TurnContext, occurrence: int = 0
    ) -> ToolResult:
        """Return what came of it; never raises but for cancellation.

        `occurrence` counts the earlier calls of the turn with the same tool and validated arguments.
        """
        ...


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """`protocol` is how the model is spoken to about tools; `output_limit_chars` holds for each result.

    `checks_claims`: an answer that claims an action which no tool did is asked for again.
    `expected_calls` (see `ModelPolicy`): an answer is bound to that many calls, and once as many have succeeded,
    the person is told what the tools themselves say, or, where one of them says nothing, words are asked for
    without tools, which only tempt a small model to call again. `copies_badly`: the person's words in a call are
    replaced by what they wrote, whole; see `bind_calls`. `is_talk`: nothing is offered, `max_sentences` do.
    `draft`: the answer is this text. `avoided`: see `ChatRequest`; such a prompt takes no conversation's place in
    the cache. `given`: the calls of the first round, which code knows.
    """

    protocol: ToolProtocol
    max_rounds: int = MAX_TOOL_ITERATIONS
    checks_claims: bool = True
    output_limit_chars: int = 4_000
    expected_calls: int | None = None
    copies_badly: bool = False
    is_talk: bool = False
    draft: WantedText | None = None
    max_sentences: int | None = None
    avoided: tuple[str, ...] = ()
    answer_tokens: int = ANSWER_TOKENS
    given: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One call that was answered, in `round` 1 and up."""

    name: str
    kind: ResultKind
    duration_ms: int
    round: int


@dataclass(frozen=True, slots=True)
class LoopResult:
    """`text` is for the person; it is empty when the model gave no usable answer, or the turn was aborted.

    `offered` names the tools of each round in order, the meta-tool first; the last is empty when the
    loop ended without tools. `is_truncated`: the answer hit the token limit. `is_literal`: tools speak for
    themselves, and what they show is no Markdown.
    """

    text: str
    steps: tuple[ToolStep, ...] = ()
    offered: tuple[tuple[str, ...], ...] = ()
    ended: Ending = "answered"
    is_truncated: bool = False
    is_literal: bool = False
    attachments: tuple[OutMedia, ...] = ()


async def execute_tool_loop(
    messages: Sequence[ChatMessage],
    *,
    model: ChatModel,
    offer: Offer,
    engine: Engine,
    ctx: TurnContext,
    options: LoopOptions,
) -> LoopResult:
    """Answer a prompt that ends with the person's message, with the tools that are offered.

    - `request_more_tools` is offered first in every round of a turn that has tools, and answered here:
      what it loads is offered from the next round on. Only what was offered or loaded runs.
    - The other calls of a round run together; their results come in the order of the calls.
    - The results of the last two rounds stay whole, older ones shrink to a line.
    - A call that holds what the person did not write does not run; they are asked, and the loop ends.
    - What the person refused, or did not answer, ends the loop, unless another call found what is to be told.
    - A round of `expected_calls` that found nothing at all ends it, too: no words for it are asked for.
    - After `max_rounds` rounds, or a round of repeated calls, one answer is asked for without tools.
    - A result of kind "aborted" ends the loop at once.
    - An answer that is a call nobody can read, the error text of a tool, or claims a side effect that no tool had,
      is asked for again, once for each of the three; so is JSON for which nobody asked, what repeats itself, and
      talk that says nothing. Of what repeats itself the beginning becomes the text, of the others nothing.

    Raises:
        NotReady, Transient, Permanent: the model's own failures.
    """
    turn = _Turn(messages, model, offer, engine, ctx, options)
    for number in range(1, options.max_rounds + 1):
        offer.refresh()
        response = await turn.ask(offer.schemas(), given=options.given if number == 1 else ())
        if not response.tool_calls:
            return turn.result(response, "answered")
        ending = await turn.act(response, number)
        if ending == "aborted":
            return turn.result(ChatResponse(""), ending)
        if ending in {"unsaid", "refused", "nothing"}:
            return turn.told(ending)
        if ending == "repeated" or turn.is_all_done():
            return await turn.closed(ending or "answered")
    return await turn.closed("out_of_rounds")


class _Turn:
    """What has happened in the turn so far."""

    def __init__(
        self,
        messages: Sequence[ChatMessage],
        model: ChatModel,
        offer: Offer,
        engine: Engine,
        ctx: TurnContext,
        options: LoopOptions,
    ) -> None:
        self._messages = tuple(messages)
        self._model = model
        self._offer = offer
        self._engine = engine
        self._ctx = ctx
        self._options = options
        self._since: list[ChatMessage] = []
        self._results_from: list[int] = []
        self._steps: list[ToolStep] = []
        self._offered: list[tuple[str, ...]] = []
        self._raised: set[Objection] = set()
        self._errors: set[str] = set()
        self._has_acted = False
        self._succeeded = 0
        self._replies: list[str] = []
        self._attachments: list[OutMedia] = []
        self._has_failed = False
        self._seen: Counter[str] = Counter()
        self._previous: frozenset[str] = frozenset()

    def is_all_done(self) -> bool:
        expected = self._options.expected_calls
        return expected is not None and self._succeeded >= expected

    async def closed(self, ended: Ending) -> LoopResult:
        """End with what the tools tell the person, or, where one of them is silent, in the model's words."""
        is_told = bool(self._replies) and all(self._replies) and not self._has_failed
        is_told = is_told and self._options.expected_calls is not None
        return self.told(ended) if is_told else self.result(await self.ask(()), ended)

    def told(self, ended: Ending) -> LoopResult:
        """End with what was done, if anything was, and what the person is asked or told of the rest."""
        return replace(self.result(ChatResponse("\n\n".join(filter(None, self._replies))), ended), is_literal=True)

    def result(self, response: ChatResponse, ended: Ending) -> LoopResult:
        log.debug("tools.loop_ended", ended=ended, rounds=len(self._offered), tools=len(self._steps))
        return LoopResult(
            text=response.text.strip(),
            steps=tuple(self._steps),
            offered=tuple(self._offered),
            ended=ended,
            is_truncated=response.is_truncated,
            attachments=tuple(self._attachments),
        )

    async def ask(self, tools: tuple[ToolSchema, ...], *, given: tuple[ToolCall, ...] = ()) -> ChatResponse:
        """Return calls, those `given` first, or an answer that may be shown. Without tools never calls."""
        self._offered.append(tuple(tool.name for tool in tools))
        if given:
            return ChatResponse("", tool_calls=given)
        while True:
            response = self._read(await self._model.chat(self._request(tools)), tools)
            if response.tool_calls and tools:
                return response
            objection = self._objection_to(response)
            if objection is None:
                return replace(response, tool_calls=())
            draft, raised, is_talk = self._options.draft, self._raised, self._options.is_talk
            # Asked again where most was said, or where it claims a deed, a small model begs pardon instead.
            is_enough = (loop_start(response.text) or 0) >= _ENOUGH_CHARS or (objection == "claim" and not draft)
            if objection in raised or (is_talk and is_enough) or (draft and raised):
                mended = draft.mended(response.text, objection, self._ctx.language) if draft else ""
                is_small = is_talk or (objection == "claim" and self._options.expected_calls is not None)
                usable = unusable.as_far_as_usable(response, objection, self._ctx.language if is_small else None)
                return ChatResponse(mended) if mended else usable
            log.info("tools.asked_again", reason=objection)
            self._raised.add(objection)
            if is_talk and objection in unusable.HINTS:
                # A small model that sees its own empty words says them again.
                self._messages = (*self._messages[:-1], unusable.with_hint(self._messages[-1], objection))
                continue
            self._since.append(ChatMessage("assistant", response.text[:_REJECTED_CHARS] or "…"))
            self._since.append(ChatMessage("user", unusable.asked_again(objection, has_tools=bool(tools))))

    def _request(self, tools: tuple[ToolSchema, ...]) -> ChatRequest:
        request = self._options.protocol.prepare(
            self._messages,
            tools,
            language=self._ctx.language,
            since=tuple(self._since),
            max_calls=self._options.expected_calls or MAX_CALLS,
        )
        options = self._options
        request = replace(request, max_tokens=options.answer_tokens, max_sentences=options.max_sentences)
        request = replace(request, avoided=options.avoided, purpose="closing") if options.avoided else request
        if options.is_talk and not unusable.STRAYING.isdisjoint(self._raised):
            request = replace(request, temperature=_STRAYING_HEAT)
        return options.draft.asked_for(request) if options.draft else request

    def _read(self, raw: ChatResponse, tools: tuple[ToolSchema, ...]) -> ChatResponse:
        response = self._options.protocol.read(raw, tools, self._texts_read())
        if (draft := self._options.draft) is not None:
            return replace(response, text=draft.tidied(response.text))
        if self._options.is_talk and self._options.checks_claims:
            response = replace(response, text=unusable.without_claims(response.text, self._asked()))
        # Around words for a real result the tags are a habit; without one, the result is made up.
        return replace(response, text=without_result_tags(response.text)) if self._results_from else response

    def _objection_to(self, response: ChatResponse) -> Objection | None:
        text = response.text
        if self._is_no_answer(text) or (response.tool_calls and not text.strip()):
            return "malformed"
        if words_alone(text) in self._errors:
            return "error"
        if loop_start(text) is not None:
            return "loop"
        if self._options.draft is not None:
            return self._options.draft.objection_to(text)
        could_act = self._offer.offers_side_effects() or self._options.is_talk
        if self._options.checks_claims and not self._has_acted and could_act and claims_side_effect(text):
            return unusable.claim_about(self._asked()) if self._options.is_talk else "claim"
        if not self._options.is_talk:
            return None
        asked, is_short = self._asked(), self._options.max_sentences is not None
        said = partial(talk_objection, asked=asked, before=self._newest("assistant"), is_short=is_short)
        return said(text, language=self._ctx.language, asked_before=self._newest("user", 2))

    def _is_no_answer(self, text: str) -> bool:
        """Tell whether it is a call of the model's own, or JSON nobody asked for; it may read both aloud."""
        names, own = self._offer.known_names(), without_quotes(text, self._texts_read())
        is_json = unusable.is_bare_json(own) and "json" not in self._newest("user").casefold()
        return is_json or (looks_like_call(text, names) and looks_like_call(own, names))

    def _asked(self) -> str:
        return own_text(self._messages).rpartition("\n\n")[2]

    def _newest(self, role: Literal["user", "assistant"], number: int = 1) -> str:
        said = [one.content for one in self._messages if one.role == role]
        return said[-number] if len(said) >= number else ""

    def _texts_read(self) -> tuple[str, ...]:
        """The texts of this turn that are not the model's own: the prompt's, and the tools' results."""
        results = (message for message in self._since if message.role == "tool")
        return tuple(message.content for message in (*self._messages, *results))

    async def act(self, response: ChatResponse, number: int) -> Ending | None:
        """Answer the calls of a round, or tell that it only repeats the round before."""
        wanted = tuple(self._offer.resolved(call) for call in response.tool_calls)
        permitted = dict(self._offer.tools)
        self._offer.mark_used(wanted)
        meta = [i for i, call in enumerate(wanted) if call.name == REQUEST_MORE_TOOLS_NAME]
        loads = {i: await self._offer.load(wanted[i].arguments) for i in meta}
        permitted |= self._offer.tools
        calls, unsaid = await self._bound(wanted, permitted)
        keys = [call_identity(call, permitted) for call in calls]
        repeated = {i for i, key in enumerate(keys) if key in self._previous and not (i in loads and loads[i][1])}
        self._previous = frozenset(keys)
        if len(repeated) == len(calls):
            return "repeated"
        others = [i for i in range(len(calls)) if i not in loads and i not in repeated and i not in unsaid]
        # Counted before any runs: which occurrence a call is must not depend on who is faster.
        runs = [self._run(calls[i], permitted, self._count(keys[i])) for i in others]
        ran = [await run for run in runs] if calls == self._options.given else await asyncio.gather(*runs)
        refused = [result.reply for result, _ in ran if self._is_told(result)]
        self._replies += [*shown_once([one for one, _ in ran if one.success]), *dict.fromkeys(refused)]
        self._attachments += [file for result, _ in ran for file in result.attachments]
        self._replies += dict.fromkeys(result.reply for result, _ in unsaid.values())
        self._has_failed = any(not result.success for result, _ in ran)
        outcomes = dict(zip(others, ran, strict=True))
        outcomes |= dict.fromkeys(repeated, (_ALREADY_CALLED, 0)) | unsaid
        outcomes |= {i: (ToolResult.ok(text), 0) for i, (text, _) in loads.items()}
        self._record(calls, [outcomes[i] for i in range(len(calls))], number)
        self._tell(response, calls, [result for _, (result, _) in sorted(outcomes.items())])
        if any(result.kind == "aborted" for result, _ in ran):
            return "aborted"
        if unsaid:
            return "unsaid"
        if self._options.expected_calls is not None and ran and all(result.is_nothing for result, _ in ran):
            return "nothing"
        return "refused" if refused and all(result.reply for result, _ in ran) else None

    def _is_told(self, result: ToolResult) -> bool:
        """Tell whether a failure is told by code; a small model calls again what cannot succeed."""
        is_mendable = result.kind == "failed" and self._options.expected_calls is None
        return not result.success and bool(result.reply) and not is_mendable

    async def _bound(
        self, calls: tuple[ToolCall, ...], permitted: Mapping[str, BaseTool]
    ) -> tuple[tuple[ToolCall, ...], dict[int, tuple[ToolResult, int]]]:
        """Return the calls with the person's words, and what came of those that hold what nobody wrote."""
        found = (one.content for one in self._since if one.role == "tool")
        said = replace(self._ctx.said, answers=(*self._ctx.said.answers, *found))
        # Long texts take long to align: others go on meanwhile.
        if calls == self._options.given:
            return calls, {}
        bound = await asyncio.to_thread(
            bind_calls, calls, permitted, said, copies_badly=self._options.copies_badly
        )
        unsaid = {}
        for i, (call, one) in enumerate(zip(calls, bound, strict=True)):
            if isinstance(one, Unsaid):
                log.info("words.unsaid", tool=call.name, parameter=one.parameter)
                unsaid[i] = (told_unsaid(one, self._ctx.language), 0)
        kept = [call if isinstance(one, Unsaid) else one for call, one in zip(calls, bound, strict=True)]
        return tuple(kept), unsaid

    def _count(self, key: str) -> int:
        """Return how many earlier calls of the turn were the same."""
        self._seen[key] += 1
        return self._seen[key] - 1

    async def _run(
        self, call: ToolCall, permitted: Mapping[str, BaseTool], occurrence: int
    ) -> tuple[ToolResult, int]:
        """Run one call, if its tool was offered; returns what came of it and the milliseconds it took."""
        if call.name not in permitted:
            return ToolResult.failed(self._offer.how_to_get(call.name), "unknown"), 0
        now = asyncio.get_running_loop().time
        began_at = now()
        result = await self._engine.execute(call, tools=permitted, ctx=self._ctx, occurrence=occurrence)
        self._succeeded += result.success
        if result.kind == "ok" and not permitted[call.name].read_only:
            self._has_acted = True
        return result, round((now() - began_at) * 1000)

    def _record(self, calls: Sequence[ToolCall], outcomes: Sequence[tuple[ToolResult, int]], number: int) -> None:
        for call, (result, duration_ms) in zip(calls, outcomes, strict=True):
            self._steps.append(ToolStep(call.name[:NAME_CHARS], result.kind, duration_ms, number))
            if not result.success:
                self._errors |= {words_alone(result.content), words_alone(result.error or "")} - {""}

    def _tell(self, response: ChatResponse, calls: tuple[ToolCall, ...], results: Sequence[ToolResult]) -> None:
        """Add a round to what the model is told; the results of all rounds but the last two shrink."""
        if len(self._results_from) >= _WHOLE_ROUNDS:
            before = self._results_from[1 - _WHOLE_ROUNDS]
            self._since[:before] = [shrunk(one, kept=REQUEST_MORE_TOOLS_NAME) for one in self._since[:before]]
        self._results_from.append(len(self._since))
        self._since.append(ChatMessage("assistant", response.text, tool_calls=calls))
        for call, result in zip(calls, results, strict=True):
            content = compact(result.content, self._options.output_limit_chars)
            self._since.append(ChatMessage("tool", content, tool_call_id=call.id, name=call.name))
