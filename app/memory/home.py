"""Facts in the home: each with the message that it came from, to be corrected, forgotten or added."""

from collections.abc import Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from app.database.repositories.conversations import Conversations
from app.domain.errors import NotFound
from app.domain.ids import TurnId
from app.domain.wording import cut, fold, said_number
from app.memory.categories import CATEGORIES, CATEGORY_TITLES
from app.memory.repository import Memories, Memory
from app.memory.service import MAX_FACT_CHARS, Forgotten, MemoryService
from app.memory.texts import MEMORY
from app.skills.pages import ENTRIES_PER_PAGE, Choice, Entry, Field, Form, Page, Part, Section, Visit
from app.skills.texts import SKILLS

_ICON: Final = "M12 20s-7-4.4-7-10a4 4 0 0 1 7-2.6A4 4 0 0 1 19 10c0 5.6-7 10-7 10z"
_QUOTE_CHARS: Final = 600
_SUBJECT_CHARS: Final = 60


def part(service: MemoryService, memories: Memories, conversations: Conversations) -> Part:
    """Return the part; what is changed in it can be undone with `/undo`."""
    room = _Room(service, memories, conversations)
    acts = MappingProxyType({"add": room.add, "change": room.change, "forget": room.forget})
    return Part("memory", MEMORY.home_title, _ICON, room.show, acts, room.summary)


class _Room:
    def __init__(self, service: MemoryService, memories: Memories, conversations: Conversations) -> None:
        self._service = service
        self._memories = memories
        self._conversations = conversations

    async def show(self, visit: Visit) -> Page:
        shown, count = await self._find(visit)
        sources = {one.turn_id for one in shown if one.turn_id is not None}
        said = await self._conversations.texts_of(visit.user_id, sources)
        new = Choice("add", visit.say(SKILLS.home_add), fields=(_field(visit),))
        sections = [Section(choices=(new,), empty="" if shown else visit.say(MEMORY.home_empty))]
        for category, group in groupby(shown, key=lambda one: one.category):
            entries = [_entry(one, said, visit) for one in group]
            sections.append(Section(visit.say(CATEGORY_TITLES[category]), entries))
        return Page(sections, visit.say(MEMORY.home_intro), count=count, is_searchable=True)

    async def summary(self, visit: Visit) -> str:
        return visit.say(MEMORY.home_count, count=await self._memories.count_active(visit.user_id))

    async def add(self, visit: Visit, form: Form) -> str:
        text = visit.read(form, _field(visit))
        await self._service.remember(visit.user_id, text, act=visit.act("added", cut(text, _SUBJECT_CHARS)))
        return visit.say(MEMORY.home_kept)

    async def change(self, visit: Visit, form: Form) -> str:
        before, text = await self._of(visit, form), visit.read(form, _field(visit))
        act = visit.act("changed", cut(text, _SUBJECT_CHARS))
        if not await self._service.correct(visit.user_id, before, text, act):
            raise NotFound("fact_changed_meanwhile")
        return visit.say(MEMORY.home_changed)

    async def forget(self, visit: Visit, form: Form) -> str:
        fact = await self._of(visit, form)
        act = visit.act("deleted", cut(fact.text, _SUBJECT_CHARS))
        if not isinstance(await self._service.forget(visit.user_id, f"#{fact.number}", act=act), Forgotten):
            raise NotFound("fact_changed_meanwhile")
        return visit.say(MEMORY.home_forgotten)

    async def _find(self, visit: Visit) -> tuple[list[Memory], int]:
        """Return the facts of the page that is asked for, and how many there are on all pages."""
        if not visit.words:
            page = await self._memories.list_page(
                visit.user_id, CATEGORIES, limit=ENTRIES_PER_PAGE, offset=visit.offset
            )
            return page, await self._memories.count_active(visit.user_id)
        wanted = fold(visit.words)
        found = [one for one in await self._service.list_active(visit.user_id) if wanted in fold(one.text)]
        found.sort(key=lambda one: (CATEGORIES.index(one.category), one.number))
        return found[visit.offset : visit.offset + ENTRIES_PER_PAGE], len(found)

    async def _of(self, visit: Visit, form: Form) -> Memory:
        number = said_number(form.get("number", "")) or 0
        facts = await self._service.list_active(visit.user_id)
        found = next((one for one in facts if one.number == number), None)
        if found is None:
            raise NotFound("fact_unknown")
        return found


def _entry(fact: Memory, said: dict[TurnId, str], visit: Visit) -> Entry:
    values = MappingProxyType({"number": str(fact.number)})
    source = "" if fact.turn_id is None else said.get(fact.turn_id, "")
    choices = (
        Choice("change", visit.say(SKILLS.home_change), values, (_field(visit, fact.text),)),
        Choice(
            "forget", visit.say(SKILLS.home_delete), values, asks=visit.say(SKILLS.home_undoable), is_grave=True
        ),
    )
    notes: Sequence[str] = (f"#{fact.number}", visit.told(fact.updated_at))
    if fact.turn_id is None:
        notes = (*notes, visit.say(MEMORY.home_typed))
    quote = "" if source == fact.text else cut(source, _QUOTE_CHARS)
    return Entry(fact.text, quote=quote, notes=tuple(notes), choices=choices)


def _field(visit: Visit, text: str = "") -> Field:
    return Field("fact", visit.say(MEMORY.home_fact), MAX_FACT_CHARS, text, "text")
