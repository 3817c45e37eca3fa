"""Words around calculations, and halves and quarters that people say behind a number."""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, Lexicon

_WORDS: Final = Lexicon.of(__package__)
_NUMBERS: Final = MappingProxyType(
    {word: number for number, words in COMMON_WORDS.table("numbers").items() for word in words}
)
TOTAL: Final = LatePattern(_WORDS.pattern("total"), 0)
SPENT: Final = LatePattern(_WORDS.pattern("spent"), 0)
SURELY: Final = re.compile(_WORDS.pattern("surely"), re.IGNORECASE)
OPENING: Final = LatePattern(rf"{_WORDS.pattern('opening')}[:,!]? ")
CLOSING: Final = re.compile(rf"[,?;]? (?:{_WORDS.pattern('closing')}) *\Z", re.IGNORECASE)
PERCENT: Final = re.compile(rf"\b{_WORDS.pattern('percent')}(?!\w)", re.IGNORECASE)
_PARTS: Final = tuple(
    (re.compile(rf"\b({'|'.join(_NUMBERS)}|\d{{1,9}})\s(?:[^\W\d_]+\s)?{_WORDS.pattern(name)}(?!\w)"), part)
    for name, part in (("half", "5"), ("quarter", "25"))
)


def parts_said(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a whole number and the number that was meant: "4 kilos y medio" gives ("4", "4.5")."""
    folded = fold(text)
    for pattern, part in _PARTS:
        for found in pattern.finditer(folded):
            whole = str(_NUMBERS.get(found[1], found[1]))
            yield whole, f"{whole}.{part}"
