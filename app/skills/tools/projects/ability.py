"""Projects with their tasks, notes and progress."""

from app.skills.kit import Kit
from app.skills.tools.projects import project_tools
from app.skills.tools.projects.repository import TEXTS, Projects


def register(kit: Kit) -> None:
    project_tools.register(kit.tools, Projects(kit.db), kit.clock)
    kit.repository.embeddings.add(TEXTS)
