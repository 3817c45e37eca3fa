"""One tool call, in the seven steps of the execution-engine document: whatever happens, a result comes back.

Find, validate, confirm (the policy's rules, what an earlier attempt of the turn already did, then the person),
dry run, execute, log and audit, return. A dry run asks nobody, as nothing will happen.
"""

import asyncio
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, TypeVar

import structlog

from app.asking.approvals import ApprovalBroker, Verdict
from app.domain.chat import ToolCall
from app.domain.errors import AppError, ToolArgumentError, ToolFault
from app.domain.ports import Clock
from app.domain.tools import BaseTool, ResultKind, ToolResult
from app.domain.turn import TurnContext
from app.language.catalogue import Language, Sentence, say
from app.security.audit import CallFacts, CallOutcome, call_hash
from app.security.oversight import Oversight
from app.security.policy import Decision
from app.skills.texts import SKILLS

log = structlog.get_logger(__name__)

_T = TypeVar("_T")

_MAX_NAMED: Final = 20
_OF_SERVERS: Final = "mcp_"
_NOT_BY_CLOCK: Final = "Nobody wrote just now: only tools that read may run. Tell what you know."
_FOR_ADMINS: Final = "Only an administrator may use this. Tell the user so."
_NOT_SHARED: Final = "This belongs to somebody else, who has not shared it with the person. Tell them so."
_TOLD: Final[Mapping[Verdict, Sentence]] = MappingProxyType(
    {"no": SKILLS.refused, "expired": SKILLS.expired, "passed_over": SKILLS.passed_over}
)
_MAY_HAVE_HAPPENED: Final = (
    "It may have taken effect all the same: look first, or ask the person, before trying again."
)


@dataclass(slots=True)
class _Attempt:
    """One call on its way through the steps: what the audit and an error message need to know of it."""

    facts: CallFacts
    started_at: datetime
    verdict: str = "none"
    category: str = "unknown"
    intent_id: int | None = None
    is_journalled: bool = False


