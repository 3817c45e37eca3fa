"""A list that is dictated: with a change of mind ("sumá pan, miel, no, sacá la miel"), or not heard whole."""

from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from app.language.lexicon import COMMON_WORDS
from app.skills.picking.choosing import by_words
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import (
    Token,
    is_content,
    is_other_wish,
    is_wish,
    numbers_of,
    opening_verb,
    pieces,
    span,
    stripped,
    tokens_of,
    without_list,
)
from app.skills.tools.lists.held import held
from app.skills.tools.lists.lexicon import TAG, TURNED, UNDECIDED, WORDS
from app.skills.tools.lists.rewording import reworded
from app.skills.tools.lists.slipped import household_word, words_of
from app.skills.tools.lists.strung import (
    are_wares,
    as_written,
    end_of_thing,
    fillers,
    is_measure,
    things_in,
    without_filler,
)
from app.skills.tools.lists.swapped import named_instead, takes_back_last, turned
from app.skills.tools.lists.talk import dictated_in, is_own_thing, is_owned, is_said, tells, without_pointing

_MAX_CHARS: Final = 800
_MOST_WORDS: Final = 5
_LEAST_ITEMS: Final = 2
_MOST_OF_A_HEAD: Final = 8
_MOST_OF_A_SHOP: Final = 2
_MOST_OF_A_THING: Final = 6
_SHOPS: Final = WORDS["shops"] | WORDS["shop_names"]
_ENGLISH: Final = frozenset({"list", "lists"})
_DASHES: Final = frozenset("-–—")
_BEFORE_WISH: Final = (WORDS["filling"] | PICKING["opening"] | PICKING["subjects"]) - PICKING["list_words"]
_DICTATING: Final = WORDS["put_verbs"] | WORDS["lacked"] | frozenset({"buy", "comprar", "compra"})
_PUTTING: Final = WORDS["put_verbs"] - WORDS["noun_verbs"]
_VERBS: Final = WORDS["add_verbs"] | WORDS["put_verbs"]
_AROUND_LIST: Final = PICKING["determiners"] | WORDS["before_list"]
_BEFORE_NAME: Final = (
    PICKING["joining"]
    | PICKING["determiners"]
    | PICKING["other"]
    | PICKING["list_words"]
    | PICKING["relative"]
    | PICKING["pronouns"]
    | PICKING["opening"]
    | WORDS["list_named"]
    | WORDS["one_more_list"]
    | WORDS["one_of_lists"]
    | WORDS["naming_list"]
    | WORDS["called_now"]
    | WORDS["beside_list"]
    | WORDS["to_list"]
    | frozenset({"one", "mate", "new"})
)
_TURNING: Final = (
    (WORDS["turning"] | WORDS["filling"] | WORDS["makes"] | WORDS["becomes"] | PICKING["relative"])
    | PICKING["opening"]
    | PICKING["determiners"]
    | frozenset({"it"})
) - WORDS["counts"]
_REASON: Final = PICKING["breaks"] | PICKING["relative"]


class Dictated(NamedTuple):
    """What is left of a list that was dictated, and the list that it is for ("" where none is named)."""

    items: list[str]
    list_name: str


