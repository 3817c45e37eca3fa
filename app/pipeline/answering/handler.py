"""The straight line of a turn: open, route, commit."""

import structlog
from structlog.contextvars import bound_contextvars

from app.database.repositories.inbox import Claim
from app.domain.errors import NotReady
from app.domain.ids import TurnId, UserId
from app.domain.ports import Clock
from app.log import user_tag
from app.pipeline.answering.closing import TurnCloser
from app.pipeline.answering.opening import TurnOpener
from app.pipeline.answering.outcome import Outcome
from app.pipeline.answering.routing import TurnRouter

log = structlog.get_logger(__name__)


class MessageHandler:
    """Runs turns and control rows; each ends in exactly one transaction."""

    def __init__(self, opener: TurnOpener, router: TurnRouter, closer: TurnCloser, clock: Clock) -> None:
        self._opener = opener
        self._router = router
        self._closer = closer
        self._clock = clock

    async def handle(self, claim: Claim) -> frozenset[UserId]:
        """Run a claimed turn and commit it; returns the other users whose lanes may have work now.

        Raises:
            NotReady: the model is being fetched or loaded.
            Conflict: the turn was cancelled meanwhile.
        """
        with bound_contextvars(turn_id=claim.turn_id, user=user_tag(claim.user_id)):
            ctx = await self._opener.open(claim)
            outcome = await self._router.route(claim, ctx)
            await self._closer.commit(claim, ctx, outcome)
            self._log_finished(claim, outcome)
        return outcome.concerned

    async def explain_wait(self, claim: Claim, reason: NotReady) -> None:
        """Tell the author, where words are due, that the answer will come later."""
        await self._closer.explain_wait(claim, reason)

    async def give_up(self, user_id: UserId, turn_id: TurnId, error: str) -> None:
        """Close a turn that failed for good, with an honest sentence."""
        await self._closer.give_up(user_id, turn_id, error)

    def _log_finished(self, claim: Claim, outcome: Outcome) -> None:
        now = self._clock.now()
        log.info(
            "turn.finished",
            outcome=outcome.kind,
            messages=len(claim.rows),
            attempt=claim.attempt,
            since_received_ms=round((now - claim.rows[0].received_at).total_seconds() * 1000),
            model_calls=outcome.usage.calls,
            prompt_tokens=outcome.usage.prompt_tokens,
            cached_tokens=outcome.usage.cached_tokens,
            completion_tokens=outcome.usage.completion_tokens,
            categories=outcome.trace.categories if outcome.trace is not None else (),
            tools=[step.tool for step in outcome.trace.steps] if outcome.trace is not None else [],
            reply_chars=len(outcome.reply.markdown) + len(outcome.reply.literal),
        )
