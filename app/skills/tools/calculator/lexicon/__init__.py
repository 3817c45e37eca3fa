"""Words around calculations, and halves and quarters that people say behind a number."""

import re
from collections.abc import Iterator
from functools import partial
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
SPENT_SO_FAR: Final = LatePattern(_WORDS.pattern("spent_so_far"), 0)
SPENT: Final = LatePattern(_WORDS.pattern("spent"), 0)
BEFORE_MONEY_OUT: Final = _WORDS["before_money_out"]
MONEY_OUT: Final = LatePattern(_WORDS.pattern("money_out"), 0)
SURELY: Final = re.compile(_WORDS.pattern("surely"), re.IGNORECASE)
OPENING: Final = LatePattern(rf"{_WORDS.pattern('opening')}[:,!]? ")
CLOSING: Final = re.compile(rf"[,?;]? (?:{_WORDS.pattern('closing')}) *\Z", re.IGNORECASE)
PERCENT: Final = re.compile(rf"\b{_WORDS.pattern('percent')}(?!\w)", re.IGNORECASE)
THOUSAND: Final = re.compile(rf"(?<![\w.,])(\d{{1,6}})(?: {_WORDS.pattern('thousand')}|k(?!\w))(?! ?\d)")
EACH: Final = LatePattern(_WORDS.pattern("each"))
AT: Final = LatePattern(_WORDS.pattern("at"))
PER: Final = LatePattern(_WORDS.pattern("per"))
ASKS_SUM: Final = LatePattern(_WORDS.pattern("asks_sum"))
CORRECTS: Final = LatePattern(_WORDS.pattern("corrects"))
CORRECTS_NAMED: Final = LatePattern(
    rf"{_WORDS.pattern('corrects_named')} (?P<thing>[^\W\d_]{{3,}}) "
    rf"(?:{_WORDS.pattern('was')}|{_WORDS.pattern('cost_was')}) "
)
WAS: Final = LatePattern(_WORDS.pattern("was"))
NOT_THAT: Final = LatePattern(rf"{_WORDS.pattern('not_that')} \Z")
BUT_THIS: Final = LatePattern(rf"[^\w,]*+(?:\w+ ){{0,2}}?(?:,[^\w,]*+)?{_WORDS.pattern('but_this')} \Z")
BECAUSE: Final = LatePattern(_WORDS.pattern("because"))
BECAUSE_OF_THEM: Final = LatePattern(_WORDS.pattern("because_of_them"))
OWN_STORY: Final = LatePattern(_WORDS.pattern("own_story"))
AROUND: Final = _WORDS["around"]
ELSEWHERE: Final = _WORDS["elsewhere"]
JOINING: Final = _WORDS["joining"]
HOW_MUCH: Final = _WORDS["asking_how_much"]
NEGATED: Final = _WORDS["negated"]
UNITS: Final = MappingProxyType({**_WORDS.table("units")})
PERIODS: Final = _WORDS["periods"]
NUMBER_WORDS: Final = frozenset(_NUMBERS)
# Patterns by topic; see the tables of the same name.
FIRM: Final = MappingProxyType(
    {
        topic: LatePattern(_WORDS.pattern(f"firm.{topic}"))
        for topic in ("divide", "times", "more", "less", "taken", "ways")
    }
)
LOOSE: Final = MappingProxyType(
    {
        topic: LatePattern(_WORDS.pattern(f"loose.{topic}"))
        for topic in ("divide", "times", "more", "less", "lowered", "raised", "with", "each", "parts")
    }
)
BEHIND: Final = MappingProxyType(
    {
        topic: LatePattern(_WORDS.pattern(f"behind.{topic}"))
        for topic in ("parts", "off", "discount", "surcharge", "that", "amount", "money", "goal", "extra", "cost")
    }
)
MARKS: Final = MappingProxyType(
    {topic: LatePattern(_WORDS.pattern(f"marks.{topic}")) for topic in ("up", "down", "up_behind", "down_behind")}
)
SPLITS: Final = LatePattern(_WORDS.pattern("splits"))
MARKED: Final = _WORDS["marked"]
NEXT_PRICE: Final = LatePattern(_WORDS.pattern("next_price"))
NEXT_PRICE_END: Final = _WORDS["next_price_end"]
SHARES: Final = MappingProxyType(
    {
        topic: LatePattern(_WORDS.pattern(f"shares.{topic}"))
        for topic in (
            "half",
            "third",
            "quarter",
            "fifth",
            "tenth",
            "two_thirds",
            "three_quarters",
            "double",
            "triple",
        )
    }
)
_PARTS: Final = tuple(
    (re.compile(rf"\b({'|'.join(_NUMBERS)}|\d{{1,9}})\s([^\W\d_]+\s)?{_WORDS.pattern(name)}(?!\w)"), part)
    for name, part in (("half", "5"), ("quarter", "25"))
)


def parts_said(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a whole number and the number that was meant: "4 kilos y medio" gives ("4", "4.5")."""
    folded = fold(text)
    for pattern, part in _PARTS:
        for found in pattern.finditer(folded):
            whole = str(_NUMBERS.get(found[1], found[1]))
            yield whole, f"{whole}.{part}"


def with_parts(folded: str) -> str:
    """Write halves and quarters in digits: "4 kilos y medio" becomes "4.5 kilos"."""
    for pattern, part in _PARTS:
        folded = pattern.sub(partial(_in_digits, part), folded)
    return folded


def _in_digits(part: str, found: re.Match[str]) -> str:
    return f"{_NUMBERS.get(found[1], found[1])}.{part} {found[2] or ''}".rstrip()
