"""Projects with their tasks, notes and progress."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.inbound import Text
from app.domain.ports import ChatModel, Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import openings, say
from app.skills.amending import CALL_ID, JUST, amended
from app.skills.counting import speaks_of_left
from app.skills.following.following import Calls, Spoken
from app.skills.following.relations import Relation
from app.skills.kit import Kit
from app.skills.named_things import names_one, tells_done
from app.skills.picking.choosing import is_in_talk
from app.skills.renaming import read_new_name
from app.skills.seeing_all import asks_to_see_all
from app.skills.selection import READ_ID, Need
from app.skills.tools.projects import home, project_tools
from app.skills.tools.projects.asked import asked_tasks_of, may_ask_tasks, read_tasks_of
from app.skills.tools.projects.behind import read_behind
from app.skills.tools.projects.going_on import read_added, read_more, read_one
from app.skills.tools.projects.lexicon import OPENS_PROJECT
from app.skills.tools.projects.listing import Listed, read_alone, read_listed
from app.skills.tools.projects.lookup import read_renaming, read_tasks, spoken_of
from app.skills.tools.projects.opening import read_new
from app.skills.tools.projects.picked import call_for, called_so, left_in
from app.skills.tools.projects.records import Project
from app.skills.tools.projects.repository import TEXTS, UNDOABLE, Projects
from app.skills.tools.projects.texts import PROJECTS

_CATEGORY: Final = ("projects",)
_ROWS: Final = 8  # an act writes what was done, too


def register(kit: Kit) -> None:
    projects = Projects(kit.db, kit.alarms)

    async def said(ctx: TurnContext) -> str:
        messages = await kit.repository.inbox.list_of_turn(ctx.user_id, ctx.turn_id)
        return "\n".join(message.content.body for message in messages if isinstance(message.content, Text))

    acts, draw = kit.repository.acts, kit.charts.draw_if_asked
    project_tools.register(kit.tools, projects, kit.clock, acts, draw, said)
    kit.when_done.append(projects.finish)
    kit.needs.append(Need(_in_projects, _opens_one))
    kit.needs.append(Need(partial(_done_in, projects), tells_done))
    kit.named.append(partial(_named, projects))
    kit.amending["project_tasks"] = partial(_amend, projects)
    kit.retelling["project_tasks"] = partial(_retell, projects)
    kit.recalls.append(partial(_recall, projects, acts, kit.clock))
    kit.certain.append(partial(_renamed, projects))
    kit.certain.append(partial(_listed, projects))
    kit.certain.append(partial(_asked, projects))
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


async def _retell(projects: Projects, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`: the project is shown, with the task."""
    task = await projects.find_task(ctx.user_id, row_id)
    if task is None or not is_in_talk([task.title], ctx.said.answers):
        return None
    owner = await projects.get(ctx.user_id, task.project_id)
    return ToolCall(CALL_ID, "get_project", {"project": owner.name})


async def _recall(projects: Projects, acts: Acts, clock: Clock, answer: str, ctx: TurnContext) -> Spoken | None:
    """See `Recall`: the project that an answer told was made, or got a task."""
    if not answer.startswith(openings(PROJECTS.project_created, PROJECTS.task_added)):
        return None
    rows = dict(await acts.list_last_rows(ctx.user_id, clock.now() - JUST, _ROWS))
    task = await projects.find_task(ctx.user_id, rows["project_tasks"]) if "project_tasks" in rows else None
    project_id = rows.get("projects") if task is None else task.project_id
    if project_id is None or (name := (await projects.get(ctx.user_id, project_id)).name) not in answer:
        return None

    async def act(relation: Relation, text: str, ctx: TurnContext, model: ChatModel) -> Calls:
        return [ToolCall(CALL_ID, "get_project", {"project": name})] if relation == "ask" else []

    return Spoken("list", name if task is None else f"{name} {task.title}", act)


