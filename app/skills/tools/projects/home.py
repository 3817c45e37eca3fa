"""Projects in the home: all of them, and one with its tasks and notes."""

from types import MappingProxyType
from typing import Final

from app.domain.errors import NotFound
from app.domain.wording import cut
from app.skills.pages import (
    ENTRIES_PER_PAGE,
    Choice,
    Entry,
    Field,
    Form,
    Page,
    Part,
    Refused,
    Section,
    Tone,
    Visit,
)
from app.skills.texts import SKILLS
from app.skills.tools.projects.due import Due, read_wanted
from app.skills.tools.projects.lookup import MAX_NAME_CHARS, MAX_NOTE_CHARS, MAX_TASK_CHARS
from app.skills.tools.projects.records import PROJECT_STATUSES, TASK_STATUSES, Project, Task
from app.skills.tools.projects.repository import Projects
from app.skills.tools.projects.texts import PROJECTS
from app.skills.tools.projects.wording import status_words, task_status_words
from app.when.rules import to_local

_ICON: Final = "M3 7h6l2 2h10v10H3zM3 7V5h6l2 2"
_SUBJECT_CHARS: Final = 60
_TO_MINUTES: Final = 16
_MAX_DAY_CHARS: Final = 60


def part(projects: Projects) -> Part:
    """Return the part; every deed in it can be undone with `/undo`."""
    room = _Room(projects)
    acts = MappingProxyType(
        {
            "create": room.create,
            "rename": room.rename,
            "status": room.set_status,
            "task": room.add_task,
            "mark": room.mark,
            "reword": room.reword,
            "due": room.set_due,
            "delete": room.delete_task,
            "note": room.add_note,
        }
    )
    return Part("projects", PROJECTS.home_title, _ICON, room.show, acts, room.summary)


class _Room:
    def __init__(self, projects: Projects) -> None:
        self._projects = projects

    async def show(self, visit: Visit) -> Page:
        if visit.item:
            return await self._show_one(await self._of(visit, visit.item), visit)
        found = await self._projects.list_all(visit.user_id)
        new = Choice("create", visit.say(PROJECTS.home_new), fields=(_name(visit),))
        shown = found[visit.offset : visit.offset + ENTRIES_PER_PAGE]
        entries = [
            Entry(
                one.name,
                one.description,
                notes=(status_words(one.status, visit.language), _progress(one, visit)),
                tone="" if one.status == "active" else "off",
                item=str(one.number),
            )
            for one in shown
        ]
        sections = [Section(choices=(new,)), Section(entries=entries, empty=visit.say(PROJECTS.home_empty))]
        return Page(sections, count=len(found))

    async def summary(self, visit: Visit) -> str:
        found = await self._projects.list_all(visit.user_id)
        return visit.say(PROJECTS.home_count, count=sum(one.status == "active" for one in found))

    async def create(self, visit: Visit, form: Form) -> str:
        name = visit.read(form, _name(visit))
        if await self._projects.create(visit.user_id, name, "", visit.now, act=visit.act("added", name)) is None:
            raise Refused(visit.say(PROJECTS.home_taken, name=name))
        return visit.say(PROJECTS.home_saved, name=name)

    async def rename(self, visit: Visit, form: Form) -> str:
        one, name = await self._of(visit, visit.item), visit.read(form, _name(visit))
        if not await self._projects.rename(visit.user_id, one.id, name, visit.now, act=visit.act("changed", name)):
            raise Refused(visit.say(PROJECTS.home_taken, name=name))
        return visit.say(PROJECTS.home_saved, name=name)

    async def set_status(self, visit: Visit, form: Form) -> str:
        one = await self._of(visit, visit.item)
        status = next((status for status in PROJECT_STATUSES if status == form.get("status")), None)
        if status is None:
            raise NotFound("status_unknown")
        act = visit.act("changed", one.name)
        await self._projects.set_status(visit.user_id, one.id, status, visit.now, act=act)
        return visit.say(PROJECTS.home_saved, name=one.name)

    async def add_task(self, visit: Visit, form: Form) -> str:
        one, title = await self._of(visit, visit.item), visit.read(form, _title(visit))
        act = visit.act("added", title)
        await self._projects.add_task(visit.user_id, one.id, title, "medium", at=visit.now, act=act)
        return visit.say(PROJECTS.home_saved, name=title)

    async def mark(self, visit: Visit, form: Form) -> str:
        task = await self._task(visit, form)
        status = next((status for status in TASK_STATUSES if status == form.get("status")), None)
        if status is None:
            raise NotFound("status_unknown")
        act = visit.act("changed", task.title)
        await self._projects.set_task_status(visit.user_id, task, status, visit.now, act=act)
        return visit.say(PROJECTS.home_saved, name=task.title)

    async def reword(self, visit: Visit, form: Form) -> str:
        task, title = await self._task(visit, form), visit.read(form, _title(visit))
        await self._projects.reword_task(visit.user_id, task, title, visit.now, act=visit.act("changed", title))
        return visit.say(PROJECTS.home_saved, name=title)

    async def set_due(self, visit: Visit, form: Form) -> str:
        task = await self._task(visit, form)
        written = visit.read(form, _when(task, visit))
        due = read_wanted(written, to_local(visit.now, visit.zone), visit.language) if written else None
        if written and not isinstance(due, Due):
            raise Refused(visit.say(PROJECTS.home_due_unclear))
        act = visit.act("changed", task.title)
        wanted = due if isinstance(due, Due) else None
        await self._projects.set_due(visit.user_id, task, wanted, visit.zone.key, at=visit.now, act=act)
        return visit.say(PROJECTS.home_saved, name=task.title)

    async def delete_task(self, visit: Visit, form: Form) -> str:
        task = await self._task(visit, form)
        await self._projects.delete_task(visit.user_id, task, visit.now, act=visit.act("deleted", task.title))
        return visit.say(PROJECTS.home_deleted, name=task.title)

    async def add_note(self, visit: Visit, form: Form) -> str:
        one, content = await self._of(visit, visit.item), visit.read(form, _note(visit))
        await self._projects.add_note(visit.user_id, one.id, content, visit.now, act=visit.act("added", content))
        return visit.say(PROJECTS.home_saved, name=cut(content, _SUBJECT_CHARS))

    async def _show_one(self, one: Project, visit: Visit) -> Page:
        tasks = await self._projects.list_tasks(visit.user_id, one.id)
        notes = await self._projects.list_notes(visit.user_id, one.id, limit=ENTRIES_PER_PAGE)
        sections = [
            Section(choices=_choices(one, visit)),
            Section(
                visit.say(PROJECTS.home_tasks),
                [_entry(task, visit) for task in tasks],
                visit.say(PROJECTS.home_no_tasks),
                (Choice("task", visit.say(PROJECTS.home_new_task), fields=(_title(visit),)),),
            ),
            Section(
                visit.say(PROJECTS.home_notes),
                [Entry(note.content, notes=(visit.told(note.created_at),)) for note in notes],
                visit.say(PROJECTS.home_no_notes),
                (Choice("note", visit.say(PROJECTS.home_new_note), fields=(_note(visit),)),),
            ),
        ]
        intro = " · ".join([status_words(one.status, visit.language), _progress(one, visit)])
        return Page(sections, intro, title=one.name)

    async def _of(self, visit: Visit, number: str) -> Project:
        found = await self._projects.list_all(visit.user_id)
        one = next((one for one in found if str(one.number) == number), None)
        if one is None:
            raise NotFound("project_unknown")
        return one

    async def _task(self, visit: Visit, form: Form) -> Task:
        one = await self._of(visit, visit.item)
        tasks = await self._projects.list_tasks(visit.user_id, one.id)
        task = next((task for task in tasks if str(task.number) == form.get("number")), None)
        if task is None:
            raise NotFound("task_unknown")
        return task


