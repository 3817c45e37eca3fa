"""Correcting what a reminder says, by message."""

from zoneinfo import ZoneInfo

from app.database.repositories.acts import Act
from app.database.repository import Repository
from app.domain.errors import ToolFault
from app.domain.ports import Clock
from app.domain.tools import LooseWords, OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, one_line
from app.language.catalogue import say
from app.skills.own_words import corrected
from app.skills.tools.reminders.buttons import Planned
from app.skills.tools.reminders.by_form import look_near
from app.skills.tools.reminders.clauses import mended
from app.skills.tools.reminders.firing import Firing
from app.skills.tools.reminders.following import read_replaced
from app.skills.tools.reminders.pointing import matching, names_in
from app.skills.tools.reminders.repository import Reminder, Reminders
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS, ask_which, told_line, told_when
from app.skills.tools.reminders.texts import REMINDERS
from app.when.rules import to_local


class Correcting:
    def __init__(self, repository: Repository, reminders: Reminders, clock: Clock, firing: Firing) -> None:
        self._repository = repository
        self._reminders = reminders
        self._clock = clock
        self._firing = firing

    async def correct_reminder(
        self, new: OwnWords, old: LooseWords = "", reminder: LooseWords = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Correct the words of a reminder, not its time.

        Args:
            new: the right words, no others
            old: the wrong words, if they were said
            reminder: words or number of it; empty: the last
        """
        now = self._clock.now()
        target = await self._to_correct(reminder, old, ctx)
        if isinstance(target, ToolResult):
            return target
        better = corrected(target.text, clean(new), clean(old))
        if better is None:
            shown = told_line(target, now, ctx.language)
            raise ToolFault(
                "nothing_to_correct", f'Ask which words to replace by "{one_line(clean(new), 60)}" in {shown}'
            )
        text = one_line(better, MAX_TEXT_CHARS)
        act = Act.of(ctx, "changed", target.text, now)
        if not await self._reminders.rewrite(ctx.user_id, target, text, act=act):
            raise ToolFault("changed_meanwhile", "It came at that moment: list the reminders and try again.")
        target = await self._moved(target, text, act, ctx)
        self._firing.wake()
        when = told_when(target, now, ctx.language)
        return ToolResult.ok(f"Corrected: {text}", say(REMINDERS.changed, ctx.language, text=text, when=when))

    async def _moved(self, target: Reminder, text: str, act: Act, ctx: TurnContext) -> Reminder:
        """Return the one that has its new words, moved where what takes its place comes at another time."""
        local = to_local(self._clock.now(), ZoneInfo(ctx.timezone))
        said = ctx.said.now[0] if ctx.said.now else ""
        found = read_replaced(mended(said), [target], target, local, ctx.language)
        if found is None or found.when is None or found.what != text:
            return target
        plan = Planned.of(found.when, local, ctx)
        async with self._repository.recorded(act) as tx:
            await self._reminders.move(ctx.user_id, target, plan.first, plan.rule, zone=ctx.timezone, tx=tx)
        return next(iter(await self._reminders.find(ctx.user_id, [target.id])), target)

    async def _to_correct(self, reminder: str, old: str, ctx: TurnContext) -> Reminder | ToolResult:
        """Return the one that is named, else the one that has the wrong words, else the newest.

        Those of tasks have the words of their task.
        """
        active = [one for one in await self._reminders.list_active(ctx.user_id) if not one.subject]
        if not active:
            return ToolResult.ok("There are no reminders.", say(REMINDERS.none, ctx.language))
        newest = (await look_near(self._reminders, self._repository.acts, ctx.user_id, self._clock.now())).newest
        last = [one for one in active if newest is not None and one.id == newest.id]
        tries = [matching(said, named, active) for said in (reminder, old) if (named := names_in(said))]
        found = next((some for some in tries if len(some) == 1), last or active)
        return found[0] if len(found) == 1 else ask_which(found, self._clock.now(), ctx.language)