def read_dictated(text: str) -> Dictated | None:
    """Return what a message puts on a list in the end; None where it takes nothing of that back."""
    if len(text) > _MAX_CHARS or "?" in text or UNDECIDED.search(text):
        return None
    text = dictated_in(TURNED.sub(turned, TAG.sub("", text)), keeps_owned=True)
    items, name, has_changed, is_anew, is_turning = list[str](), None, False, False, False
    parts = pieces(held(text, tokens_of(text)), _REASON)
    for number, piece in enumerate(parts):
        words, found = without_list(piece)
        if found == "" and number == 0 and len(parts) > 1 and ":" in parts[1][0].gap and words:
            words, found = [], span(text, words)  # "BBQ list: buns"
        if found is not None and words and not without_pointing(words):
            return None  # "Ponelo en la lista" tells of what stands before
        name, was_turning = name or found if found is not None else name, is_turning
        is_turning = all(one.key in _TURNING | _VERBS for one in words) and (was_turning or _turns(words))
        is_back = bool(items) and takes_back_last(parts[number - 1])
        if is_back and (other := named_instead(text, words)):
            items[-1], is_anew = other, True
        elif items and (new := _put_right(text, words, items, was_turning, has_changed)) is not None:
            items[new[0]] = new[1]
            is_anew = True
        elif (gone := (_owned(words) if items else None) or _taken_back(words)) is not None:
            hits = by_words(span(text, gone), items)
            has_changed, is_anew = has_changed or bool(hits) or _is_denied(words), is_anew or bool(hits)
            items = [one for n, one in enumerate(items) if n not in hits]
        elif (item := _item(text, words, opens=_opens(parts, number))) is not None:
            items.append(item)
    is_for_list = name is not None and (is_anew or (has_changed and len(items) >= _LEAST_ITEMS))
    return Dictated(list(dict.fromkeys(items)), name or "") if is_for_list else None


def _turns(words: Sequence[Token]) -> bool:
    return any(one.key in WORDS["turning"] for one in words)


def _put_right(
    text: str, words: Sequence[Token], items: Sequence[str], is_turning: bool, has_gone: bool
) -> tuple[int, str] | None:
    """Return the place of the thing just dictated that a piece changes, and what it is then: "make the nuts 8"."""
    said = stripped(words, _TURNING, PICKING["closing"] | PICKING["denying"])
    lead = words[: len(words) - len(said)] if said else ()
    is_made = any(one.key in WORDS["makes"] | WORDS["becomes"] for one in lead)
    if not said or words[-1].key in PICKING["denying"] or not (is_turning or is_made or _turns(lead)):
        return None
    if len(said) > _MOST_WORDS or opening_verb(said) is not None or any(map(is_other_wish, said)):
        return None
    bare = span(text, [one for one in said if not is_measure(one)])
    hits = by_words(bare, items) if bare else [len(items) - 1]
    if len(hits) == 1:
        new = reworded(items[hits[0]], text, said)
        return (hits[0], new) if new and any(map(is_measure, said)) else None
    # Behind "la miel no", "mejor jalea" is one more.
    is_other = any(one.key in WORDS["meant"] for one in lead) and not hits and len(said) == 1 and not has_gone
    return (len(items) - 1, span(text, said)) if is_other else None


def _is_denied(words: Sequence[Token]) -> bool:
    """Tell whether a piece ends with what is not wanted: "los huevos no", "the milk not"."""
    return len(words) > 1 and words[-1].key in PICKING["denying"]


def read_bare(text: str, own: Set[str] = frozenset()) -> Dictated | None:
    """Return the things to buy that a message strings together behind a verb, or behind the words for a list.

    "Need milk bread and eggs", "lista del super lehce mnteca". None where a word of it says anything else.
    `own` are the words for what the person had on their lists before.
    """
    words = stripped(words_of(text), _BEFORE_WISH) if len(text) <= _MAX_CHARS and "?" not in text else []
    if not words:
        return None
    if (headed := _behind_shop(text)) is not None:
        return headed
    found = _behind_list(text, words)
    rest, name = (words[1:], "") if found is None and words[0].key in _DICTATING else found or ([], "")
    if any(one.key in PICKING["list_words"] for one in rest):
        return None
    things = things_in(text, rest, own) or []
    # "Bangers and mash" are one thing.
    is_pair = len(things) == 1 and any(one.key in PICKING["joining"] for one in tokens_of(things[0]))
    is_clear = (is_pair or len(things) >= _LEAST_ITEMS) and are_wares(things, own, is_strict=True)
    return Dictated(things, name) if is_clear else None


