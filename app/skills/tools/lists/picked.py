"""Which items of which list a message means, and the call for it: "sacá lo del bebé", "tick off the 2nd"."""

import re
from collections.abc import Sequence, Set
from types import MappingProxyType
from typing import Final, NamedTuple

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.language.slips import slips
from app.skills.amending import CALL_ID
from app.skills.counting import asks_what_is_left
from app.skills.picking.choosing import (
    FindClosest,
    choose,
    except_for,
    is_in_talk,
    is_named_whole,
    named_in_reason,
)
from app.skills.picking.lexicon import PICKING
from app.skills.picking.reading import Target, Wish, read_target, read_wish
from app.skills.picking.tokens import Token, is_content, span, stripped, tokens_of, without_list
from app.skills.tools.lists.at_hand import tells_of_use
from app.skills.tools.lists.joined import each_listed
from app.skills.tools.lists.lexicon import ANY_LIST, ASKED_BESIDE, WORDS
from app.skills.tools.lists.naming import find_list
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.wording import Items, contents, hold, unasked

_TOOLS: Final = MappingProxyType({"remove": "remove_from_list", "done": "check_off"})
_ITEM_CHARS: Final = 200
_ASKS_WHAT: Final = COMMON_WORDS["interrogatives"] - WORDS["asks_whether"]
_WHICH: Final = COMMON_WORDS["interrogatives"] - PICKING["list_links"]
_WORDS_OF_A_CHOICE: Final = 5
_LEAST_LETTERS: Final = 4
_CHARS_OF_A_QUESTION: Final = 90
_CLAUSE: Final = re.compile(r"[^.,;:!?¿\n]+")


class Picked(NamedTuple):
    """The list that is meant, those of its items, and the words for what is not clear."""

    target: NamedList
    found: list[Item]
    lost: list[str]


def choices_of(one: NamedList, wish: Wish) -> list[Item]:
    """Return what may be meant on a list, in the order in which it is shown."""
    items = one.open_items if wish.deed == "done" else one.items
    return [items[n] for n in except_for(wish.kept, [item.text for item in items])]


async def pick_items(wish: Wish, known: Sequence[NamedList], closest: FindClosest | None) -> Picked | None:
    """Return what a wish means: on the list that has most of it by words, the first of `known` among equals."""
    tried = [(one, [await _chosen(target, one, wish, None) for target in wish.targets]) for one in known]
    if not tried:
        return None
    one, hits = max(tried, key=lambda pair: sum(hit is not None for hit in pair[1]))
    for n, target in enumerate(wish.targets):
        hits[n] = hits[n] or await _chosen(target, one, wish, closest, hits)
    further = [
        item
        for part in each_listed(wish.more, _ITEM_CHARS)
        for item in choices_of(one, wish)
        if is_named_whole(part, item.text)
    ]
    lost = [target.said for target, hit in zip(wish.targets, hits, strict=True) if hit is None]
    apart = {said: Items(one).each(tokens_of(said), is_whole=True) for said in lost}
    named = [item for items in apart.values() for item in items]
    found = list(dict.fromkeys([hit for hit in hits if hit is not None] + named + (further if any(hits) else [])))
    return Picked(one, found, [said for said in lost if not apart[said]])


async def _chosen(
    target: Target, one: NamedList, wish: Wish, closest: FindClosest | None, taken: Sequence[Item | None] = ()
) -> Item | None:
    items = [item for item in choices_of(one, wish) if target.place is not None or item not in taken]
    if target.place is not None and target.place < 0:
        # What is checked stands below; the last one is the last that is left.
        items = [item for item in items if not item.is_done] or items
    place = await choose(target, [item.text for item in items], closest)
    return None if place is None else items[place]


def may_pick(text: str, ctx: TurnContext) -> bool:
    """Tell whether a message, or what it answers, may pick items by its wording; most do not."""
    is_counting = asks_count(text) or not WORDS["counting"].isdisjoint(one.key for one in tokens_of(text))
    is_counting = is_counting or asks_what_is_left(text)
    return is_counting or any(read_wish(one) is not None for one in (text, *ctx.said.before[:1]))


