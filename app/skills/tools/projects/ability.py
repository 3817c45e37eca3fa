"""Projects with their tasks, notes and progress."""

from app.skills.kit import Kit
from app.skills.tools.projects import project_tools
from app.skills.tools.projects.repository import TEXTS, UNDOABLE, Projects


def register(kit: Kit) -> None:
    project_tools.register(kit.tools, Projects(kit.db), kit.clock, kit.repository.acts, kit.charts.draw_if_asked)
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(*UNDOABLE)
