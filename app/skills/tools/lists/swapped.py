"""A thing that is taken back in a dictated list, and the one said in its place: "apples, no, pears"."""

import re
from collections.abc import Sequence
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_wish, tokens_of
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.strung import things_in
from app.skills.tools.lists.talk import tells

_FEW: Final = 4
_VERBS: Final = WORDS["add_verbs"] | WORDS["put_verbs"]


def turned(found: re.Match[str]) -> str:
    """Return a mark in the place of words that turn, with the "no" of "wait no" as one that stands alone."""
    return ", no, " if any(one.key in PICKING["denying"] for one in tokens_of(found[0])) else ", "


def takes_back_last(words: Sequence[Token]) -> bool:
    """Tell whether a piece alone takes back the thing before it: "apples, no, pears"."""
    beside = WORDS["put_right"] | WORDS["meant"] | PICKING["subjects"]
    return all(one.key in beside for one in words) and any(one.key in WORDS["put_right"] for one in words)


def named_instead(text: str, words: Sequence[Token]) -> str:
    """Return the one thing that a piece names behind such words; "" where it tells or wishes."""
    before = [one.key for one in tokens_of(text[: words[0].start])[-1:]] if words else []
    beside = WORDS["as_well"] | WORDS["more"] | PICKING["already"] | WORDS["having"] | WORDS["excusing"]
    goes_on = not (PICKING["joining"] | _VERBS).isdisjoint(before) or any(one.key in beside for one in words)
    is_named = 0 < len(words) <= _FEW and not goes_on and not tells(text, words) and not any(map(is_wish, words))
    things = things_in(text, words) if is_named else None
    return things[0] if things and len(things) == 1 else ""
