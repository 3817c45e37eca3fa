"""Bare words side by side, which may be one thing or several: "history maths physics", "dark green paint"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from app.domain.wording import fold, stem
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, is_wish, span, tokens_of
from app.skills.tools.lists.joined import is_in
from app.skills.tools.lists.lexicon import UNITS, WORDS
from app.skills.tools.lists.repository import Item
from app.skills.tools.lists.slipped import household_word

_AMOUNT: Final = re.compile(r"\d[\d.,]{0,8} ?(?:mg|ml|cc|g|gr|kg|l|mm|cm|w|v|%)?", re.IGNORECASE)
_LEAST: Final = 3
_PAIR: Final = 2
_TELLING: Final = (
    WORDS["described_as"] | WORDS["kinds_before"] | WORDS["kinds_behind"] | WORDS["leading_kinds"]
    | WORDS["before_what"] | WORDS["sizes"] | WORDS["amounts"] | WORDS["gear_parts"] | UNITS | WORDS["tellers"]
    | WORDS["finite"] | PICKING["described"]
)  # fmt: skip
_VERBS: Final = WORDS["add_verbs"] | WORDS["put_verbs"] | WORDS["making"] | WORDS["having"]
_DESCRIBED: Final = PICKING["described"] - PICKING["determiners"] - PICKING["pronouns"]
_NOUNS: Final = WORDS["gear"] | WORDS["subjects"]
_ADJECTIVE: Final = re.compile(r"(?:ad|id|os|iv|ic|ari|[dt]or)[oa]s?\Z|(?:al|[ai]ble|[ae]nte)(?:e?s)?\Z")
_INFINITIVE: Final = re.compile(r"[aei]r(?:l[aeo]s?)?\Z")
# "Mens gloves", "christmas lights", "glass jars", "cactus pots" are one thing each.
_PLURAL: Final = re.compile(r".{2}[^suia]s\Z|.{3}as\Z")


def may_be_row(words: Sequence[Token]) -> bool:
    """Tell whether bare words may be several things: no word among them tells of another one."""
    keys = [one.key for one in words]
    cuts = [one.is_cut for one in words[1:]]
    if len(keys) < (_PAIR if all(cuts) else _LEAST) or len(set(keys)) < len(keys) or any(cuts) != all(cuts):
        return False
    is_bare = all(
        is_content(one.key) and one.key.isalpha() and one.key not in _TELLING | _VERBS and not is_wish(one)
        for one in words
    )
    # "Birthday party hats" is one, and so is "cinta adhesiva transparente".
    is_headed = is_plural(keys[-1]) and not any(is_plural(key) or _is_noun(key) for key in keys[:-1])
    is_told = any(_ADJECTIVE.search(key) and not _is_noun(key) for key in keys[1:])
    return is_bare and (all(cuts) or not (is_headed or is_told))


def row_in(text: str, thing: str) -> list[str]:
    """Return the things that stand side by side in the one of a `text`; the one where that is not sure."""
    words = tokens_of(thing)
    keys = [one.key for one in words]
    is_surely = (
        sum(map(_is_noun, keys)) >= _PAIR
        or all(map(is_plural, keys))
        or (is_in(text, WORDS["spanish_marks"]) and thing.islower())
    )
    is_deed = bool(keys) and _INFINITIVE.search(keys[0]) is not None and not _is_noun(keys[0])
    is_row = is_surely and not is_deed and may_be_row(words)
    return [span(thing, [one]) for one in words] if is_row else [thing]


def with_numbers(items: Sequence[str], said: str) -> list[str]:
    """Return things with the number right behind each, which a model takes for another thing: "ibuprofen 400"."""
    whole: list[str] = []
    for item in items:
        last = f"{whole[-1]} {item}" if whole else ""
        if whole and _AMOUNT.fullmatch(item) and last.casefold() in said.casefold():
            whole[-1] = last
        else:
            whole.append(item)
    return whole


def parted(items: Sequence[Item], said: str) -> tuple[list[Item], dict[int, str]]:
    """Return items as a message that takes them off names them, and what stays of which of them, by their ids.

    Of one that may be several things only what is named goes; all of it where it is one, or only pointed to. What
    has a ware in it is one ("pan lactal bimbo", "coca cola light"), and so is what two of its words name together
    ("the tape measure"); people go by their first or last name.
    """
    spoken = tokens_of(said)
    # "Off the list" names no part of a thing.
    stems = {stem(one.key) for one in spoken if one.key not in PICKING["list_words"]}
    is_described = any(one.key in _DESCRIBED for one in spoken)
    told, rest = list[Item](), dict[int, str]()
    for item in items:
        words = tokens_of(item.text)
        named = [item.text[one.start : one.end] for one in words if stem(one.key) in stems]
        left = [item.text[one.start : one.end] for one in words if stem(one.key) not in stems]
        is_part = bool(named and left) and not is_described and may_be_row(words) and not _is_one(item.text, named)
        is_part &= len(named) == 1 or fold(" ".join(named)) not in fold(said)
        told.append(replace(item, text=" ".join(named)) if is_part else item)
        if is_part:
            rest[item.id] = ", ".join(left)  # They are several, then.
    return told, rest


def _is_one(text: str, named: Sequence[str]) -> bool:
    """Tell whether bare words are one ware, or somebody's names, of which the first or the last is `named`."""
    each = text.split()
    is_ware = text.islower() and any(household_word(one) for one in each)
    return is_ware or (not text.islower() and not {each[0], each[-1]}.isdisjoint(named))


def plurals_in(text: str, words: Sequence[Token]) -> set[str]:
    """Return the nouns in the plural that stand side by side: two of them are two things.

    In Spanish only where the one is no adjective of the other: "globos guirnaldas", no "velas blancas".
    """
    found = set[str]()
    is_english = is_in(text, WORDS["english_marks"])
    for one, other in pairwise(words):
        ends = {one.key[-2:], other.key[-2:]}
        is_apart = ends == {"as", "os"} or (is_english and ends.isdisjoint({"as", "os"}))
        if is_apart and not other.is_cut and is_plural(one.key) and is_plural(other.key):
            found |= {one.key, other.key}
    return found


def is_plural(key: str) -> bool:
    is_said = key in WORDS["no_plurals"] | _TELLING - WORDS["gear_parts"] | _VERBS | WORDS[
        "lacked"
    ] or not is_content(key)
    return not is_said and _PLURAL.search(key) is not None and key[:-1] not in WORDS["no_names"]


def _is_noun(key: str) -> bool:
    return key in _NOUNS or household_word(key)
