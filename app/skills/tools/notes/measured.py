"""Recipes and mixtures that somebody wants written down: "note this dough, it came out great: 700 g flour, …".

They have amounts behind a colon, and no word of a list or of what is to be bought: without those it is a note.
"""

import re
from collections.abc import Sequence, Set
from itertools import pairwise
from typing import Final

from app.domain.wording import fold, stem
from app.domain.wording import words as words_in
from app.language.late import LatePattern
from app.skills.named_things import asked_about
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, stripped, tokens_of, without_pronouns
from app.skills.tools.notes.lexicon import IN_HASTE, POLITE_END, WORDS

_MAX_CHARS: Final = 1_000
_MAX_OF_A_HEAD: Final = 160
_LEAST_AMOUNTS: Final = 2
_LEAST_ASKED: Final = 2
_HEAD_ENDS: Final = re.compile(r":\s|\n")
_CLAUSE: Final = re.compile(r"(?<=[,.;!])\s|\s(?:y|e|and|so|asi que|así que)\s")
_PART: Final = re.compile(r"[,;\n+]|\.\s|\s(?:y|e|and)\s")
_AMOUNT: Final = LatePattern(
    rf"(?:\d[\d.,/½]{{0,6}}|½|{WORDS.pattern('amount_words')})\s?(?P<unit>[^\W\d]{{0,14}})",
    flags=0,
)
_POINTING: Final = PICKING["pronouns"] | PICKING["taken_objects"] | WORDS["kept_down"]
_ELSEWHERE: Final = PICKING["list_words"] | PICKING["task_words"] | PICKING["elsewhere"] | WORDS["to_be_bought"]
_HELD: Final = frozenset(map(stem, WORDS["recalled"] | WORDS["beside"] | WORDS["held"]))


def measured_in(said: str) -> str:
    """Return what is to be kept of a wish to write down a thing with its amounts; "" of any other message."""
    mark = _HEAD_ENDS.search(said) if len(said) <= _MAX_CHARS and "?" not in said else None
    if mark is None or mark.start() > _MAX_OF_A_HEAD or _has(said, _ELSEWHERE):
        return ""
    head, rest = said[: mark.start()], POLITE_END.sub("", f" {said[mark.end() :].strip()}").strip()
    kept = _named_in(head)
    if not kept or not _tells_amounts(kept, rest) or _has(rest, WORDS["of_a_day"]):
        return ""
    return f"{kept}{said[mark.start() : mark.end()]}{rest}"


def measure_asked_in(text: str, contents: Sequence[str]) -> int | None:
    """Return which of some notes holds how much of a thing there is in what a question names; None where none, or
    several may."""
    asked = asked_about(text) if _has(text, WORDS["how_much"]) else set()
    naming = asked - _HELD
    found = [place for place, one in enumerate(contents) if naming <= set(map(stem, words_in(one)))]
    is_one = len(naming) >= _LEAST_ASKED and len(found) == 1
    return found[0] if is_one and any(map(str.isdigit, contents[found[0]])) else None


def _named_in(head: str) -> str:
    """Return what a head names, without the wish to keep it, before or behind that; "" where it is none."""
    cuts = [(0, 0), *(one.span() for one in _CLAUSE.finditer(head)), (len(head), len(head))]
    for (before, begin), (end, _) in pairwise(cuts):
        words = stripped(tokens_of(head[begin:end]), WORDS["wish_fillers"] | PICKING["pronouns"])
        if not words or without_pronouns(words[0].key, WORDS["keeping"]) not in WORDS["keeping"]:
            continue
        is_pointed = begin > 0 and all(one.key in _POINTING | WORDS["wish_words"] for one in words[1:])
        return head[:before].rstrip(" ,.;!") if is_pointed else _behind(head[begin:], words)
    # "La mezcla quedó perfecta apuntala"
    said = (one for one in tokens_of(head) if without_pronouns(one.key, WORDS["keeping"]) != one.key)
    return next((head[: one.start].rstrip(" ,.;!") for one in said), "")


def _behind(said: str, words: Sequence[Token]) -> str:
    rest = stripped(words[1:], WORDS["kept_down"])
    haste = IN_HASTE.match(said, rest[0].start) if rest else None
    rest = [one for one in rest if haste is None or one.start >= haste.end()]
    is_pointed = any(one.key in WORDS["this"] for one in words[: len(words) - len(rest)])
    is_thing = len(rest) > 1 and rest[0].key in PICKING["determiners"] | WORDS["own"] | WORDS["mixtures"]
    return said[rest[0].start :].strip() if rest and (is_thing or is_pointed) else ""


def _tells_amounts(kept: str, rest: str) -> bool:
    """Tell whether amounts are told behind the name of a thing, one of them with its unit, or of a mixture."""
    found = [one for part in _PART.split(fold(rest)) if (one := _AMOUNT.match(part.strip())) is not None]
    is_mixed = _has(kept, WORDS["mixtures"])
    is_measured = is_mixed or any(one["unit"] in WORDS["measure_units"] for one in found)
    return is_measured and len(found) >= _LEAST_AMOUNTS


def _has(said: str, some: Set[str]) -> bool:
    return not some.isdisjoint(one.key for one in tokens_of(said))
