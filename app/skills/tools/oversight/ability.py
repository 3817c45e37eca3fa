"""What the assistant can do, what it did and why, and when it asks first."""

from app.skills.kit import Kit
from app.skills.tools.oversight import catalog_tools, commands, home


def register(kit: Kit) -> None:
    catalog_tools.register(kit.tools, kit.catalog.snapshot)
    commands.register(kit.commands, kit.repository, kit.catalog, kit.tools, kit.oversight)
    kit.home.append(home.part(kit.repository.audit_events, kit.asking))
    kit.home.append(home.skills_part(kit.tools))
