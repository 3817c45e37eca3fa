"""Projects with their tasks, notes and progress."""

from functools import partial
from typing import Final

from app.domain.chat import ToolCall
from app.domain.inbound import Text
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.skills.amending import CALL_ID, amended
from app.skills.kit import Kit
from app.skills.named_things import names_one, tells_done
from app.skills.picking.choosing import is_in_talk
from app.skills.selection import READ_ID
from app.skills.tools.projects import home, project_tools
from app.skills.tools.projects.listing import read_alone, read_listed
from app.skills.tools.projects.lookup import read_renaming, read_tasks, spoken_of
from app.skills.tools.projects.picked import call_for, left_in
from app.skills.tools.projects.repository import TEXTS, UNDOABLE, Projects
from app.skills.tools.projects.texts import PROJECTS

_CATEGORY: Final = ("projects",)


def register(kit: Kit) -> None:
    projects = Projects(kit.db, kit.alarms)

    async def said(ctx: TurnContext) -> str:
        messages = await kit.repository.inbox.list_of_turn(ctx.user_id, ctx.turn_id)
        return "\n".join(message.content.body for message in messages if isinstance(message.content, Text))

    acts, draw = kit.repository.acts, kit.charts.draw_if_asked
    project_tools.register(kit.tools, projects, kit.clock, acts, draw, said)
    kit.when_done.append(projects.finish)
    kit.needs.append(partial(_done_in, projects))
    kit.named.append(partial(_named, projects))
    kit.amending["project_tasks"] = partial(_amend, projects)
    kit.certain.append(partial(_renamed, projects))
    kit.certain.append(partial(_listed_in, projects))
    kit.certain.append(partial(_listed_there, projects))
    kit.certain.append(partial(_listed_alone, projects))
    kit.certain.append(partial(left_in, projects))
    kit.certain.append(partial(call_for, projects, None if kit.indexer is None else kit.indexer.find_closest))
    kit.home.append(home.part(projects))
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(*UNDOABLE)


async def _amend(projects: Projects, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`."""
    task = await projects.find_task(ctx.user_id, row_id)
    if task is None or (found := amended(task.title, text)) is None:
        return None
    owner = await projects.get(ctx.user_id, task.project_id)
    arguments = {"new": found.new, "old": found.old, "task": str(task.number), "project": owner.name}
    return ToolCall(CALL_ID, "correct_task", arguments)


async def _renamed(projects: Projects, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: "cambiale el nombre al proyecto, ponele Casa nueva"."""
    if (renaming := read_renaming(text)) is None or not (known := await projects.list_all(ctx.user_id)):
        return None
    named = next((one.name for one in known if fold(one.name) in fold(renaming.beside)), "")
    return ToolCall(CALL_ID, "rename_project", {"name": renaming.name, "project": named})


async def _listed_there(projects: Projects, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: tasks are listed for the project that was named in the turn before."""
    if not (tasks := read_tasks(text)):
        return None
    said = (*ctx.said.before[:1], *ctx.said.answers[:1])
    project = spoken_of(await projects.list_all(ctx.user_id), said)
    arguments = {"title": tasks[0], "project": "" if project is None else project.name}
    return None if project is None else ToolCall(CALL_ID, "add_task", arguments)


async def _listed_alone(projects: Projects, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: tasks for no project are a list of their own, or those of the one just spoken of."""
    if (alone := read_alone(text)) is None:
        return []
    said = (*ctx.said.before[:1], *ctx.said.answers[:1])
    known = await projects.list_all(ctx.user_id)
    named = [one for one in known if is_in_talk([one.name], said)]
    if len(named) != 1 and known and read_tasks(text):
        return []  # "Add tasks: …" may be for one of them.
    if len(named) == 1 and not alone.when:
        return [
            ToolCall(f"{READ_ID}_{number}", "add_task", {"title": task, "project": named[0].name})
            for number, task in enumerate(alone.tasks)
        ]
    name = f"{say(PROJECTS.home_tasks, ctx.language)} {alone.when}".strip()
    return [ToolCall(f"{READ_ID}_0", "add_to_list", {"items": alone.tasks, "list_name": name})]


async def _done_in(projects: Projects, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: a task that is open was done."""
    if not tells_done(text):
        return ()
    tasks = await projects.list_tasks(ctx.user_id)
    return _CATEGORY if names_one(text, (task.title for task in tasks if task.is_open)) else ()


async def _listed_in(projects: Projects, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: tasks are listed for a project that is named, which may be new."""
    known = await projects.list_all(ctx.user_id)
    if (listed := read_listed(text, [one.name for one in known])) is None:
        return []
    there = next((one for one in known if fold(one.name) == fold(listed.project)), None)
    if there is None:
        arguments = {"name": listed.project, "tasks": listed.tasks}
        return [ToolCall(f"{READ_ID}_0", "create_project", arguments)]
    return [
        ToolCall(f"{READ_ID}_{number}", "add_task", {"title": task, "project": there.name})
        for number, task in enumerate(listed.tasks)
    ]


async def _named(projects: Projects, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: a project is called by its name."""
    return _CATEGORY if names_one(text, (one.name for one in await projects.list_all(ctx.user_id))) else ()
