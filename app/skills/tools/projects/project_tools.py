"""Projects by message: create, list, show, judge progress, change status, keep and find notes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal

from app.charts.charts import DrawIfAsked, draw_nothing
from app.database.repositories.acts import Act, Acts
from app.domain.errors import ToolFault
from app.domain.ports import Clock
from app.domain.tools import OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, each_thing, fold, one_line, said_number
from app.language.catalogue import say
from app.skills.registry import SkillRegistry
from app.skills.tools.projects import project_task_tools
from app.skills.tools.projects.listing import read_listed, wished_for
from app.skills.tools.projects.lookup import (
    BY_NAME,
    MAX_NAME_CHARS,
    MAX_NOTE_CHARS,
    MAX_TASK_CHARS,
    SKILL,
    Said,
    bounded,
    checked,
    done_of,
    local_now,
    pick_project,
    pick_said,
    project_line,
    said_nothing,
    task_line,
)
from app.skills.tools.projects.records import Project, ProjectNote, ProjectStatus, Task
from app.skills.tools.projects.repository import Projects
from app.skills.tools.projects.texts import PROJECTS
from app.skills.tools.projects.wording import listed, progress_chart, project_words, status_words, task_words

_MAX_DESCRIPTION_CHARS: Final = 500
_SHOWN: Final = 20
_SHOWN_OPEN: Final = 5
_SHOWN_RECENT: Final = 5
_SHOWN_NOTES: Final = 3
_SHOWN_CHARS: Final = 120
_SHOWN_OF_A_NOTE: Final = 240
_URGENCY: Final = ("high", "medium", "low")


class _ProjectTools:
    def __init__(self, projects: Projects, clock: Clock, acts: Acts, draw: DrawIfAsked) -> None:
        self._projects = projects
        self._draw = draw
        self._clock = clock
        self._acts = acts

    async def create_project(
        self, name: OwnWords, tasks: list[OwnWords] | None = None, description: OwnWords = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Create a project.

        Args:
            tasks: those that the user named, if any
            description: only if the user gave one
        """
        if not ctx.is_read and (listed := read_listed("\n".join(ctx.said.now))) is not None:
            name, tasks = listed
        called = " ".join(checked(name, "name", MAX_NAME_CHARS).split())
        if said_number(called) is not None:
            raise ToolFault("name_is_number", "A project's name cannot be a number alone: ask for a name.")
        about = one_line(clean(description), _MAX_DESCRIPTION_CHARS)
        now = self._clock.now()
        act = Act.of(ctx, "added", called, now)
        project = await self._projects.create(ctx.user_id, called, about, now, act=act)
        wanted = (
            list(tasks or ()) if ctx.is_read else wished_for(each_thing(tasks or (), MAX_TASK_CHARS), ctx.said.now)
        )
        if project is not None and wanted:
            return await self._with_tasks(project, wanted, ctx)
        if project is not None:
            reply = say(PROJECTS.project_created, ctx.language, number=project.number, name=project.name)
            return ToolResult.ok(f"Created project {project.number}: {project.name}.", reply)
        same = next(one for one in await self._projects.list_all(ctx.user_id) if fold(one.name) == fold(called))
        reply = say(PROJECTS.project_exists, ctx.language, line=project_words(same, ctx.language))
        return ToolResult.ok(f"The project exists already, nothing was created:\n{project_line(same)}", reply)

    async def _with_tasks(self, project: Project, wanted: Sequence[str], ctx: TurnContext) -> ToolResult:
        now = self._clock.now()
        tasks = []
        for title in wanted:
            act = Act.of(ctx, "added", title, now)
            tasks.append(await self._projects.add_task(ctx.user_id, project.id, title, "medium", at=now, act=act))
        created = say(PROJECTS.project_created, ctx.language, number=project.number, name=project.name)
        lines = say(PROJECTS.project_tasks, ctx.language, lines=self._told_tasks(tasks, _SHOWN, ctx))
        output = f"Created project {project.number}: {project.name}, with tasks:\n"
        return ToolResult.ok(output + "\n".join(map(task_line, tasks)), f"{created}\n{lines}")

    async def rename_project(self, name: OwnWords, project: str = "", *, ctx: TurnContext) -> ToolResult:
        """Give a project another name.

        Args:
            name: the new name
            project: name or number; empty: the last
        """
        called = " ".join(checked(name, "name", MAX_NAME_CHARS).split())
        found = await pick_said(self._projects, ctx, project, last=self._acts)
        now = self._clock.now()
        act = Act.of(ctx, "changed", found.name, now)
        if not await self._projects.rename(ctx.user_id, found.id, called, now, act=act):
            raise ToolFault("project_exists", f'There is a project called "{called}" already.')
        reply = say(PROJECTS.project_renamed, ctx.language, old=found.name, name=called)
        return ToolResult.ok(f"Project {found.name} is now called {called}.", reply)

    async def list_projects(
        self, status: Literal[ProjectStatus, "all"] = "active", *, ctx: TurnContext
    ) -> ToolResult:
        """List the names of all projects."""
        known = await self._projects.list_all(ctx.user_id)
        chosen = [project for project in known if status in ("all", project.status)]
        if chosen:
            lines = listed([project_words(project, ctx.language) for project in chosen], _SHOWN, ctx.language)
            reply = say(PROJECTS.projects, ctx.language, lines=lines)
            return ToolResult.ok(bounded([project_line(project) for project in chosen], _SHOWN), reply)
        if not known:
            return ToolResult.ok("There are no projects yet.", say(PROJECTS.projects_none, ctx.language))
        others = bounded([project_line(project) for project in known], _SHOWN)
        return ToolResult.ok(f"No {status} projects. The others:\n{others}")

    async def get_project(self, project: str, *, ctx: TurnContext) -> ToolResult:
        """Show the tasks and notes of one project.

        Args:
            project: name or number
        """
        found = await pick_said(self._projects, ctx, project, last=self._acts)
        tasks = await self._projects.list_tasks(ctx.user_id, found.id)
        notes = await self._projects.list_notes(ctx.user_id, found.id, limit=_SHOWN_NOTES)
        parts, told = [f"Project {project_line(found)}"], [project_words(found, ctx.language)]
        if tasks:
            parts.append("Tasks:\n" + bounded([task_line(task) for task in tasks], _SHOWN))
            told.append(say(PROJECTS.project_tasks, ctx.language, lines=self._told_tasks(tasks, _SHOWN, ctx)))
        if notes:
            lines = "\n".join(_note_line(note) for note in notes)
            parts.append(f"Newest notes:\n{lines}")
            told.append(say(PROJECTS.project_notes, ctx.language, lines=lines))
        return ToolResult.ok("\n".join(parts), "\n".join(told))

    async def project_progress(self, project: str, *, ctx: TurnContext) -> ToolResult:
        """Tell how far a project is and what is open.

        Args:
            project: name or number
        """
        found = await pick_said(self._projects, ctx, project, last=self._acts)
        tasks = await self._projects.list_tasks(ctx.user_id, found.id)
        recent = await self._projects.list_activity(ctx.user_id, found.id, limit=_SHOWN_RECENT)
        share = f" ({100 * found.done // found.tasks}%)" if found.tasks else ""
        parts, told = [f"{found.name} is {found.status}: {done_of(found)}{share}."], []
        told.append(project_words(found, ctx.language))
        if waiting := sorted((task for task in tasks if task.status != "done"), key=_urgency):
            parts.append("Open:\n" + bounded([task_line(task) for task in waiting], _SHOWN_OPEN))
            told.append(say(PROJECTS.project_open, ctx.language, lines=self._told_tasks(waiting, _SHOWN, ctx)))
        parts.append("Last:\n" + "\n".join(one_line(one.what, _SHOWN_CHARS) for one in recent))
        drawn = await self._draw(progress_chart(found, tasks, ctx.language), ctx) if tasks else ()
        return ToolResult.ok("\n".join(parts), "\n".join(told), *drawn)

    async def update_project_status(self, project: str, status: ProjectStatus, *, ctx: TurnContext) -> ToolResult:
        """Complete, archive or reopen a project.

        Args:
            project: name or number
        """
        found = await pick_said(self._projects, ctx, project, last=self._acts)
        said = status_words(status, ctx.language)
        reply = say(PROJECTS.project_status, ctx.language, name=found.name, status=said)
        if found.status == status:
            return ToolResult.ok(f"{_named(found)} was {status} already.", reply)
        now = self._clock.now()
        act = Act.of(ctx, "changed", found.name, now)
        await self._projects.set_status(ctx.user_id, found.id, status, now, act=act)
        return ToolResult.ok(f"{_named(found)} is now {status}, {done_of(found)}.", reply)

    async def add_project_note(self, project: str, content: OwnWords, *, ctx: TurnContext) -> ToolResult:
        """Save a note inside a project.

        Args:
            project: name or number
            content: the whole text to keep
        """
        kept = checked(content, "content", MAX_NOTE_CHARS)
        found = await pick_said(self._projects, ctx, project, last=self._acts)
        now = self._clock.now()
        act = Act.of(ctx, "added", one_line(kept, _SHOWN_OF_A_NOTE), now)
        number = await self._projects.add_note(ctx.user_id, found.id, kept, now, act=act)
        facts = {"name": found.name, "number": number, "content": one_line(kept, _SHOWN_OF_A_NOTE)}
        reply = say(PROJECTS.project_note_saved, ctx.language, **facts)
        return ToolResult.ok(f"Saved note {number} in project {found.name}.", reply)

    async def search_project_notes(self, query: OwnWords, project: str = "", *, ctx: TurnContext) -> str:
        """Find notes inside projects by words.

        Args:
            project: name or number
        """
        within = await pick_project(self._projects, ctx.user_id, project) if clean(project) else None
        found = await self._projects.search_notes(
            ctx.user_id, query, project_id=within.id if within else None, limit=_SHOWN + 1
        )
        place = f"in {within.name}" if within else "in any project"
        if not found:
            return f'No note {place} matches "{one_line(clean(query), 60)}".'
        lines = [_note_line(note) if within else f"{note.project}: {_note_line(note)}" for note in found[:_SHOWN]]
        if len(found) > _SHOWN:
            lines.append("… more; search with other words.")
        return "\n".join(lines)

    def _told_tasks(self, tasks: Sequence[Task], limit: int, ctx: TurnContext) -> str:
        now = local_now(self._clock, ctx)
        return listed([task_words(task, ctx.language, now) for task in tasks], limit, ctx.language)