async def _renamed(projects: Projects, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: "cambiale el nombre al proyecto, ponele Casa nueva"."""
    if (renaming := read_renaming(text)) is None:
        return await _renamed_back(projects, text, ctx)
    if not (known := await projects.list_all(ctx.user_id)):
        return None
    named = next((one.name for one in known if fold(one.name) in fold(renaming.beside)), "")
    return ToolCall(CALL_ID, "rename_project", {"name": renaming.name, "project": named})


async def _renamed_back(projects: Projects, text: str, ctx: TurnContext) -> ToolCall | None:
    """Return the call for another name of the project that was just made or changed: "rename it to Loft"."""
    newest = ctx.said.answers[:1]
    if not newest or not (name := read_new_name(text)):
        return None
    shown = [one for one in await projects.list_all(ctx.user_id) if is_in_talk([one.name], newest)]
    is_of_it = newest[0].startswith(
        openings(PROJECTS.project_created, PROJECTS.project_renamed, PROJECTS.task_added)
    )
    arguments: dict[str, object] = {"name": name, "project": shown[0].name} if shown else {}
    return ToolCall(f"{READ_ID}_0", "rename_project", arguments) if is_of_it and len(shown) == 1 else None


async def _listed(projects: Projects, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: tasks are listed for a project that is named and may be new, or for the one just spoken of;
    those for none are a list of their own."""
    known = await projects.list_all(ctx.user_id)
    if (listed := read_new(text) or read_listed(text, [one.name for one in known])) is not None:
        there = next((one for one in known if fold(one.name) == fold(listed.project)), None)
        if there is not None and listed.tasks:
            return _each_added(listed.tasks, there)
        arguments: dict[str, object] = {"name": listed.project}
        arguments |= {"tasks": listed.tasks} if listed.tasks else {}
        return [ToolCall(f"{READ_ID}_0", "create_project", arguments)]
    if (added := read_added(text, known) or read_more(text, known, ctx.said.answers[:1])) is not None:
        return [ToolCall(CALL_ID, "add_task", {"title": added.tasks[0], "project": added.project})]
    if (behind := _read_behind(text, known, ctx)) is not None:
        return [ToolCall(CALL_ID, "add_task", {"title": behind.tasks[0], "project": behind.project})]
    said = (*ctx.said.before[:1], *ctx.said.answers[:1])
    if (tasks := read_tasks(text)) and (project := spoken_of(known, said)) is not None:
        return [ToolCall(CALL_ID, "add_task", {"title": tasks[0], "project": project.name})]
    if (alone := read_alone(text) or read_one(text)) is None:
        return []
    named = [one for one in known if is_in_talk([one.name], said)]
    if len(named) != 1 and known and (tasks or not alone.is_listed):
        return []  # "Add tasks: …" may be for one of them.
    if len(named) == 1 and not alone.when:
        return _each_added(alone.tasks, named[0])
    name = f"{alone.called or say(PROJECTS.home_tasks, ctx.language)} {alone.when}".strip()
    return [ToolCall(f"{READ_ID}_0", "add_to_list", {"items": alone.tasks, "list_name": name})]


def _read_behind(text: str, known: Sequence[Project], ctx: TurnContext) -> Listed | None:
    """Return the task that is said right behind a project, or a task, that was just made."""
    newest = ctx.said.answers[:1]
    is_behind = bool(newest) and newest[0].startswith(openings(PROJECTS.project_created, PROJECTS.task_added))
    return read_behind(text, known, newest) if is_behind else None


async def _asked(projects: Projects, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: what is left of a project, or which tasks it has: "which were in Attic? Ann asks"."""
    if asks_to_see_all(text, "projects"):
        return ToolCall(CALL_ID, "list_projects", {})
    if (name := read_tasks_of(text)) and (
        named := called_so(await projects.list_all(ctx.user_id), name)
    ) is not None:
        return ToolCall(CALL_ID, "get_project", {"project": named.name})
    left = await left_in(projects, text, ctx)
    is_all = may_ask_tasks(text) and (left is None or not speaks_of_left(text))
    found = asked_tasks_of(text, await projects.list_all(ctx.user_id)) if is_all else None
    return left if found is None else ToolCall(CALL_ID, "get_project", {"project": found.name})


def _each_added(tasks: Sequence[str], project: Project) -> list[ToolCall]:
    each = ({"title": task, "project": project.name} for task in tasks)
    return [ToolCall(f"{READ_ID}_{number}", "add_task", arguments) for number, arguments in enumerate(each)]


async def _in_projects(text: str, ctx: TurnContext) -> tuple[str, ...]:
    return _CATEGORY


def _opens_one(text: str) -> bool:
    """Tell whether a project is to be made, in so many words."""
    return OPENS_PROJECT.search(fold(" ".join(text.split()))) is not None


async def _done_in(projects: Projects, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: a task that is open was done."""
    tasks = await projects.list_tasks(ctx.user_id)
    return _CATEGORY if names_one(text, (task.title for task in tasks if task.is_open)) else ()


async def _named(projects: Projects, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: a project is called by its name."""
    return _CATEGORY if names_one(text, (one.name for one in await projects.list_all(ctx.user_id))) else ()
