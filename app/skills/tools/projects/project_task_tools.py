"""Tasks of a project by message: add, change, delete, and until when they are due."""

from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from app.database.repositories.acts import Act, Acts
from app.domain.errors import NotFound, ToolFault
from app.domain.ports import Clock
from app.domain.tools import Alias, LooseWords, OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, fold
from app.language.catalogue import say
from app.skills.own_words import corrected
from app.skills.registry import SkillRegistry
from app.skills.tools.projects.due import Due, Unclear, asked_which, due_at_end, read_wanted
from app.skills.tools.projects.lexicon import ABOUT_DATES, WORDS
from app.skills.tools.projects.listing import Listed, read_listed
from app.skills.tools.projects.lookup import (
    BY_NAME,
    MAX_TASK_CHARS,
    SKILL,
    Said,
    bounded,
    checked,
    done_of,
    local_now,
    pick_said,
    pick_task,
    read_tasks,
    said_nothing,
    task_line,
)
from app.skills.tools.projects.records import Priority, Project, Task, TaskStatus
from app.skills.tools.projects.repository import Projects
from app.skills.tools.projects.texts import PROJECTS
from app.skills.tools.projects.wording import listed, task_words

_BY_ID: Final = MappingProxyType({"task_id": Alias("task"), "project_name": Alias("project")})
_DUE_ALIASES: Final = MappingProxyType(
    {"task_id": Alias("task"), "project_name": Alias("project"), "due_date": Alias("when")}
)
_SHOWN: Final = 20


