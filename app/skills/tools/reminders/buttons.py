"""What happens to the buttons under a reminder, and under the question which time was meant."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.asking.answers import Answered, Handler, Press
from app.asking.asking import Asking
from app.asking.repository import OpenQuestion
from app.database.db import Transaction
from app.database.repositories.acts import Act
from app.database.repository import Repository
from app.domain.errors import ToolFault
from app.domain.ids import UserId
from app.domain.outbound import Button, Buttons, Reply
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold, words
from app.language.catalogue import say
from app.skills.alarms import AlarmDone
from app.skills.tools.reminders.firing import DONE, KIND, OFFER, SNOOZE, TOMORROW, Firing
from app.skills.tools.reminders.lexicon import is_question
from app.skills.tools.reminders.repository import NewReminder, Reminder, Reminders
from app.skills.tools.reminders.texts import REMINDERS
from app.when.meanings import MAX_LIKELY, Point, Repeat
from app.when.rules import rule_text, to_local, to_utc
from app.when.telling import clock as shown_clock
from app.when.telling import tell_moment, tell_rule, tell_short
from app.when.texts import WHEN

WHICH: Final = "reminder-when"
SNOOZE_FOR: Final = timedelta(minutes=10)
_LIFE: Final = timedelta(days=1)
_ORDER: Final = tuple(str(number) for number in range(MAX_LIKELY))


@dataclass(frozen=True, slots=True)
class Planned:
    """A time that a reminder may get, on the wall clock; `told` says it in the person's words."""

    first: datetime
    rule: str
    is_exact: bool
    told: str

    @classmethod
    def of(cls, when: Point | Repeat, now: datetime, ctx: TurnContext) -> "Planned":
        if isinstance(when, Point):
            return cls(when.at, "", when.has_clock, tell_moment(when.at, now, ctx.language))
        told = tell_rule(when.rule, when.first, ctx.language)
        first = tell_moment(when.first, now, ctx.language)
        return cls(
            when.first,
            rule_text(when.rule),
            when.has_clock,
            say(WHEN.next, ctx.language, rule=told, first=first),
        )


