"""A message that was edited: what its first form did is undone, and it is answered anew; nothing is done twice."""

from dataclasses import dataclass, replace
from typing import Final

import structlog

from app.database.repositories.changes import Edited
from app.database.repository import Repository
from app.domain.ids import TurnId
from app.domain.inbound import Edit, InboundMessage
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.pipeline.answering.history import HistoryKeeper
from app.pipeline.answering.normalize import describe
from app.pipeline.texts import PIPELINE
from app.skills.outside import OutsideActs

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What to answer: the messages of the first turn as they read now, below `lead`; or `notice`; or nothing."""

    messages: tuple[InboundMessage, ...] = ()
    lead: str = ""
    notice: str = ""


_NOTHING: Final = Rewritten()


class Rewriter:
    def __init__(self, repository: Repository, history: HistoryKeeper, outside: OutsideActs, clock: Clock) -> None:
        self._repository = repository
        self._history = history
        self._outside = outside
        self._clock = clock

    async def change(self, message: InboundMessage, ctx: TurnContext) -> None:
        """Let history follow a change; not one that a later edit of the same message replaced."""
        async with self._repository.transaction() as tx:
            is_old = await self._repository.changes.is_superseded(ctx.user_id, message, tx=tx)
        if not is_old:
            await self._history.change(message, ctx)

    async def begin(self, message: InboundMessage, edit: Edit, ctx: TurnContext) -> Rewritten:
        """Undo what the first form did, and return what is to be answered.

        Where some of it cannot be undone, nothing is done a second time: the person is told, and asked.
        """
        changes = self._repository.changes
        async with self._repository.transaction() as tx:
            if await changes.is_superseded(ctx.user_id, message, tx=tx):
                return _NOTHING
            before = await changes.find_edited(ctx.user_id, edit.original_id, tx=tx)
            turn_id = None if before is None else before.turn_id
            turns = [] if turn_id is None else await changes.list_turns(ctx.user_id, turn_id, tx=tx)
        turns = [one for one in turns if one != ctx.turn_id]
        if before is None or before.message is None or not before.is_answered or not turns:
            await self._history.change(message, ctx)
            return _answer_given(before, ctx)
        if not ctx.is_retry and describe(before.message.content) == describe(edit.content):
            return _NOTHING
        undone, standing = await self._undo(turns, ctx)
        if standing is not None:
            log.info("edit.not_answered", reason="stands")
            await self._history.change(message, ctx)
            return Rewritten(notice=standing)
        await self._history.rewrite(replace(before.message, content=edit.content), turns, ctx)
        lead = say(PIPELINE.edit_undone, ctx.language, subject=", ".join(undone)) if undone else ""
        return Rewritten(tuple(await self._repository.inbox.list_of_turn(ctx.user_id, ctx.turn_id)), lead)

    async def _undo(self, turns: list[TurnId], ctx: TurnContext) -> tuple[list[str], str | None]:
        """Return what was undone, and what to say where something stands that cannot be."""
        acts, now, user_id = self._repository.acts, self._clock.now(), ctx.user_id
        if any([await self._outside.has_any(user_id, turn_id) for turn_id in turns]):
            return [], say(PIPELINE.edit_stands, ctx.language)
        known = await acts.list_of_turns(user_id, turns)
        standing = [one.act.subject for one in known if one.state != "undone" and not one.can_be_undone(now)]
        # Undone before, but by this turn: an earlier attempt of it was cut off.
        undone = [one.act.subject for one in known if one.state == "undone" and ctx.is_retry]
        for one in known if not standing else ():
            if one.state != "undone":
                kind = (await acts.undo(user_id, now, one.id)).kind
                (undone if kind in {"undone", "already"} else standing).append(one.act.subject)
        if standing:
            return [], say(PIPELINE.edit_stands_named, ctx.language, subject=", ".join(standing))
        if not known and await self._has_forgotten_acts(turns, ctx):
            return [], say(PIPELINE.edit_stands, ctx.language)
        return undone, None

    async def _has_forgotten_acts(self, turns: list[TurnId], ctx: TurnContext) -> bool:
        """Tell whether something was done so long ago that it is not known any more how to undo it."""
        journal = self._repository.tool_journal
        for turn_id in turns:
            entries = await journal.list_for_turn(ctx.user_id, turn_id)
            if any(entry.result is None or entry.result.success for entry in entries):
                return not await self._repository.acts.remembers(ctx.user_id, turn_id)
        return False


def _answer_given(before: Edited | None, ctx: TurnContext) -> Rewritten:
    """An answer to a question counted as it was given; it must not reach the model."""
    if before is None or before.purpose != "answer" or before.state != "done":
        return _NOTHING
    return Rewritten(notice=say(PIPELINE.edit_of_answer, ctx.language))