class _TaskTools:
    def __init__(self, projects: Projects, clock: Clock, acts: Acts, said: Said) -> None:
        self._projects = projects
        self._said = said
        self._clock = clock
        self._acts = acts

    async def add_task(
        self, project: str, title: OwnWords, priority: Priority = "medium", due: OwnWords = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Add a task to a project.

        Args:
            project: name or number
            title: what is to be done
            priority: only if the user gave one
            due: only if said: until when, in their words
        """
        said = "" if ctx.is_read else "\n".join(ctx.said.now)
        listed = read_listed(said) or Listed(project, read_tasks(said))
        if len(listed.tasks) > 1:
            told = [await self._add(listed.project, one, priority, "", ctx) for one in listed.tasks]
            return ToolResult.ok("\n".join(one.output for one in told), "\n".join(one.reply for one in told))
        return await self._add(project, title, priority, due, ctx)

    async def _add(self, project: str, title: str, priority: Priority, due: str, ctx: TurnContext) -> ToolResult:
        checked(title, "title", MAX_TASK_CHARS)
        found = await pick_said(self._projects, ctx, project, last=self._acts)
        named, wanted = await self._split(title, due, found, ctx)
        called = " ".join(checked(named, "title", MAX_TASK_CHARS).split())
        now_there = local_now(self._clock, ctx)
        for task in await self._projects.list_tasks(ctx.user_id, found.id):
            if task.status != "done" and fold(task.title) == fold(called):
                told = task_words(task, ctx.language, now_there)
                reply = say(PROJECTS.task_exists, ctx.language, name=found.name, line=told)
                output = f"{found.name} has that task already, nothing was added:\n{task_line(task)}"
                return ToolResult.ok(output, reply)
        now = self._clock.now()
        act = Act.of(ctx, "added", called, now)
        task = await self._projects.add_task(ctx.user_id, found.id, called, priority, at=now, act=act)
        if isinstance(wanted, Due):
            await self._projects.set_due(ctx.user_id, task, wanted, ctx.timezone, at=now, act=act)
            task = replace(task, due=wanted)
        line = task_words(task, ctx.language, now_there)
        reply = say(PROJECTS.task_added, ctx.language, name=found.name, line=line)
        if isinstance(wanted, Unclear):
            reply = f"{reply}\n{asked_which(wanted, now_there, ctx.language)}"
        return ToolResult.ok(f"Added to {found.name}: task {task_line(task)}", reply)

    async def _split(
        self, title: str, due: str, project: Project, ctx: TurnContext
    ) -> tuple[str, Due | Unclear | None]:
        """Tell what is to be done from until when: by the argument, the title's end, or that of the message."""
        now = local_now(self._clock, ctx)
        at_end = due_at_end(title, now, ctx.language, project.name)
        called, wanted = at_end or (title, None)
        if clean(due) and (given := read_wanted(due, now, ctx.language)) is not None:
            return called, given
        if wanted is None and (said := due_at_end(await self._said(ctx), now, ctx.language, project.name)):
            wanted = said[1]
        return called, wanted

    async def update_task(
        self, task: str, status: TaskStatus, project: str = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Mark a task as done, in progress or pending.

        Args:
            task: number, or words of it
            project: name or number
        """
        owner, found = await pick_task(self._projects, ctx.user_id, task, project, last=self._acts)
        said = status.replace("_", " ")
        if found.status == status:
            output = f"Task {found.number} of {owner.name} was {said} already: {found.title}."
            return ToolResult.ok(output, self._told_change(owner, found, ctx))
        try:
            now_at = self._clock.now()
            act = Act.of(ctx, "changed", found.title, now_at)
            await self._projects.set_task_status(ctx.user_id, found, status, now_at, act=act)
        except NotFound as exc:
            raise _deleted_meanwhile(found.number, owner) from exc
        now = await self._projects.get(ctx.user_id, owner.id)
        output = f"Task {found.number} of {owner.name} is now {said}: {found.title}. {_progress(now)}"
        return ToolResult.ok(output, self._told_change(now, replace(found, status=status), ctx))

    async def correct_task(
        self, new: OwnWords, old: LooseWords = "", task: str = "", project: str = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Correct the words of a task.

        Args:
            new: the right words, no others
            old: the wrong words, if they were said
            task: number or words; empty: the last
            project: name or number
        """
        owner, found = await pick_task(self._projects, ctx.user_id, task, project, last=self._acts)
        better = checked(corrected(found.title, clean(new), clean(old)) or clean(new), "new", MAX_TASK_CHARS)
        now = self._clock.now()
        act = Act.of(ctx, "changed", found.title, now)
        await self._projects.reword_task(ctx.user_id, found, better, now, act=act)
        return ToolResult.ok(
            f"Corrected task {found.number} of {owner.name}: {better}.",
            self._told_change(owner, replace(found, title=better), ctx),
        )

    async def delete_task(self, task: str, project: str = "", *, ctx: TurnContext) -> ToolResult:
        """Delete a task of a project.

        Args:
            task: number, or words of it
            project: name or number
        """
        owner, found = await pick_task(self._projects, ctx.user_id, task, project, last=self._acts)
        try:
            now = self._clock.now()
            act = Act.of(ctx, "deleted", found.title, now)
            await self._projects.delete_task(ctx.user_id, found, now, act=act)
        except NotFound as exc:
            raise _deleted_meanwhile(found.number, owner) from exc
        facts = {"name": owner.name, "number": found.number, "title": found.title}
        reply = say(PROJECTS.task_deleted, ctx.language, **facts)
        return ToolResult.ok(f"Deleted task {found.number} of {owner.name}: {found.title}.", reply)

    async def list_due_tasks(self, *, ctx: TurnContext) -> ToolResult:
        """Show which tasks are due or overdue in all projects, the soonest first."""
        now = local_now(self._clock, ctx)
        names = {one.id: one.name for one in await self._projects.list_all(ctx.user_id)}
        every = await self._projects.list_tasks(ctx.user_id)
        due = [one for one in every if one.due is not None and one.is_open]
        if not due:
            return ToolResult.ok("No task has a due date.", say(PROJECTS.due_none, ctx.language))
        due.sort(key=lambda one: one.due.end if one.due is not None else datetime.max)
        lines = [f"{names[one.project_id]}: {task_words(one, ctx.language, now)}" for one in due]
        known = [f"{names[one.project_id]}: {task_line(one)}" for one in due]
        told = say(PROJECTS.due_listed, ctx.language, lines=listed(lines, _SHOWN, ctx.language))
        return ToolResult.ok(f"Today is {now.date()}.\n{bounded(known, _SHOWN)}", told)

    async def set_due_date(
        self, when: OwnWords = "", task: str = "", project: str = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Set, change or remove the day until which a task is to be done.

        Args:
            when: the day as they wrote it; empty: none
            task: number or words; empty: the last
            project: name or number
        """
        owner, found = await pick_task(self._projects, ctx.user_id, task, project, last=self._acts)
        now, due = local_now(self._clock, ctx), None
        if WORDS["no_date"].isdisjoint(fold(when or await self._said(ctx)).split()):
            due = read_wanted(when, now, ctx.language) or Unclear()
        if isinstance(due, Unclear):
            return ToolResult.ok("Ask the user for the day.", asked_which(due, now, ctx.language))
        at = self._clock.now()
        act = Act.of(ctx, "changed", found.title, at)
        await self._projects.set_due(ctx.user_id, found, due, ctx.timezone, at=at, act=act)
        changed = replace(found, due=due)
        line = task_words(changed, ctx.language, now)
        reply = say(PROJECTS.due_set, ctx.language, name=owner.name, line=line)
        return ToolResult.ok(f"{owner.name}: task {task_line(changed)}", reply)

    def _told_change(self, project: Project, task: Task, ctx: TurnContext) -> str:
        line = task_words(task, ctx.language, local_now(self._clock, ctx))
        facts = {"name": project.name, "done": project.done, "tasks": project.tasks}
        return say(PROJECTS.task_changed, ctx.language, line=line, **facts)


def register(
    registry: SkillRegistry, projects: Projects, clock: Clock, acts: Acts, said: Said = said_nothing
) -> None:
    """Add the tools for tasks and their days."""
    tools = _TaskTools(projects, clock, acts, said)
    registry.add(tools.add_task, SKILL, aliases=BY_NAME, asks=PROJECTS.ask_add_task)
    registry.add(tools.update_task, SKILL, aliases=_BY_ID, asks=PROJECTS.ask_update_task)
    registry.add(tools.correct_task, SKILL, aliases=_BY_ID, asks=PROJECTS.ask_correct_task)
    registry.add(tools.delete_task, SKILL, aliases=_BY_ID, asks=PROJECTS.ask_delete_task)
    registry.add(tools.list_due_tasks, SKILL, read_only=True, trigger_pattern=ABOUT_DATES)
    registry.add(
        tools.set_due_date, SKILL, aliases=_DUE_ALIASES, asks=PROJECTS.ask_due, trigger_pattern=ABOUT_DATES
    )


def _progress(project: Project) -> str:
    if project.done == project.tasks and project.status == "active":
        return "All its tasks are done: ask whether the project is completed."
    return f"{done_of(project)}.".capitalize()


def _deleted_meanwhile(number: int, owner: Project) -> ToolFault:
    return ToolFault("task_unknown", f"Task {number} of {owner.name} was deleted meanwhile.")