async def call_for(
    text: str, known: Sequence[NamedList], closest: FindClosest | None, ctx: TurnContext
) -> ToolCall | None:
    """Return the call for a message that picks items of the lists that are `known`.

    What is only described, or not clear, is looked for on a list that was just shown, or that is named.
    """
    if (count := counted(text, known, ctx)) is not None:
        return count
    wish = read_wish(text)
    if wish is None:
        return await _answered(text, known, ctx)
    named = known if wish.place is None else [one] if (one := find_list(known, wish.place)) else []
    if wish.kind is not None or not named or (wish.is_told and tells_of_use(text)):
        return None
    shown = [item.text for one in named for item in one.items]
    is_near = wish.place is not None or is_in_talk(shown, ctx.said.answers)
    if wish.is_all and not wish.targets:
        # "I have everything I need" is no wish; who tells that all was got is read by `read_near`.
        items = choices_of(named[0], wish) if is_near and wish.deed == "done" and not wish.is_told else ()
        return _call(wish, [item.text for item in items], named[0]) if items else None
    if wish.deed == "remove" and not wish.targets and not wish.kept and wish.beside and len(named) == 1:
        each = named_in_reason(wish.beside, shown)
        return _call(wish, [shown[each[0]]], named[0]) if is_near and len(each) == 1 else None
    picked = await pick_items(wish, named, closest if is_near else None)
    if picked is None or not wish.targets:
        return None
    by_place = any(one.place is not None for one in wish.targets)
    if (picked.lost or by_place) and not is_near:
        return None
    if not picked.found and not any(one.is_described for one in wish.targets):
        return None
    if wish.deed == "change":
        return _changed(wish, picked)
    return _call(wish, [*(item.text for item in picked.found), *picked.lost], picked.target)


def _call(wish: Wish, items: Sequence[str], one: NamedList) -> ToolCall:
    return ToolCall(CALL_ID, _TOOLS[wish.deed], {"items": list(items), "list_name": one.name})


def _changed(wish: Wish, picked: Picked) -> ToolCall | None:
    if len(picked.found) != 1 or picked.lost:
        return None
    arguments = {"new": wish.new, "old": picked.found[0].text, "list_name": picked.target.name}
    return ToolCall(CALL_ID, "correct_item", arguments)


def asks_count(text: str, name: str = "") -> bool:
    """Tell whether a message, or the last part of one with a story, asks how many things a list has."""
    last = next((one for one in reversed(_CLAUSE.findall(text)) if tokens_of(one)), "")
    beside = WORDS["counting"] | WORDS["counted"] | STOP_WORDS | {one.key for one in tokens_of(name)}
    each = [_meant_of({one.key for one in tokens_of(said)}, beside) for said in (text, last)]
    return any(not keys.isdisjoint(WORDS["counting"]) and keys <= beside for keys in each)


def _meant_of(keys: set[str], known: Set[str]) -> set[str]:
    """Return the words of a question for a number without the slip in it, "mnay", "kosas"; those of others as they
    are: two unknown words are no slips."""
    slipped = [key for key in keys - known if len(key) >= _LEAST_LETTERS]
    if len(slipped) != 1 or len(keys - known) > 1:
        return keys
    [key] = slipped
    near = [
        one for one in WORDS["counting"] | WORDS["counted"] if len(one) >= _LEAST_LETTERS and slips(key, one) == 1
    ]
    return keys - {key} | {min(near, key=lambda one: (one not in WORDS["counting"], one), default=key)}


def asks_who(text: str) -> bool:
    """Tell whether a text only asks which persons are on the list: "quiénes van quedando", "who all is on it"."""
    keys = [one.key for one in stripped(tokens_of(text), PICKING["opening"] | PICKING["joining"])]
    is_led = bool(keys) and keys[0] in WORDS["asks_who"] | WORDS["asks_whom"]
    holds = WORDS["who_is_on"] | (WORDS["who_goes"] if keys[:1] and keys[0] in WORDS["asks_whom"] else frozenset())
    beside = holds | WORDS["who_beside"] | PICKING["list_words"] | PICKING["determiners"]
    return is_led and not holds.isdisjoint(keys[1:]) and beside.issuperset(keys[1:])


def asks_of_any_list(text: str) -> bool:
    """Tell whether a message asks of lists as such: "what makes a good list", "who reads these lists"."""
    is_own = any(one.key in WORDS["of_own"] | WORDS["naming_list"] for one in tokens_of(text))
    return ANY_LIST.search(" ".join(text.replace("-", " ").split())) is not None and not is_own


def asked_on(text: str) -> tuple[str, str]:
    """Return the thing of which a message asks whether it is on a list that it names, and that name: "is rope on
    the boat list?"; "" for any other message."""
    rest, name = _parted(text)
    if not name or not rest:
        return "", ""
    beside = WORDS["on_it"] | WORDS["asks_whether"] | ASKED_BESIDE
    thing = stripped(rest, beside)
    is_plain = not any(one.key in beside - PICKING["determiners"] or one.is_cut for one in thing[1:])
    is_led = rest[0].key in WORDS["asks_whether"] or thing == rest
    is_asked = bool(thing) and is_led and thing[0].key not in _ASKS_WHAT and is_content(thing[0].key)
    return (span(text, thing), name) if is_asked and is_plain and len(thing) <= _WORDS_OF_A_CHOICE else ("", "")


