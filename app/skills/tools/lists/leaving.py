"""What a message takes off that speaks of a thing to be left: "all but the figs", "leave the figs, take it off".

To leave a thing is to keep it, and in some English to do without it: the wish behind it tells which.
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import (
    Token,
    bare,
    deed_of,
    is_wish,
    numbers_of,
    opening_verb,
    pieces,
    stripped,
    tokens_of,
)
from app.skills.tools.lists.item_acts import ItemAct
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.wording import Items, unasked

_MAX_CHARS: Final = 300
_TWO: Final = 2
_OPENING: Final = 4
_BUT: Final = PICKING["excepting"] | PICKING["breaks"] | PICKING["joining"] | PICKING["denying"] | PICKING["keep"]
_REASON: Final = PICKING["breaks"] | PICKING["relative"]
_THE_REST: Final = PICKING["every"] | PICKING["other"] | WORDS["the_rest"] | WORDS["both"]
_PLACE: Final = PICKING["particles"] | PICKING["closing"] | PICKING["list_words"] | PICKING["list_links"]
_POINTING: Final = _PLACE | PICKING["taken_objects"] | PICKING["pronouns"] | WORDS["filling"]
_ARTICLES: Final = MappingProxyType({"lo": "el", "la": "la", "los": "los", "las": "las"})


def may_leave(text: str) -> bool:
    """Tell whether a message may leave a thing, before any list is looked at."""
    return len(text) <= _MAX_CHARS and any(map(_excepts, tokens_of(text)))


def read_left(text: str, one: NamedList) -> list[ItemAct] | None:
    """Return what a message takes off that leaves a thing; [] where that is not clear, None of any other."""
    text = unasked(text)
    items = Items(one)
    words = items.mended(tokens_of(text)) if len(text) <= _MAX_CHARS and "?" not in text else []
    clears = next((n for n, each in enumerate(words[:_OPENING]) if each.key in WORDS["clearing"]), None)
    deed, at = opening_verb(words) or (("remove", clears) if clears is not None else ("", 0))
    rest = words[at + 1 :]
    # "Leave … off" takes off by its particle.
    deed = (deed_of(words[at]) or deed) if deed == "remove" else deed
    if deed == "remove":
        end = next((n for n, each in enumerate(rest) if _excepts(each)), None)
        return None if end is None else _all_but(rest[:end], rest[end:], items, one)
    wishes = (n for n in range(1, len(rest)) if opening_verb(rest[n:]) == ("remove", 0) and _begins(rest, n))
    if deed != "keep" or (end := next(wishes, None)) is None:
        return None
    verb, taken = rest[end], rest[end + 1 :]
    if (found := _all_but(taken, rest[:end], items, one)) is not None:
        return found
    if deed_of(words[at]) != "keep" or any(one.key not in _POINTING for one in taken):
        return None
    is_left = bare(words[at].key) in WORDS["leaving"] and rest[end - 1].key not in PICKING["breaks"]
    return [ItemAct("remove", item) for item in _left(rest[:end], [verb, *taken], items, one)] if is_left else []


def without_left(text: str) -> str:
    """Return a message that takes things off without the one that it tells not to: "take off not the ham, the
    cheese"; "" where no other stands behind that."""
    words = tokens_of(text) if len(text) <= _MAX_CHARS else []
    deed, at = opening_verb(words) or ("", 0)
    rest = stripped(words[at + 1 :], PICKING["particles"])
    is_left = len(rest) > 1 and rest[0].key in WORDS["not_this"] and rest[1].key in PICKING["determiners"]
    if deed != "remove" or not is_left:
        return text
    ends = (n for n, one in enumerate(rest) if n and (one.is_cut or one.key in _REASON | WORDS["meant"]))
    behind = stripped(rest[next(ends, len(rest)) :], _REASON | WORDS["meant"])
    return f"{text[: rest[0].start]}{text[behind[0].start :]}" if behind else ""


def leaves_some(text: str) -> bool:
    """Tell whether a message takes off all but what it names: "empty it except the figs"."""
    keys = {one.key for one in tokens_of(text)}
    return not keys.isdisjoint(_THE_REST) and not keys.isdisjoint(PICKING["excepting"])


def leaves_there(text: str) -> bool:
    """Tell whether a message leaves a thing where it is: "leave the rice on there", "deja la leche ahí"."""
    words = tokens_of(text)
    deed = opening_verb(words)
    return deed is not None and deed[0] == "keep" and any(one.key in WORDS["left_there"] for one in words)


def _begins(words: Sequence[Token], number: int) -> bool:
    """Tell whether a wish of its own begins here: ", take", "and take", "remove it"."""
    one, behind = words[number], words[number + 1 :][:1]
    is_pointing = bare(one.key) != one.key or any(each.key in PICKING["taken_objects"] for each in behind)
    return one.is_cut or is_pointing or words[number - 1].key in PICKING["joining"] | PICKING["breaks"]


def _excepts(one: Token) -> bool:
    return one.key in PICKING["excepting"] or deed_of(one) == "keep"


def _all_but(taken: Sequence[Token], kept: Sequence[Token], items: Items, one: NamedList) -> list[ItemAct] | None:
    """Return what is taken off where that is all, or so many, but what is kept; None where it is named."""
    taken = stripped(taken, frozenset(), _BUT)
    if _THE_REST.isdisjoint(each.key for each in taken) and not numbers_of(taken):
        return None
    if any(
        each.key not in _THE_REST | _POINTING | PICKING["determiners"] for each in taken if not numbers_of([each])
    ):
        return None
    left, is_clear = _enumerated(kept, items, one)
    off = [item for item in one.items if item not in left]
    count = numbers_of(taken) | ({_TWO} if any(each.key in WORDS["both"] for each in taken) else set())
    is_clear = is_clear and bool(left) and count <= {len(off)}
    return [ItemAct("remove", item) for item in off] if is_clear else []


def _left(kept: Sequence[Token], verb: Sequence[Token], items: Items, one: NamedList) -> list[Item]:
    """Return the things that are left off a list, where the "it" behind them can be nothing else."""
    found, is_clear = _enumerated(kept, items, one)
    ending = verb[0].key.removeprefix(bare(verb[0].key))
    article = next((each.key for each in kept if each.key in _ARTICLES.values()), "")
    is_agreed = not ending or len(found) > 1 or _ARTICLES.get(ending, article) == article
    is_one = len(found) == 1 or (bool(found) and not any(each.key == "it" for each in verb))
    return found if is_clear and is_agreed and is_one else []


def _enumerated(words: Sequence[Token], items: Items, one: NamedList) -> tuple[list[Item], bool]:
    """Return the things that words begin with, and whether what stands behind them names no other."""
    found, parts = list[Item](), pieces(words, _REASON)
    parts = [part for part in ([each for each in part if each.key not in _BUT] for part in parts) if part]
    while parts and (item := items.begun(parts[0])) is not None:
        found.append(item)
        parts = parts[1:]
    behind = [each for part in parts for each in part]
    named = [item for item in one.items if item not in found and items.within(behind) == item]
    return found, not named and not any(map(is_wish, behind))
