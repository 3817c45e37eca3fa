"""The families of builtin commands."""

from app.commands.builtin import conversation, help_command, status
from app.commands.registry import CommandRegistry
from app.database.repository import Repository
from app.domain.ports import ChatModel, Clock, TurnControl


def register_builtin_commands(
    registry: CommandRegistry,
    *,
    repository: Repository,
    control: TurnControl,
    model: ChatModel,
    clock: Clock,
    pause_reason: status.PauseReason,
) -> None:
    """Add every command, in the order in which `/help` lists them."""
    help_command.register(registry)
    conversation.register(registry, repository, control, clock)
    status.register(registry, repository, model, pause_reason)
