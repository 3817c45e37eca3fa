"""What an admin does by command or button goes the way of a tool's call: rules, dry run, audit trail."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeVar

from app.database.repositories.tool_rules import ToolRules
from app.domain.errors import AppError, ToolFault
from app.domain.ports import Clock
from app.domain.tools import BaseTool
from app.domain.turn import ConfirmationMode, TurnContext
from app.security.audit import AuditTrail, CallFacts, CallOutcome
from app.security.policy import Decision, PolicyEngine

BLOCKED: Final = "blocked_by_rule"
DRY_RUN: Final = "dry_run"
T = TypeVar("T")


class Oversight:
    """The rules and the record. Runs deeds that no model asked for: who types the command, or presses the button,
    has said yes."""

    def __init__(
        self, policy: PolicyEngine, chosen: ToolRules, audit: AuditTrail, clock: Clock, *, is_dry_run: bool = False
    ) -> None:
        self.policy = policy
        self.chosen = chosen
        self.audit = audit
        self.is_dry_run = is_dry_run
        self._clock = clock

    async def decide(self, tool: BaseTool, arguments: Mapping[str, object], mode: ConfirmationMode) -> Decision:
        """Decide about a call of a model; see `PolicyEngine.decide`."""
        return self.policy.decide(tool, arguments, mode, chosen=await self.chosen.find(tool.name))

    async def run(
        self, ctx: TurnContext, deed: str, arguments: Mapping[str, object], do: Callable[[], Awaitable[T]]
    ) -> T:
        """Do it and record it, or raise why not; `arguments` hold no secret. Rules know it by the name `deed`.

        Raises:
            ToolFault: a rule blocks it (BLOCKED), or nothing is done for real now (DRY_RUN).
        """
        facts = CallFacts(ctx.user_id, ctx.turn_id, deed, arguments)
        decision = self.policy.judge(deed, arguments, chosen=await self.chosen.find(deed))
        is_blocked = decision.action == "block"
        verdict = f"{'block' if is_blocked else 'typed'} {decision.rule_id}".strip()
        intent_id = await self.audit.record_intent(facts, verdict)
        started = self._clock.now()

        async def end(kind: str, text: str) -> None:
            took = round((self._clock.now() - started).total_seconds() * 1000)
            await self.audit.record_outcome(facts, verdict, CallOutcome(kind, text, took), intent_id=intent_id)

        if is_blocked or self.is_dry_run:
            kind, code = ("blocked", BLOCKED) if is_blocked else (DRY_RUN, DRY_RUN)
            await end(kind, decision.reason)
            raise ToolFault(code, decision.reason)
        try:
            result = await do()
        except AppError as exc:
            await end("failed", exc.detail or exc.code)
            raise
        except asyncio.CancelledError:
            await asyncio.shield(end("cancelled", ""))
            raise
        await end("ok", "Done.")
        return result
