"""Every question that is put to a person: asked one at a time, answered once, by that person, in time.

Some questions belong to a turn that waits for the answer; they end with the process. The others are answered by
the handler of their kind, whenever that is. What a message answers is decided when it arrives and kept with its
row: so nothing that came in before a question was sent can answer it.
"""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final, TypeVar

import structlog

from app.asking.answers import Answered, Handler, Press
from app.asking.lines import Ask, ButtonId, Line, Open, Reading, Silence, button_id
from app.asking.repository import NewQuestion, OpenQuestion, QuestionQueue, Questions, ShownQuestion
from app.asking.texts import ASKING
from app.asking.typed import MAX_CHARS, shown_in, typed_choice
from app.commands.registry import parse_command
from app.commands.texts import COMMANDS
from app.database.db import Database, Transaction
from app.database.repositories.outbox import LOST_QUESTION_SEQ
from app.database.repository import Repository
from app.domain.clock import first_of
from app.domain.ids import UserId, WaMessageId
from app.domain.inbound import Choice, InboundMessage, Text
from app.domain.outbound import OutText, Reply
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import say

log = structlog.get_logger(__name__)

R = TypeVar("R")

_REPLY_WINDOW: Final = timedelta(hours=24)
_ADDRESS: Final = re.compile(r"q:([a-z-]{1,20}):([\w-]{22})?:(\w{0,3})")
"""Kind, token, key. The id of every button is one; without a key, it is the typed answer to that question, and
without a token, to the newest of its kind."""