def register(
    registry: SkillRegistry,
    projects: Projects,
    clock: Clock,
    acts: Acts,
    draw: DrawIfAsked = draw_nothing,
    said: Said = said_nothing,
) -> None:
    """Add the tools for projects, for their tasks, and for their notes."""
    tools = _ProjectTools(projects, clock, acts, draw)
    registry.add(tools.create_project, SKILL, asks=PROJECTS.ask_create)
    registry.add(tools.rename_project, SKILL, aliases=BY_NAME, asks=PROJECTS.ask_rename)
    registry.add(tools.update_project_status, SKILL, aliases=BY_NAME, asks=PROJECTS.ask_status)
    registry.add(tools.list_projects, SKILL, read_only=True)
    registry.add(tools.get_project, SKILL, read_only=True, aliases=BY_NAME)
    registry.add(tools.project_progress, SKILL, read_only=True, aliases=BY_NAME)
    project_task_tools.register(registry, projects, clock, acts, said)
    registry.add(tools.add_project_note, SKILL, aliases=BY_NAME, asks=PROJECTS.ask_add_note)
    registry.add(tools.search_project_notes, SKILL, read_only=True, aliases=BY_NAME)


def _named(project: Project) -> str:
    return f"Project {project.number}, {project.name},"


def _urgency(task: Task) -> tuple[bool, bool, int, datetime, int]:
    end = datetime.max if task.due is None else task.due.end
    return task.status != "in_progress", task.due is None, _URGENCY.index(task.priority), end, task.number


def _note_line(note: ProjectNote) -> str:
    return f"{note.number}. {one_line(note.content, _SHOWN_OF_A_NOTE)}"
