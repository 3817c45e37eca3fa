"""Find the project or task that a person named, and show it; shared by the tools of projects."""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from app.database.repositories.acts import Acts
from app.domain.errors import ToolFault
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.domain.tools import Alias
from app.domain.turn import TurnContext
from app.domain.wording import clean, fold, one_line, pick, points_back
from app.skills.named_things import names_one
from app.skills.picking.choosing import is_in_talk
from app.skills.picking.tokens import is_other_wish, tokens_of
from app.skills.renaming import plain_name
from app.skills.tools.projects.lexicon import AS_TASKS, NAME_BEHIND, NEW_NAME, RENAMING, TASKS_LISTED
from app.skills.tools.projects.listing import MAX_TASK_CHARS as MAX_TASK_CHARS
from app.skills.tools.projects.listing import each_task
from app.skills.tools.projects.records import Project, Task
from app.skills.tools.projects.repository import Projects
from app.when.rules import to_local

SKILL: Final = "projects"
MAX_NAME_CHARS: Final = 80
MAX_NOTE_CHARS: Final = 4000
BY_NAME: Final = MappingProxyType({"project_name": Alias("project")})
_WORD: Final = re.compile(r"\w+")
_SHOWN_CHARS: Final = 120
_MAX_CHARS: Final = 300

Said = Callable[[TurnContext], Awaitable[str]]
"""Returns what the person wrote in a turn: a model may have dropped a word that matters."""


def read_tasks(text: str) -> list[str]:
    """Return the tasks that a message lists without a project, which was named before; [] for any other."""
    if len(text) > _MAX_CHARS or "?" in text:
        return []
    if (found := TASKS_LISTED.match(text)) is not None:
        return each_task(found["tasks"])
    behind = AS_TASKS.search(text)
    opening = tokens_of(text)[:1]
    is_bare = behind is not None and not _WORD.search(text, behind.end()) and not any(map(is_other_wish, opening))
    return each_task(text[: behind.start()].strip(" ,")) if behind and is_bare else []


def spoken_of(known: Sequence[Project], said: Sequence[str]) -> Project | None:
    """Return the only active project whose name stands in what was said, else the only one there is."""
    active = [one for one in known if one.status == "active"]
    named = [one for one in active if is_in_talk([one.name], said)]
    for some in (named, active):
        if some:
            return some[0] if len(some) == 1 else None
    return None


class Renaming(NamedTuple):
    """The new name of a project, and what is said beside it, which may hold the old one."""

    name: str
    beside: str


def read_renaming(text: str) -> Renaming | None:
    """Return how a message wants a project to be called; None where it wants something else, or says no name."""
    flat = " ".join(text.split())
    if len(flat) > _MAX_CHARS or "?" in flat or (wish := RENAMING.search(flat)) is None:
        return None
    found = NEW_NAME.search(flat, wish.end()) or NAME_BEHIND.search(flat, wish.end())
    name = "" if found is None else plain_name(found["name"])
    return Renaming(name, flat[: found.start()]) if found is not None and name else None


async def said_nothing(ctx: TurnContext) -> str:
    return ""


async def pick_project(projects: Projects, user_id: UserId, wanted: str, *, last: Acts | None = None) -> Project:
    """Return the project with that number or name, or the only one whose name begins so.

    Words that only point back mean the project that was dealt with `last`, or the only one.

    Raises:
        ToolFault: none or several; the sentence lists what there is.
    """
    known = await projects.list_all(user_id)
    if not known:
        raise ToolFault("project_unknown", "There are no projects yet; create_project makes one.")
    if last is not None and points_back(wanted):
        row_id = await last.find_last_row(user_id, "projects")
        meant = [one for one in known if one.id == row_id] or known
        if len(meant) == 1:
            return meant[0]
    named = clean(wanted)
    begun = [project for project in known if fold(named) and fold(project.name).startswith(fold(named))]
    return pick(named, begun if len(begun) == 1 else known, kind="project", line=project_line, shortest_prefix=1)


async def pick_said(projects: Projects, ctx: TurnContext, wanted: str, *, last: Acts) -> Project:
    """Return the project of that name. Where there is none and nobody said it, a model made it up, and the one
    that the message names is meant, else the one that was dealt with last.

    Raises:
        ToolFault: as `pick_project`.
    """
    try:
        return await pick_project(projects, ctx.user_id, wanted, last=last)
    except ToolFault as exc:
        said = (*ctx.said.now, *ctx.said.before, *ctx.said.answers)
        if exc.code != "project_unknown" or not said or any(names_one(one, [wanted]) for one in said):
            raise
        named = [one for one in await projects.list_all(ctx.user_id) if is_in_talk([one.name], ctx.said.now)]
        return named[0] if len(named) == 1 else await pick_project(projects, ctx.user_id, "", last=last)


async def pick_task(
    projects: Projects, user_id: UserId, wanted: str, named: str, *, last: Acts
) -> tuple[Project, Task]:
    """Return the task with that number or those words in the named project, else in all active ones.

    Raises:
        ToolFault: none or several; the sentence lists what there is.
    """
    if points_back(wanted):
        row_id = await last.find_last_row(user_id, "project_tasks")
        if row_id is not None and (found := await projects.find_task(user_id, row_id)) is not None:
            return await projects.get(user_id, found.project_id), found
    within = await pick_project(projects, user_id, named) if clean(named) else None
    known = [within] if within else await projects.list_all(user_id)
    by_id = {project.id: project for project in known}
    tasks = await projects.list_tasks(user_id, within.id if within else None)

    def line(task: Task) -> str:
        return f"{by_id[task.project_id].name}: {task_line(task)}"

    task = pick(clean(wanted), tasks, kind="task", line=line)
    return by_id[task.project_id], task


def project_line(project: Project) -> str:
    about = f": {one_line(project.description, _SHOWN_CHARS)}" if project.description else ""
    return f"{project.number}. {project.name} ({project.status}), {done_of(project)}{about}"


def task_line(task: Task) -> str:
    priority = "" if task.priority == "medium" else f", {task.priority} priority"
    due = f", due {task.due.stored}" if task.due is not None and task.is_open else ""
    return f"{task.number}. {one_line(task.title, _SHOWN_CHARS)} ({task.status.replace('_', ' ')}{priority}{due})"


def local_now(clock: Clock, ctx: TurnContext) -> datetime:
    """Return what the person's clock shows."""
    return to_local(clock.now(), ZoneInfo(ctx.timezone))


def done_of(project: Project) -> str:
    if not project.tasks:
        return "no tasks"
    return f"{project.done} of {project.tasks} tasks done"


def bounded(lines: Sequence[str], limit: int) -> str:
    """Return the first lines, and how many more there are."""
    shown = list(lines[:limit])
    if len(lines) > limit:
        shown.append(f"… {len(lines) - limit} more")
    return "\n".join(shown)


def checked(text: str, field: str, limit: int) -> str:
    """Return the text as it can be stored.

    Raises:
        ToolFault: it is empty, or longer than `limit` characters.
    """
    cleaned = clean(text)
    if not cleaned:
        raise ToolFault("text_empty", f"{field} is empty.")
    if len(cleaned) > limit:
        raise ToolFault("text_too_long", f"{field} has {len(cleaned)} characters, the most is {limit}.")
    return cleaned