def _progress(one: Project, visit: Visit) -> str:
    return visit.say(PROJECTS.home_progress, done=one.done, tasks=one.tasks)


def _choices(one: Project, visit: Visit) -> tuple[Choice, ...]:
    others = [status for status in PROJECT_STATUSES if status != one.status]
    return (
        Choice("rename", visit.say(SKILLS.home_rename), fields=(_name(visit, one.name),)),
        *(
            Choice(
                "status",
                visit.say(PROJECTS.home_mark, status=status_words(status, visit.language)),
                MappingProxyType({"status": status}),
            )
            for status in others
        ),
    )


def _entry(task: Task, visit: Visit) -> Entry:
    number = str(task.number)
    marks = tuple(
        Choice(
            "mark",
            visit.say(PROJECTS.home_mark, status=task_status_words(status, visit.language)),
            MappingProxyType({"number": number, "status": status}),
        )
        for status in TASK_STATUSES
        if status != task.status
    )
    values = MappingProxyType({"number": number})
    asks = visit.say(SKILLS.home_undoable)
    choices = (
        *marks,
        Choice("reword", visit.say(SKILLS.home_change), values, (_title(visit, task.title),)),
        Choice("due", visit.say(PROJECTS.home_due), values, (_when(task, visit),)),
        Choice("delete", visit.say(SKILLS.home_delete), values, asks=asks, is_grave=True),
    )
    notes = [f"#{number}", task_status_words(task.status, visit.language)]
    now = to_local(visit.now, visit.zone)
    if task.due is not None and task.is_open:
        notes.append(task.due.told(now, visit.language))
    is_late = task.due is not None and task.is_open and task.due.is_over(now)
    tone: Tone = "bad" if is_late else ""
    return Entry(task.title, notes=tuple(notes), tone=tone, is_done=not task.is_open, choices=choices)


def _when(task: Task, visit: Visit) -> Field:
    written = task.due.stored.replace("T", " ")[:_TO_MINUTES] if task.due else ""
    return Field("when", visit.say(PROJECTS.home_due_field), _MAX_DAY_CHARS, written, is_needed=False)


def _name(visit: Visit, name: str = "") -> Field:
    return Field("name", visit.say(PROJECTS.home_name), MAX_NAME_CHARS, name)


def _title(visit: Visit, title: str = "") -> Field:
    return Field("title", visit.say(PROJECTS.home_task), MAX_TASK_CHARS, title)


def _note(visit: Visit) -> Field:
    return Field("content", visit.say(PROJECTS.home_note), MAX_NOTE_CHARS, kind="text")
