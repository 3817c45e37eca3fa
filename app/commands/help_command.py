"""/help."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.commands.texts import COMMANDS
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say


def register(registry: CommandRegistry) -> None:
    async def show_help(args: str, ctx: TurnContext) -> Reply:
        lines = [f"- `/{spec.name}` {say(spec.summary, ctx.language)}" for spec in registry.list_all()]
        title, footer = say(COMMANDS.help_title, ctx.language), say(COMMANDS.help_footer, ctx.language)
        return Reply("\n".join([title, "", *lines, "", footer]))

    registry.add(CommandSpec("help", COMMANDS.help_help, show_help))