class Asking:
    """Asks and waits in the turn's task; answers come from the control lane, in another.

    `on_answered` hears whose question was answered: their turn goes on.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        *,
        wake_delivery: Callable[[frozenset[UserId]], None],
        on_answered: Callable[[UserId], None] = lambda user_id: None,
        timeout_s: float = 300,
    ) -> None:
        self._repository = Repository(db)
        self._questions = Questions(db)
        self._queue = QuestionQueue(db)
        self._clock = clock
        self._wake_delivery = wake_delivery
        self._on_answered = on_answered
        self._timeout_s = timeout_s
        self._lines: dict[UserId, Line] = {}
        self._handlers: dict[str, Handler] = {}
        self._tell_holder: Callable[[frozenset[UserId]], None] | None = None

    def share(self, tell_holder: Callable[[frozenset[UserId]], None]) -> None:
        """Let pages answer what turns of other processes wait for; `tell_holder` has those look whose they are."""
        self._tell_holder = tell_holder

    # Questions of turns.

    @asynccontextmanager
    async def line_of(self, user_id: UserId) -> AsyncIterator[Line]:
        """Wait for one's turn to ask that person; the last one to leave removes the line."""
        line = self._lines.setdefault(user_id, Line())
        line.users += 1
        try:
            async with line.lock:
                try:
                    yield line
                finally:
                    line.last_private = ""
        finally:
            line.users -= 1
            if not line.users:
                del self._lines[user_id]

    async def wait_for_answer(self, line: Line, ctx: TurnContext, ask: Ask[R]) -> R | Silence:
        """Put a question and wait for the answer; cancelling the wait closes the question.

        Raises:
            Transient: the question could not be stored.
        """
        token, now, user_id = secrets.token_urlsafe(16), self._clock.now(), ctx.user_id
        messages = ask.show(lambda key: button_id(ask.kind, token, key))
        opened = Open(token, ask, shown_in(messages))
        if not await self._questions.has_written_since(user_id, now - _REPLY_WINDOW):
            return Silence(was_sent=False)
        expires_at = now + timedelta(seconds=self._timeout_s)
        new = NewQuestion(opened.token, ask.kind, ask.bound_to, now, expires_at, ctx.turn_id, ctx.claim_id)
        line.open = opened
        try:
            async with self._repository.transaction() as tx:
                await self._repository.outbox.add(user_id, messages, now, turn_id=None, tx=tx)
                await self._questions.add(user_id, new, tx=tx)
            self._wake_delivery(frozenset({user_id}))
            log.info("question.asked", kind=ask.kind)
            await first_of(opened.answered.wait(), self._clock.sleep(self._timeout_s))
        except asyncio.CancelledError:
            await asyncio.shield(self._questions.close(user_id, opened.token, "cancelled"))
            raise
        finally:
            line.open = None
            line.last_private = opened.address if ask.is_private else ""
        # The database says how it ended: an answer may have been committed as the time ran out.
        closed = await self._questions.close(user_id, opened.token, "expired")
        if closed.state == "answered" and opened.value is None and closed.pressed is not None:
            opened.value = ask.read_key(closed.pressed)
        if closed.state == "answered" and opened.value is not None:
            return opened.value
        return Silence(closed.was_sent or opened.answered.is_set(), gave_way=opened.answered.is_set())

    def give_way(self, user_ids: Iterable[UserId]) -> None:
        """End the questions that give way, now that their people wrote something else."""
        for user_id in user_ids:
            line = self._lines.get(user_id)
            if line is not None and line.open is not None and line.open.ask.gives_way:
                line.open.answered.set()

    def is_waiting(self, user_id: UserId) -> bool:
        """Tell whether a turn of that person's waits for an answer, or just had one."""
        return user_id in self._lines

    async def take_pressed(self, user_id: UserId) -> None:
        """Let the turn of this process go on whose question was answered on a page of another one."""
        line = self._lines.get(user_id)
        opened = None if line is None else line.open
        if opened is None or opened.value is not None:
            return
        pressed = await self._questions.find_pressed(user_id, opened.token)
        if pressed is not None:
            # How it ended is read again by whoever waits.
            opened.answered.set()
            self._on_answered(user_id)

    async def tell(self, user_id: UserId, text: str) -> None:
        """Say something that needs no answer."""
        async with self._repository.transaction() as tx:
            await self._repository.outbox.add(user_id, [OutText(text)], self._clock.now(), turn_id=None, tx=tx)
        self._wake_delivery(frozenset({user_id}))

    async def recover(self) -> None:
        """At start, before anything is sent or tried again: end what turns of an earlier process waited for."""
        await self.expire_leftovers()
        await self.recover_handlers()

    async def recover_handlers(self) -> None:
        """At start: let those who answer questions put in order what they ask."""
        for handler in self._handlers.values():
            await handler.recover()

    async def expire_leftovers(self, user_ids: Collection[UserId] | None = None) -> None:
        """End what turns of a dead process waited for; who has it on their screen is told, once for each turn."""
        now = self._clock.now()
        async with self._repository.transaction() as tx:
            lost = await self._queue.expire_leftovers(user_ids, tx=tx)
            for user_id, turn_id in lost:
                language = await self._repository.users.language(user_id, tx=tx)
                told = [OutText(say(ASKING.approval_question_lost, language))]
                await self._repository.outbox.add(
                    user_id, told, now, turn_id=turn_id, first_seq=LOST_QUESTION_SEQ, tx=tx
                )
        if lost:
            log.info("question.lost_by_restart", count=len(lost))

    # Questions that nobody waits for.

    def handle(self, kind: str, handler: Handler) -> None:
        """Let a handler have the answers of a kind."""
        self._handlers[kind] = handler

    async def open(self, user_id: UserId, kind: str, bound_to: str, *, life: timedelta) -> ButtonId:
        """As `open_in`, in a transaction of its own."""
        async with self._repository.transaction() as tx:
            return await self.open_in(tx, user_id, kind, bound_to, life=life)

    async def open_in(
        self, tx: Transaction, user_id: UserId, kind: str, bound_to: str, *, life: timedelta | None = None
    ) -> ButtonId:
        """Open a question for that person in place of theirs of the same kind about the same thing.

        Returns how its buttons are called; the caller sends them. Without a `life` it stays open.
        """
        token, now = secrets.token_urlsafe(16), self._clock.now()
        new = NewQuestion(token, kind, bound_to, now, None if life is None else now + life)
        await self._questions.cancel(user_id, kind, bound_to, tx=tx)
        await self._questions.add(user_id, new, tx=tx)
        return lambda key: button_id(kind, token, key)

    async def find_open(self, user_id: UserId, kind: str, token: str | None = None) -> OpenQuestion | None:
        """Return the question with that token, or the newest of its kind, if the user may answer it now."""
        return await self._questions.find_open(user_id, kind, self._clock.now(), token)

    async def list_bound(self, user_id: UserId, kind: str) -> list[OpenQuestion]:
        """Return the questions of that kind that the user may answer now, the newest first."""
        return await self._questions.list_bound(user_id, kind, self._clock.now())

    async def settle(self, question: OpenQuestion) -> bool:
        """As `settle_in`, in a transaction of its own."""
        async with self._repository.transaction() as tx:
            return await self.settle_in(tx, question)

    async def settle_in(self, tx: Transaction, question: OpenQuestion) -> bool:
        """End a question as answered; False when it is no longer open."""
        return await self._questions.answer(question.user_id, question.token, self._clock.now(), tx=tx)

    async def rebind(self, question: OpenQuestion, bound_to: str, *, life: timedelta) -> bool:
        """Let an open question be about something else, and stay open for `life`; False when it is not open."""
        now = self._clock.now()
        async with self._repository.transaction() as tx:
            return await self._questions.rebind(question.user_id, question.token, bound_to, now, now + life, tx=tx)

    async def cancel(self, kind: str, bound_to: str, *, tx: Transaction) -> None:
        """Close every open question of that kind about the same thing, whoever was asked."""
        await self._queue.cancel(kind, bound_to, tx=tx)

    # Answers.

    async def list_shown(self, user_id: UserId) -> list[ShownQuestion]:
        """Return the open questions that a person may answer from a page, as they were shown; the newest first."""
        found = await self._questions.list_open(user_id, self._clock.now())
        return [one for one in found if self._is_for_home(user_id, one)]

    def _is_for_home(self, user_id: UserId, shown: ShownQuestion) -> bool:
        line = self._lines.get(user_id)
        if line is not None and line.open is not None and line.open.token == shown.token:
            return True
        if shown.is_waited_for and self._tell_holder is not None:
            return True
        return (handler := self._handlers.get(shown.kind)) is not None and handler.is_for_home

    async def press(self, address: str, ctx: TurnContext) -> Answered:
        """Take a button that was pressed on a page; as `answer`, for the one question that it is of.

        The page has shown that button: what another process waits for is not read here.
        """
        match = _ADDRESS.fullmatch(address)
        kind, token, key = match.groups() if match is not None else ("question", None, "")
        line, answered = self._lines.get(ctx.user_id), None
        opened = None if line is None else line.open
        if token is None or not key:
            answered = None
        elif opened is not None and (opened.ask.kind, opened.token) == (kind, token):
            value = opened.ask.read_key(key)
            answered = (
                None if value is None or not await self._take(ctx.user_id, opened, value) else Answered(kind)
            )
        elif (handler := self._handlers.get(kind)) is not None and handler.is_for_home:
            answered = await self._answer_stored(handler, kind, token, Press(None, key, ctx))
        elif (tell := self._tell_holder) is not None and await self._questions.press(
            ctx.user_id, kind, token, key, self._clock.now()
        ):
            answered = Answered(kind)
            tell(frozenset({ctx.user_id}))
        if answered is None:
            answered = Answered(kind, Reply(say(ASKING.stale_question, ctx.language)), is_taken=False)
        log.info("question.pressed_at_home", kind=kind, is_taken=answered.is_taken)
        return answered

    async def read(self, user_id: UserId, message: InboundMessage) -> Reading | None:
        """As `read_all`, for one message."""
        [reading] = await self.read_all([(user_id, message)])
        return reading

    async def read_all(self, arrived: Sequence[tuple[UserId, InboundMessage]]) -> list[Reading | None]:
        """Tell for each message which question it answers, at the moment they arrive; None: it is something else.

        A pressed button of ours is always an answer, and a command never is. A text is one to the open question if
        that was on its way by now (`answer` wants Meta to have accepted it) and it quotes no other message. A text
        for a private question that comes too early for the next one is an answer to the one that is over.
        """
        # In one look for all: in a rush, each look of its own would keep everybody's acknowledgement waiting.
        may_choose = [self._may_choose(*one) for one in arrived]
        people = {user_id for (user_id, _), may in zip(arrived, may_choose, strict=True) if may}
        asked = await self._queue.find_asked(people, self._clock.now()) if people else frozenset()
        return [
            await self._read(user_id, message, may_choose=may and user_id in asked)
            for (user_id, message), may in zip(arrived, may_choose, strict=True)
        ]

    async def _read(self, user_id: UserId, message: InboundMessage, *, may_choose: bool) -> Reading | None:
        match message.content:
            case Choice(id=choice) if (match := _ADDRESS.fullmatch(choice)) is not None:
                handler = self._handlers.get(match[1])
                return Reading(choice, "control" if handler is None else handler.lane)
            case Text(body=body) if parse_command(body) is None:
                address = self._claimed(body)
                if not address and (line := self._lines.get(user_id)) is not None:
                    address = await self._read_text(line, user_id, body, message.quoted_id)
                if address:
                    return Reading(address)
                return await self._read_typed(user_id, body, message) if may_choose else None
            case _:
                return None

    def _may_choose(self, user_id: UserId, message: InboundMessage) -> bool:
        """Tell whether a message may be a choice that is typed, of a question that no turn waits for."""
        content = message.content
        return isinstance(content, Text) and len(content.body) <= MAX_CHARS and user_id not in self._lines

    async def _read_typed(self, user_id: UserId, text: str, message: InboundMessage) -> Reading | None:
        """Take a text for the button that it names of the newest question, if that is the last that was said."""
        found = await self._questions.find_last_asked(user_id, self._clock.now(), message.id)
        handler = None if found is None else self._handlers.get(found.kind)
        if found is None or handler is None or handler.typed == "no":
            return None
        if message.quoted_id not in {None, found.message_id}:
            return None
        one = typed_choice(text, shown_in(found.messages), takes_numbers=handler.typed == "numbers")
        return None if one is None else Reading(one.id, handler.lane)

    def _claimed(self, text: str) -> str:
        return next((f"q:{kind}::" for kind, handler in self._handlers.items() if handler.claims(text)), "")

    async def _read_text(self, line: Line, user_id: UserId, text: str, quoted_id: WaMessageId | None) -> str:
        if line.open is None:
            return line.last_private
        opened = line.open
        asked = await self._questions.find_message(user_id, opened.token)
        if asked is None:
            return line.last_private
        is_elsewhere = quoted_id not in {None, asked.message_id} and not opened.ask.elsewhere
        return "" if is_elsewhere or opened.read_text(text) is None else opened.address

    async def answer(self, address: str, message: InboundMessage, ctx: TurnContext) -> Answered:
        """Give an answer to whoever asked; one that comes too late is told so, and goes to nobody else."""
        match = _ADDRESS.fullmatch(address)
        kind, token, key = match.groups() if match is not None else ("question", None, "")
        line = self._lines.get(ctx.user_id)
        opened = None if line is None else line.open
        if opened is not None and (opened.ask.kind, opened.token) == (kind, token):
            answered = await self._answer_turn(opened, key, message, ctx)
        elif handler := self._handlers.get(kind):
            answered = await self._answer_stored(handler, kind, token, Press(None, key, ctx))
        else:
            answered = None
        if answered is None:
            stale = Reply(say(ASKING.stale_question, ctx.language))
            answered = Answered(kind, stale, is_taken=False, is_secret=isinstance(message.content, Text))
        log.info("question.answered", kind=kind, is_taken=answered.is_taken)
        return answered

    async def _answer_turn(
        self, opened: Open[Any], key: str, message: InboundMessage, ctx: TurnContext
    ) -> Answered | None:
        ask, is_text = opened.ask, isinstance(message.content, Text)
        asked = await self._questions.find_message(ctx.user_id, opened.token)
        if is_text and (asked is None or not asked.is_sent):
            return None  # it came in while the question was on its way
        if asked is not None and is_text and ask.elsewhere and message.quoted_id not in {None, asked.message_id}:
            return Answered(ask.kind, Reply(messages=(OutText(ask.elsewhere),)), is_taken=False)
        value = opened.read_text(message.content.body) if isinstance(message.content, Text) else ask.read_key(key)
        if value is None or not await self._take(ctx.user_id, opened, value):
            return None
        return Answered(ask.kind, is_secret=is_text and ask.is_private)

    async def _take(self, user_id: UserId, opened: Open[Any], value: object) -> bool:
        """Let the first answer in time count; the database decides about the time."""
        if opened.value is not None:
            return False
        opened.value, is_taken = value, False
        try:
            async with self._repository.transaction() as tx:
                is_taken = await self._questions.answer(user_id, opened.token, self._clock.now(), tx=tx)
        finally:
            if not is_taken:
                opened.value = None
        if is_taken:
            opened.answered.set()
            self._on_answered(user_id)
        return is_taken

    async def _answer_stored(
        self, handler: Handler, kind: str, token: str | None, press: Press
    ) -> Answered | None:
        ctx = press.ctx
        if handler.is_for_admins and not ctx.is_admin:
            return Answered(kind, Reply(say(COMMANDS.admin_only, ctx.language)), is_taken=False)
        question = await self.find_open(ctx.user_id, kind, token)
        if question is None and token is not None:
            return None
        return await handler.run(Press(question, press.key, ctx))
