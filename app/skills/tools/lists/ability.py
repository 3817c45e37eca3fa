"""Lists: what a household buys, packs or has to do, by name."""

from functools import partial
from typing import Final

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.amending import CALL_ID, JUST, amended
from app.skills.counting import asked_what_is_in
from app.skills.kit import Kit
from app.skills.named_things import names_one, tells_done
from app.skills.picking.choosing import FindClosest, is_in_talk
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import tokens_of
from app.skills.selection import READ_ID
from app.skills.tools.lists import home, lists_tools
from app.skills.tools.lists.at_hand import find_at_hand, read_at_hand
from app.skills.tools.lists.clearing import clears_list, read_started
from app.skills.tools.lists.dictating import read_announced, read_bare, read_dictated
from app.skills.tools.lists.lacking import read_lacking
from app.skills.tools.lists.moving import put_back, read_move
from app.skills.tools.lists.naming import find_named, name_of, shop_in
from app.skills.tools.lists.near import calls_for, read_near
from app.skills.tools.lists.picked import asked_whether, call_for, is_shown, may_pick
from app.skills.tools.lists.placed import names_place, read_placed, words_on
from app.skills.tools.lists.repository import UNDOABLE, Lists
from app.skills.tools.lists.spent import Spent, keeps_money
from app.skills.tools.lists.texts import LISTS

_CATEGORY: Final = ("lists",)
_ANSWERS: Final = 2


def register(kit: Kit) -> None:
    lists = Lists(kit.db)
    closest = None if kit.indexer is None else kit.indexer.find_closest
    lists_tools.register(kit.tools, lists, kit.clock, kit.repository.acts, closest)
    spent = Spent(lists, kit.repository.conversations)
    kit.certain.append(spent.call)
    if kit.is_small_model:
        # Before the sum of what was only told.
        kit.tellings.insert(0, spent.tell)
    kit.certain.append(partial(_move, lists))
    kit.certain.append(partial(_asked, lists))
    kit.certain.append(partial(_put_back, lists, kit.repository.acts, kit.clock))
    kit.certain.append(partial(_near, lists))
    kit.certain.append(_dictated)
    kit.certain.append(partial(_cleared, lists))
    kit.certain.append(partial(_started, lists))
    kit.certain.append(partial(_placed, lists))
    kit.certain.append(partial(_lacking, lists))
    kit.certain.append(partial(_strung, lists))
    kit.certain.append(partial(_picked, lists, closest))
    kit.certain.append(partial(_at_hand, lists))
    kit.needs.append(partial(_done_on, lists))
    kit.named.append(partial(_named, lists))
    kit.amending["list_items"] = partial(_amend, lists)
    kit.home.append(home.part(lists))
    kit.repository.acts.add(*UNDOABLE)