class ExecutionEngine:
    """The only way in which a tool runs. Calls may run side by side; only questions to a person queue."""

    def __init__(self, oversight: Oversight, broker: ApprovalBroker, clock: Clock) -> None:
        self._oversight = oversight
        self._audit = oversight.audit
        self._broker = broker
        self._clock = clock

    async def execute(
        self, call: ToolCall, *, tools: Mapping[str, BaseTool], ctx: TurnContext, occurrence: int = 0
    ) -> ToolResult:
        """Run a call of one of these tools and return what came of it; failures are sentences for the model.

        `occurrence` counts the calls of the same turn with one `call_identity` from 0. Raises nothing but
        `CancelledError`, which is in the audit trail by then.
        """
        facts = CallFacts(ctx.user_id, ctx.turn_id, call.name, call.arguments, occurrence, ctx.claim_id)
        attempt = _Attempt(facts, self._clock.now())
        try:
            result = await self._contain(self._run(attempt, tools, ctx), attempt)
        except asyncio.CancelledError:
            await _to_the_end(self._record(attempt, None))
            raise
        result = _without_host_paths(result, ctx)
        await _to_the_end(self._record(attempt, result))
        return result

    async def _run(self, attempt: _Attempt, tools: Mapping[str, BaseTool], ctx: TurnContext) -> ToolResult:
        """Steps 1 to 5."""
        tool = find_tool(attempt.facts.tool, tools)
        if tool is None:
            return ToolResult.failed(_unknown(attempt.facts.tool, tools), "unknown")
        attempt.facts = replace(attempt.facts, tool=tool.name)
        attempt.category = "mcp" if tool.name.startswith(_OF_SERVERS) else tool.skill
        if not tool.is_for(ctx.user_id, is_admin=ctx.is_admin):
            return ToolResult.failed(_FOR_ADMINS if tool.admin_only else _NOT_SHARED, "blocked")
        if ctx.is_by_clock and not tool.read_only:
            return ToolResult.failed(_NOT_BY_CLOCK, "blocked")
        try:
            arguments = tool.validate_args(attempt.facts.arguments)
        except ToolArgumentError as exc:
            problem = (exc.detail or exc.code).rstrip(".")
            return ToolResult.failed(
                f"The arguments of {tool.name} do not fit: {problem}. Correct them and call it again.", "invalid"
            )
        attempt.facts = replace(attempt.facts, arguments=arguments)
        decision = await self._oversight.decide(tool, arguments, ctx.mode)
        attempt.verdict = f"{decision.action} {decision.rule_id}".strip()
        if decision.action == "block":
            reason = decision.reason.rstrip(".")
            return ToolResult.failed(
                f"{tool.name} was not run, because {reason}. Do not call it again; tell the person.", "blocked"
            )
        if self._oversight.is_dry_run:
            return ToolResult(True, f"[DRY-RUN] Would run {tool.name}({_spell(arguments)})", kind="dry_run")
        return await self._confirm_and_invoke(attempt, tool, arguments, decision, ctx)

    async def _confirm_and_invoke(
        self,
        attempt: _Attempt,
        tool: BaseTool,
        arguments: Mapping[str, object],
        decision: Decision,
        ctx: TurnContext,
    ) -> ToolResult:
        if not tool.read_only and (done := await self._audit.find_done(attempt.facts)) is not None:
            attempt.verdict = "replay"
            return done.result or _uncertain(tool)
        is_doubtful = ctx.in_doubt and not tool.read_only and not await tool.is_evident(arguments, ctx)
        is_wish = decision.action != "ask" and is_doubtful
        if decision.action == "ask" or not tool.read_only:
            attempt.intent_id = await self._audit.record_intent(attempt.facts, attempt.verdict)
        if decision.action == "ask" or is_wish:
            in_words = tool.describe_call(await tool.there(arguments, ctx), ctx.language)
            verdict = await self._broker.ask(ctx, tool.name, arguments, in_words=in_words, is_wish=is_wish)
            if verdict != "yes":
                return _not_approved(tool, verdict, ctx.language)
        if not tool.read_only:
            if not await self._audit.start(attempt.facts):
                return _uncertain(tool)
            attempt.is_journalled = True
        return await self._invoke(tool, arguments, ctx)

    async def _invoke(self, tool: BaseTool, arguments: Mapping[str, object], ctx: TurnContext) -> ToolResult:
        try:
            async with asyncio.timeout(tool.timeout_s) as limit:
                result: object = await tool.execute(arguments, ctx=ctx)
        except TimeoutError:
            if not limit.expired():
                raise
            advice = "Try once more, or tell the person." if tool.read_only else _MAY_HAVE_HAPPENED
            return ToolResult.failed(
                f"{tool.name} did not finish within {tool.timeout_s:g} s. {advice}", "timeout"
            )
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody cancelled the turn: something inside the tool was, and let it out.
            return ToolResult.failed(f"{tool.name} was interrupted from within. {_advice(tool)}")
        if not isinstance(result, ToolResult):
            return ToolResult.failed(f"{tool.name} ended without a result. {_advice(tool)}")
        return result

    async def _contain(self, work: Coroutine[Any, Any, _T], attempt: _Attempt) -> _T | ToolResult:
        """Turn whatever is raised into a result; a tool may even try to end the process."""
        try:
            return await work
        except (Exception, SystemExit) as exc:
            log.exception("tool.failed", tool=attempt.facts.tool)
            if isinstance(exc, ToolFault) and exc.detail:
                return ToolResult.failed(exc.detail)
            reason = exc.code.replace("_", " ") if isinstance(exc, AppError) else type(exc).__name__
            after = _MAY_HAVE_HAPPENED if attempt.is_journalled else "Tell the person, or try another way."
            return ToolResult.failed(f"{attempt.facts.tool} failed inside ({reason}). {after}")

    async def _record(self, attempt: _Attempt, result: ToolResult | None) -> None:
        """Step 6; None is a call that was cancelled, which its journal entry leaves open."""
        await self._contain(self._write(attempt, result), attempt)

    async def _write(self, attempt: _Attempt, result: ToolResult | None) -> None:
        duration_ms = round((self._clock.now() - attempt.started_at).total_seconds() * 1000)
        kind = "cancelled" if result is None else result.kind
        outcome = CallOutcome(
            kind,
            "" if result is None else result.content,
            duration_ms,
            journalled=result if attempt.is_journalled else None,
        )
        log.info(
            "tool.finished",
            tool=attempt.facts.tool,
            category=attempt.category,
            kind=kind,
            verdict=attempt.verdict,
            ms=duration_ms,
        )
        await self._audit.record_outcome(attempt.facts, attempt.verdict, outcome, intent_id=attempt.intent_id)


