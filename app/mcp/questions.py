"""A server's question to the person whose call it is working on, over WhatsApp.

Stored beside the approvals, because it lives as they do: one open question for each person, bound to them,
single use, expiring, void after a restart. The answers are stored nowhere.
"""

import asyncio
import re
import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, Literal

import structlog

from app.asking.approvals import neutralise
from app.asking.texts import ASKING
from app.commands.registry import parse_command
from app.database.repositories.approvals import NewApproval
from app.database.repository import Repository
from app.domain.clock import first_of, to_ms
from app.domain.errors import Permanent
from app.domain.ids import UserId, WaMessageId
from app.domain.outbound import OutboundMessage, OutText
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.mcp.connecting.elicitation import CANCELLED, Answer, Question, Value
from app.mcp.question_form import QUESTION_PREFIX, build_prompt, is_typed
from app.mcp.question_reading import (
    Given,
    Prompt,
    Reading,
    Refused,
    Unfit,
    prompts_of,
    read_key,
    read_text,
)
from app.security.audit import call_hash

log = structlog.get_logger(__name__)

MAX_RETRIES: Final = 2
"""How often a person is asked again after an answer that does not fit."""
_REPLY_WINDOW: Final = timedelta(hours=24)
_CHOICE: Final = re.compile(rf"{QUESTION_PREFIX}([\w-]{{22}}):(\w{{1,3}})")

LineOf = Callable[[UserId], AbstractAsyncContextManager[object]]
"""The place of a person's turn to be asked: whoever asks them anything holds it meanwhile."""

TextFate = Literal["taken", "late", "elsewhere"]
"""`late`: written for a question that is closed by now; `elsewhere`: not meant for the one that is open."""


@dataclass(slots=True)
class _Open:
    token: str
    prompt: Prompt
    asked_at: datetime
    is_typed: bool
    reading: Reading | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class _Span:
    asked_at: datetime
    closed_at: datetime

    def holds(self, at: datetime) -> bool:
        return to_ms(self.asked_at) <= to_ms(at) < to_ms(self.closed_at)