def _behind_shop(text: str) -> Dictated | None:
    """Return what stands behind the name of a shop and a colon: "tesco: bananas, tea"."""
    head, _, tail = text.partition(":")
    name = stripped(tokens_of(head), _BEFORE_WISH | PICKING["determiners"] | WORDS["list_named"])
    is_shop = 0 < len(name) <= _MOST_OF_A_SHOP and all(one.key in _SHOPS for one in name)
    parts = pieces(tokens_of(tail)) if is_shop else []
    none = COMMON_WORDS["interrogatives"] | WORDS["being"] | WORDS["no_things"]
    is_plain = all(
        len(one) <= _MOST_WORDS and not is_said(tail, one) and none.isdisjoint(each.key for each in one)
        for one in parts
    )
    things = as_written(tail, tokens_of(tail)) if len(parts) >= _LEAST_ITEMS and is_plain else []
    return Dictated(things, span(head, name)) if len(things) >= _LEAST_ITEMS else None


def plainly_enumerated(text: str, words: Sequence[Token]) -> list[str] | None:
    """Return the things behind "on the list put" as they are written; None where more than names stands there."""
    is_plain = all(
        len(one) <= _MOST_OF_A_THING
        and end_of_thing(text, one) == len(one)
        and not tells(text, one)
        and not any(is_wish(each) or each.key in WORDS["put_verbs"] | WORDS["no_item"] for each in one)
        for one in pieces(words)
    )
    return as_written(text, words) if is_plain else None


def _behind_list(text: str, words: Sequence[Token]) -> tuple[Sequence[Token], str] | None:
    """Return what stands behind the words for a list that open a message, and its name."""
    at = next((n for n, one in enumerate(words[:_MOST_OF_A_HEAD]) if one.key in PICKING["list_words"]), None)
    if at is None or any(one.is_cut for one in words[1 : at + 2]):
        return None
    before = [one for one in words[:at] if one.key not in _AROUND_LIST]
    behind = stripped(words[at + 1 :], WORDS["list_named"] | PICKING["determiners"])
    is_led = len(behind) < len(words) - at - 1
    if is_led and not before and behind and behind[0].key in WORDS["shops"] | WORDS["shopping"]:
        before = [behind.pop(0)]
    elif (
        is_led
        or (before and words[at].key not in _ENGLISH)
        or any(is_other_wish(one) or one.key in _VERBS for one in before)
    ):
        return None
    return behind, span(text, before)


def read_announced(text: str) -> list[tuple[str, list[str]]]:
    """Return the lists that are announced by their number, each with what is on it.

    "Two lists. camping: tarp, rope. work: pens". [] where they are not as many as was said.
    """
    words = tokens_of(text) if len(text) <= _MAX_CHARS else []
    at = next((n for n in range(1, min(len(words), _MOST_OF_A_HEAD)) if _announces(words, n)), None)
    if at is None:
        return []
    heads = [n for n in range(at + 2, len(words)) if ":" in words[n].gap or words[n].gap.strip() in _DASHES]
    # A colon may stand behind the number itself: "two lists: camping - tarp".
    begins = [_head_begins(words, n, at + 1) for n in heads]
    if not heads and (WORDS["having"] | WORDS["finite"]).isdisjoint(one.key for one in words[:at]):
        led = [(begin, n) for n in range(at + 3, len(words)) if (begin := _led_from(words, n, at + 1))]
        begins, heads = [begin for begin, _ in led], [n for _, n in led]
    named = [_as_name(text, words[begin:n]) for begin, n in zip(begins, heads, strict=True)]
    if not heads:
        return []
    if not named[0]:
        named, heads, begins = named[1:], heads[1:], begins[1:]
    ends = [*begins[1:], len(words)][: len(heads)]
    behind = WORDS["beside_list"] | WORDS["behind_things"] | PICKING["joining"]
    each = [stripped(words[n:end], frozenset(), behind) for n, end in zip(heads, ends, strict=True)]
    found = [(name, _untold(as_written(text, one))) for name, one in zip(named, each, strict=True)]
    count = numbers_of([words[at - 1], words[max(0, at - 2)]])
    is_whole = len(found) >= _LEAST_ITEMS and all(name and items for name, items in found)
    return found if is_whole and (not count or len(found) in count) else []


