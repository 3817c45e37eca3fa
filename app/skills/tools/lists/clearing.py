"""Lists that are thrown away whole, "nvm, wipe the whole thing", and those that are made in their place."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, bare, is_content, is_wish, span, stripped, tokens_of
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.strung import things_in
from app.skills.tools.lists.wording import PRONOUNS

_MAX_CHARS: Final = 300
_MOST_OF_A_NAME: Final = 4
_OBJECTS: Final = ("lo", "la", "los", "las")
_BESIDE: Final = (PICKING["closing"] | PICKING["particles"]) - PICKING["list_words"]


class Started(NamedTuple):
    """What a new list is called, and what is on it."""

    list_name: str
    items: list[str]


def clears_list(text: str) -> bool:
    """Tell whether a message wants the list of which it was just spoken emptied or thrown away."""
    if len(text) > _MAX_CHARS or "?" in text:
        return False
    words = tokens_of(text)
    at = next((n for n, one in enumerate(words) if _clears(one) and _clears_whole(words, n)), None)
    if at is None:
        return False
    end = at + len(_object(words, at))
    return not any(map(_wishes_otherwise, (*words[:at], *words[end + 1 :])))


def read_started(text: str) -> Started | None:
    """Return the list that is wanted in the place of another one: "doing a picnic instead, start one with ham"."""
    if len(text) > _MAX_CHARS or "?" in text:
        return None
    words = tokens_of(text)
    at = next((n for n in range(len(words) - 2) if _makes_one(words, n)), None)
    begin = None if at is None else next((n for n in range(at, len(words)) if words[n].key in WORDS["with"]), None)
    if at is None or begin is None or any(map(_wishes_otherwise, words[begin + 1 :])):
        return None
    name = _plan(text, words[:at])
    items = things_in(text, words[begin + 1 :]) if name else None
    return Started(name, items) if items else None


def _clears(one: Token) -> bool:
    return one.key in WORDS["clearing"] or bare(one.key) in WORDS["clearing"]


def _object(words: Sequence[Token], at: int) -> list[Token]:
    """Return what stands behind a verb, up to the end of its clause."""
    found: list[Token] = []
    for one in words[at + 1 :]:
        if one.is_cut or one.key in PICKING["breaks"] | PICKING["relative"]:
            break
        found.append(one)
    return found


def _clears_whole(words: Sequence[Token], at: int) -> bool:
    """Tell whether a verb is for the whole list: "scrap that list"; "scrap that" may be one thing."""
    is_denied = at > 0 and words[at - 1].key in PICKING["denying"] and not words[at].is_cut
    object_ = _object(words, at)
    has_pronoun = words[at].key.endswith(_OBJECTS) and bare(words[at].key) != words[at].key
    place = object_[0 if has_pronoun else 1 :][:1]
    if place and place[0].key in WORDS["taken_from"] and (has_pronoun or object_[0].key in PRONOUNS):
        return False  # "Take it off the list", "sacala de la lista": one thing.
    keys = {one.key for one in object_} - _BESIDE
    if not keys:
        return words[at].key in WORDS["clearing_alone"] and not is_denied
    is_whole = not keys.isdisjoint(WORDS["whole"] | PICKING["list_words"])
    return is_whole and keys <= WORDS["cleared"] | WORDS["whole"] | PICKING["list_words"] and not is_denied


def _wishes_otherwise(one: Token) -> bool:
    return is_wish(one) and not _clears(one) and one.key not in WORDS["filling"] | WORDS["add_verbs"]


def _makes_one(words: Sequence[Token], at: int) -> bool:
    """Tell whether "start one (for that) with" stands here."""
    behind = [one.key for one in words[at + 1 : at + 8]]
    end = next((n for n, key in enumerate(behind) if key in WORDS["with"]), 0)
    return words[at].key in WORDS["making"] and end > 0 and set(behind[:end]) <= WORDS["for_that"]


def _plan(text: str, words: Sequence[Token]) -> str:
    """Return what is planned instead ("al final hacemos un picnic"), "" where that is not said."""
    rather = next((n for n, one in enumerate(words) if one.key in WORDS["rather"]), None)
    verb = next((n for n, one in enumerate(words) if one.key in WORDS["planning"]), None)
    if rather is None or verb is None:
        return ""
    named: list[Token] = []
    for one in words[verb + 1 :]:
        if (
            one.key in WORDS["rather"] | PICKING["breaks"] | PICKING["reason"] | PICKING["joining"] | WORDS["with"]
            or one.is_cut
        ):
            break
        named.append(one)
    named = stripped(named, STOP_WORDS | PICKING["determiners"] | WORDS["planning"])
    while named and not is_content(named[-1].key):
        named.pop()
    return span(text, named) if 0 < len(named) <= _MOST_OF_A_NAME else ""
