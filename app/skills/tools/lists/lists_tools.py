"""Lists by message: put on, check off, take off, show; each person sees and changes only their own."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.database.repositories.acts import Act, Acts, Verb
from app.domain.errors import ToolFault
from app.domain.ports import Clock
from app.domain.tools import LooseWords, OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, fold, one_line, points_back, stem, words
from app.language.catalogue import Language, openings, say
from app.skills.counting import speaks_of_left
from app.skills.own_words import corrected
from app.skills.picking.choosing import FindClosest
from app.skills.picking.reading import Deed, Wish, read_wish
from app.skills.picking.tokens import is_content, tokens_of
from app.skills.registry import SkillRegistry
from app.skills.tools.lists.held import tidied
from app.skills.tools.lists.joined import each_listed
from app.skills.tools.lists.leaving import read_left
from app.skills.tools.lists.lexicon import QUANTITY
from app.skills.tools.lists.naming import find_list, name_of
from app.skills.tools.lists.picked import asked_whether, asks_count, choices_of, names_other, numbered, pick_items
from app.skills.tools.lists.placed import as_dictated
from app.skills.tools.lists.repository import Item, Lists, NamedList
from app.skills.tools.lists.rows import parted
from app.skills.tools.lists.showing import names_of, no_such_list, shown_lines, shown_list, told_as
from app.skills.tools.lists.strung import with_measures
from app.skills.tools.lists.texts import LISTS
from app.skills.tools.lists.titles import is_aside
from app.skills.tools.lists.wording import Items

_MOST_CUT: Final = 2
SKILL: Final = "lists"
MAX_ITEMS: Final = 200
MAX_ITEM_CHARS: Final = 200
_COUNTED: Final = re.compile(r" \([^()]*\)$")


class _ListTools:
    def __init__(self, lists: Lists, clock: Clock, acts: Acts, closest: FindClosest | None) -> None:
        self._lists = lists
        self._closest = closest
        self._clock = clock
        self._acts = acts

    async def add_to_list(
        self, items: list[OwnWords], list_name: OwnWords = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Put things on a list, such as the shopping list.

        Args:
            list_name: as the person calls it
        """
        known = await self._lists.list_all(ctx.user_id)
        each = [one_line(clean(one), MAX_ITEM_CHARS) for one in items]
        said = ctx.said.now[0] if ctx.said.now else ""
        if not ctx.is_read:
            taken, list_name = as_dictated(items, list_name, said, known)
            each = each_listed(taken, MAX_ITEM_CHARS)
        wanted = with_measures([tidied(one) for one in each if not is_aside(one, said)])
        # A message that was cut into its words: "to", "not", "a".
        cut = sum(not any(is_content(word.key) for word in tokens_of(one)) for one in wanted)
        if not wanted or (cut > _MOST_CUT and not ctx.is_read):
            raise ToolFault("items_missing", "items is empty: say what to put on the list.")
        if (
            not ctx.is_read
            and len(wanted) == 1
            and QUANTITY.fullmatch(fold(wanted[0]))
            and (last := await self._last(known, ctx))
        ):
            return await self._counted(*last, wanted[0], ctx)
        target = find_list(known, list_name)
        name = target.name if target else _new_name(list_name, ctx)
        if len(target.items if target else ()) + len(wanted) > MAX_ITEMS:
            raise ToolFault("list_full", f"a list holds {MAX_ITEMS} things: take some off first.")
        act = self._act(ctx, "added", ", ".join(wanted))
        await self._lists.add(ctx.user_id, name, wanted, self._clock.now(), act=act)
        return await self._shown(ctx, name)

    async def show_list(self, list_name: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Show a list and what is left on it.

        Args:
            list_name: as the person calls it
        """
        if isinstance(target := await self._of(list_name, ctx), ToolResult):
            return target
        await self._lists.use(ctx.user_id, target.id, self._clock.now())
        if any(asks_count(one, target.name) for one in ctx.said.now):
            left = say(LISTS.overview, ctx.language, name=target.name, count=len(target.open_items))
            return told_as(left, left)
        if target.open_items and any(map(speaks_of_left, ctx.said.now)):
            target = replace(target, items=target.open_items)
        text = shown_list(target, ctx.language)
        if asked := next((item for one in ctx.said.now if (item := asked_whether(one))), ""):
            is_there = _item(asked, target.items) or Items(target).named(tokens_of(asked))
            sentence = LISTS.is_there if is_there else LISTS.not_found
            text = say(sentence, ctx.language, item=asked, name=target.name, list=text)
        return told_as(shown_lines(target), text)

    async def show_lists(self, *, ctx: TurnContext) -> ToolResult:
        """Name all lists."""
        known = await self._lists.list_all(ctx.user_id)
        if not known:
            return no_such_list(known, "", ctx.language)
        told = [say(LISTS.overview, ctx.language, name=one.name, count=len(one.open_items)) for one in known]
        return told_as("\n".join(f"{one.name}: {len(one.open_items)} open" for one in known), "\n".join(told))

    async def check_off(self, items: list[OwnWords], list_name: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Mark things on a list as bought or done.

        Args:
            list_name: as the person calls it
        """
        target, found, lost = await self._pick(ctx, items, list_name, "done")
        if target is None or not found:
            return await self._lost(ctx, target, lost, list_name)
        await self._lists.mark(ctx.user_id, found, is_done=True, act=self._act(ctx, "changed", names_of(found)))
        return await self._shown(ctx, target.name, changed=("checked", found), lost=lost)

    async def are_open(self, items: Sequence[str], list_name: str = "", *, ctx: TurnContext) -> bool:
        """Tell whether all that is named stands on a list, and none of it is checked."""
        target, found, lost = await self._pick(ctx, items, list_name, "done")
        return target is not None and bool(found) and not lost and not any(one.is_done for one in found)

    async def none_there(self, items: Sequence[str], list_name: str = "", *, ctx: TurnContext) -> bool:
        """Tell whether nothing that is named stands on a list: who is asked about it is asked for nothing."""
        return not (await self._pick(ctx, items, list_name, "remove"))[1]

    async def those_there(
        self, items: Sequence[str], list_name: str = "", *, ctx: TurnContext
    ) -> dict[str, object]:
        """Return the call with only what stands on the list."""
        found = (await self._pick(ctx, items, list_name))[1]
        return {"items": [one.text for one in found] or list(items), "list_name": list_name}

    async def remove_from_list(
        self, items: list[OwnWords], list_name: OwnWords = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Take things off a list that are no longer wanted.

        Args:
            list_name: as the person calls it
        """
        target, found, lost = await self._pick(ctx, items, list_name, "remove")
        if target is None or not found:
            return await self._lost(ctx, target, lost, list_name)
        named, rest = parted(found, " ".join(ctx.said.now))
        await self._lists.remove(ctx.user_id, found, self._act(ctx, "deleted", names_of(named)), rest)
        return await self._shown(ctx, target.name, changed=("removed", named), lost=lost)

    async def move_to_list(self, items: list[OwnWords], to_list: OwnWords, *, ctx: TurnContext) -> ToolResult:
        """Move things from their list to another one.

        Args:
            to_list: as the person calls it; it may be new
        """
        target, found, lost = await self._pick(ctx, items, "")
        if target is None or not found:
            return await self._lost(ctx, target, lost, "")
        known = await self._lists.list_all(ctx.user_id)
        there = find_list(known, to_list)
        # "The market", beside the list for shopping, is another one where things leave that.
        name = there.name if there is not None and there.id != target.id else name_of(to_list)
        if not name or name == target.name:
            raise ToolFault("list_missing", "to_list is no other list: ask which one is meant.")
        act = self._act(ctx, "changed", names_of(found))
        await self._lists.move(ctx.user_id, found, name, self._clock.now(), act)
        return await self._shown(ctx, name)

    async def correct_item(
        self, new: OwnWords, old: LooseWords = "", list_name: LooseWords = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Correct a thing that is already on a list.

        Args:
            new: the right words, no others
            old: the thing as it is; empty: the last
            list_name: as the person calls it
        """
        known = await self._lists.list_all(ctx.user_id)
        named = find_list(known, list_name) if list_name else None
        every = [(one, item) for one in ([named] if named else known) for item in one.items]
        last = await self._last([named] if named else known, ctx) if points_back(old) else None
        item = last[1] if last else _item(old, [item for _, item in every])
        if item is None or (not ctx.is_read and names_other(ctx.said.now, item, [one for _, one in every])):
            raise ToolFault("item_unknown", "Nothing on the lists is called so: ask what to correct.")
        wish = read_wish(ctx.said.now[0]) if ctx.said.now else None
        is_said = wish is not None and wish.new == new
        is_whole = fold(old) == fold(item.text) and (is_said or _is_alike(new, old))
        found = None if is_whole or ctx.is_read else corrected(item.text, clean(new))
        better = one_line(found or clean(new), MAX_ITEM_CHARS)
        act = self._act(ctx, "changed", item.text)
        if not better or not await self._lists.reword(ctx.user_id, item, better, act):
            raise ToolFault("item_there", f'"{better}" is on the list already.')
        return await self._shown(ctx, next(one.name for one, its in every if its.id == item.id))

    async def rename_list(self, name: OwnWords, list_name: LooseWords = "", *, ctx: TurnContext) -> ToolResult:
        """Give a list another name.

        Args:
            name: the new name
            list_name: as it is called now
        """
        if isinstance(target := await self._of(list_name, ctx), ToolResult):
            return target
        called = name_of(name)
        act = self._act(ctx, "changed", target.name)
        if not called or not await self._lists.rename(ctx.user_id, target.id, called, act):
            raise ToolFault("list_there", f'There is a list called "{called}" already, or that is no name.')
        return await self._shown(ctx, called)

    async def _of(self, list_name: str, ctx: TurnContext) -> NamedList | ToolResult:
        """Return the list that is meant, or what to say where there is none of that name."""
        known = await self._lists.list_all(ctx.user_id)
        return find_list(known, list_name) or no_such_list(known, list_name, ctx.language)

    async def _last(self, known: Sequence[NamedList], ctx: TurnContext) -> tuple[NamedList, Item] | None:
        """Return the item that was put down or changed last, with its list."""
        row_id = await self._acts.find_last_row(ctx.user_id, "list_items")
        return next(((one, item) for one in known for item in one.items if item.id == row_id), None)

    async def _counted(self, target: NamedList, item: Item, quantity: str, ctx: TurnContext) -> ToolResult:
        """Say how much of the last thing is wanted: "make it two bags" is no thing of its own."""
        bare = _COUNTED.sub("", item.text)
        better = one_line(f"{bare} ({quantity})", MAX_ITEM_CHARS)
        if not await self._lists.reword(ctx.user_id, item, better, self._act(ctx, "changed", item.text)):
            raise ToolFault("item_there", f'"{better}" is on the list already.')
        return await self._shown(ctx, target.name)

    def _act(self, ctx: TurnContext, verb: Verb, subject: str) -> Act:
        return Act.of(ctx, verb, subject, self._clock.now())

    async def clear_list(self, list_name: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Delete a list with all that is on it.

        Args:
            list_name: as the person calls it
        """
        if isinstance(target := await self._of(list_name, ctx), ToolResult):
            return target
        await self._lists.delete(ctx.user_id, target.id, self._act(ctx, "deleted", target.name))
        return told_as(f"Deleted the list {target.name}.", say(LISTS.deleted, ctx.language, name=target.name))

    async def clear_checked(self, list_name: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Take off a list only what is already checked; the rest stays.

        Args:
            list_name: as the person calls it
        """
        if isinstance(target := await self._of(list_name, ctx), ToolResult):
            return target
        done = [item for item in target.items if item.is_done]
        await self._lists.remove(ctx.user_id, done, self._act(ctx, "deleted", names_of(done)))
        return await self._shown(ctx, target.name, changed=("removed", done) if done else None)

    async def _pick(
        self, ctx: TurnContext, items: Sequence[str], list_name: str, deed: Deed | None = None
    ) -> tuple[NamedList | None, list[Item], list[str]]:
        """Return the list that is meant, those of its items that were named, and the names that fit none.

        Where no list is named, the one that has the most of them is meant, the one used last among equals. What
        the message itself says that it means counts more than what a model made of it.
        """
        known = await self._lists.list_all(ctx.user_id)
        named = find_list(known, list_name) if list_name else None
        wanted = each_listed(items, MAX_ITEM_CHARS)
        candidates = [named] if named else known
        wish = None if ctx.is_read else _wish_of(ctx, deed)
        if wish is not None and (picked := await pick_items(wish, candidates, self._closest)) is not None:
            return picked
        tried = [(one, [_item(word, one.items) for word in wanted]) for one in candidates]
        if not tried:
            return None, [], wanted
        target, hits = max(tried, key=lambda pair: sum(hit is not None for hit in pair[1]))
        hits = [hit or await self._meant(word, target, hits) for word, hit in zip(wanted, hits, strict=True)]
        left_alone = _left_alone(ctx, target)
        found = [hit for hit in dict.fromkeys(hits) if hit is not None and hit not in left_alone]
        return target, found, [word for word, hit in zip(wanted, hits, strict=True) if hit is None]

    async def _meant(self, said: str, target: NamedList, hits: Sequence[Item | None]) -> Item | None:
        """Return the item that is described and not named: "the stuff for the birds" is the bird seed."""
        others = [item for item in target.open_items if item not in hits]
        if self._closest is None or len(others) <= 1:
            return None
        place = await self._closest(said, [item.text for item in others])
        return None if place is None else others[place]

    async def _shown(
        self,
        ctx: TurnContext,
        name: str,
        changed: tuple[str, Sequence[Item]] | None = None,
        lost: Sequence[str] = (),
    ) -> ToolResult:
        """Tell what is on the list now, below what changed, and above what is `lost`: it was not found."""
        target = find_list(await self._lists.list_all(ctx.user_id), name)
        if target is None:
            raise ToolFault("list_gone", "The list was deleted meanwhile.")
        text = shown_list(target, ctx.language)
        if changed is None:
            return replace(told_as(shown_lines(target), text), shows=(name, text))
        key, items = changed
        named = names_of(items)
        sentence = LISTS.checked if key == "checked" else LISTS.removed
        told = say(sentence, ctx.language, items=named, list=text)
        if lost:
            told = "\n".join(filter(None, (told, _which(target, lost, _wish_of(ctx), ctx.language))))
        shows = ("", "") if lost else (name, text)
        return replace(told_as(f"{key}: {named}\n{shown_lines(target)}", told), shows=shows)

    async def _lost(
        self, ctx: TurnContext, target: NamedList | None, lost: Sequence[str], list_name: str
    ) -> ToolResult:
        if target is None:
            return no_such_list(await self._lists.list_all(ctx.user_id), list_name, ctx.language)
        item, text = one_line(", ".join(lost), MAX_ITEM_CHARS), shown_list(target, ctx.language)
        if not item:
            wish = read_wish(ctx.said.now[0]) if ctx.said.now else None
            meant = numbered(target.items if wish is None else choices_of(target, wish))
            return told_as(f"Which is meant?\n{meant}", say(LISTS.which_of_them, ctx.language, list=meant))
        if (wish := _wish_of(ctx)) is not None and choices_of(target, wish):
            return told_as(f'Which is "{item}"?', _which(target, lost, wish, ctx.language))
        reply = say(LISTS.not_found, ctx.language, item=item, name=target.name, list=text)
        return told_as(f'"{item}" is not on {target.name}:\n{shown_lines(target)}', reply)


def register(
    registry: SkillRegistry, lists: Lists, clock: Clock, acts: Acts, closest: FindClosest | None = None
) -> None:
    """Add the tools for lists; read tools come before write tools."""
    tools = _ListTools(lists, clock, acts, closest)
    registry.add(tools.show_list, SKILL, read_only=True)
    registry.add(tools.add_to_list, SKILL, asks=LISTS.ask_add)
    registry.add(tools.check_off, SKILL, asks=LISTS.ask_check, evident=tools.are_open, finds=tools.those_there)
    registry.add(
        tools.remove_from_list, SKILL, asks=LISTS.ask_remove, evident=tools.none_there, finds=tools.those_there
    )
    registry.add(tools.show_lists, SKILL, read_only=True)
    registry.add(tools.correct_item, SKILL, asks=LISTS.ask_correct)
    registry.add(tools.clear_checked, SKILL, asks=LISTS.ask_clear_checked)
    registry.add(tools.rename_list, SKILL, asks=LISTS.ask_rename)
    registry.add(tools.clear_list, SKILL, asks=LISTS.ask_clear)
    registry.add(tools.move_to_list, SKILL, asks=LISTS.ask_move)


def tells_deleted(answer: str) -> bool:
    """Tell whether an answer says that a list was deleted."""
    return answer.startswith(openings(LISTS.deleted))


def _wish_of(ctx: TurnContext, deed: Deed | None = None) -> Wish | None:
    """Return what the person wishes for in this turn, where they name items themselves."""
    wish = read_wish(ctx.said.now[0]) if ctx.said.now else None
    is_meant = wish is not None and wish.targets and wish.kind is None and deed in (None, wish.deed)
    return wish if is_meant else None


def _left_alone(ctx: TurnContext, target: NamedList) -> set[Item]:
    """Return the items of which the person says that they stay."""
    wish = read_wish(ctx.said.now[0]) if ctx.said.now else None
    if wish is None or not wish.kept:
        return set()
    off = {act.item for act in read_left(ctx.said.now[0], target) or ()}
    return set(target.items) - set(choices_of(target, wish)) - off


def _which(target: NamedList, lost: Sequence[str], wish: Wish | None, language: Language) -> str:
    """Ask which of the things on a list is meant; "" where there is none."""
    those = "" if wish is None else numbered(choices_of(target, wish))
    return those and say(LISTS.which, language, item=one_line(", ".join(lost), MAX_ITEM_CHARS), list=those)


def _new_name(called: str, ctx: TurnContext) -> str:
    """Return what a new list is called: the person named it, and not the answer before."""
    own = {word for said in (*ctx.said.now, *ctx.said.before) for word in words(said)}
    is_own = ctx.is_read or not own or not own.isdisjoint(words(called))
    return (name_of(called) if is_own else "") or say(LISTS.default_name, ctx.language)


def _item(said: str, items: Sequence[Item]) -> Item | None:
    """Return the item that is meant: the same words, else one whose words hold those said; open ones first."""
    wanted = {stem(word) for word in words(said)}
    if not wanted:
        return None
    have = [({stem(word) for word in words(item.text)}, item) for item in items]
    same = [item for held, item in have if held == wanted]
    alike = [item for held, item in have if wanted <= held or held <= wanted]
    return next(iter([*same, *alike]), None)


def _is_alike(new: str, old: str) -> bool:
    """Tell whether new words are the old ones, but for one."""
    said, was = words(new), words(old)
    return len(said) == len(was) > 1 and sum(one != other for one, other in zip(said, was, strict=True)) <= 1