class ReminderButtons:
    """Answers are taken once, in the transaction that changes the reminder."""

    def __init__(
        self,
        repository: Repository,
        reminders: Reminders,
        clock: Clock,
        asking: Asking,
        *,
        firing: Firing,
        wake_delivery: Callable[[frozenset[UserId]], None],
    ) -> None:
        self._when_done: Sequence[AlarmDone] = ()
        self._repository = repository
        self._reminders = reminders
        self._clock = clock
        self._asking = asking
        self._firing = firing
        self._wake_delivery = wake_delivery

    def register(self, when_done: Sequence[AlarmDone]) -> None:
        """Answer the buttons; `when_done` hear of what was tapped as done."""
        self._when_done = when_done
        self._asking.handle(KIND, Handler(self._under_reminder))
        self._asking.handle(WHICH, Handler(self._which, is_for_home=True, typed="words"))
        self._asking.handle(OFFER, Handler(self._keep_open))

    async def ask_which(
        self, text: str, likely: Sequence[Point | Repeat], changes: Reminder | None, ctx: TurnContext
    ) -> None:
        """Put the question which of the likely times was meant; the answer makes or changes the reminder."""
        now = to_local(self._clock.now(), ZoneInfo(ctx.timezone))
        plans = [Planned.of(one, now, ctx) for one in likely[:MAX_LIKELY]]
        bound_to = json.dumps(
            {
                "text": text,
                "zone": ctx.timezone,
                "changes": None if changes is None else changes.id,
                "plans": [[one.first.isoformat(), one.rule, one.is_exact] for one in plans],
            },
            ensure_ascii=False,
        )
        listed = "\n".join(f"• {plan.told}" for plan in plans)
        body = say(REMINDERS.which, ctx.language, text=text, list=listed)
        asked_before = await self._cards_about(text if changes is None else changes.id, ctx.user_id)
        async with self._repository.transaction() as tx:
            await self._close(asked_before, tx)
            button = await self._asking.open_in(tx, ctx.user_id, WHICH, bound_to, life=_LIFE)
            titles = [self._title(one, plan, now, ctx) for one, plan in zip(likely, plans, strict=False)]
            shown = tuple(Button(button(key), title) for key, title in zip(_ORDER, titles, strict=False))
            messages = [Buttons(body, shown)]
            await self._repository.outbox.add(ctx.user_id, messages, self._clock.now(), turn_id=None, tx=tx)
        self._wake_delivery(frozenset({ctx.user_id}))

    async def text_asked_about(self, wish: str, user_id: UserId) -> str | None:
        """Return the text of the newest open question, if it has only words of that wish."""
        said = set(words(wish))
        for one in await self._asking.list_bound(user_id, WHICH):
            bound = json.loads(one.bound_to)
            if bound["changes"] is None and said.issuperset(words(bound["text"])):
                return str(bound["text"])
        return None

    @asynccontextmanager
    async def recorded(self, act: Act, about: str | int) -> AsyncIterator[Transaction]:
        """Open a transaction that keeps the act, and ends the open questions which time was meant of the reminder
        with that id, or of a new one with that text: a tap that comes later does nothing a second time.

        Raises:
            ToolFault: it was tapped at that moment.
        """
        cards = await self._cards_about(about, act.user_id)
        async with self._repository.recorded(act) as tx:
            await self._close(cards, tx)
            yield tx

    async def _cards_about(self, about: str | int, user_id: UserId) -> list[OpenQuestion]:
        found = [(one, json.loads(one.bound_to)) for one in await self._asking.list_bound(user_id, WHICH)]
        return [one for one, bound in found if about == bound["changes"] or _is_new(bound, about)]

    async def _close(self, cards: Sequence[OpenQuestion], tx: Transaction) -> None:
        for one in cards:
            if not await self._asking.settle_in(tx, one):
                raise ToolFault("changed_meanwhile", "It was set at that moment: list the reminders.")

    def _title(self, when: Point | Repeat, plan: Planned, now: datetime, ctx: TurnContext) -> str:
        if isinstance(when, Point):
            return tell_short(plan.first, now, ctx.language)
        return say(REMINDERS.button_repeat, ctx.language, time=shown_clock(plan.first))

    async def _which(self, press: Press) -> Answered | None:
        question, ctx = press.question, press.ctx
        if question is None or press.key not in _ORDER:
            return None
        bound = json.loads(question.bound_to)
        if int(press.key) >= len(bound["plans"]):
            return None
        written, rule, is_exact = bound["plans"][int(press.key)]
        first, now = datetime.fromisoformat(written), self._clock.now()
        zone = ZoneInfo(bound["zone"])
        if not rule and to_utc(first, zone) <= now:
            await self._asking.settle(question)
            return Answered(WHICH, Reply(say(REMINDERS.passed, ctx.language)))
        changed = await self._reminders.find(ctx.user_id, [bound["changes"]] if bound["changes"] else [])
        act = Act.of(ctx, "changed" if changed else "added", bound["text"], now)
        async with self._repository.recorded(act) as tx:
            if not await self._asking.settle_in(tx, question):
                return None
            if changed:
                await self._reminders.move(ctx.user_id, changed[0], first, rule, zone=zone.key, tx=tx)
            else:
                new = NewReminder(bound["text"], zone.key, first, rule, is_exact, is_question(bound["text"]))
                await self._reminders.add(ctx.user_id, new, now, tx=tx)
        self._firing.wake()
        told = tell_moment(first, to_local(now, zone), ctx.language)
        reply = say(REMINDERS.set, ctx.language, text=bound["text"], when=told)
        note = await self._firing.window_note(to_utc(first, zone), rule, ctx.language)
        return Answered(WHICH, Reply(literal="\n".join(filter(None, (reply, note)))))

    async def _keep_open(self, press: Press) -> Answered | None:
        """The tap itself opened the window again."""
        question = press.question
        if question is None or not await self._asking.settle(question):
            return None
        return Answered(OFFER, Reply(say(REMINDERS.offer_kept, press.ctx.language)))

    async def _under_reminder(self, press: Press) -> Answered | None:
        question, ctx = press.question, press.ctx
        if question is None or press.key not in {DONE, SNOOZE, TOMORROW}:
            return None
        found = await self._reminders.find(ctx.user_id, [int(one) for one in question.bound_to.split(",")])
        now = self._clock.now()
        moved_to = None
        act = Act.of(ctx, "changed", ", ".join(one.text for one in found), now)
        async with self._repository.recorded(act) as tx:
            if not await self._asking.settle_in(tx, question):
                return None
            for one in found:
                if press.key != DONE:
                    moved_to = await self._again(ctx.user_id, one, press.key, now, tx)
                    continue
                for tell in self._when_done:
                    await tell(ctx.user_id, one.subject, now, tx=tx)
        self._firing.wake()
        if press.key != DONE and not found:
            return Answered(KIND, Reply(say(REMINDERS.gone, ctx.language)))
        if moved_to is None:
            return Answered(KIND, Reply(say(REMINDERS.done, ctx.language)))
        told = tell_moment(moved_to, to_local(now, ZoneInfo(found[0].zone)), ctx.language)
        return Answered(KIND, Reply(say(REMINDERS.again, ctx.language, when=told)))

    async def _again(
        self, user_id: UserId, reminder: Reminder, key: str, now: datetime, tx: Transaction
    ) -> datetime:
        """Let it come once more; one that repeats keeps its own times, and comes once more beside them."""
        zone = ZoneInfo(reminder.zone)
        local = to_local(now, zone).replace(second=0, microsecond=0)
        due = to_local(now + SNOOZE_FOR, zone).replace(microsecond=0)
        if key == TOMORROW:
            due = datetime.combine(local.date() + timedelta(days=1), reminder.due.time())
            if reminder.rule:
                due = datetime.combine(local.date() + timedelta(days=1), reminder.first.time())
        if reminder.rule or reminder.due_at is not None:
            await self._reminders.add(user_id, NewReminder(reminder.text, zone.key, due), now, tx=tx)
        else:
            await self._reminders.move(user_id, reminder, due, "", zone=zone.key, tx=tx)
        return due


def _is_new(bound: Mapping[str, object], text: str | int) -> bool:
    return bound["changes"] is None and isinstance(text, str) and fold(str(bound["text"])) == fold(text)
