"""What is due is said: once each, several at once in one message, and late ones with how late they are."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from app.asking.asking import Asking
from app.asking.lines import ButtonId
from app.database.db import Database, Transaction
from app.database.repositories.inbox import NewRow
from app.database.repositories.users import User
from app.database.repository import Repository
from app.domain.clock import first_of, to_ms
from app.domain.errors import Transient
from app.domain.ids import UserId, WaMessageId
from app.domain.inbound import InboundMessage, Sender, Text
from app.domain.outbound import MAX_INTERACTIVE_BODY_CHARS, Button, Buttons, OutboundMessage
from app.domain.ports import Clock, MaySend
from app.domain.turn import TurnContext
from app.domain.wording import cut
from app.jobs import beside
from app.language.catalogue import Language, say
from app.log import user_tag
from app.skills.tools.reminders.repository import QuietHours, Reminder, ReminderQueue, Reminders
from app.skills.tools.reminders.templates import APPROVED, PENDING, filled
from app.skills.tools.reminders.texts import REMINDERS
from app.skills.tools.reminders.zones import ZoneQueue
from app.when.rules import next_time, to_local
from app.when.telling import tell_moment

log = structlog.get_logger(__name__)

KIND: Final = "reminder"
OFFER: Final = "reminder-window"
DONE, SNOOZE, TOMORROW = "d", "s", "t"
WINDOW: Final = timedelta(hours=24)
"""Meta lets us write to a person this long after their last message (error 131047)."""
OFFERED_BEFORE: Final = timedelta(hours=1)
"""So long before the window closes a person is asked to tap."""
LATE: Final = timedelta(minutes=2)
_LOOK_S: Final = 30.0
"""The longest wait: a machine that slept notices within it, and so does whoever opened the window again."""
_BUTTONS_LIFE: Final = timedelta(days=30)
_LATE_AT_NIGHT: Final = timedelta(minutes=15)
_SHOWN_CHARS: Final = 400


class Firing:
    """Looks for what is due, and owes it to the person in the transaction that notes that it came.

    `take_up` looks into these people's inboxes and outboxes.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        asking: Asking,
        *,
        take_up: Callable[[frozenset[UserId]], None],
        may_send: MaySend,
        template_status: Callable[[Language], Awaitable[str]],
    ) -> None:
        self._db = db
        self._repository = Repository(db)
        self._reminders = Reminders(db)
        self._queue = ReminderQueue()
        self._clock = clock
        self._asking = asking
        self._take_up = take_up
        self._may_send = may_send
        self._template_status = template_status
        self._wanted = asyncio.Event()
        self._is_idle = asyncio.Event()

    def wake(self) -> None:
        """Something is due at another time than it was."""
        self._is_idle.clear()
        self._wanted.set()

    async def idle(self) -> None:
        """Wait until everything that is due was owed to whom it is for."""
        await self._is_idle.wait()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with beside(self._run(), "reminders"):
            yield

    async def _run(self) -> None:
        while True:
            self._wanted.clear()
            self._is_idle.clear()
            # One moment for a whole round: what comes due while it lasts is what the next round is for.
            now = self._clock.now()
            try:
                await ZoneQueue().end_stays(self._db, now)
                await self._fire_all(now)
                await self._offer_all(now)
                delay_s = await self._delay_s(now)
            except Transient as exc:
                log.warning("reminders.postponed", reason=exc.code)
                delay_s = _LOOK_S
            if delay_s > 0:
                await first_of(self._wanted.wait(), self._clock.sleep(delay_s), begun=self._note_idle)
            self._is_idle.clear()

    def _note_idle(self) -> None:
        if not self._wanted.is_set():
            self._is_idle.set()

    async def _delay_s(self, after: datetime) -> float:
        due_at = await self._queue.next_due(self._db, after)
        return _LOOK_S if due_at is None else min(_LOOK_S, (due_at - self._clock.now()).total_seconds())

    async def window_note(self, due_at: datetime | None, rule: str, language: Language) -> str:
        """Say what Meta's window may do to a reminder that is made now; "" where nothing."""
        if due_at is None or (not rule and due_at - self._clock.now() < WINDOW):
            return ""
        status = await self._template_status(language)
        if status == APPROVED:
            return ""
        return say(REMINDERS.window_pending if status == PENDING else REMINDERS.window, language)

    async def _offer_all(self, now: datetime) -> None:
        """Ask those to tap whose window closes within the hour, and before a reminder of theirs is due."""
        if not await self._may_send("unasked"):
            return
        for user_id, reminder in await self._queue.list_kept_out(self._db, now, WINDOW, OFFERED_BEFORE):
            user = await self._repository.users.get(user_id)
            is_reached = await self._template_status(user.language) == APPROVED
            if is_reached or _is_quiet(reminder, await self._reminders.quiet_hours(user_id), now):
                continue
            async with self._repository.transaction() as tx:
                if not await self._reminders.note_offer(user_id, tx=tx):
                    continue
                button = await self._asking.open_in(tx, user_id, OFFER, "", life=WINDOW)
                text = say(REMINDERS.offer, user.language, text=cut(reminder.text, _SHOWN_CHARS))
                offer = Buttons(text, (Button(button(DONE), say(REMINDERS.button_offer, user.language)),))
                await self._repository.outbox.add_unasked(user_id, [offer], now, tx=tx)
            self._take_up(frozenset({user_id}))

    async def _fire_all(self, now: datetime) -> None:
        if not await self._may_send("unasked"):
            return
        for user_id, last_written_at in await self._queue.list_users_due(self._db, now):
            await self._fire(user_id, now, is_open=now - last_written_at < WINDOW)

    async def _fire(self, user_id: UserId, now: datetime, *, is_open: bool) -> None:
        user = await self._repository.users.get(user_id)
        if not is_open and await self._template_status(user.language) != APPROVED:
            return
        quiet = await self._reminders.quiet_hours(user_id)
        due = [
            one
            for one in await self._reminders.list_due(user_id, now)
            # An answer does not fit into a template.
            if not _waits(one, quiet, now) and (is_open or not one.is_turn)
        ]
        if not due:
            return
        async with self._repository.transaction() as tx:
            language = await self._repository.users.language(user_id, tx=tx)
            fired = [one for one in due if await self._note(user_id, one, now, tx)]
            show = self._message if is_open else self._template
            spoken = [one for one in fired if not one.is_turn]
            messages = [await show(user_id, some, now, language, tx) for some in _bundles(spoken, now, language)]
            if turns := [_turn(user, one, now) for one in fired if one.is_turn]:
                await self._repository.inbox_queue.accept(turns, tx=tx)
            await self._repository.outbox.add_unasked(user_id, messages, now, tx=tx)
        if fired:
            log.info("reminder.fired", user=user_tag(user_id), count=len(fired))
            self._take_up(frozenset({user_id}))

    async def tell_beside(self, ctx: TurnContext, tx: Transaction) -> str:
        """Say what is due together with an answer, while the spending limit lets no reminder go by itself."""
        now = self._clock.now()
        due = [one for one in await self._reminders.list_due(ctx.user_id, now) if not one.is_turn]
        if not due or await self._may_send("unasked"):
            return ""
        fired = [one for one in due if await self._note(ctx.user_id, one, now, tx)]
        return _body(fired, now, ctx.language) if fired else ""

    async def _note(self, user_id: UserId, reminder: Reminder, now: datetime, tx: Transaction) -> bool:
        next_due = None
        if reminder.rule:
            next_due = next_time(reminder.rule, reminder.first, ZoneInfo(reminder.zone), now)
        return await self._reminders.fire(user_id, reminder, next_due, now, tx=tx)

    async def _message(
        self, user_id: UserId, some: Sequence[Reminder], now: datetime, language: Language, tx: Transaction
    ) -> OutboundMessage:
        button = await self._open(user_id, some, tx)
        return Buttons(
            _body(some, now, language),
            (
                Button(button(DONE), say(REMINDERS.button_done, language)),
                Button(button(SNOOZE), say(REMINDERS.button_snooze, language)),
                Button(button(TOMORROW), say(REMINDERS.button_tomorrow, language)),
            ),
        )

    async def _template(
        self, user_id: UserId, some: Sequence[Reminder], now: datetime, language: Language, tx: Transaction
    ) -> OutboundMessage:
        button = await self._open(user_id, some, tx)
        lines = [_line(one, now, language) for one in some]
        return filled(lines, (button(DONE), button(SNOOZE), button(TOMORROW)), language)

    async def _open(self, user_id: UserId, some: Sequence[Reminder], tx: Transaction) -> ButtonId:
        about = ",".join(str(one.id) for one in some)
        return await self._asking.open_in(tx, user_id, KIND, about, life=_BUTTONS_LIFE)


