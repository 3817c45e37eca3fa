"""Reminders by message: set, list, change, correct, cancel; each person sees and changes only their own."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from app.database.repositories.acts import Act
from app.database.repository import Repository
from app.domain.errors import ToolFault
from app.domain.inbound import Text
from app.domain.ports import Clock
from app.domain.tools import Alias, OwnWords, ReadAnew, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line, words
from app.language.catalogue import Sentence, say
from app.skills.amending_within import put_right_within
from app.skills.contrasting import without_contrast
from app.skills.registry import SkillRegistry
from app.skills.tools.reminders.antecedents import read_after_span, read_pointing
from app.skills.tools.reminders.asked_times import (
    answered,
    changed_time,
    time_behind,
    which_time,
    with_hour,
    with_unit,
    without_joiner,
)
from app.skills.tools.reminders.asking import as_wish, goes_on, own_part, own_words
from app.skills.tools.reminders.buttons import Planned, ReminderButtons
from app.skills.tools.reminders.by_form import STILL_MEANT, Near, look_near
from app.skills.tools.reminders.clauses import mended
from app.skills.tools.reminders.correct_tools import Correcting
from app.skills.tools.reminders.elliptical import is_other_one, other_one
from app.skills.tools.reminders.elsewhere import tells_hour_elsewhere
from app.skills.tools.reminders.firing import Firing
from app.skills.tools.reminders.following import at_another_time, put_off, without_replaced
from app.skills.tools.reminders.left_out import left_out
from app.skills.tools.reminders.lexicon import EVERY_ONE, is_question, what_to_say
from app.skills.tools.reminders.moving import Moved, Shift, moved_one, name_moved, read_moved
from app.skills.tools.reminders.pending import pending_wish, read_given, was_wished
from app.skills.tools.reminders.pointing import (
    asked_when,
    by_place,
    calls_off,
    matching,
    name_off,
    names_in,
    pointed,
    told_in_order,
)
from app.skills.tools.reminders.repository import NewReminder, Reminder, Reminders
from app.skills.tools.reminders.several import Wished, first_of, parts_meant, several, without_reason, worded
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS, ask_to_set, ask_which, asked, listed, told_of
from app.skills.tools.reminders.texts import REMINDERS
from app.skills.tools.reminders.titles import by_day, titled, what_is_meant
from app.when.meanings import Point, Repeat, Unsure, When
from app.when.reading import read_wish
from app.when.rules import rule_of, to_local, to_utc

SKILL: Final = "reminders"
MAX_REMINDERS: Final = 200
_AS_OTHERS_SCHEDULE: Final = MappingProxyType(
    {
        "description": Alias("text"),
        "message": Alias("text"),
        "schedule": Alias("when"),
        # Read by our grammar, in whatever language the person speaks.
        "delay_minutes": Alias("when", lambda minutes: f"in {minutes} minutes"),
    }
)
_BY_ID: Final = MappingProxyType({"job_id": Alias("reminder", str)})


class _ReminderTools:
    def __init__(
        self,
        repository: Repository,
        reminders: Reminders,
        clock: Clock,
        buttons: ReminderButtons,
        firing: Firing,
    ) -> None:
        self._repository = repository
        self._reminders = reminders
        self._clock = clock
        self._buttons = buttons
        self._firing = firing

    async def set_reminder(self, text: ReadAnew, when: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Remind the user of something at a time, once or again and again; also alarms and timers.

        Args:
            text: what to be reminded of
            when: the time as the user wrote it
        """
        await self._check_room(ctx)
        now = self._now(ctx)
        if tells_hour_elsewhere(await self._said(ctx)):
            return asked(say(REMINDERS.elsewhere, ctx.language), "Ask what time that is for the user.")
        said, text = (as_wish(one, now, ctx.language) for one in (own_part(await self._said(ctx), ctx), text))
        if (given := read_given(said, now, ctx) or read_pointing(said, now, ctx.language)) is not None:
            return await self._set_or_ask(worded(given.what, said, ctx.language), given.when, ctx)
        if parts := several(said, now, ctx.language):
            return await self._set_each(parts_meant(parts, text, when), ctx)
        if (given := read_after_span(said, now, ctx.language)) is not None:
            return await self._set_or_ask(worded(given.what, said, ctx.language), given.when, ctx)
        said, text = own_words(said, text, now, ctx.language)
        whole, said = said, without_reason(without_replaced(said), now, ctx.language)
        text = said if said != whole and fold(said) in fold(text) else text
        newest = await self._newest(ctx)
        if (also := at_another_time(said, newest, now, ctx.language)) and newest is not None:
            return await self._set_or_ask(newest.text, also, ctx)
        if (asked_about := pending_wish(ctx, now, newest)) is not None:
            wish, *_ = asked_about.split("\n")
            text = what_to_say(read_wish(wish, now, ctx.language).what, MAX_TEXT_CHARS)
            found = answered(asked_about, now, ctx.language)
            if (called := await self._buttons.text_asked_about(wish, ctx.user_id)) is not None:
                return await self._set_or_ask(called, by_day(found, called), ctx)
            said = text
        else:
            found = which_time(text, when, said, now, ctx.language)
        is_other = newest is not None and is_other_one(said, newest.text, now, ctx.language)
        if is_more := is_other or (bool(newest or was_wished(ctx, now)) and goes_on(said, now, ctx.language)):
            found = found if newest is None else time_behind(newest, said, found, now, ctx.language)
            said, text = without_joiner(said), without_joiner(text)
        what = what_is_meant(mended(text), said, found, now, ctx.language)
        if is_more and newest is not None:
            what, found = other_one(what, found, newest, said, now, ctx.language)
        whole = one_line(read_wish(said, now, ctx.language).what, MAX_TEXT_CHARS)
        is_turn = is_question(whole) and found is not None
        what = whole if is_turn else titled(worded(what, said, ctx.language), said, now, ctx.language)
        return await self._set_or_ask(what, by_day(found, said), ctx)

    async def _check_room(self, ctx: TurnContext) -> None:
        if len(await self._reminders.list_active(ctx.user_id)) >= MAX_REMINDERS:
            raise ToolFault("too_many", f"There are {MAX_REMINDERS} reminders already: cancel some first.")

    async def _set_each(self, parts: Sequence[Wished], ctx: TurnContext) -> ToolResult:
        """Set those that are not there yet: a model may wish for all of them in each of two calls."""
        there = {(one.text, one.due) for one in await self._reminders.list_active(ctx.user_id)}
        wished = [(one_line(one.what, MAX_TEXT_CHARS), one.when) for one in parts]
        new = [(what, when) for what, when in wished if (what, first_of(when)) not in there]
        told: list[ToolResult] = []
        notes: list[str] = []
        for what, when in new or wished[:1]:
            if isinstance(when, Unsure):
                told.append(await self._ask(what, when, None, ctx))
            else:
                one, note = await self._add(what, Planned.of(when, self._now(ctx), ctx), ctx)
                told, notes = [*told, one], [*notes, note]
        reply = "\n".join(filter(None, dict.fromkeys([*(one.reply for one in told), *notes])))
        return ToolResult.ok("\n".join(one.output for one in told), reply)

    async def _set_or_ask(self, what: str, found: When | None, ctx: TurnContext) -> ToolResult:
        match found:
            case None:
                return asked(say(REMINDERS.when, ctx.language, text=what), "Ask the user when.")
            case Unsure():
                return await self._ask(what, found, None, ctx)
            case Point() | Repeat():
                told, note = await self._add(what, Planned.of(found, self._now(ctx), ctx), ctx)
                return replace(told, reply="\n".join(filter(None, (told.reply, note))))

    async def list_reminders(self, *, ctx: TurnContext) -> ToolResult:
        """Show the reminders and alarms that are still to come."""
        active = await self._reminders.list_active(ctx.user_id)
        if not active:
            return ToolResult.ok("There are no reminders.", say(REMINDERS.none, ctx.language))
        newest, said = await self._newest(ctx), await self._said(ctx)
        meant = [newest] if ctx.is_read and newest else asked_when(said, active, newest)
        if len(meant) == 1 and meant[0].due_at is not None:
            return told_of(meant[0], self._clock.now(), ctx.language)
        return listed(active, said, self._clock.now(), self._now(ctx), ctx.language)

    async def change_reminder(self, when: ReadAnew, reminder: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Move or snooze a reminder to another time.

        Args:
            when: the new time as the user wrote it
            reminder: words or number of it; leave out for the last one
        """
        now, active = self._now(ctx), await self._reminders.list_active(ctx.user_id)
        written = when if ctx.is_read else await self._said(ctx)
        last = await self._newest(ctx)
        unit = with_unit(written, ctx.said.before, now, ctx.language)
        written = with_hour(unit, None if last is None else last.due.hour)
        whole = max(written, when, key=len)
        if last is not None and (less := left_out(last, whole, now, ctx.language)) is not None:
            return await self._leave_out(last, less, now, ctx)
        placed, said = by_place(written, told_in_order(active, ctx.said.answers))
        moved = read_moved(said, now, ctx.language)
        target = placed or await self._pick(
            name_moved(reminder, moved, said), ctx, is_last_meant=True, moved=moved
        )
        if isinstance(target, ToolResult):
            return target
        if (again := await self._put_off(said, now, ctx, target if names_in(reminder) else None)) is not None:
            return again
        if moved is not None and moved.shift is not None:
            return await self._shift(target, moved.shift, now, ctx)
        said = moved.said if moved is not None else said
        if said and (not when or fold(when) not in fold(said)):
            when = said  # of an earlier message: what is written now is the new time
        found = changed_time(target, when, said, now, ctx.language)
        match found:
            case None | Unsure(likely=()):
                return asked(say(REMINDERS.when, ctx.language, text=target.text), "Ask the user when.")
            case Point() if found.at <= now:
                return asked(say(REMINDERS.past, ctx.language, text=target.text), "Ask the user when.")
            case Unsure():
                return await self._ask(target.text, found, target, ctx)
            case Point() | Repeat():
                return await self._change(target, found, now, ctx)

    async def cancel_reminder(self, reminder: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Cancel a reminder or alarm.

        Args:
            reminder: words or number of it, or "all"
        """
        active = await self._reminders.list_active(ctx.user_id)
        said, newest = await self._said(ctx), await self._newest(ctx)
        told = told_in_order(active, ctx.said.answers)
        off, chosen = calls_off(said, active, newest, self._now(ctx), ctx.language, told)
        if ctx.is_read:
            chosen = [one for one in active if str(one.number) == reminder]
        elif off is not None and len(chosen) > 1 and not off.is_all:
            return ask_which(chosen, self._clock.now(), ctx.language)
        elif not chosen and EVERY_ONE.intersection(words(reminder)) and not names_in(reminder):
            chosen = active
        elif not chosen and (found := pointed(reminder, said, off, active, newest)):
            chosen = found
        elif not chosen:
            target = await self._pick(name_off(reminder, off, said), ctx, is_last_meant=False)
            if isinstance(target, ToolResult):
                return target
            chosen = [target]
        if not chosen:
            return ToolResult.ok("There are no reminders.", say(REMINDERS.none, ctx.language))
        act = Act.of(ctx, "deleted", ", ".join(one.text for one in chosen), self._clock.now())
        await self._reminders.cancel(ctx.user_id, [one.id for one in chosen], act=act)
        self._firing.wake()
        named = "\n".join(one.text for one in chosen)
        reply = say(REMINDERS.cancelled, ctx.language, count=len(chosen), text=named)
        return ToolResult.ok(f"Cancelled: {named}", reply)

    async def _put_off(
        self, said: str, now: datetime, ctx: TurnContext, only: Reminder | None = None
    ) -> ToolResult | None:
        """Let what came last come again, if the message says just that; what repeats keeps its own times."""
        near = await self._near(ctx)
        told = near.told
        if told is None or not said or (only is not None and only.id != told.id):
            return None
        if (later := put_off(said, now, ctx.language, has_just_come=near.newest == told)) is None:
            return None
        if isinstance(later, Unsure):
            return await self._ask(told.text, later, None if told.rule else told, ctx)
        if told.rule or told.due_at is not None:
            return await self._set_or_ask(told.text, later, ctx)
        return await self._change(told, later, now, ctx)

    def _now(self, ctx: TurnContext) -> datetime:
        return to_local(self._clock.now(), ZoneInfo(ctx.timezone))

    async def _said(self, ctx: TurnContext) -> str:
        """What the person wrote in this turn: what a model makes of it may lack a word that matters."""
        messages = await self._repository.inbox.list_of_turn(ctx.user_id, ctx.turn_id)
        said = "\n".join(one.content.body for one in messages if isinstance(one.content, Text))
        return mended(without_contrast(put_right_within(said)))

    async def _near(self, ctx: TurnContext) -> Near:
        return await look_near(self._reminders, self._repository.acts, ctx.user_id, self._clock.now())

    async def _newest(self, ctx: TurnContext) -> Reminder | None:
        return (await self._near(ctx)).newest

    async def _shift(self, target: Reminder, by: Shift, now: datetime, ctx: TurnContext) -> ToolResult:
        """Let it come so much earlier or later than it would; what repeats, on the same days."""
        match by.then(target.due, now, ctx.language):
            case Unsure() as likely:
                return await self._ask(target.text, likely, target, ctx)
            case Point(at=at) if at > now and not target.rule:
                return await self._change(target, Point(at), now, ctx)
            case Point(at=at) if at > now and at.date() == target.due.date() and not rule_of(target.rule).hours:
                return await self._change(target, Repeat(rule_of(target.rule), at), now, ctx)
            case _:
                return asked(say(REMINDERS.when, ctx.language, text=target.text), "Ask the user when.")

    async def _add(self, what: str, plan: Planned, ctx: TurnContext) -> tuple[ToolResult, str]:
        """Add one; returns what is told of it, and what is told of the time until then, or ""."""
        text = what or say(REMINDERS.nothing, ctx.language)
        is_turn = is_question(text)
        new = NewReminder(text, ctx.timezone, plan.first, plan.rule, plan.is_exact, is_turn)
        act = Act.of(ctx, "added", text, self._clock.now())
        async with self._buttons.recorded(act, text) as tx:
            made = await self._reminders.add(ctx.user_id, new, self._clock.now(), tx=tx)
        self._firing.wake()
        reply = say(REMINDERS.set_turn if is_turn else REMINDERS.set, ctx.language, text=text, when=plan.told)
        note = await self._firing.window_note(made.due_at, made.rule, ctx.language)
        return ToolResult.ok(f"Reminder {made.number} is set: {text}, {plan.told}", reply), note

    async def _change(
        self, target: Reminder, found: Point | Repeat, now: datetime, ctx: TurnContext
    ) -> ToolResult:
        plan = Planned.of(found, now, ctx)
        if target.due_at is not None and (plan.first, plan.rule) == (target.due, target.rule):
            return told_of(target, self._clock.now(), ctx.language)
        act = Act.of(ctx, "changed", target.text, self._clock.now())
        async with self._buttons.recorded(act, target.id) as tx:
            moved = await self._reminders.move(
                ctx.user_id, target, plan.first, plan.rule, zone=ctx.timezone, tx=tx
            )
        if not moved:
            raise ToolFault("changed_meanwhile", "It came at that moment: list the reminders and try again.")
        self._firing.wake()
        reply = say(REMINDERS.changed, ctx.language, text=target.text, when=plan.told)
        due_at = to_utc(plan.first, ZoneInfo(ctx.timezone))
        if note := await self._firing.window_note(due_at, plan.rule, ctx.language):
            reply = f"{reply}\n{note}"
        return ToolResult.ok(f"Moved: {target.text}, {plan.told}", reply)

    async def _leave_out(
        self, one: Reminder, less: Repeat | Sentence, now: datetime, ctx: TurnContext
    ) -> ToolResult:
        if isinstance(less, Repeat):
            return await self._change(one, less, now, ctx)
        return asked(say(less, ctx.language, text=one.text), "Tell the user just that.")

    async def _ask(self, what: str, found: Unsure, changes: Reminder | None, ctx: TurnContext) -> ToolResult:
        text = what or say(REMINDERS.nothing, ctx.language)
        if not found.likely:
            sentence = {
                "past": REMINDERS.past,
                "impossible": REMINDERS.impossible,
                "too_often": REMINDERS.too_often,
                "notation": REMINDERS.notation,
            }.get(found.why, REMINDERS.when)
            return asked(say(sentence, ctx.language, text=text), "Ask the user when.")
        await self._buttons.ask_which(text, found.likely, changes, ctx)
        return asked(say(REMINDERS.asked, ctx.language), "The user was asked which time is meant.")

    async def _pick(
        self, said: str, ctx: TurnContext, *, is_last_meant: bool, moved: Moved | None = None
    ) -> Reminder | ToolResult:
        """Return the reminder that is meant; where several or none fit, what is to be said about that.

        What the message says is `moved` decides, where that is clear: the model may have missed its name.
        """
        active = await self._reminders.list_active(ctx.user_id)
        fired = await self._reminders.list_fired(ctx.user_id, self._clock.now() - STILL_MEANT)
        if not (every := [*active, *fired]):
            return ToolResult.ok("There are no reminders.", say(REMINDERS.none, ctx.language))
        newest = await self._newest(ctx)
        if moved is not None and (meant := moved_one(moved, every, newest)):
            return meant[0] if len(meant) == 1 else ask_which(meant, self._clock.now(), ctx.language)
        if not (wanted := names_in(said)) and is_last_meant and newest is not None:
            return newest
        if not wanted:
            return (
                every[0]
                if len(every) == 1
                else fired[0]
                if fired
                else ask_which(active, self._clock.now(), ctx.language)
            )
        found = matching(said, wanted, active) or matching(said, wanted, fired)
        if len(found) == 1:
            return found[0]
        return ask_which(found or active, self._clock.now(), ctx.language, "" if found else said)


def register(
    registry: SkillRegistry,
    repository: Repository,
    reminders: Reminders,
    clock: Clock,
    buttons: ReminderButtons,
    firing: Firing,
) -> None:
    """Add the tools for reminders; read tools come before write tools."""
    tools = _ReminderTools(repository, reminders, clock, buttons, firing)
    correcting = Correcting(repository, reminders, clock, firing)
    registry.add(tools.list_reminders, SKILL, read_only=True, also_named=("list_schedules", "list_crons"))
    registry.add(
        tools.set_reminder,
        SKILL,
        also_named=("schedule_task", "create_cron"),
        aliases=_AS_OTHERS_SCHEDULE,
        asks=ask_to_set,
    )
    registry.add(tools.change_reminder, SKILL, asks=REMINDERS.ask_change)
    registry.add(
        tools.cancel_reminder, SKILL, also_named=("delete_cron",), aliases=_BY_ID, asks=REMINDERS.ask_cancel
    )
    registry.add(correcting.correct_reminder, SKILL, aliases=_BY_ID, asks=REMINDERS.ask_correct)
