"""Which of a person's messages holds the number that they ask back: "how many months did I say the wee one is"."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold
from app.pipeline.answering.wishes import Known, plainly_told, quoted
from app.pipeline.lexicon import WORDS
from app.pipeline.lexicon.counted import asked_number, asks_number_told, kinds_in, tells_number_of
from app.pipeline.texts import PIPELINE

_WORD: Final = re.compile(r"[^\W\d_]+")
_YOUNG: Final = frozenset(f"{one}kind" for one in WORDS["young_kinds"])
_NAME: Final = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-ÖØ-Þ][^\W\d_]+")


def number_told(text: str, said: Sequence[str]) -> Known | None:
    """Return the one message of what was `said` (oldest first) that holds the number which is asked back.

    None where several hold such a number, or none does, or it is told of somebody else.
    """
    asked = asked_number(text) if asks_number_told(text) else None
    if asked is None:
        return None
    unit, words_of = asked
    plain = [one for one in plainly_told(said) if "?" not in one]
    found = [one for one in dict.fromkeys(plain) if tells_number_of(one, unit)]
    if len(found) != 1 or not is_of_them(text, words_of, found[0]):
        return None
    return Known(PIPELINE.told_before, quoted(found))


def is_of_them(text: str, asked: frozenset[str], told: str, *, names_in: str = "") -> bool:
    """Tell whether what was told may be of whom is asked: "the little one" is anybody, "my dog" is no grandson.

    A name may stand in more than that, `names_in`.
    """
    said = frozenset(_WORD.findall(fold(told)))
    names = {fold(one) for one in _NAME.findall(text)} & asked
    if not names <= said.union(_WORD.findall(fold(names_in))):
        return False
    wanted, kinds = kinds_in(asked), kinds_in(said)
    is_young = bool(wanted & _YOUNG) and bool(kinds & _YOUNG)
    return not wanted or not kinds or is_young or bool(wanted & kinds)