def _untold(things: Sequence[str]) -> list[str]:
    return [one for one in things if not is_said(one, tokens_of(one))]


def _led_from(words: Sequence[Token], number: int, least: int) -> int:
    """Return where the name of a list begins that a "with" leads on: "another called boat with …"; 0: none."""
    if words[number - 1].key not in WORDS["with"]:
        return 0
    ones = WORDS["one_more_list"] | PICKING["other"] | WORDS["one_of_lists"]
    near = range(number - 2, max(least, number - _MOST_OF_A_HEAD) - 1, -1)
    begin = next((n for n in near if words[n].key in ones), 0)
    while begin > least and words[begin - 1].key in ones:
        begin -= 1  # "Another one called boat".
    return begin


def _announces(words: Sequence[Token], number: int) -> bool:
    before = [one.key for one in words[max(0, number - 2) : number]]
    is_counted = bool(numbers_of(words[max(0, number - 2) : number])) or not WORDS["several"].isdisjoint(before)
    return words[number].key in PICKING["list_words"] and is_counted


def _head_begins(words: Sequence[Token], number: int, least: int) -> int:
    first = number - 1
    while first > least and not words[first].is_cut and words[first].gap.strip() not in _DASHES:
        first -= 1
    return max(first, least)


def _as_name(text: str, words: Sequence[Token]) -> str:
    rest = stripped(words, _BEFORE_NAME, PICKING["list_words"] | WORDS["beside_list"] | WORDS["with"])
    return span(text, rest) if len(rest) <= _MOST_WORDS else ""


def with_passed_over(items: Sequence[str], said: str, list_name: str, own: Set[str] = frozenset()) -> list[str]:
    """Return the things that a model took from a message, behind those that it passed over before them.

    "Put tea, jam and soap on the list" begins with the tea. What stands between two things may only tell of one
    of them: "milk, the blue one, and bread".
    """
    if len(said) > _MAX_CHARS or "?" in said:
        return list(items)
    items = _with_between(items, tokens_of(said), said, own)
    if ":" in said:
        return items
    parts = pieces(tokens_of(said), _REASON)
    each = [_item(said, without_list(piece)[0]) or "" for piece in parts]
    taken = [by_words(item, each) for item in items]
    if not parts or not taken or not all(len(places) == 1 for places in taken):
        return list(items)
    first = min(places[0] for places in taken)
    is_opened = parts[0][0].key in WORDS["add_verbs"] | WORDS["filling"]
    is_plain = all(each[:first]) and not any(map(_is_otherwise, parts[: first + 1]))
    is_name = bool(by_words(list_name, each[:1]))
    return [*each[:first], *items] if is_opened and is_plain and not is_name else list(items)


def _with_between(items: Sequence[str], words: Sequence[Token], said: str, own: Set[str]) -> list[str]:
    """Return the things that a model took, with the wares between them and right behind them that it passed over.

    Only words that are known as wares are any, and none where something in that stretch is denied or taken back.
    """
    keys = [one.key for one in words]
    held = [[one.key for one in tokens_of(item)] for item in items]
    found = [next((n for n in range(len(keys)) if keys[n : n + len(one)] == one), -1) for one in held]
    if not items or not all(held) or min(found) < 0:
        return list(items)
    taken = {n for at, one in zip(found, held, strict=True) for n in range(at, at + len(one))}
    end = max(taken) + 1
    while end < len(words) and (_is_passed(words, end, own) or keys[end] in PICKING["joining"]):
        end += 1
    stretch = words[min(taken) : end]
    if any(one.key in PICKING["denying"] | WORDS["having"] | PICKING["already"] for one in stretch):
        return list(items)
    # Before another thing that was taken, a ware is one of its own.
    ends = {n: n + 1 if n + 1 in taken else n + 2 for n in range(min(taken), end) if n not in taken}
    over = [n for n, behind in ends.items() if _is_passed(words[:behind], n, own)]
    each = {**dict(zip(found, items, strict=True)), **{n: span(said, words[n : n + 1]) for n in over}}
    return [each[n] for n in sorted(each)]


