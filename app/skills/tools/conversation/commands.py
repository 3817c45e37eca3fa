"""/clear and /cancel."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.ports import Clock, TurnControl
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.conversation.texts import CONVERSATION


def register(registry: CommandRegistry, repository: Repository, control: TurnControl, clock: Clock) -> None:
    async def clear(args: str, ctx: TurnContext) -> Reply:
        async with repository.transaction() as tx:
            await repository.conversations.end_open(ctx.user_id, clock.now(), tx=tx)
        return Reply(say(CONVERSATION.cleared, ctx.language))

    async def cancel(args: str, ctx: TurnContext) -> Reply:
        was_busy = await control.cancel(ctx.user_id, ctx.turn_id)
        return Reply(say(CONVERSATION.cancelled if was_busy else CONVERSATION.nothing_to_cancel, ctx.language))

    registry.add(CommandSpec("clear", CONVERSATION.help_clear, clear, also=CONVERSATION.name_clear))
    registry.add(
        CommandSpec("cancel", CONVERSATION.help_cancel, cancel, also=CONVERSATION.name_cancel, is_control=True)
    )