def _turn(user: User, reminder: Reminder, now: datetime) -> NewRow:
    """A wish of the person's that is taken up now, as if they wrote it; once for each time."""
    due_ms = 0 if reminder.due_at is None else to_ms(reminder.due_at)
    message = InboundMessage(
        id=WaMessageId(f"clock.{reminder.id}.{due_ms}"),
        phone_number_id="",
        sender=Sender(user.recipient.wa_id, user.recipient.bsuid),
        sent_at=now,
        content=Text(reminder.text),
    )
    return NewRow(user.user_id, message, "turn", False, now, now, purpose="clock")


def _waits(reminder: Reminder, quiet: QuietHours, now: datetime) -> bool:
    """Tell whether it is no time for this one: an hour that was asked for is kept, anything else waits."""
    is_late = reminder.due_at is not None and now - reminder.due_at > _LATE_AT_NIGHT
    return _is_quiet(reminder, quiet, now) and (is_late or not reminder.is_exact)


def _is_quiet(reminder: Reminder, quiet: QuietHours, now: datetime) -> bool:
    local = to_local(now, ZoneInfo(reminder.zone)).time()
    start, end = quiet.start, quiet.end
    return start <= local < end if start <= end else local >= start or local < end


def _line(reminder: Reminder, now: datetime, language: Language) -> str:
    text = cut(reminder.text, _SHOWN_CHARS)
    if reminder.due_at is None or now - reminder.due_at < LATE:
        return text
    local = to_local(now, ZoneInfo(reminder.zone))
    was = tell_moment(reminder.due, local, language)
    return say(REMINDERS.late, language, text=text, was=was, delay=_delay(now - reminder.due_at, language))


def _delay(late: timedelta, language: Language) -> str:
    minutes = int(late.total_seconds() // 60)
    if minutes < 2 * 60:
        return say(REMINDERS.minutes, language, count=minutes)
    if minutes < 2 * 24 * 60:
        return say(REMINDERS.hours, language, count=minutes // 60)
    return say(REMINDERS.days, language, count=minutes // (24 * 60))


def _body(some: Sequence[Reminder], now: datetime, language: Language) -> str:
    lines = [_line(one, now, language) for one in some]
    if len(lines) == 1:
        return f"⏰ {lines[0]}"
    return "\n".join([say(REMINDERS.several, language, count=len(lines)), *(f"• {line}" for line in lines)])


def _bundles(fired: Sequence[Reminder], now: datetime, language: Language) -> list[list[Reminder]]:
    """Put as many together as one message with buttons holds."""
    bundles: list[list[Reminder]] = []
    for one in fired:
        tried = [*bundles[-1], one] if bundles else [one]
        if bundles and len(_body(tried, now, language)) <= MAX_INTERACTIVE_BODY_CHARS:
            bundles[-1] = tried
        else:
            bundles.append([one])
    return bundles
