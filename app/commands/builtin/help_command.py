"""/help."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.outbound import Reply
from app.domain.phrases import Phrase, say
from app.domain.turn import TurnContext


def register(registry: CommandRegistry) -> None:
    async def show_help(args: str, ctx: TurnContext) -> Reply:
        lines = [f"- `/{spec.name}` {say(spec.summary, ctx.language)}" for spec in registry.list_all()]
        title, footer = say(Phrase.HELP_TITLE, ctx.language), say(Phrase.HELP_FOOTER, ctx.language)
        return Reply("\n".join([title, "", *lines, "", footer]))

    registry.add(CommandSpec("help", Phrase.HELP_HELP, show_help))
