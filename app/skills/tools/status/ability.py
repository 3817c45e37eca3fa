"""How the assistant is doing: its model, the conversation, and for administrators who knocked."""

from app.skills.kit import Kit
from app.skills.tools.status import commands


def register(kit: Kit) -> None:
    commands.register(kit.commands, kit.repository, kit.model, kit.channel.pause_reason)
