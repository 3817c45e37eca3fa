"""Notes of a project by message: add, search."""

from typing import Final

from app.database.repositories.acts import Act
from app.domain.ports import Clock
from app.domain.tools import OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, one_line
from app.language.catalogue import say
from app.skills.registry import SkillRegistry
from app.skills.tools.projects.lookup import BY_NAME, MAX_NOTE_CHARS, SKILL, checked, pick_project
from app.skills.tools.projects.records import ProjectNote
from app.skills.tools.projects.repository import Projects
from app.skills.tools.projects.texts import PROJECTS

_SHOWN: Final = 20
_SHOWN_CHARS: Final = 240


class _ProjectNoteTools:
    def __init__(self, projects: Projects, clock: Clock) -> None:
        self._projects = projects
        self._clock = clock

    async def add_project_note(self, project: str, content: OwnWords, *, ctx: TurnContext) -> ToolResult:
        """Save a note inside a project.

        Args:
            project: name or number
            content: the whole text to keep
        """
        kept = checked(content, "content", MAX_NOTE_CHARS)
        found = await pick_project(self._projects, ctx.user_id, project)
        now = self._clock.now()
        act = Act.of(ctx, "added", one_line(kept, _SHOWN_CHARS), now)
        number = await self._projects.add_note(ctx.user_id, found.id, kept, now, act=act)
        facts = {"name": found.name, "number": number, "content": one_line(kept, _SHOWN_CHARS)}
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
        lines = [note_line(note) if within else f"{note.project}: {note_line(note)}" for note in found[:_SHOWN]]
        if len(found) > _SHOWN:
            lines.append("… more; search with other words.")
        return "\n".join(lines)


def note_line(note: ProjectNote) -> str:
    return f"{note.number}. {one_line(note.content, _SHOWN_CHARS)}"


def register(registry: SkillRegistry, projects: Projects, clock: Clock) -> None:
    """Add the two tools for notes of projects."""
    tools = _ProjectNoteTools(projects, clock)
    registry.add(tools.add_project_note, SKILL, aliases=BY_NAME, asks=PROJECTS.ask_add_note)
    registry.add(
        tools.search_project_notes,
        SKILL,
        read_only=True,
        aliases=BY_NAME,
    )
