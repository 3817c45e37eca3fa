"""/undo, and the words that mean it."""

from types import MappingProxyType
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repositories.acts import Acts
from app.domain.outbound import Reply
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.undo.lexicon import MEANS_UNDO
from app.skills.tools.undo.texts import UNDO

_DONE: Final = MappingProxyType({"added": UNDO.added, "changed": UNDO.changed, "deleted": UNDO.deleted})
_NOT_DONE: Final = MappingProxyType({"already": UNDO.already, "expired": UNDO.expired, "blocked": UNDO.blocked})


def register(registry: CommandRegistry, acts: Acts, clock: Clock) -> None:
    async def undo(args: str, ctx: TurnContext) -> Reply:
        undone = await acts.undo(ctx.user_id, clock.now())
        if undone.act is None:
            return Reply(literal=say(UNDO.none, ctx.language))
        sentence = _NOT_DONE.get(undone.kind) or _DONE[undone.act.verb]
        return Reply(literal=say(sentence, ctx.language, subject=undone.act.subject))

    registry.add(CommandSpec("undo", UNDO.help_undo, undo, phrases=MEANS_UNDO))