def _parted(text: str) -> tuple[list[Token], str]:
    """Return the words of a question before "on the boat list", and the name of that; "" where it has none."""
    words = tokens_of(text) if len(text) <= _CHARS_OF_A_QUESTION else []
    if not words or not ("?" in text or words[0].key in WORDS["asks_whether"]):
        return [], ""
    rest, name = without_list(words)
    at = next((n for n, one in enumerate(words) if one not in rest), 0)
    is_last = rest == words[:at] and bool(words[at:]) and words[at].key in WORDS["to_list"]
    return (rest, name) if name and is_last else ([], "")


def asked_where(text: str, known: Sequence[NamedList]) -> list[NamedList]:
    """Return the lists that have the thing of which it is asked on which of them it is: "which list has rope"."""
    words = tokens_of(text) if len(text) <= _CHARS_OF_A_QUESTION else []
    at = next((n for n, one in enumerate(words) if one.key in PICKING["list_words"]), 0)
    before = {one.key for one in stripped(words[:at], PICKING["opening"] | PICKING["joining"])}
    if before.isdisjoint(_WHICH) or not before <= _WHICH | PICKING["list_links"] | PICKING["determiners"]:
        return []
    beside = WORDS["on_it"] | WORDS["asks_whether"] | ASKED_BESIDE | WORDS["having"] | WORDS["having_else"]
    thing = stripped(words[at + 1 :], beside, beside)
    return [one for one in known if thing and Items(one).named(thing) is not None]


def asked_whether(text: str) -> str:
    """Return the thing of which a message asks whether it is on the list: "do we have butter on it".

    All else in it may only be words for that.
    """
    if _parted(text)[1]:
        return asked_on(text)[0]
    words = tokens_of(text) if len(text) <= _CHARS_OF_A_QUESTION and unasked(text) == text else []
    if not words or not ("?" in text or words[0].key in WORDS["asks_whether"]):
        return ""
    keys = [one.key for one in words]
    named = [
        n
        for n, key in enumerate(keys)
        if is_content(key) and key not in WORDS["on_it"] | WORDS["asks_whether"] | ASKED_BESIDE
    ]
    if not named or keys[named[0]] in _ASKS_WHAT:
        return ""  # "what's on the list"
    if len(named) > _WORDS_OF_A_CHOICE or WORDS["on_it"].isdisjoint(keys):
        return ""
    inner = range(named[0], named[-1] + 1)
    if any(one.is_cut for one in words[inner.start + 1 : inner.stop]):
        return ""
    if not PICKING["list_words"].isdisjoint(keys[inner.start : inner.stop]):
        return ""  # "Is the boat list long?"
    around = [key for n, key in enumerate(keys) if n not in inner]
    return (
        text[words[named[0]].start : words[named[-1]].end]
        if all(key in WORDS["on_it"] | WORDS["asks_whether"] | ASKED_BESIDE for key in around)
        else ""
    )


def counted(text: str, known: Sequence[NamedList], ctx: TurnContext) -> ToolCall | None:
    """Return the call that counts or shows what is left on a list that is named or was just shown."""
    if asks_what_is_left(text):
        shown = next((one for one in known if is_shown(one, ctx)), None)
        return None if shown is None else ToolCall(CALL_ID, "show_list", {"list_name": shown.name})
    for one in known:
        is_named = asks_count(text, one.name) and not asks_count(text)
        if is_named or (asks_count(text) and is_in_talk([item.text for item in one.items], ctx.said.answers)):
            return ToolCall(CALL_ID, "show_list", {"list_name": one.name})
    return None


def is_shown(one: NamedList, ctx: TurnContext) -> bool:
    """Tell whether the last answer showed a list."""
    last = ctx.said.answers[:1]
    return is_in_talk([one.name], last) and (not one.items or is_in_talk([item.text for item in one.items], last))


async def _answered(text: str, known: Sequence[NamedList], ctx: TurnContext) -> ToolCall | None:
    """Return the call that a person's choice completes, where they were just asked which item they mean."""
    asked = ctx.said.answers[0] if ctx.said.answers else ""
    before = read_wish(ctx.said.before[0]) if ctx.said.before else None
    if before is None or before.deed == "change" or not 0 < len(tokens_of(text)) <= _WORDS_OF_A_CHOICE:
        return None
    for one in known:
        items = choices_of(one, before)
        if not items or "?" not in asked or not asked.rstrip().endswith(numbered(items)):
            continue
        place = await choose(read_target(text), [item.text for item in items], None)
        return None if place is None else _call(before, [items[place].text], one)
    return None


def names_other(said: Sequence[str], item: Item, items: Sequence[Item]) -> bool:
    """Tell whether a message names other items, all words of them, and no word of this one."""
    spoken = [key for text in said[:1] for key in contents(tokens_of(text))]
    is_named = any(hold([key], spoken) for key in contents(tokens_of(item.text)))
    return not is_named and any(hold(contents(tokens_of(one.text)), spoken) for one in items if one != item)


def numbered(items: Sequence[Item]) -> str:
    return "\n".join(f"{n}. {item.text}" for n, item in enumerate(items, 1))
