"""Tasks of a project by message: add, change, delete."""

from typing import Final

from app.database.repositories.projects import PRIORITIES, TASK_STATUSES, Priority, Project, Projects, TaskStatus
from app.domain.errors import NotFound, ToolFault
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.skills.registry import SkillRegistry
from app.skills.tools.project_lookup import (
    PROJECT_FIELD,
    SKILL,
    TASK_FIELD,
    checked,
    done_of,
    pick_project,
    pick_task,
    task_line,
)

_MAX_TITLE_CHARS: Final = 200


class _TaskTools:
    def __init__(self, projects: Projects, clock: Clock) -> None:
        self._projects = projects
        self._clock = clock

    async def add_task(self, project: str, title: str, priority: Priority = "medium", *, ctx: TurnContext) -> str:
        called = " ".join(checked(title, "title", _MAX_TITLE_CHARS).split())
        found = await pick_project(self._projects, ctx.user_id, project)
        for task in await self._projects.list_tasks(ctx.user_id, found.id):
            if task.status != "done" and fold(task.title) == fold(called):
                return f"{found.name} has that task already, nothing was added:\n{task_line(task)}"
        task = await self._projects.add_task(ctx.user_id, found.id, called, priority, at=self._clock.now())
        return f"Added to {found.name}: task {task_line(task)}"

    async def update_task(self, task: str, status: TaskStatus, project: str = "", *, ctx: TurnContext) -> str:
        owner, found = await pick_task(self._projects, ctx.user_id, task, project)
        said = status.replace("_", " ")
        if found.status == status:
            return f"Task {found.number} of {owner.name} was {said} already: {found.title}."
        try:
            await self._projects.set_task_status(ctx.user_id, found, status, self._clock.now())
        except NotFound as exc:
            raise _deleted_meanwhile(found.number, owner) from exc
        progress = await self._progress(ctx.user_id, owner)
        return f"Task {found.number} of {owner.name} is now {said}: {found.title}. {progress}"

    async def delete_task(self, task: str, project: str = "", *, ctx: TurnContext) -> str:
        owner, found = await pick_task(self._projects, ctx.user_id, task, project)
        try:
            await self._projects.delete_task(ctx.user_id, found, self._clock.now())
        except NotFound as exc:
            raise _deleted_meanwhile(found.number, owner) from exc
        return f"Deleted task {found.number} of {owner.name}: {found.title}."

    async def _progress(self, user_id: UserId, owner: Project) -> str:
        now = await self._projects.get(user_id, owner.id)
        if now.done == now.tasks and now.status == "active":
            return "All its tasks are done: ask whether the project is completed."
        return f"{done_of(now)}.".capitalize()


def register(registry: SkillRegistry, projects: Projects, clock: Clock) -> None:
    """Add the three tools for tasks."""
    tools = _TaskTools(projects, clock)
    registry.register_tool(
        "add_task",
        "Add a task to a project",
        {
            "type": "object",
            "properties": {
                "project": PROJECT_FIELD,
                "title": {"type": "string", "description": "what is to be done"},
                "priority": {
                    "type": "string",
                    "enum": list(PRIORITIES),
                    "description": "only if the user gave one",
                },
            },
            "required": ["project", "title"],
        },
        tools.add_task,
        SKILL,
        examples=("Agregá la tarea 'alquilar carpa' al proyecto Feria", "Add a task 'buy shoes' to Marathon"),
    )
    registry.register_tool(
        "update_task",
        "Mark a task as done, in progress or pending",
        {
            "type": "object",
            "properties": {
                "task": TASK_FIELD,
                "status": {"type": "string", "enum": list(TASK_STATUSES)},
                "project": PROJECT_FIELD,
            },
            "required": ["task", "status"],
        },
        tools.update_task,
        SKILL,
        examples=("Ya alquilé la carpa, marcala como hecha", "Task 1 of Marathon is done"),
    )
    registry.register_tool(
        "delete_task",
        "Delete a task of a project",
        {
            "type": "object",
            "properties": {"task": TASK_FIELD, "project": PROJECT_FIELD},
            "required": ["task"],
        },
        tools.delete_task,
        SKILL,
        examples=("Borrá la tarea de la carpa", "Remove task 2 from Marathon"),
    )


def _deleted_meanwhile(number: int, owner: Project) -> ToolFault:
    return ToolFault("task_unknown", f"Task {number} of {owner.name} was deleted meanwhile.")
