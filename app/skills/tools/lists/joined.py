"""The words of things that are enumerated, with "and" where it has a slip, or where it is one thing."""

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import takewhile
from typing import Final

from app.domain.wording import each_thing, fold, one_line
from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, tokens_of
from app.skills.tools.lists.held import is_one
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.slipped import household_word

_BEFORE_NOUN: Final = STOP_WORDS | WORDS["put_verbs"] | WORDS["add_verbs"] | (WORDS["in_items"] - WORDS["amounts"])
_ENGLISH: Final = frozenset({"list", "with"})
_ON: Final = frozenset({"on", "onto"})
_LED: Final = 4
_MOST_OF_ONE: Final = 5
_MOST_PUT_ON: Final = 7


def joined(text: str, words: Sequence[Token]) -> list[Token]:
    """Return words with "and" where it has a slip: "bread an cheese", in a Spanish text "jabón i velas"."""
    found, is_spanish = list(words[:1]), is_in(text, WORDS["spanish_marks"])
    is_english = is_in(text, WORDS["english_marks"] | _ENGLISH)
    for before, one, behind in zip(words, words[1:], [*words[2:], None], strict=False):
        is_slip = behind is not None and one.key in WORDS["and_slipped"] and before.key not in _BEFORE_NOUN
        if one.key in WORDS["and_short"] and not one.is_cut:
            if text[one.start].isupper() and text[before.start].isupper() and _ends_piece(behind):
                found[-1] = replace(found[-1], end=one.end)  # "Juan Carlos I"
                continue
            # "Leche i pan", but not "milk i need".
            is_sure = is_spanish and not is_english and text[one.start].islower()
            is_thing = behind is not None and household_word(behind.key)
            is_more = behind is not None and is_sure and is_content(behind.key) and not behind.is_cut
            is_slip = is_slip or is_thing or is_more
        found.append(replace(one, key="and") if is_slip else one)
    return with_dishes(found)


def with_dishes(words: Sequence[Token]) -> list[Token]:
    """Return words with what is one thing though "and" stands in it as one: "surf and turf", "egg and cress
    rolls", "ravioles de pollo y verdura"."""
    found: list[Token] = []
    number = 0
    while number < len(words):
        count = 1 if words[number].key in STOP_WORDS else _length_of_one(words[number : number + _MOST_OF_ONE])
        last = words[number + count - 1]
        key = "_".join(one.key for one in words[number : number + count])
        found.append(replace(words[number], key=key, end=last.end))
        number += count
    return found


def each_listed(said: Sequence[str], limit: int) -> list[str]:
    """Return what is listed one by one, as `each_thing`; what is one thing with "and" in it stays so."""
    parted = ([one_line(one, limit)] if _is_dish(one) or is_one(one) else each_thing([one], limit) for one in said)
    each = [thing for things in parted for thing in things]
    return list({fold(one): one for one in each}.values())


def _is_dish(said: str) -> bool:
    words = tokens_of(said)
    linked = with_dishes(words)
    joiners = PICKING["joining"]
    is_linked = len(linked) < len(words) and "," not in said
    return is_linked and not any(one.key in joiners for one in linked)


def _length_of_one(words: Sequence[Token]) -> int:
    """Return how many words at the beginning are one thing that has "and" in it; 1 where only the first is one."""
    keys = [one.key for one in takewhile(lambda one: one is words[0] or not one.is_cut, words)]
    at = next((n for n, key in enumerate(keys) if key in PICKING["joining"]), 0)
    if not at or at + 1 >= len(keys):
        return 1
    pair, is_filled = f"{keys[at - 1]}_{keys[at + 1]}", WORDS["fillings"].issuperset((keys[at - 1], keys[at + 1]))
    if at == 1:
        is_before = (is_filled or pair in WORDS["pairs_before"]) and not WORDS["filled"].isdisjoint(keys[3:4])
        return _LED if is_before else _LED - 1 if pair in WORDS["pairs_with_and"] else 1
    is_led = keys[0] in WORDS["filled_with"] and at == _LED - 1 and keys[1] in WORDS["of_what"]
    return _LED + 1 if is_led and is_filled else 1


def is_in(text: str, marks: Set[str]) -> bool:
    """Tell whether one of some words stands in a text."""
    return any(one.key in marks for one in tokens_of(text))


def _ends_piece(behind: Token | None) -> bool:
    return behind is None or behind.is_cut or behind.key in PICKING["joining"]


def puts_on(words: Sequence[Token]) -> bool:
    """Tell whether a word that may name a thing is a verb by the "on" behind it: "pop ham on", no "pop tarts"."""
    is_either = words[0].key in WORDS["put_verbs"] & WORDS["noun_verbs"]
    clause = takewhile(lambda one: not one.is_cut and one.key not in PICKING["joining"], words[1:_MOST_PUT_ON])
    return is_either and any(one.key in _ON for one in list(clause)[1:])
