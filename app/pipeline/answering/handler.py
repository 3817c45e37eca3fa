"""The straight line of a turn: open, route, commit in one transaction."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog
from structlog.contextvars import bound_contextvars

from app.database.db import Transaction
from app.database.repositories.inbox import Claim, InboxRow
from app.database.repositories.outbox import NOTICE_SEQ
from app.database.repositories.users import User
from app.database.repository import Repository
from app.domain.errors import NotReady
from app.domain.ids import TurnId, UserId, WaMessageId
from app.domain.inbound import Edit, InboundMessage
from app.domain.outbound import Button, Occasion, OutText
from app.domain.ports import Clock
from app.domain.turn import ConfirmationMode, TurnContext
from app.language.catalogue import Language, say
from app.language.detection import read_wish
from app.log import user_tag
from app.pipeline.answering.normalize import describe
from app.pipeline.answering.outcome import Outcome, as_history, missed_text, to_messages, with_asides, with_button
from app.pipeline.receiving.admission import AllowList
from app.pipeline.texts import PIPELINE

log = structlog.get_logger(__name__)

STICKY_FOR: Final = timedelta(minutes=15)
"""How long the categories of a turn stand in for "none" in the turns after it."""

Aside = Callable[[TurnContext, Transaction], Awaitable[str]]
"""What is told with an answer."""
AnswerButton = Callable[[TurnContext], Awaitable[Button | None]]
"""What may be pressed under the answer of a turn."""
WakeDelivery = Callable[[frozenset[UserId]], None]
DetectLanguage = Callable[[str, Language], Language]
"""Returns the language of a text, or the one given where the text does not tell."""
Open = Callable[[Claim, datetime], Awaitable[TurnContext]]
Route = Callable[[Claim, TurnContext], Awaitable[Outcome]]


class TurnOpener:
    """Builds the `TurnContext` that is passed down everywhere.

    `timezone` (IANA) is where the service runs, for people of whom neither a choice nor their number tells
    another. `users_dir` holds each person's own directory, `mode` tells when people who never chose are asked.
    """

    def __init__(
        self,
        repository: Repository,
        allow_list: AllowList,
        detect_language: DetectLanguage,
        *,
        timezone: str,
        users_dir: Path,
        mode: ConfirmationMode,
    ) -> None:
        self._repository = repository
        self._allow_list = allow_list
        self._detect_language = detect_language
        self._timezone = timezone
        self._users_dir = users_dir
        self._mode = mode

    async def open(self, claim: Claim, now: datetime) -> TurnContext:
        """Return the context of a claimed turn; from here on all that is said to the person is in its language."""
        user, entries = await self._repository.directory.get_with_entries(claim.user_id)
        text = "\n".join(describe(row.message.content).text for row in claim.rows)
        is_by_clock = claim.rows[0].purpose == "clock"
        language, is_settled = user.language, user.is_language_settled
        if not is_by_clock:
            language, is_settled = self._language_for(text, user)
        if (language, is_settled) != (user.language, user.is_language_settled):
            async with self._repository.transaction() as tx:
                await self._repository.users.set_language(user.user_id, language, is_settled=is_settled, tx=tx)
        return TurnContext(
            turn_id=claim.turn_id,
            user_id=claim.user_id,
            conversation_id=await self._repository.conversations.ensure_open(claim.user_id, now),
            attempt=claim.attempt,
            received_at=now,
            language=language,
            is_admin=self._allow_list.is_admin(entries),
            timezone=user.zone(self._timezone),
            workspace=self._users_dir / claim.user_id,
            mode=user.mode or self._mode,
            is_retry=claim.is_retry,
            is_by_clock=is_by_clock,
            claim_id=claim.claim_id,
        )

    def _language_for(self, text: str, user: User) -> tuple[Language, bool]:
        """Return the language wished for, the settled, the text's or the last one; and whether it is settled."""
        wish = read_wish(text)
        is_settled = user.is_language_settled if wish is None else wish.language is not None
        if wish is not None and wish.language is not None:
            return wish.language, True
        return (user.language if is_settled else self._detect_language(text, user.language)), is_settled