class ChatAsker:
    """The `Asker` of WhatsApp: asks and waits in the call's task; answers come from the control lane.

    `on_answered` hears whose call goes on. What people type is handed to the call, never logged or kept.
    """

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        *,
        line_of: LineOf,
        wake_delivery: Callable[[frozenset[UserId]], None],
        on_answered: Callable[[UserId], None] = lambda user_id: None,
        timeout_s: float = 300,
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._line_of = line_of
        self._wake_delivery = wake_delivery
        self._on_answered = on_answered
        self._timeout_s = timeout_s
        self._open: dict[UserId, _Open] = {}
        self._typed: dict[UserId, _Span] = {}

    async def ask(self, ctx: TurnContext, question: Question) -> Answer:
        """Put a question to the person of that turn; see `Asker`. Fields are asked one after the other.

        Raises:
            Permanent: the person cannot be written to, or the question cannot be shown.
            Transient: the question could not be stored.
        """
        values: dict[str, Value] = {}
        async with self._line_of(ctx.user_id):
            for prompt in prompts_of(question):
                reading = await self._ask_until_fit(ctx, prompt)
                match reading:
                    case Refused(action):
                        log.info("question.refused", server=question.server, action=action)
                        return Answer(action)
                    case Given(value) if prompt.field is not None:
                        values[prompt.field.name] = value
                    case Unfit():
                        log.info("question.not_understood", server=question.server)
                        return CANCELLED
                    case _:
                        pass
        log.info("question.answered", server=question.server, fields=len(values))
        return Answer("accept", MappingProxyType(values))

    def is_answer(self, user_id: UserId, text: str) -> bool:
        """Tell whether a text must reach an open question instead of the lane of turns."""
        opened = self._open.get(user_id)
        if opened is None or parse_command(text) is not None:
            return False
        return read_text(opened.prompt, text, is_typed=opened.is_typed) is not None

    def asking_server(self, user_id: UserId) -> str | None:
        """Return whose question to this person is open now."""
        opened = self._open.get(user_id)
        return None if opened is None else opened.prompt.question.server

    async def answer_choice(self, user_id: UserId, choice_id: str) -> bool:
        """Take a pressed button or a picked row; False when that question is not open to this person."""
        match = _CHOICE.fullmatch(choice_id)
        opened = self._open.get(user_id)
        if match is None or opened is None or opened.token != match[1]:
            return False
        reading = read_key(opened.prompt, match[2])
        return reading is not None and await self._take(user_id, opened, reading)

    async def answer_text(
        self, user_id: UserId, text: str, *, quoted_id: WaMessageId | None, received_at: datetime
    ) -> TextFate | None:
        """Take a typed answer; None when the text has nothing to do with a question.

        Only what came in while the question was open counts. What came in while one before it was open is
        "late": it was written for that one, and must reach neither this one nor the model.
        """
        span = self._typed.get(user_id)
        if span is not None and span.holds(received_at):
            return "late"
        opened = self._open.get(user_id)
        if opened is None:
            return None
        reading = read_text(opened.prompt, text, is_typed=opened.is_typed)
        if reading is None:
            return None
        if to_ms(received_at) < to_ms(opened.asked_at):
            return "elsewhere"
        if quoted_id is not None:
            asked_in = await self._repository.approvals.find_message_id(user_id, opened.token)
            if asked_in != quoted_id:
                return "elsewhere"
        return "taken" if await self._take(user_id, opened, reading) else "late"

    async def _take(self, user_id: UserId, opened: _Open, reading: Reading) -> bool:
        """Let the first answer in time count; the database decides about the time."""
        if opened.reading is not None:
            return False
        opened.reading = reading
        verdict: Literal["yes", "no"] = "no" if isinstance(reading, Refused) else "yes"
        taken = None
        try:
            async with self._repository.transaction() as tx:
                taken = await self._repository.approvals.answer(
                    user_id, opened.token, verdict, self._clock.now(), tx=tx
                )
        finally:
            if taken is None:
                opened.reading = None
        if taken is None:
            return False
        opened.answered.set()
        self._on_answered(user_id)
        return True

    async def _ask_until_fit(self, ctx: TurnContext, prompt: Prompt) -> Reading:
        reading = await self._ask_once(ctx, prompt, None)
        for _ in range(MAX_RETRIES):
            if not isinstance(reading, Unfit):
                break
            reading = await self._ask_once(ctx, prompt, reading)
        return reading

    async def _ask_once(self, ctx: TurnContext, prompt: Prompt, unfit: Unfit | None) -> Reading:
        now, user_id = self._clock.now(), ctx.user_id
        opened = _Open(secrets.token_urlsafe(16), prompt, now, is_typed(prompt))
        messages = build_prompt(prompt, opened.token, ctx.language, unfit=unfit)
        if not await self._repository.approvals.has_written_since(user_id, now - _REPLY_WINDOW):
            raise Permanent("person_unreachable", "the person wrote too long ago")
        try:
            await self._store(ctx, opened, messages)
            self._open[user_id] = opened
            self._wake_delivery(frozenset({user_id}))
            log.info("question.asked", server=prompt.question.server, number=prompt.number)
            await first_of(opened.answered.wait(), self._clock.sleep(self._timeout_s))
        except asyncio.CancelledError:
            await asyncio.shield(self._repository.approvals.close(user_id, opened.token, "cancelled"))
            raise
        finally:
            self._open.pop(user_id, None)
            if opened.is_typed:
                self._typed[user_id] = _Span(now, self._clock.now())
        return await self._settle(ctx, opened)

    async def _store(self, ctx: TurnContext, opened: _Open, messages: tuple[OutboundMessage, ...]) -> None:
        now, question = opened.asked_at, opened.prompt.question
        approval = NewApproval(
            opened.token,
            ctx.turn_id,
            f"question:{question.server}",
            call_hash(question.server, [question.message, opened.prompt.number]),
            now,
            expires_at=now + timedelta(seconds=self._timeout_s),
        )
        async with self._repository.transaction() as tx:
            await self._repository.outbox.add(ctx.user_id, messages, now, turn_id=None, tx=tx)
            await self._repository.approvals.add(ctx.user_id, approval, tx=tx)

    async def _settle(self, ctx: TurnContext, opened: _Open) -> Reading:
        """Let the database say how it ended: an answer may have been committed as the time ran out.

        Whoever was asked to type is told that it is over, so that what they type late goes to nobody unawares.
        """
        user_id = ctx.user_id
        closed = await self._repository.approvals.close(user_id, opened.token, "expired")
        if closed.state in {"yes", "no"} and opened.reading is not None:
            return opened.reading
        if not closed.was_sent:
            raise Permanent("person_unreachable", "the question never left")
        if opened.is_typed:
            server = neutralise(opened.prompt.question.server)
            over = OutText(say(ASKING.question_expired, ctx.language, server=server))
            async with self._repository.transaction() as tx:
                await self._repository.outbox.add(user_id, [over], self._clock.now(), turn_id=None, tx=tx)
            self._wake_delivery(frozenset({user_id}))
        return Refused("cancel")