def find_tool(name: str, tools: Mapping[str, BaseTool]) -> BaseTool | None:
    """Return the tool of that name, own or other, or the one MCP tool whose name it is without its server's."""
    if name in tools:
        return tools[name]
    if (also := next((tool for tool in tools.values() if name in tool.also_named), None)) is not None:
        return also
    ending = [
        tool for key, tool in tools.items() if name and key.startswith(_OF_SERVERS) and key.endswith(f"_{name}")
    ]
    return ending[0] if len(ending) == 1 else None


def call_identity(call: ToolCall, tools: Mapping[str, BaseTool]) -> str:
    """Return what two calls share exactly when the journal takes them for the same: however they are written.

    Of a call whose arguments do not fit, or are nested too deeply to be checked, its own words count.
    """
    tool = find_tool(call.name, tools)
    if tool is None:
        return call_hash(call.name, call.arguments)
    try:
        return call_hash(tool.name, tool.validate_args(call.arguments))
    except (ToolArgumentError, RecursionError):
        return call_hash(tool.name, call.arguments)


def _unknown(name: str, tools: Mapping[str, BaseTool]) -> str:
    names = sorted(tools)
    listed = ", ".join(names[:_MAX_NAMED]) + (", …" if len(names) > _MAX_NAMED else "")
    return f"There is no tool named {name[:80]!r}. " + (
        f"Use one of these: {listed}." if names else "No tool can be called now; answer in words."
    )


def _not_approved(tool: BaseTool, verdict: Verdict, language: Language) -> ToolResult:
    not_run = f"{tool.name} was not run"
    reasons: dict[str, tuple[ResultKind, str]] = {
        "no": ("refused", f"The person refused, so {not_run}. Do not call it again unless they ask for it."),
        "abort": ("aborted", f"The person stopped everything, so {not_run}. Call no more tools; say so briefly."),
        "expired": ("expired", f"Nobody answered in time, so {not_run}. Say so and ask whether to try again."),
        "passed_over": ("expired", f"The person went on to something else, so {not_run}."),
        "no_channel": (
            "no_channel",
            f"{tool.name} needs the person's approval and they cannot be reached now, so it was not run.",
        ),
        "too_long": (
            "refused",
            f"{not_run}: its arguments are too long to be shown for approval. Call it with less at a time.",
        ),
    }
    kind, sentence = reasons[verdict]
    told = _TOLD.get(verdict)
    return replace(ToolResult.failed(sentence, kind), reply="" if told is None else say(told, language))


def _uncertain(tool: BaseTool) -> ToolResult:
    return ToolResult.failed(
        f"{tool.name} may already have happened: an earlier attempt with these arguments was cut off. "
        "It was not run again; ask the person before trying again.",
        "uncertain",
    )


def _advice(tool: BaseTool) -> str:
    return "Tell the person, or try another way." if tool.read_only else _MAY_HAVE_HAPPENED


def _spell(arguments: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in arguments.items()
    )


def _without_host_paths(result: ToolResult, ctx: TurnContext) -> ToolResult:
    """A failure names no place on this machine: files are known by their path in the workspace."""
    if result.error is None:
        return result
    error = result.error.replace(str(ctx.workspace.absolute()), ".").replace(str(ctx.workspace), ".")
    return result if error == result.error else replace(result, error=error)


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Await the work and let it end even when the caller is cancelled meanwhile, who then hears of it."""
    task = asyncio.create_task(work, name="tool:record")
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