class MessageHandler:
    """Runs turns and control rows; each ends in exactly one transaction."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        *,
        open_turn: Open,
        route: Route,
        carries_secret: Callable[[str], bool],
        wake_delivery: WakeDelivery,
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._open = open_turn
        self._route = route
        self._carries_secret = carries_secret
        self._wake_delivery = wake_delivery
        self.asides: list[Aside] = []
        self.answer_buttons: list[AnswerButton] = []

    async def handle(self, claim: Claim) -> frozenset[UserId]:
        """Run a claimed turn and commit it; returns the other users whose lanes may have work now.

        Raises:
            NotReady: the model is being fetched or loaded.
            Conflict: the turn was cancelled meanwhile.
        """
        with bound_contextvars(turn_id=claim.turn_id, user=user_tag(claim.user_id)):
            ctx = await self._open(claim, self._clock.now())
            outcome = await self._route(claim, ctx)
            await self._commit(claim, ctx, outcome)
            self._log_finished(claim, outcome)
        return outcome.concerned

    async def explain_wait(self, claim: Claim, reason: NotReady) -> None:
        """Say once for each turn that the model is still on its way; loading takes seconds and needs no words."""
        if reason.progress is None:
            return
        user = await self._repository.users.get(claim.user_id)
        text = say(PIPELINE.model_fetching, user.language, percent=round(reason.progress * 100))
        async with self._repository.transaction() as tx:
            await self._owe(claim.user_id, claim.turn_id, text, NOTICE_SEQ, tx)
        self._wake_delivery(frozenset({claim.user_id}))

    async def give_up(self, user_id: UserId, turn_id: TurnId, error: str, *, claim_id: str = "") -> None:
        """Bury a turn after its last attempt; the apology is in the same transaction."""
        user = await self._repository.users.get(user_id)
        text = say(PIPELINE.turn_failed, user.language, ref=turn_id)
        async with self._repository.transaction() as tx:
            now = self._clock.now()
            await self._repository.inbox.finish(
                user_id, turn_id, now, outcome="dead", error=error, claim_id=claim_id, tx=tx
            )
            await self._owe(user_id, turn_id, text, 0, tx)
        self._wake_delivery(frozenset({user_id}))

    async def _owe(self, user_id: UserId, turn_id: TurnId, text: str, seq: int, tx: Transaction) -> None:
        await self._repository.outbox.add(
            user_id, [OutText(text)], self._clock.now(), turn_id=turn_id, first_seq=seq, tx=tx
        )

    async def _commit(self, claim: Claim, ctx: TurnContext, outcome: Outcome) -> None:
        """Store the reply, the history and the end of the turn, all or nothing.

        What came too late to be answered is told with the first reply after it.

        Raises:
            Conflict: the turn was cancelled or finished meanwhile; nothing was stored.
        """
        now = self._clock.now()
        messages, said, conversations = to_messages(outcome.reply), outcome.said, self._repository.conversations
        is_answer = bool(messages) and not ctx.is_by_clock
        missed = await self._repository.inbox.list_missed(ctx.user_id) if is_answer else []
        buttons = [await offer(ctx) for offer in self.answer_buttons] if is_answer else []
        told = [row for row in missed if not self._holds_secret(row)]
        if told:
            messages = [OutText(missed_text(told, ctx.language)), *messages]
            said = (*as_history(told), *said)
        secret = [row for row in (*claim.rows, *missed) if self._holds_secret(row)]
        secret += claim.rows if outcome.is_secret else ()
        async with self._repository.transaction() as tx:
            await self._repository.inbox.finish(
                ctx.user_id, ctx.turn_id, now, outcome="done", claim_id=ctx.claim_id, tx=tx
            )
            if missed or secret:
                await self._settle_rows(ctx.user_id, missed, secret, tx)
            await conversations.append(ctx.user_id, ctx.conversation_id, said, now, turn_id=ctx.turn_id, tx=tx)
            if is_answer:
                asides = [text for aside in self.asides if (text := await aside(ctx, tx))]
                messages = with_button(with_asides(messages, asides), next(filter(None, buttons), None))
            occasion: Occasion = "unasked" if ctx.is_by_clock else "answer"
            await self._repository.outbox.add(
                ctx.user_id, messages, now, turn_id=ctx.turn_id, occasion=occasion, tx=tx
            )
            if outcome.trace is not None:
                took_ms = round((now - ctx.received_at).total_seconds() * 1000)
                trace = replace(outcome.trace, duration_ms=took_ms).with_usage(outcome.usage)
                await self._repository.traces.put(ctx.user_id, ctx.turn_id, trace, now, tx=tx)
            if outcome.tool_state is not None:
                await conversations.set_tool_state(
                    ctx.user_id, ctx.conversation_id, outcome.tool_state, sticky_until=now + STICKY_FOR, tx=tx
                )
        self._wake_delivery(outcome.concerned | {ctx.user_id})

    async def _settle_rows(
        self, user_id: UserId, missed: list[InboxRow], secret: list[InboxRow], tx: Transaction
    ) -> None:
        """Note that the missed were told, and forget the text of messages that held a secret."""
        ids = [one for row in secret for one in _ids_of(row.message)]
        await self._repository.inbox_queue.blank(user_id, ids, tx=tx)
        told = [row.id for row in missed]
        await self._repository.inbox.acknowledge_missed(user_id, told, self._clock.now(), tx=tx)

    def _holds_secret(self, row: InboxRow) -> bool:
        """Tell whether a command in a message carries a secret, which the inbox must forget."""
        return self._carries_secret(describe(row.message.content).text)

    def _log_finished(self, claim: Claim, outcome: Outcome) -> None:
        now, trace = self._clock.now(), outcome.trace
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
            categories=trace.categories if trace is not None else (),
            sorted_by=trace.sorted_by if trace is not None else "",
            tools=[step.tool for step in trace.steps] if trace is not None else [],
            reply_chars=len(outcome.reply.markdown) + len(outcome.reply.literal),
        )


def _ids_of(message: InboundMessage) -> tuple[WaMessageId, ...]:
    """Return whose text is that of a message: its own, and the one that it edits."""
    return (message.id, message.content.original_id) if isinstance(message.content, Edit) else (message.id,)
