"""/undo, by its name or in words, and the button under an answer that undoes what it tells of."""

import re
from types import MappingProxyType
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repositories.acts import UNDO_FOR, Acts
from app.database.repositories.traces import Traces
from app.domain.outbound import Button, Reply
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.outside import OutsideActs
from app.skills.tools.undo.lexicon import ENDS_IN_UNDO, MEANS_UNDO
from app.skills.tools.undo.texts import UNDO

_DONE: Final = MappingProxyType({"added": UNDO.added, "changed": UNDO.changed, "deleted": UNDO.deleted})
_NOT_DONE: Final = MappingProxyType({"already": UNDO.already, "expired": UNDO.expired, "blocked": UNDO.blocked})
_ONE_ACT: Final = re.compile(r"act-(\d{1,18})")


def register(registry: CommandRegistry, acts: Acts, traces: Traces, clock: Clock) -> None:
    async def undo(args: str, ctx: TurnContext) -> Reply:
        one = _ONE_ACT.fullmatch(args)
        undone = await acts.undo(ctx.user_id, clock.now(), None if one is None else int(one[1]))
        if undone.act is None:
            return Reply(literal=say(UNDO.none if one is None else UNDO.gone, ctx.language))
        sentence = _NOT_DONE.get(undone.kind) or _DONE[undone.act.verb]
        return Reply(literal=say(sentence, ctx.language, subject=undone.act.subject))

    async def applies(ctx: TurnContext) -> bool:
        last = await acts.find_last(ctx.user_id)
        if last is None or last.at + UNDO_FOR < clock.now():
            return False
        before = await traces.list_last(ctx.user_id, turns=1)
        return all(turn_id <= last.turn_id for turn_id in before)

    registry.add(
        CommandSpec("undo", UNDO.help_undo, undo, wording=MEANS_UNDO, ending=ENDS_IN_UNDO, applies=applies)
    )


class UndoButton:
    """One button for all that a turn did, which is one act; it is a command, so it needs nothing but the act."""

    def __init__(self, acts: Acts, outside: OutsideActs) -> None:
        self._acts = acts
        self._outside = outside

    async def offer(self, ctx: TurnContext) -> Button | None:
        """Return the button for a turn; None where it would promise to take back what cannot come back, too."""
        act_id = await self._acts.find_undoable(ctx.user_id, ctx.turn_id)
        if act_id is None or await self._outside.has_any(ctx.user_id, ctx.turn_id):
            return None
        return Button(f"/undo act-{act_id}", say(UNDO.button, ctx.language))
