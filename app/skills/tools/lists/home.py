"""Lists in the home: check off, add, change, rename and delete."""

from types import MappingProxyType
from typing import Final

from app.domain.errors import NotFound
from app.domain.wording import fold
from app.skills.pages import Choice, Entry, Field, Form, Page, Part, Refused, Section, Visit
from app.skills.texts import SKILLS
from app.skills.tools.lists.lists_tools import MAX_ITEM_CHARS, MAX_ITEMS
from app.skills.tools.lists.naming import MAX_NAME_CHARS
from app.skills.tools.lists.repository import Item, Lists, NamedList
from app.skills.tools.lists.texts import LISTS

_ICON: Final = "M4 6l1.5 1.5L8 5M4 12l1.5 1.5L8 11M4 18l1.5 1.5L8 17M11 6h9M11 12h9M11 18h9"


def part(lists: Lists) -> Part:
    """Return the part; every deed in it can be undone with `/undo`."""
    room = _Room(lists)
    acts = MappingProxyType(
        {
            "add": room.add,
            "check": room.check,
            "open": room.open,
            "change": room.change,
            "remove": room.remove,
            "rename": room.rename,
            "delete": room.delete,
        }
    )
    return Part("lists", LISTS.home_title, _ICON, room.show, acts, room.summary)


class _Room:
    def __init__(self, lists: Lists) -> None:
        self._lists = lists

    async def show(self, visit: Visit) -> Page:
        fields = (_name(visit, "list"), _things(visit))
        new = Section(choices=(Choice("add", visit.say(LISTS.home_new), fields=fields),))
        found = await self._lists.list_all(visit.user_id)
        empty = [] if found else [Section(empty=visit.say(LISTS.home_empty))]
        return Page([new, *(_section(one, visit) for one in found), *empty])

    async def summary(self, visit: Visit) -> str:
        found = await self._lists.list_all(visit.user_id)
        return visit.say(LISTS.home_count, count=sum(len(one.open_items) for one in found))

    async def add(self, visit: Visit, form: Form) -> str:
        name, things = visit.read(form, _name(visit, "list")), visit.read_things(form, _things(visit))
        known = next(
            (one for one in await self._lists.list_all(visit.user_id) if fold(one.name) == fold(name)), None
        )
        if len(known.items if known else ()) + len(things) > MAX_ITEMS:
            raise Refused(visit.say(LISTS.home_full, name=name, limit=MAX_ITEMS))
        await self._lists.add(visit.user_id, name, things, visit.now, act=visit.act("added", ", ".join(things)))
        return visit.say(LISTS.home_added, name=name)

    async def check(self, visit: Visit, form: Form) -> str:
        return await self._mark(visit, form, is_done=True)

    async def open(self, visit: Visit, form: Form) -> str:
        return await self._mark(visit, form, is_done=False)

    async def change(self, visit: Visit, form: Form) -> str:
        item, text = await self._item(visit, form), visit.read(form, _thing(visit))
        if not await self._lists.reword(visit.user_id, item, text, visit.act("changed", text)):
            raise Refused(visit.say(LISTS.home_there, thing=text))
        return visit.say(LISTS.home_changed, thing=text)

    async def remove(self, visit: Visit, form: Form) -> str:
        item = await self._item(visit, form)
        await self._lists.remove(visit.user_id, [item], visit.act("deleted", item.text))
        return visit.say(LISTS.home_removed, thing=item.text)

    async def rename(self, visit: Visit, form: Form) -> str:
        one, name = await self._list(visit, form), visit.read(form, _name(visit, "name"))
        if not await self._lists.rename(visit.user_id, one.id, name, visit.act("changed", name)):
            raise Refused(visit.say(LISTS.home_taken, name=name))
        return visit.say(LISTS.home_changed, thing=name)

    async def delete(self, visit: Visit, form: Form) -> str:
        one = await self._list(visit, form)
        await self._lists.delete(visit.user_id, one.id, visit.act("deleted", one.name))
        return visit.say(LISTS.home_removed, thing=one.name)

    async def _mark(self, visit: Visit, form: Form, *, is_done: bool) -> str:
        item = await self._item(visit, form)
        await self._lists.mark(visit.user_id, [item], is_done=is_done, act=visit.act("changed", item.text))
        return visit.say(LISTS.home_checked if is_done else LISTS.home_opened, thing=item.text)

    async def _list(self, visit: Visit, form: Form) -> NamedList:
        found = await self._lists.list_all(visit.user_id)
        one = next((one for one in found if str(one.id) == form.get("id")), None)
        if one is None:
            raise NotFound("list_unknown")
        return one

    async def _item(self, visit: Visit, form: Form) -> Item:
        found = await self._lists.list_all(visit.user_id)
        item = next((item for one in found for item in one.items if str(item.id) == form.get("id")), None)
        if item is None:
            raise NotFound("item_unknown")
        return item


def _section(one: NamedList, visit: Visit) -> Section:
    values = MappingProxyType({"id": str(one.id)})
    undoable = visit.say(SKILLS.home_undoable)
    choices = (
        Choice("add", visit.say(SKILLS.home_add), MappingProxyType({"list": one.name}), (_things(visit),)),
        Choice("rename", visit.say(SKILLS.home_rename), values, (_name(visit, "name", one.name),)),
        Choice("delete", visit.say(LISTS.home_delete), values, asks=undoable, is_grave=True),
    )
    return Section(one.name, [_entry(item, visit) for item in one.items], visit.say(LISTS.home_bare), choices)


def _entry(item: Item, visit: Visit) -> Entry:
    values = MappingProxyType({"id": str(item.id)})
    mark = ("open", LISTS.home_open) if item.is_done else ("check", LISTS.home_check)
    choices = (
        Choice(mark[0], visit.say(mark[1]), values),
        Choice("change", visit.say(SKILLS.home_change), values, (_thing(visit, item.text),)),
        Choice("remove", visit.say(LISTS.home_remove), values),
    )
    return Entry(item.text, is_done=item.is_done, choices=choices)


def _name(visit: Visit, name: str, value: str = "") -> Field:
    return Field(name, visit.say(LISTS.home_name), MAX_NAME_CHARS, value)


def _thing(visit: Visit, value: str = "") -> Field:
    return Field("thing", visit.say(LISTS.home_thing), MAX_ITEM_CHARS, value)


def _things(visit: Visit) -> Field:
    return Field("things", visit.say(LISTS.home_things), MAX_ITEM_CHARS, kind="things", most=MAX_ITEMS)
