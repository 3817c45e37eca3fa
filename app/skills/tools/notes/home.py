"""Notes in the home: look through them, search, write, change and delete."""

from types import MappingProxyType
from typing import Final

from app.domain.errors import NotFound
from app.domain.wording import cut, said_number
from app.skills.pages import ENTRIES_PER_PAGE, Choice, Entry, Field, Form, Page, Part, Section, Visit
from app.skills.texts import SKILLS
from app.skills.tools.notes.notes_tools import MAX_CONTENT_CHARS, MAX_TITLE_CHARS
from app.skills.tools.notes.repository import Note, Notes
from app.skills.tools.notes.texts import NOTES

_ICON: Final = "M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7"


def part(notes: Notes) -> Part:
    """Return the part; every deed in it can be undone with `/undo`."""
    room = _Room(notes)
    acts = MappingProxyType({"add": room.add, "change": room.change, "delete": room.delete})
    return Part("notes", NOTES.home_title, _ICON, room.show, acts, room.summary)


class _Room:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def show(self, visit: Visit) -> Page:
        count = None
        if visit.words:
            found = await self._notes.search(visit.user_id, visit.words, limit=ENTRIES_PER_PAGE)
        else:
            found = await self._notes.list_recent(visit.user_id, limit=ENTRIES_PER_PAGE, offset=visit.offset)
            count = await self._notes.count(visit.user_id)
        new = Choice("add", visit.say(SKILLS.home_add), fields=_fields(visit))
        entries = [_entry(one, visit) for one in found]
        sections = [Section(choices=(new,)), Section(entries=entries, empty=visit.say(NOTES.home_empty))]
        return Page(sections, count=count, is_searchable=True)

    async def summary(self, visit: Visit) -> str:
        return visit.say(NOTES.home_count, count=await self._notes.count(visit.user_id))

    async def add(self, visit: Visit, form: Form) -> str:
        title, content = _read(visit, form)
        note = await self._notes.add(visit.user_id, title, content, visit.now, visit.act("added", title))
        return visit.say(NOTES.home_added, number=note.number)

    async def change(self, visit: Visit, form: Form) -> str:
        before, (title, content) = await self._of(visit, form), _read(visit, form)
        if not await self._notes.change(visit.user_id, before, title, content, visit.act("changed", title)):
            raise NotFound("note_changed_meanwhile")
        return visit.say(NOTES.home_changed, number=before.number)

    async def delete(self, visit: Visit, form: Form) -> str:
        note = await self._of(visit, form)
        await self._notes.delete(visit.user_id, note.number, visit.act("deleted", note.title))
        return visit.say(NOTES.home_deleted, number=note.number)

    async def _of(self, visit: Visit, form: Form) -> Note:
        note = await self._notes.find(visit.user_id, said_number(form.get("number", "")) or 0)
        if note is None:
            raise NotFound("note_unknown")
        return note


def _read(visit: Visit, form: Form) -> tuple[str, str]:
    title, content = (visit.read(form, one) for one in _fields(visit))
    return title or cut(content.partition("\n")[0], MAX_TITLE_CHARS), content


def _entry(note: Note, visit: Visit) -> Entry:
    values = MappingProxyType({"number": str(note.number)})
    fields = _fields(visit, note.title, note.content)
    choices = (
        Choice("change", visit.say(SKILLS.home_change), values, fields),
        Choice(
            "delete", visit.say(SKILLS.home_delete), values, asks=visit.say(SKILLS.home_undoable), is_grave=True
        ),
    )
    text = "" if note.content == note.title else note.content
    return Entry(note.title, text, notes=(f"#{note.number}", visit.told(note.created_at)), choices=choices)


def _fields(visit: Visit, title: str = "", content: str = "") -> tuple[Field, ...]:
    return (
        Field("title", visit.say(NOTES.home_name), MAX_TITLE_CHARS, title, is_needed=False),
        Field("content", visit.say(NOTES.home_content), MAX_CONTENT_CHARS, content, "text"),
    )
