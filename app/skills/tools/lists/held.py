"""What belongs to the thing before it, and what stands in quotes or brackets: "batteries, the small ones"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, pieces, tokens_of
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.slipped import household_word

_SPACE: Final = 3
_MOST_HELD: Final = 80
_MOST_OF_A_KIND: Final = 6
_MAY_HOLD: Final = re.compile(r"[(\"“«,]")
_QUOTED: Final = re.compile(r"[\"“«](?P<said>[^\"“”«»\n]{1,80})[\"”»]")
_COUNTED: Final = re.compile(r"(?P<thing>[^,]{1,80}), (?P<count>\d{1,4})")
_ON_IT: Final = LatePattern(rf" {WORDS.pattern('put_on_it')}\Z")
_TELLING: Final = (WORDS["tellers"] | WORDS["my_own"] | PICKING["subjects"]) - WORDS["telling_which"]
_NO_KIND: Final = WORDS["finite"] | WORDS["being"] | WORDS["having"] | WORDS["put_verbs"] | PICKING["list_words"]
_NO_THING: Final = (
    WORDS["put_verbs"] | WORDS["add_verbs"] | PICKING["list_words"] | PICKING["denying"] | WORDS["turning"]
) - WORDS["noun_verbs"]
_ARTICLES: Final = PICKING["determiners"] - WORDS["my_own"] - WORDS["counts"]
_KINDS: Final = WORDS["described_as"] | WORDS["leading_kinds"]
_ENDS: Final = WORDS["to_list"] | PICKING["list_links"] | PICKING["closing"] | PICKING["joining"]


def held(text: str, words: Sequence[Token]) -> list[Token]:
    """Return words, with what belongs to one as a part of that: "screws (not steel)", "glue, the strong kind",
    and what stands in quotes as one."""
    if _MAY_HOLD.search(text) is None:
        return list(words)
    found: list[Token] = []
    for one in _quoted(text, words):
        found[-1:] = [_with_bracket(text, last) for last in found[-1:]]
        if not found or one.start >= found[-1].end:
            found.append(replace(one, gap=text[found[-1].end : one.start]) if found else one)
    return _with_kinds(text, found)


def tidied(item: str) -> str:
    """Return a thing as it is kept: without the quotes around all of it, or where it is to stand ("… on it"), and
    with how many before it."""
    if WORDS["with"].isdisjoint(item.split()):
        item = _ON_IT.sub("", item)
    if (quoted := _QUOTED.fullmatch(item)) is not None:
        return quoted["said"].strip()
    counted = _COUNTED.fullmatch(item)
    return f"{counted['count']} {counted['thing']}" if counted is not None else item


def is_one(item: str) -> bool:
    """Tell whether a thing that has a mark in it is one."""
    words = tokens_of(item)
    return len(pieces(words)) > 1 and len(pieces(held(item, words))) == 1


def _with_bracket(text: str, one: Token) -> Token:
    """Return a word with the brackets behind it, where those tell of it: no "(my aunt is coming)"."""
    begin = text.find("(", one.end, one.end + _SPACE)
    end = text.find(")", begin, begin + _MOST_HELD) + 1 if begin >= 0 else 0
    if not end or any(char.isalnum() for char in text[one.end : begin]):
        return one
    inside = tokens_of(text[begin:end])
    is_told = bool(inside) and inside[0].key in _TELLING
    return one if is_told and any(each.key in WORDS["finite"] for each in inside) else replace(one, end=end)


def _quoted(text: str, words: Sequence[Token]) -> list[Token]:
    """Return words with those in quotes as one where a mark parts them; several wares are no title."""
    found = list(words)
    for quoted in _QUOTED.finditer(text):
        inside = [n for n, one in enumerate(found) if quoted.start() < one.start and one.end <= quoted.end()]
        said = [found[n] for n in inside]
        is_row = quoted["said"].islower() and all(
            any(household_word(one.key) for one in part) for part in pieces(said)
        )
        if len(pieces(said)) > 1 and not is_row:
            first = said[0]
            whole = Token("_".join(one.key for one in said), quoted.start(), quoted.end(), first.gap[:-1])
            found[inside[0] : inside[-1] + 1] = [whole]
    return found


def _with_kinds(text: str, words: Sequence[Token]) -> list[Token]:
    """Return words, with what tells behind a comma which one it is in that: ", the small ones", ", 30"."""
    found: list[Token] = []
    number = 0
    while number < len(words):
        one = words[number]
        count = _length_of_kind(words, number) if found and one.gap.strip() == "," and _is_thing(found[-1]) else 0
        if count:
            found[-1] = replace(found[-1], end=words[number + count - 1].end)
        else:
            found.append(one)
        number += max(1, count)
    return found


def _is_thing(one: Token) -> bool:
    return one.key not in _NO_THING and (is_content(one.key) or one.key[0].isdigit())


def _length_of_kind(words: Sequence[Token], at: int) -> int:
    """Return how many words from here only tell which kind of the thing before is meant, or how many; 0: none."""
    end = at + 1
    while end < len(words) and not words[end].is_cut and end - at <= _MOST_OF_A_KIND:
        if words[end].key in PICKING["joining"]:
            break
        end += 1
    keys = [one.key for one in words[at:end]]
    if len(keys) == 1:
        is_apart = end == len(words) or words[end].is_cut or words[end].key in PICKING["joining"]
        return int(keys[0].isdecimal() and is_apart and not words[at - 1].key[0].isdigit())
    if keys[0] in WORDS["sizes"] and keys[1][0].isdigit():
        return 2
    lead = _lead(keys)
    last = _last(keys, lead)
    return last if last and _NO_KIND.isdisjoint(keys[:last]) else 0


def _lead(keys: Sequence[str]) -> int:
    """Return how many words lead to what is said of the kind: "but not", "only"."""
    lead = int(keys[0] in WORDS["but_kind"])
    return lead + int(keys[lead : lead + 1] != [] and keys[lead] in WORDS["only_kind"])


def _last(keys: Sequence[str], lead: int) -> int:
    """Return where what is said of the kind ends; 0 where it is none."""
    rest = keys[lead:]
    if len(rest) < 1 or (lead == 0 and rest[0] not in _ARTICLES | WORDS["place_links"] | PICKING["relative"]):
        return 0
    at = next((n for n, key in enumerate(rest) if n and key in WORDS["ones"]), 0)
    is_ended = at > 0 and (at + 1 == len(rest) or rest[at + 1] in _ENDS)
    if is_ended and not any(household_word(key) for key in rest[:at]):
        return lead + at + 1
    first, second, *_ = [*rest, "", ""]
    if first in PICKING["relative"] and second in WORDS["telling_which"]:
        return len(keys)
    is_of = second in WORDS["place_links"] and first in _ARTICLES and len(rest) > 2
    is_kind = first in _ARTICLES and second in _KINDS and (len(rest) == 2 or rest[2] in _ENDS)
    if is_of and lead == 0:
        return len(keys) if "_" not in first and first not in {"lo", "eso", "esto"} else 0
    if is_kind:
        return lead + 2
    is_but = lead == 2 and first not in STOP_WORDS - _ARTICLES
    return len(keys) if is_but and not any(household_word(key) for key in rest) else 0