async def _amend(lists: Lists, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`."""
    known = await lists.list_all(ctx.user_id)
    name, item = next(((one.name, item) for one in known for item in one.items if item.id == row_id), ("", None))
    if item is None or (found := amended(item.text, text)) is None:
        return None
    return ToolCall(CALL_ID, "correct_item", {"new": found.text, "old": item.text, "list_name": name})


async def _move(lists: Lists, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`."""
    if (move := read_move(text)) is None:
        return None
    known = await lists.list_all(ctx.user_id)
    items = move.find(known, next((one for one in known if is_shown(one, ctx)), None))
    return ToolCall(CALL_ID, "move_to_list", {"items": items, "to_list": move.name}) if items else None


async def _asked(lists: Lists, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: it is asked what is on a list that is called by its name, or by a part of that, or what is on
    the one that was just shown."""
    if asked_whether(text):
        shown = next((one for one in await lists.list_all(ctx.user_id) if is_shown(one, ctx)), None)
        return None if shown is None else ToolCall(CALL_ID, "show_list", {"list_name": shown.name})
    named = asked_what_is_in(text)
    if named is None or not PICKING["elsewhere"].isdisjoint(one.key for one in tokens_of(text)):
        return None
    known = await lists.list_all(ctx.user_id)
    if named:
        target = find_named(known, named)
    else:
        newest = ctx.said.answers[:1]
        target = next((one for one in known if is_in_talk([f"{one.name}:"], newest)), None)
    return None if target is None else ToolCall(CALL_ID, "show_list", {"list_name": target.name})


async def _near(lists: Lists, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: the items of a list that was just shown or written are spoken of."""
    if not ctx.said.answers:
        return []
    known = await lists.list_all(ctx.user_id)
    is_elsewhere = (names_place(text) and bool(read_placed(text, known))) or read_lacking(text) is not None
    for one in known:
        is_near = is_in_talk([one.name, *(item.text for item in one.items)], ctx.said.answers)
        is_last = is_shown(one, ctx) and not keeps_money(one) and not is_elsewhere
        if is_near and (acts := read_near(text, one, is_last=is_last)):
            return calls_for(acts, one)
    return []


async def _put_back(lists: Lists, acts: Acts, clock: Clock, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: what was just taken off a list is wanted on it again, as it was called."""
    last = await acts.find_last(ctx.user_id)
    if last is None or last.verb != "deleted" or last.at < clock.now() - JUST:
        return None
    if not (items := put_back(text, last.subject.split(", "))):
        return None
    shown = next((one for one in await lists.list_all(ctx.user_id) if is_shown(one, ctx)), None)
    arguments = {"items": items, "list_name": "" if shown is None else shown.name}
    return None if shown is None else ToolCall(f"{READ_ID}_0", "add_to_list", arguments)


async def _strung(lists: Lists, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: several lists that were announced, or things to buy that are strung together."""
    if several := read_announced(text):
        return [
            ToolCall(f"{READ_ID}_{number}", "add_to_list", {"items": items, "list_name": name})
            for number, (name, items) in enumerate(several)
        ]
    known = await lists.list_all(ctx.user_id)
    if (found := read_bare(text, words_on(known))) is None:
        return []
    name = found.list_name or shop_in(text, known) or say(LISTS.default_name, ctx.language)
    return [ToolCall(f"{READ_ID}_0", "add_to_list", {"items": found.items, "list_name": name})]


async def _dictated(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: things are put on a list, and one of them is taken back in the same breath."""
    if (found := read_dictated(text)) is None:
        return None
    return ToolCall(CALL_ID, "add_to_list", {"items": found.items, "list_name": found.list_name})


async def _placed(lists: Lists, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: things are put on lists that are called by a place."""
    if not names_place(text):
        return []
    found = read_placed(text, await lists.list_all(ctx.user_id))
    return [
        ToolCall(CALL_ID, "add_to_list", {"items": one.items, "list_name": one.list_name})
        for one in found
        if all(each.items for each in found)
    ]


async def _cleared(lists: Lists, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: the list that was just shown is thrown away."""
    if not clears_list(text):
        return None
    shown = next((one for one in await lists.list_all(ctx.user_id) if is_shown(one, ctx)), None)
    return None if shown is None else ToolCall(CALL_ID, "clear_list", {"list_name": shown.name})


async def _started(lists: Lists, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: one more list, for what is planned in the place of what another was for."""
    if (found := read_started(text)) is None:
        return None
    is_near = any(lists_tools.tells_deleted(one) for one in ctx.said.answers[:_ANSWERS])
    is_near = is_near or any(is_shown(one, ctx) for one in await lists.list_all(ctx.user_id))
    arguments = {"items": found.items, "list_name": found.list_name}
    return ToolCall(CALL_ID, "add_to_list", arguments) if is_near else None


async def _lacking(lists: Lists, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: things that are missing, and last the list that they belong on."""
    if (found := read_lacking(text)) is None:
        return None
    known = await lists.list_all(ctx.user_id)
    is_named = bool(name_of(found.list_name))
    name = found.list_name if is_named else shop_in(text, known)
    return ToolCall(CALL_ID, "add_to_list", {"items": found.items, "list_name": name})


async def _picked(lists: Lists, closest: FindClosest | None, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: items are named, described, or told by their place."""
    if not may_pick(text, ctx):
        return None
    known = await lists.list_all(ctx.user_id)
    return await call_for(text, known, closest, ctx) if known else None


async def _at_hand(lists: Lists, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: somebody has already what stands on a list."""
    if not (said := read_at_hand(text)):
        return None
    name, items = find_at_hand(said, await lists.list_all(ctx.user_id), ctx.said.answers)
    return ToolCall(CALL_ID, "check_off", {"items": items, "list_name": name}) if items else None


async def _done_on(lists: Lists, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: something that stands on a list was got."""
    if not tells_done(text):
        return ()
    known = await lists.list_all(ctx.user_id)
    return _CATEGORY if names_one(text, (item.text for one in known for item in one.open_items)) else ()


async def _named(lists: Lists, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: a list is called by its name."""
    known = await lists.list_all(ctx.user_id)
    return _CATEGORY if names_one(text, (one.name for one in known)) else ()
