"""Lists: what a household buys, packs or has to do, by name."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold, stem
from app.language.catalogue import say
from app.language.lexicon import COMMON_WORDS
from app.skills.amending import CALL_ID, JUST, amended
from app.skills.counting import asked_what_is_in, asks_to_hear, asks_what_is_left_for
from app.skills.following.following import Spoken
from app.skills.kit import Kit
from app.skills.named_things import names_one, tells_done
from app.skills.picking.choosing import FindClosest, is_in_talk
from app.skills.picking.lexicon import PICKING
from app.skills.picking.reading import read_wish
from app.skills.picking.tokens import span, stripped, tokens_of
from app.skills.renaming import read_new_name
from app.skills.saying_instead import read_replacing
from app.skills.seeing_all import asks_to_see_all
from app.skills.selection import READ_ID, Certain, Need
from app.skills.tools.lists import home, lists_tools
from app.skills.tools.lists.at_hand import find_at_hand, read_at_hand
from app.skills.tools.lists.both import calls_for_two, for_both, may_be_of_two
from app.skills.tools.lists.called import speaks_of_another
from app.skills.tools.lists.clearing import clears_list, read_started
from app.skills.tools.lists.dictating import read_announced, read_bare, read_dictated
from app.skills.tools.lists.followed import spoken_of
from app.skills.tools.lists.had_already import without_had
from app.skills.tools.lists.item_acts import calls_for
from app.skills.tools.lists.kinds import another_kind, of_kind
from app.skills.tools.lists.lacking import read_lacking
from app.skills.tools.lists.leaving import may_leave, read_left, without_left
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.moving import put_back, read_move
from app.skills.tools.lists.naming import find_named, name_of, shop_in, without_address
from app.skills.tools.lists.near import read_near
from app.skills.tools.lists.picked import (
    asked_on,
    asked_where,
    asked_whether,
    asks_of_any_list,
    asks_who,
    call_for,
    is_shown,
    may_pick,
)
from app.skills.tools.lists.placed import leads_to_place, names_place, read_placed, words_on
from app.skills.tools.lists.reasoned import named_alone, without_whys
from app.skills.tools.lists.recounted import may_measure, read_measured, read_recounted
from app.skills.tools.lists.repository import UNDOABLE, Lists, NamedList
from app.skills.tools.lists.showing import shows_items
from app.skills.tools.lists.slipped import asked_in, plainly_wished
from app.skills.tools.lists.spent import Spent, keeps_money
from app.skills.tools.lists.storied import is_of_others, only_told, tells_story, without_comment
from app.skills.tools.lists.strung import is_measure
from app.skills.tools.lists.taken_again import taken_again
from app.skills.tools.lists.texts import LISTS
from app.skills.tools.lists.titles import of_works
from app.skills.tools.lists.wording import Items, without_end

_CATEGORY: Final = ("lists",)
_MAX_CHARS: Final = 120
_ANSWERS: Final = 2
_MOST_PUT: Final = 30
_FEW: Final = 3


def register(kit: Kit) -> None:
    lists = Lists(kit.db)
    closest = None if kit.indexer is None else kit.indexer.find_closest
    lists_tools.register(kit.tools, lists, kit.clock, kit.repository.acts, closest)
    spent = Spent(lists, kit.repository.conversations)
    if kit.is_small_model:
        # Before the sum of what was only told.
        kit.tellings.insert(0, spent.tell)
    kit.certain.append(spent.call)
    reading = _Reading(lists, kit.repository.acts, kit.clock, closest)
    kit.certain.append(reading.read)
    kit.recalls.append(reading.recall)
    kit.needs.append(Need(partial(_done_on, lists), tells_done))
    kit.named.append(partial(_named, lists))
    kit.amending["list_items"] = partial(_amend, lists)
    kit.home.append(home.part(lists))
    kit.repository.acts.add(*UNDOABLE)


class _Reading:
    """What code reads of a message about lists: the first reader that finds calls wins."""

    def __init__(self, lists: Lists, acts: Acts, clock: Clock, closest: FindClosest | None) -> None:
        self._lists = lists
        self._acts = acts
        self._clock = clock
        self._closest = closest

    async def read(self, text: str, ctx: TurnContext) -> ToolCall | Sequence[ToolCall] | None:
        """See `Certain`."""
        if may_be_of_two(text) and (two := calls_for_two(text, await self._lists.list_all(ctx.user_id), ctx)):
            return two
        if for_both(text) is not None:
            return None  # On both, which are not certain here.
        for reader in self._readers():
            if found := await reader(text, ctx):
                return found
        return None

    def _readers(self) -> tuple[Certain, ...]:
        return (
            self._renamed,
            self._moved,
            self._replaced,
            self._asked_where,
            self._asked,
            self._named_alone,
            self._announced,
            self._put_back,
            self._recounted,
            self._unless_told(self._left),
            self._taken_again,
            self._unless_told(self._near),
            self._dictated,
            self._cleared,
            self._started,
            self._placed,
            self._lacking,
            self._strung,
            self._unless_told(self._picked),
            self._unless_told(self._at_hand),
        )

    def _unless_told(self, read: Certain) -> Certain:
        """Return a reader of what becomes of items that reads nothing where the things are only spoken of."""

        async def find(text: str, ctx: TurnContext) -> ToolCall | Sequence[ToolCall] | None:
            if not (text := without_left(text)):
                return None
            found = await read(text, ctx)
            return None if found and tells_story(text, await self._lists.list_all(ctx.user_id)) else found

        return find

    async def _renamed(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """The list that was just shown is to be called otherwise."""
        name = read_new_name(text) if ctx.said.answers else ""
        shown = await self._shown(ctx) if name else None
        arguments: dict[str, object] = {} if shown is None else {"name": name, "list_name": shown.name}
        return ToolCall(f"{READ_ID}_0", "rename_list", arguments) if arguments else None

    async def _moved(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Something goes from its list to another one."""
        if (move := read_move(text)) is None:
            return None
        items = move.find(await self._lists.list_all(ctx.user_id), await self._shown(ctx))
        return ToolCall(CALL_ID, "move_to_list", {"items": items, "to_list": move.name}) if items else None

    async def _replaced(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """A thing that is named is to be another one; where it is on no list just shown, it is asked which."""
        one = read_replacing(text) if ctx.said.answers else None
        shown = await self._shown(ctx) if one is not None and one.is_slip else None
        if shown is None or one is None or keeps_money(shown) or all(map(is_measure, one.new)):
            return None
        new = without_end(stripped(one.new, frozenset(), WORDS["thanking"]))
        if (item := Items(shown).named(one.old)) is None:
            is_thing = not any(each.key in COMMON_WORDS["days"] for each in (*one.old, *new))
            is_named = one.old[0].key in PICKING["determiners"] and len(one.old) <= _FEW
            asked: dict[str, object] = {"items": [span(one.text, one.old)], "list_name": shown.name}
            return ToolCall(CALL_ID, "remove_from_list", asked) if is_thing and is_named else None
        said = span(one.text, new)
        better = another_kind(item.text, one.old, one.text, new) or of_kind(item.text, said) or said
        return ToolCall(CALL_ID, "correct_item", {"new": better, "old": item.text, "list_name": shown.name})

    async def _asked_where(self, text: str, ctx: TurnContext) -> list[ToolCall]:
        """It is asked on which list something is."""
        is_asked = any(one.key in PICKING["list_words"] for one in tokens_of(text[:_MAX_CHARS]))
        found = asked_where(text, await self._lists.list_all(ctx.user_id)) if is_asked else []
        return [ToolCall(f"{CALL_ID}_{n}", "show_list", {"list_name": one.name}) for n, one in enumerate(found)]

    async def _asked(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """It is asked what is on a list that is called by its name or a part of that, or was shown."""
        if asks_to_see_all(text, "lists"):
            return ToolCall(CALL_ID, "show_lists", {})
        is_of_any, text = asks_of_any_list(text), asked_in(text)
        target, named = None, None if is_of_any else asked_what_is_in(text)
        if name := asked_on(text)[1]:
            return ToolCall(CALL_ID, "show_list", {"list_name": name})
        if asked_whether(text) or asks_to_hear(text) or asks_who(text):
            target = await self._shown(ctx)
        elif named is not None and PICKING["elsewhere"].isdisjoint(one.key for one in tokens_of(text)):
            known, newest = await self._lists.list_all(ctx.user_id), ctx.said.answers[:1]
            told = (one for one in known if is_in_talk([f"{one.name}:"], newest))
            target = find_named(known, named) if named else next(told, None)
            if named and target is None and (plain := without_address(named)):
                target, named = find_named(known, plain), plain
            is_list = any(one.key in PICKING["list_words"] for one in tokens_of(text))
            if target is None and ((is_list and not named) or asks_what_is_left_for(text)):
                target = next(iter(known), None)
            if target is None and named and is_list and " list of " not in text.lower():
                # Of a list that is not there, that is said.
                return ToolCall(CALL_ID, "show_list", {"list_name": named})
        return None if target is None else ToolCall(CALL_ID, "show_list", {"list_name": target.name})

    async def _named_alone(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Things go on the list that is named, whatever list was just shown, and why is told behind that."""
        if not (wish := named_alone(without_had(text))):
            return None
        known = await self._lists.list_all(ctx.user_id)
        found = read_placed(wish, known)
        is_clear = len(found) == 1 and found[0].list_name and found[0].items
        return _adds(found[0].items or [], found[0].list_name) if is_clear else None

    async def _announced(self, text: str, ctx: TurnContext) -> list[ToolCall]:
        """Several lists are told in one go."""
        return [_adds(items, name, f"{READ_ID}_{n}") for n, (name, items) in enumerate(read_announced(text))]

    async def _put_back(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """What was just taken off a list is wanted on it again, as it was called."""
        last = await self._acts.find_last(ctx.user_id)
        if last is None or last.verb != "deleted" or last.at < self._clock.now() - JUST:
            return None
        items = put_back(text, last.subject.split(", "))
        shown = await self._shown(ctx) if items else None
        return None if shown is None else _adds(items, shown.name, f"{READ_ID}_0")

    async def _recounted(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """There are to be more or fewer of one thing on the list that was just shown."""
        if (shown := await self._shown_wares(ctx)) is None:
            return None
        found = read_recounted(text, shown.open_items)
        if found is None and may_measure(text):
            found = read_measured(text, await self._just_put(shown, ctx), say(LISTS.amount_of, ctx.language))
        arguments = {"new": found[0], "old": found[1], "list_name": shown.name} if found is not None else {}
        return ToolCall(CALL_ID, "correct_item", {**arguments}) if arguments else None

    async def _taken_again(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """What was just put on a list that was shown comes off again."""
        if (one := await self._shown_wares(ctx)) is None:
            return None
        off = taken_again(text, await self._just_put(one, ctx), [item.text for item in one.items])
        return ToolCall(f"{READ_ID}_0", "remove_from_list", {"items": off, "list_name": one.name}) if off else None

    async def _shown_wares(self, ctx: TurnContext) -> NamedList | None:
        shown = await self._shown(ctx) if ctx.said.answers else None
        return None if shown is None or keeps_money(shown) else shown

    async def _just_put(self, shown: NamedList, ctx: TurnContext) -> list[str]:
        rows = await self._acts.list_last_rows(ctx.user_id, self._clock.now() - JUST, _MOST_PUT)
        return [item.text for item in shown.items if ("list_items", item.id) in rows]

    async def _left(self, text: str, ctx: TurnContext) -> list[ToolCall]:
        """Things come off a list that was just used, and one of them is left; or it is asked which."""
        may_be = bool(ctx.said.answers) and may_leave(text)
        known = await self._lists.list_all(ctx.user_id) if may_be else []
        near = [
            one for one in known if is_in_talk([one.name, *(item.text for item in one.items)], ctx.said.answers)
        ]
        read = [(acts, one) for one in near if not keeps_money(one) and (acts := read_left(text, one)) is not None]
        acts, one = next((each for each in read if each[0]), read[0] if read else ([], None))
        if one is None or acts:
            return calls_for(acts, one) if one is not None else []
        return [ToolCall(f"{READ_ID}_0", "remove_from_list", {"items": [""], "list_name": one.name})]

    async def _near(self, text: str, ctx: TurnContext) -> list[ToolCall]:
        """The items of a list that was just shown or written are spoken of."""
        if not ctx.said.answers or _only_by_places(text) or speaks_of_another(text):
            return []
        known = await self._lists.list_all(ctx.user_id)
        own = {one.key for each in known for item in each.items for one in tokens_of(item.text)}
        # "Lo gastó" is no "gasto".
        said = {one.key for one in tokens_of(text) if not text[: one.end].endswith("ó")}
        if not PICKING["elsewhere"].isdisjoint(said - own):
            return []
        placed = read_placed(text, known) if names_place(text, known) else []
        is_elsewhere = any(one.list_name for one in placed) or read_lacking(text) is not None
        for one in known:
            is_near = is_in_talk([one.name, *(item.text for item in one.items)], ctx.said.answers)
            is_last = is_shown(one, ctx) and not keeps_money(one) and not is_elsewhere
            if is_near and (acts := read_near(text, one, is_last=is_last)):
                # What is changed in the same breath is none of the items that stood there.
                wish = read_wish(text)
                if wish is not None and wish.deed == "remove" and all(act.deed == "done" for act in acts):
                    acts = [act._replace(deed="remove") for act in acts]  # "Found it, take it off"
                is_dictated = all(act.deed == "add" for act in acts) and read_dictated(text) is not None
                return [] if is_dictated or only_told(text, acts) else calls_for(acts, one)
        return []

    async def _dictated(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Things are put on a list, and one of them is taken back in the same breath."""
        found = read_dictated(without_had(text))
        return None if found is None else _adds(found.items, found.list_name)

    async def _cleared(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """The list that was just shown is thrown away."""
        shown = await self._shown(ctx) if clears_list(text) else None
        return None if shown is None else ToolCall(CALL_ID, "clear_list", {"list_name": shown.name})

    async def _started(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """One more list, for what is planned in the place of what another was for."""
        if (found := read_started(text)) is None:
            return None
        is_near = any(map(lists_tools.tells_deleted, ctx.said.answers[:_ANSWERS]))
        is_near = is_near or await self._shown(ctx) is not None
        return _adds(found.items, found.list_name) if is_near else None

    async def _placed(self, text: str, ctx: TurnContext) -> list[ToolCall]:
        """Things are put on lists that are called by a place."""
        if is_of_others(text):
            return []
        text = plainly_wished(without_whys(without_had(without_comment(text))))
        known = await self._lists.list_all(ctx.user_id) if leads_to_place(text) else []
        found = read_placed(text, known) if names_place(text, known) else []
        ids = [f"{READ_ID}_{n}" if of_works(one.list_name) else CALL_ID for n, one in enumerate(found)]
        each = zip(found, ids, strict=True) if all(one.items for one in found) else ()
        return [_adds(one.items or [], one.list_name, call_id) for one, call_id in each]

    async def _lacking(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Things that are missing, and last the list that they belong on."""
        if (found := read_lacking(without_had(text))) is None:
            return None
        is_named = bool(name_of(found.list_name))
        name = found.list_name if is_named else shop_in(text, await self._lists.list_all(ctx.user_id))
        return _adds(found.items, name)

    async def _strung(self, text: str, ctx: TurnContext) -> list[ToolCall]:
        """Things to buy are strung together."""
        known = await self._lists.list_all(ctx.user_id)
        if (found := read_bare(without_had(text), words_on(known))) is None:
            return []
        name = found.list_name or shop_in(text, known) or say(LISTS.default_name, ctx.language)
        return [_adds(found.items, name, f"{READ_ID}_0")]

    async def _picked(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Items are named, described, or told by their place."""
        text = asked_in(text)
        known = await self._lists.list_all(ctx.user_id) if may_pick(text, ctx) else []
        return await call_for(text, known, self._closest, ctx) if known else None

    async def _at_hand(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Somebody has already what stands on a list."""
        if not (said := read_at_hand(text)):
            return None
        name, items = find_at_hand(said, await self._lists.list_all(ctx.user_id), ctx.said.answers)
        return ToolCall(CALL_ID, "check_off", {"items": items, "list_name": name}) if items else None

    async def recall(self, answer: str, ctx: TurnContext) -> Spoken | None:
        """See `Recall`."""
        if not shows_items(answer):
            return None
        known, then = (
            await self._lists.list_all(ctx.user_id),
            replace(ctx, said=replace(ctx.said, answers=(answer,))),
        )
        shown = next((one for one in known if is_shown(one, then)), None)
        # "Read me the one for the suitcase": another one than was shown.
        words = {stem(one.key) for now in ctx.said.now[:1] for one in tokens_of(now)}
        named = [one for one in known if stem(fold(one.name)) in words]
        shown = named[0] if shown is not None and len(named) == 1 else shown
        return None if shown is None or keeps_money(shown) else spoken_of(shown)

    async def _shown(self, ctx: TurnContext) -> NamedList | None:
        """Return the list that the last answer showed."""
        return next((one for one in await self._lists.list_all(ctx.user_id) if is_shown(one, ctx)), None)


def _only_by_places(text: str) -> bool:
    """Tell whether a message takes several things by their places alone: "delete the last two"."""
    wish = read_wish(text)
    return wish is not None and len(wish.targets) > 1 and all(one.place is not None for one in wish.targets)


def _adds(items: list[str], name: str, call_id: str = CALL_ID) -> ToolCall:
    return ToolCall(call_id, "add_to_list", {"items": items, "list_name": name})


async def _amend(lists: Lists, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`."""
    known = await lists.list_all(ctx.user_id)
    name, item = next(((one.name, item) for one in known for item in one.items if item.id == row_id), ("", None))
    if item is None or (found := amended(item.text, text)) is None:
        return None
    return ToolCall(CALL_ID, "correct_item", {"new": found.text, "old": item.text, "list_name": name})


async def _done_on(lists: Lists, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: something that stands on a list was got."""
    known = await lists.list_all(ctx.user_id)
    return _CATEGORY if names_one(text, (item.text for one in known for item in one.open_items)) else ()


async def _named(lists: Lists, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: a list is called by its name."""
    known = await lists.list_all(ctx.user_id)
    return _CATEGORY if names_one(text, (one.name for one in known)) else ()
