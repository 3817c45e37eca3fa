"""The conversation with a person: what was said in it, to begin it anew, to stop what runs."""

from app.skills.kit import Kit
from app.skills.tools.conversation import commands, conversation_tools


def register(kit: Kit) -> None:
    conversation_tools.register(kit.tools, kit.repository.conversations)
    commands.register(kit.commands, kit.repository, kit.channel.turns, kit.clock)
