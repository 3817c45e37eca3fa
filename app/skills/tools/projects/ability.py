"""Projects with their tasks, notes and progress."""

from app.skills.kit import Kit
from app.skills.tools.projects import home, project_tools
from app.skills.tools.projects.repository import TEXTS, UNDOABLE, Projects


def register(kit: Kit) -> None:
    projects = Projects(kit.db)
    project_tools.register(kit.tools, projects, kit.clock, kit.repository.acts, kit.charts.draw_if_asked)
    kit.home.append(home.part(projects))
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(*UNDOABLE)
