"""A wish that tells a thing apart from another one: "rail 9 not rail 11", "caño de 20, no de 25".

What is not meant is left out. "20, no, 25" is none: that puts the message right.
"""

from collections.abc import Sequence, Set
from itertools import takewhile
from typing import Final

from app.language.lexicon import COMMON_WORDS
from app.skills.amending import MAX_CHARS, is_correction
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, is_wish, tokens_of

_TO_THINGS: Final = COMMON_WORDS["contrast_lists"]
_WISHES: Final = _TO_THINGS | COMMON_WORDS["contrast_reminds"]
_NOT: Final = COMMON_WORDS["contrast_not"]
_NO: Final = COMMON_WORDS["contrast_no"]
_LINKS: Final = COMMON_WORDS["contrast_links"]
_ENDS: Final = COMMON_WORDS["contrast_ends"]
_BEHIND: Final = COMMON_WORDS["stop_words"] | PICKING["joining"] | PICKING["breaks"]
_NOTING: Final = COMMON_WORDS["contrast_keeps"]
_MOST_BEFORE: Final = 4
_MOST_OF_A_THING: Final = 2


def without_contrast(text: str) -> str:
    """Return a wish for a list or a reminder without what it says not to mean; any other text as it is."""
    may_be = len(text) <= MAX_CHARS and "?" not in text and not (_NOT | _NO).isdisjoint(text.lower().split())
    words = tokens_of(text) if may_be else []
    keys = {one.key for one in words}
    if keys.isdisjoint(_WISHES) or not keys.isdisjoint(_NOTING) or is_correction(text):
        return text
    for number in range(len(words) - 2, 0, -1):
        end = _end_of_figure(words, number) or (0 if keys.isdisjoint(_TO_THINGS) else _end_of_thing(words, number))
        if end:
            before = words[number - 1]
            begin = words[number - 2].end if before.key in PICKING["joining"] else before.end
            text = text[:begin] + text[words[end - 1].end :]
    return text


def _end_of_figure(words: Sequence[Token], at: int) -> int:
    """Return where a figure ends that another one before it is told apart from; 0 where none is."""
    if words[at].key not in _NOT | _NO or words[at + 1].is_cut:
        return 0
    before = words[at - 1]
    first = max(0, at - 1 - _MOST_BEFORE)
    meant = next((n for n in range(at - 1, first - 1, -1) if words[n].key[0].isdigit()), None)
    lead = list(
        takewhile(lambda one: not (one.key[0].isdigit() or one.is_cut), words[at + 1 : at + 1 + _MOST_BEFORE])
    )
    figure = at + 1 + len(lead)
    if meant is None or figure >= len(words) or not words[figure].key[0].isdigit():
        return 0
    said = {one.key for one in words[max(0, meant - _MOST_BEFORE) : at]}
    if (words[figure].is_cut and lead) or words[figure].key == words[meant].key:
        return 0
    if not all(one.key in said | _LINKS for one in lead):
        return 0
    # In Spanish, "20 no 25" and "20, no 25" may put the message right.
    is_apart = before.key in PICKING["joining"] or (words[at].is_cut and bool(lead))
    if words[at].key in _NO and not is_apart:
        return 0
    return _closed(words, _behind(words, figure, said))


def _behind(words: Sequence[Token], figure: int, said: Set[str]) -> int:
    """Return where what belongs to a figure ends: "25 m", "a 25 m one", "7 pm"."""
    end = figure + 1
    while end < len(words) and not words[end].is_cut and words[end].key in (said | _ENDS) - _BEHIND:
        end += 1
    return end


def _closed(words: Sequence[Token], end: int) -> int:
    """Return where what is not meant ends; 0 where it goes on: "not 20 but 30", "not 20 more"."""
    is_open = end < len(words) and not words[end].is_cut and words[end].key not in _BEHIND
    return 0 if is_open or any(one.key in COMMON_WORDS["contrast_but"] for one in words[end : end + 1]) else end


def _end_of_thing(words: Sequence[Token], at: int) -> int:
    """Return where a thing ends that another one is told apart from, without a mark: "rye bread not white"."""
    before = words[at - 1]
    if words[at].key not in _NOT or words[at].is_cut or words[at + 1].is_cut or not is_content(before.key):
        return 0
    behind = takewhile(lambda one: not one.is_cut and one.key not in PICKING["joining"], words[at + 1 :])
    thing = list(behind)
    is_thing = 0 < len(thing) <= _MOST_OF_A_THING and all(
        is_content(one.key)
        and one.key.isalpha()
        and not is_wish(one)
        and one.key not in COMMON_WORDS["contrast_none"]
        for one in thing
    )
    return at + 1 + len(thing) if is_thing and before.key not in COMMON_WORDS["contrast_none"] else 0
