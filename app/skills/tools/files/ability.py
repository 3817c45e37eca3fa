"""Text files in a person's own folder."""

from app.skills.kit import Kit
from app.skills.tools.files import filesystem_tools


def register(kit: Kit) -> None:
    filesystem_tools.register(
        kit.tools,
        is_write_enabled=kit.settings.agent_write_enabled,
        is_delete_enabled=kit.settings.agent_delete_enabled,
    )
