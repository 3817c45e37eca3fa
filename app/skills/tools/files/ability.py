"""Files in a person's own folder: text is read and written, anything is sent."""

from app.skills.kit import Kit
from app.skills.tools.files import filesystem_tools, home
from app.skills.tools.files.sending import SendFileTool


def register(kit: Kit) -> None:
    kit.tools.tools.register(SendFileTool(kit.channel.media, kit.files))
    filesystem_tools.register(
        kit.tools,
        kit.files,
        is_write_enabled=kit.settings.agent_write_enabled,
        is_delete_enabled=kit.settings.agent_delete_enabled,
    )
    may_delete = kit.settings.agent_write_enabled and kit.settings.agent_delete_enabled
    kit.home.append(home.part(kit.files, is_delete_enabled=may_delete))
