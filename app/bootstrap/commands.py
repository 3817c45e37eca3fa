"""The families of builtin commands."""

from app.commands import help_command
from app.commands.registry import CommandRegistry
from app.database.repository import Repository
from app.domain.ports import ChatModel, Clock, TurnControl
from app.skills.catalog import ToolCatalog
from app.skills.registry import SkillRegistry
from app.skills.tools.catalog import commands as tools_commands
from app.skills.tools.catalog import mode, why
from app.skills.tools.conversation import commands as conversation
from app.skills.tools.status import commands as status


def register_builtin_commands(  # noqa: PLR0913 - what the commands show or steer
    registry: CommandRegistry,
    *,
    repository: Repository,
    control: TurnControl,
    model: ChatModel,
    tools: ToolCatalog,
    skills: SkillRegistry,
    clock: Clock,
    pause_reason: status.PauseReason,
) -> None:
    """Add every command, in the order in which `/help` lists them."""
    help_command.register(registry)
    conversation.register(registry, repository, control, clock)
    tools_commands.register(registry, tools, skills)
    why.register(registry, repository)
    mode.register(registry, repository)
    status.register(registry, repository, model, pause_reason)