def _is_passed(words: Sequence[Token], number: int, own: Set[str]) -> bool:
    """Tell whether a word is a ware of its own: no part of "milk for the cake", and none that may be one thing."""
    one, before = words[number], words[number - 1].key if number else ""
    is_known = household_word(one.key) or one.key in own
    is_part = not one.is_cut and before in (WORDS["in_items"] | WORDS["own"]) - PICKING["joining"]
    behind = words[number + 1 : number + 2]
    # "Rice" of "rice vinegar", but not before "and" or a story.
    is_open = one.key in WORDS["before_what"] and any(is_content(each.key) and not each.is_cut for each in behind)
    return is_known and not is_part and not is_open and one.key not in WORDS["finite"]


def _is_otherwise(piece: Sequence[Token]) -> bool:
    """Tell whether a piece wishes for something else, or takes something back."""
    verb = opening_verb(piece)
    is_of_another = verb is not None and verb[0] in {"remove", "done", "change", "keep"}
    return (
        is_of_another
        or any(is_other_wish(one) and one.key not in WORDS["add_verbs"] for one in piece)
        or _taken_back(piece) is not None
    )


def _owned(words: Sequence[Token]) -> list[Token]:
    """Return the words for what is there after all: "no i have bleach", "masilla ya tengo"; [] for all else."""
    beside = PICKING["denying"] | PICKING["already"] | PICKING["pronouns"] | PICKING["determiners"]
    said = stripped(words, beside - WORDS["having"] | WORDS["filling"], beside | WORDS["filling"])
    if len(said) < _LEAST_ITEMS or not is_owned(words):
        return []
    rest = said[1:] if said[0].key in WORDS["having"] else said[:-1] if said[-1].key in WORDS["having"] else []
    return stripped(rest, beside, beside)


def _taken_back(words: Sequence[Token]) -> list[Token] | None:
    """Return the words for what is not wanted after all: "quita el vino", "not the wine", "el vino no"."""
    start = 0
    while start < len(words) - 1 and words[start].key in WORDS["filling"] - PICKING["denying"]:
        start += 1
    rest = list(words[start:])
    while (
        len(rest) > 1
        and rest[0].key in PICKING["denying"]
        and rest[1].key in (WORDS["filling"] - PICKING["determiners"]) | PICKING["remove"]
    ):
        rest.pop(0)
    verb = opening_verb(rest)
    if verb is not None and verb[0] == "remove":
        return [one for one in rest[verb[1] + 1 :] if one.key not in PICKING["particles"] | WORDS["instead"]]
    if len(rest) > 1 and rest[-1].key in PICKING["denying"]:
        return rest[:-1]
    is_denied = len(rest) > 1 and rest[0].key in PICKING["denying"] | WORDS["without"]
    return rest[1:] if is_denied else None


def _opens(parts: Sequence[Sequence[Token]], number: int) -> bool:
    """Tell whether what opens a piece opens the message: "pera, sumá pan" asks to wait, "pera y uvas" does not."""
    is_more = len(parts[0]) > 1 or any(one[0].key in WORDS["add_verbs"] for one in parts[1:2])
    return number == 0 and is_more


def _item(text: str, words: Sequence[Token], *, opens: bool = False) -> str | None:
    """Return the thing that a piece names; None for a filler or a story."""
    wish = max((n for n, one in enumerate(words) if one.key in _PUTTING), default=0)
    rest = without_filler(words[wish:], _VERBS | WORDS["filling"], opens=opens)
    closing = fillers(text, PICKING["closing"]) | WORDS["instead"]
    while len(rest) > 1 and rest[-1].key in closing:
        rest.pop()
    is_bare = all(one.key in PICKING["determiners"] for one in rest)
    is_story = len(rest) > 1 and rest[0].key in WORDS["story"] and not is_own_thing(text, rest)
    if is_bare or len(rest) > _MOST_WORDS or is_story:
        return None
    return span(text, rest)
