"""When tasks are due, by message: set, changed, removed, and listed across projects."""

from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from app.database.repositories.acts import Act, Acts
from app.domain.ports import Clock
from app.domain.tools import Alias, OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.skills.registry import SkillRegistry
from app.skills.tools.projects.due import Unclear, asked_which, read_wanted
from app.skills.tools.projects.lexicon import ABOUT_DATES, WORDS
from app.skills.tools.projects.lookup import SKILL, Said, bounded, local_now, pick_task, task_line
from app.skills.tools.projects.repository import Projects
from app.skills.tools.projects.texts import PROJECTS
from app.skills.tools.projects.wording import listed, task_words

_SHOWN: Final = 20
_ALIASES: Final = MappingProxyType(
    {"task_id": Alias("task"), "project_name": Alias("project"), "due_date": Alias("when")}
)


class _DueTools:
    def __init__(self, projects: Projects, clock: Clock, acts: Acts, said: Said) -> None:
        self._projects = projects
        self._said = said
        self._clock = clock
        self._acts = acts

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


def register(registry: SkillRegistry, projects: Projects, clock: Clock, acts: Acts, said: Said) -> None:
    """Add the two tools for days on which tasks are due."""
    tools = _DueTools(projects, clock, acts, said)
    registry.add(tools.list_due_tasks, SKILL, read_only=True, trigger_pattern=ABOUT_DATES)
    registry.add(tools.set_due_date, SKILL, aliases=_ALIASES, asks=PROJECTS.ask_due, trigger_pattern=ABOUT_DATES)
