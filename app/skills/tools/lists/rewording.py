"""How an item is called when more is said of it: another number of it, or another kind."""

import re
from collections.abc import Sequence
from typing import Final

from app.language.lexicon import COMMON_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, span, tokens_of
from app.skills.tools.lists.lexicon import UNITS, WORDS
from app.skills.tools.lists.strung import without_story

_DAYS: Final = COMMON_WORDS["days"]
_OF: Final = frozenset({"de", "of"})
_MOST_WORDS: Final = 8
_SIZE: Final = re.compile(r"(?i)(?<!\w)((?:del?|of) )?\d{1,6}(?:[.,/]\d{1,4}){0,2}( ?[cm]m|[a-z]{1,4})?(?!\w)")


def reworded(item: str, text: str, said: Sequence[Token]) -> str:
    """Return what an item is called with what is `said` of it in a text; "" where that is nothing new.

    "30" of "6 huevos" is "30 huevos"; "pañales talla 5" is that, "2 jars" of "honey" are "honey (2 jars)".
    """
    said = without_story(text, said)
    if said and tells_when(span(text, said)):
        return ""
    if not 0 < len(said) <= _MOST_WORDS or said[-1].key in PICKING["denying"]:
        return ""  # "La acelga mejor no" calls it nothing else.
    words = tokens_of(item)
    bare = [one for one in words if not one.key[0].isdigit()]
    if said[0].key[0].isdigit() and [one.key for one in said[1:]] == [one.key for one in bare] != []:
        return span(text, said)  # "12 loaves" of "10 loaves", which are no measure here
    # "30 bolsas" are bags, and no amount of another thing.
    begin = _amount(words) if _amount(words) < len(words) else min(1, len(words) - 1)
    core, amount = words[begin:], words[:begin]
    split = _amount(said)
    number, kind = said[:split], said[split:]
    if not any(is_content(one.key) for one in kind):
        behind = [] if kind else number
        return _counted(item, core, amount, span(text, behind)) if behind else ""
    last = _behind(kind)
    if not number and last < len(kind) and last > 0 and _same(kind[:last], core):
        return _counted(item, core, amount, span(text, kind[last:]))
    whole = span(text, said)
    if number:
        is_part = not _same(kind, core) and _within(kind, core)
        new = f"{span(text, number)} {item[core[0].start :]}" if is_part and core else whole
    else:
        new = whole if not amount else f"{item[: core[0].start]}{whole}" if core else whole
        if _within(kind, core):
            return ""
    return "" if new == item else new


def tells_when(text: str) -> bool:
    """Tell whether a text says by when or how pressing a thing is, no name for it: "the tax one, urgent"."""
    keys = [one.key for one in tokens_of(text)]
    is_pointed = not WORDS["pointing_one"].isdisjoint(keys)
    return not WORDS["pressing"].isdisjoint(keys) or (is_pointed and not _DAYS.isdisjoint(keys))


def resized(item: str, text: str, said: Sequence[Token]) -> str:
    """Return an item with another size in the place of its own: "caño de 25", "washers 10mm"; "" for no size."""
    old, new = list(_SIZE.finditer(item)), _SIZE.match(text, said[0].start) if said else None
    if new is None or len(old) != 1 or not old[0].start() or new.end() < said[-1].end:
        return ""
    unit = "" if new[2] else (old[0][2] or "")
    is_same = (new[1] and old[0][1]) or (new[2] and old[0][2])
    return f"{item[: old[0].start()]}{new[0]}{unit}{item[old[0].end() :]}" if is_same else ""


def _amount(words: Sequence[Token]) -> int:
    """Return how many words at the beginning say how much: "3", "2 kilos de", "una docena de"."""
    if not words or not (words[0].key[0].isdigit() or words[0].key in WORDS["amounts"] | WORDS["counts"]):
        return 0
    end = 1
    while end < len(words) and words[end].key in UNITS | WORDS["amounts"]:
        end += 1
    return end + 1 if end > 1 and end < len(words) and words[end].key in _OF else end


def _behind(words: Sequence[Token]) -> int:
    """Return where an amount begins that ends words: "eggs 30"."""
    for number in range(len(words)):
        if words[number].key[0].isdigit() and _amount(words[number:]) == len(words) - number:
            return number
    return len(words)


def _counted(item: str, core: Sequence[Token], amount: Sequence[Token], said: str) -> str:
    named = item[core[0].start :] if core else item
    has_unit = any(one.key in UNITS for one in tokens_of(said))
    if not has_unit:
        return f"{said} {named}"
    if amount and amount[-1].key in UNITS:
        return f"{said} {named}"  # "2 dozen eggs" are "3 dozen eggs"
    link = next((item[one.start : one.end] for one in amount if one.key in _OF), "")
    return f"{said} {link} {named}" if link else f"{named} ({said})"


def _same(some: Sequence[Token], others: Sequence[Token]) -> bool:
    return _within(some, others) and _within(others, some)


def _within(some: Sequence[Token], others: Sequence[Token]) -> bool:
    keys = {one.key.rstrip("s") for one in others}
    return all(one.key.rstrip("s") in keys for one in some if is_content(one.key) or one.key[0].isdigit())
