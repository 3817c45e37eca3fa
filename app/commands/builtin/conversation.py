"""/clear and /cancel."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.phrases import Phrase, say
from app.domain.ports import Clock, TurnControl
from app.domain.turn import TurnContext


def register(registry: CommandRegistry, repository: Repository, control: TurnControl, clock: Clock) -> None:
    async def clear(args: str, ctx: TurnContext) -> Reply:
        async with repository.transaction() as tx:
            await repository.conversations.end_open(ctx.user_id, clock.now(), tx=tx)
        return Reply(say(Phrase.CLEARED, ctx.language))

    async def cancel(args: str, ctx: TurnContext) -> Reply:
        was_busy = await control.cancel(ctx.user_id, ctx.turn_id)
        return Reply(say(Phrase.CANCELLED if was_busy else Phrase.NOTHING_TO_CANCEL, ctx.language))

    registry.add(CommandSpec("clear", Phrase.HELP_CLEAR, clear))
    registry.add(CommandSpec("cancel", Phrase.HELP_CANCEL, cancel, is_control=True))
