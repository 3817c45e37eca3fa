"""The first words of somebody who tells who they are, and asks what the assistant can do."""

from collections.abc import Sequence

from app.commands.registry import CommandRegistry
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.skills.tools.oversight.lexicon import asks_introducing_oneself


class Introduced:
    """Answers as /tools does."""

    def __init__(self, commands: CommandRegistry) -> None:
        self._commands = commands

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """See `Telling`."""
        tools = self._commands.find("tools") if asks_introducing_oneself(asked) else None
        return None if tools is None else await tools.run("", ctx)
