"""Projects with their tasks, notes and progress."""

from app.skills.kit import Kit
from app.skills.tools.projects import project_tools


def register(kit: Kit) -> None:
    project_tools.register(kit.tools, kit.repository.projects, kit.clock)
