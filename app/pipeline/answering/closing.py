"""The end of a turn: one transaction holds the reply, the history and the inbox's state."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from app.database.db import Transaction
from app.database.repositories.conversations import NewMessage
from app.database.repositories.inbox import Claim, InboxRow
from app.database.repositories.outbox import NOTICE_SEQ
from app.database.repository import Repository
from app.domain.errors import NotReady
from app.domain.ids import TurnId, UserId
from app.domain.outbound import OutboundMessage, OutText
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import cut
from app.language.catalogue import Language, say
from app.mcp.commands import carries_secret
from app.pipeline.answering.normalize import describe
from app.pipeline.answering.outcome import Outcome
from app.pipeline.texts import PIPELINE
from app.whatsapp.render import render, render_literal
from app.whatsapp.split import split

STICKY_FOR: Final = timedelta(minutes=15)
"""How long the categories of a turn stand in for "none" in the turns after it."""
_QUOTE_CHARS: Final = 60
_MAX_QUOTES: Final = 3

WakeDelivery = Callable[[frozenset[UserId]], None]


class TurnCloser:
    """Commits outcomes, postponements and failures."""

    def __init__(self, repository: Repository, clock: Clock, *, wake_delivery: WakeDelivery) -> None:
        self._repository = repository
        self._clock = clock
        self._wake_delivery = wake_delivery

    async def commit(self, claim: Claim, ctx: TurnContext, outcome: Outcome) -> None:
        """Store the reply, the history and the end of the turn, all or nothing.

        Raises:
            Conflict: the turn was cancelled or finished meanwhile; nothing was stored.
        """
        now = self._clock.now()
        messages = to_messages(outcome)
        missed = await self._repository.inbox.list_missed(ctx.user_id) if messages else []
        async with self._repository.transaction() as tx:
            await self._repository.inbox.finish(ctx.user_id, ctx.turn_id, now, outcome="done", tx=tx)
            await self._repository.users.set_language(ctx.user_id, ctx.language, tx=tx)
            said = outcome.said
            secret = [
                row.message.id
                for row in (*claim.rows, *missed)
                if _holds_secret(row) or (outcome.is_secret and row in claim.rows)
            ]
            if secret:
                await self._repository.inbox_queue.blank(ctx.user_id, secret, tx=tx)
            if missed:
                told = [row for row in missed if not _holds_secret(row)]
                messages = [OutText(_missed_text(told, ctx.language)), *messages] if told else messages
                said = (*_as_history(told), *said)
                await self._repository.inbox.acknowledge_missed(
                    ctx.user_id, [row.id for row in missed], now, tx=tx
                )
            await self._repository.conversations.append(
                ctx.user_id, ctx.conversation_id, said, now, turn_id=ctx.turn_id, tx=tx
            )
            await self._repository.outbox.add(ctx.user_id, messages, now, turn_id=ctx.turn_id, tx=tx)
            if outcome.trace is not None:
                await self._repository.traces.put(ctx.user_id, ctx.turn_id, outcome.trace, now, tx=tx)
            if outcome.tool_state is not None:
                await self._repository.conversations.set_tool_state(
                    ctx.user_id, ctx.conversation_id, outcome.tool_state, sticky_until=now + STICKY_FOR, tx=tx
                )
        self._wake_delivery(outcome.concerned | {ctx.user_id})

    async def explain_wait(self, claim: Claim, reason: NotReady) -> None:
        """Say once for each turn that the model is still on its way; loading takes seconds and needs no words."""
        if reason.progress is None:
            return
        user = await self._repository.users.get(claim.user_id)
        text = say(PIPELINE.model_fetching, user.language, percent=round(reason.progress * 100))
        async with self._repository.transaction() as tx:
            await self._owe(claim.user_id, claim.turn_id, text, NOTICE_SEQ, tx)
        self._wake_delivery(frozenset({claim.user_id}))

    async def give_up(self, user_id: UserId, turn_id: TurnId, error: str) -> None:
        """Bury a turn after its last attempt; the apology is in the same transaction."""
        user = await self._repository.users.get(user_id)
        text = say(PIPELINE.turn_failed, user.language, ref=turn_id)
        async with self._repository.transaction() as tx:
            await self._repository.inbox.bury(user_id, turn_id, self._clock.now(), error, tx=tx)
            await self._owe(user_id, turn_id, text, 0, tx)
        self._wake_delivery(frozenset({user_id}))

    async def _owe(self, user_id: UserId, turn_id: TurnId, text: str, seq: int, tx: Transaction) -> None:
        await self._repository.outbox.add(
            user_id, [OutText(text)], self._clock.now(), turn_id=turn_id, first_seq=seq, tx=tx
        )


def to_messages(outcome: Outcome) -> list[OutboundMessage]:
    """Render a reply's text and split it; ready-made messages follow."""
    rendered = (render(outcome.reply.markdown), render_literal(outcome.reply.literal))
    texts = [OutText(piece) for text in rendered for piece in split(text)]
    return [*texts, *outcome.reply.messages]


def _holds_secret(row: InboxRow) -> bool:
    return carries_secret(describe(row.message.content).text)


def _missed_text(missed: list[InboxRow], language: Language) -> str:
    quotes = [cut(describe(row.message.content).text, _QUOTE_CHARS) for row in missed[:_MAX_QUOTES]]
    more = " …" if len(missed) > _MAX_QUOTES else ""
    return say(PIPELINE.missed_while_offline, language, quotes=", ".join(f"“{q}”" for q in quotes) + more)


def _as_history(missed: list[InboxRow]) -> tuple[NewMessage, ...]:
    return tuple(
        NewMessage("user", text, row.message.id) for row in missed if (text := describe(row.message.content).text)
    )
