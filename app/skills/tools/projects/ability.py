"""Projects with their tasks, notes and progress."""

from app.domain.inbound import Text
from app.domain.turn import TurnContext
from app.skills.kit import Kit
from app.skills.tools.projects import home, project_tools
from app.skills.tools.projects.repository import TEXTS, UNDOABLE, Projects


def register(kit: Kit) -> None:
    projects = Projects(kit.db, kit.alarms)

    async def said(ctx: TurnContext) -> str:
        messages = await kit.repository.inbox.list_of_turn(ctx.user_id, ctx.turn_id)
        return "\n".join(message.content.body for message in messages if isinstance(message.content, Text))

    acts, draw = kit.repository.acts, kit.charts.draw_if_asked
    project_tools.register(kit.tools, projects, kit.clock, acts, draw, said)
    kit.when_done.append(projects.finish)
    kit.home.append(home.part(projects))
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(*UNDOABLE)
