"""Finds which part of a code a correction puts right: "it ends in 88D, not 88B", "no, 5521 not 5512".

Only the part that is named becomes another one: the rest of the code was right.
"""

import re
from typing import Final, NamedTuple

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS

_FEW_LETTERS: Final = 2
_PIECE: Final = r"[^\W_](?:[\w./#+-]{0,30}[^\W_])?"
# A phone number is one code in several groups: "024 410 7765".
_CODE: Final = re.compile(r"(?<![\w+])\+?\d{1,5}(?: \d{2,5}){1,5}(?!\w)|(?<!\w)[^\W_][\w./#+-]{1,80}[^\W_](?!\w)")


def _linked() -> str:
    return rf"(?:{COMMON_WORDS.pattern('linking_part')} )"


def _not() -> str:
    return rf"(?:{'|'.join(sorted(COMMON_WORDS['denying']))}) {_linked()}?"


_WORDED: Final = (
    LatePattern(rf"(?<!\w)(?P<new>{_PIECE}),? {_not()}(?P<old>{_PIECE})(?!\w)"),
    LatePattern(rf"(?<!\w){_not()}(?P<old>{_PIECE}),? {_linked()}{{0,2}}(?P<new>{_PIECE})(?!\w)"),
)
_ENDS: Final = LatePattern(COMMON_WORDS.pattern("ends_in"))
_ENDING: Final = LatePattern(rf"{COMMON_WORDS.pattern('ends_in')} (?P<new>{_PIECE})(?=\W*\Z)")


_SIDE: Final = r"\d{1,6}(?:[.,]\d{1,3})?"
_MEASURE: Final = re.compile(rf"(?<![\w.,]){_SIDE}(?: ?(?:x|×|por|by) ?{_SIDE}){{1,3}}(?![\w])", re.IGNORECASE)
_ONE_SIDE: Final = re.compile(_SIDE)


class Part(NamedTuple):
    """A code from `start` to `end` of a kept text, and what it becomes."""

    start: int
    end: int
    new: str


def part_put_right(kept: str, said: str) -> Part | None:
    """Return which code of a kept text becomes another one by its part; None where that is not certain."""
    if (measure := _measured(kept, said)) is not None:
        return measure
    ends = _ENDS.search(said) is not None
    codes = [one for one in _CODE.finditer(kept) if any(map(str.isdigit, one[0]))]
    for pattern in _WORDED:
        for found in pattern.finditer(said):
            old, new = found["old"], found["new"]
            is_told = _are_alike(old, new) and (ends or any(map(str.isdigit, old)) or (old + new).isupper())
            parts = [part for one in codes if (part := _with_part(one, old, new))] if is_told else []
            if len(parts) == 1:
                return parts[0]
    ending = _ENDING.search(said)
    parts = [part for one in codes if (part := _with_ending(one, ending["new"]))] if ending else []
    return parts[0] if len(parts) == 1 else None


def _measured(kept: str, said: str) -> Part | None:
    """Return the one measure of a kept text as it is said anew, all its sides at once: "84 x 121"."""
    old, new = [*_MEASURE.finditer(kept)], [*_MEASURE.finditer(said)]
    if len(old) != 1 or len(new) != 1:
        return None
    sides = [len(_ONE_SIDE.findall(one[0])) for one in (*old, *new)]
    return Part(old[0].start(), old[0].end(), new[0][0]) if sides[0] == sides[1] else None


def _are_alike(old: str, new: str) -> bool:
    """Tell whether one may be a slip for the other: both have digits, or are letters alone, few of them."""
    has_digits = any(map(str.isdigit, old))
    is_short = has_digits or len(old) == len(new) <= _FEW_LETTERS
    return has_digits == any(map(str.isdigit, new)) and abs(len(old) - len(new)) <= _FEW_LETTERS and is_short


def _with_part(code: re.Match[str], old: str, new: str) -> Part | None:
    """Return a code with `old` replaced, where it stands in it once, by itself or at the end, and is not all."""
    place = code[0].casefold().find(old.casefold())
    if place < 0 or len(old) == len(code[0]) or code[0].casefold().count(old.casefold()) != 1:
        return None
    end = place + len(old)
    is_apart = _is_border(code[0], place) and _is_border(code[0], end)
    if not is_apart and end != len(code[0]):
        return None
    return Part(code.start(), code.end(), code[0][:place] + new + code[0][end:])


def _is_border(code: str, place: int) -> bool:
    """Tell whether a code is divided there: at its ends, beside a sign, between letters and digits."""
    sides = code[max(place - 1, 0) : place], code[place : place + 1]
    return not all(sides) or not all(map(str.isalnum, sides)) or sides[0].isdigit() != sides[1].isdigit()


def _with_ending(code: re.Match[str], new: str) -> Part | None:
    """Return a code with another end of the same form, "88D" for "88B"."""
    old = code[0][-len(new) :]
    is_alike = len(new) < len(code[0]) and [*map(str.isdigit, old)] == [*map(str.isdigit, new)]
    if not is_alike or old.casefold() == new.casefold():
        return None
    return Part(code.start(), code.end(), code[0][: -len(new)] + new)
