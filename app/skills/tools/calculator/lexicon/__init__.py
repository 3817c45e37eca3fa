"""Words around calculations, and halves and quarters that people say behind a number."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Final

from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS, Lexicon

_WORDS: Final = Lexicon.of(__package__)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(sorted(words, key=lambda one: (-len(one), one)))


def _patterns(table: str, *, is_before: bool = False) -> dict[str, LatePattern]:
    """Return the patterns of a table by topic; those `is_before` a number end right at it."""
    topics = [one.removeprefix(f"{table}.") for one in _WORDS.tongues[0].phrases if one.startswith(f"{table}.")]
    ends = r" ?[$€£]? ?\Z" if is_before else ""
    return {one: LatePattern(f"{_WORDS.pattern(f'{table}.{one}')}{ends}") for one in topics}


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
_OF_A_NUMBER: Final = r"(?<![\w.,])(\d{1,4}(?:\.\d{1,3})?)"
# Thousands and millions by names of their own; those in talk are left out behind the other numbers of a sum.
IN_TALK: Final = tuple(
    (re.compile(rf"{_OF_A_NUMBER} (?:{_WORDS.pattern(topic)})(?! ?\d| de (?!l|a))"), worth)
    for topic, worth in (("grand", 1000), ("million", 1_000_000))
)
IN_FULL: Final = tuple(
    (re.compile(rf"{_OF_A_NUMBER} (?:{_WORDS.pattern(topic)})(?! ?\d)"), worth)
    for topic, worth in (("lakh", 100_000), ("crore", 10_000_000))
)
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
NUMBERS: Final = _NUMBERS
NUMBER_WORDS: Final = frozenset(_NUMBERS)
# Patterns by topic; see the tables of the same name.
FIRM: Final = MappingProxyType(_patterns("firm"))
LOOSE: Final = MappingProxyType(_patterns("loose"))
BEHIND: Final = MappingProxyType(_patterns("behind"))
MARKS: Final = MappingProxyType(_patterns("marks"))
MARKED: Final = _WORDS["marked"]
NEXT_PRICE: Final = LatePattern(_WORDS.pattern("next_price"))
NEXT_PRICE_END: Final = _WORDS["next_price_end"]
SHARES: Final = MappingProxyType(_patterns("shares"))
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


# Who says one of these wants something done that is no sum; or, with the others, another sum than most.
ORDERS: Final = _WORDS["told.wishes"]
TOLD_WISHES: Final = ORDERS | _WORDS["told.other_sums"]
NO_SUM: Final = TOLD_WISHES | _WORDS["told.unless"] | _WORDS["told.no_sum"]
TOLD: Final = MappingProxyType(_patterns("told"))
# What stands right before a number, and says what it is.
TOLD_BEFORE: Final = MappingProxyType(_patterns("told_before", is_before=True))
MEASURES: Final = MappingProxyType({**_WORDS.table("measure")})
MEASURE_WORDS: Final = MappingProxyType({word: name for name, words in MEASURES.items() for word in words})
_A_MEASURE: Final = rf"(?P<unit>{any_of(MEASURE_WORDS)})(?!\w)"
FOR_ONE: Final = LatePattern(rf" ?(?:{_WORDS.pattern('told.for_one')} )(?P<thing>[^\W\d_]+)")
COSTS: Final = LatePattern(
    rf"(?<!\w){_A_MEASURE}(?: [^\W\d]+){{0,5}}? {_WORDS.pattern('told.costs')} (?=[$€£]? ?\d)"
)
PARTS_OF_ONE: Final = tuple(
    (LatePattern(rf"{_WORDS.pattern(f'parts.{name}')} {_A_MEASURE}"), part)
    for name, part in (("three_quarters", "0.75"), ("half", "0.5"), ("quarter", "0.25"))
)
PARTS_ALONE: Final = tuple(
    (LatePattern(rf"{_WORDS.pattern(f'parts.{name}')}(?:{ends}(?! ?\w))"), part)
    for name, part, ends in (
        ("three_quarters", "0.75", "(?<= de)|(?<= of)|"),
        ("half", "0.5", ""),
        ("quarter", "0.25", "(?<= de)|(?<= of)|"),
    )
)
ONE_AND_PARTS: Final = tuple(
    (
        LatePattern(
            rf"(?<!\d )(?:{_WORDS.pattern('parts.one')} )?(?<!\w){_A_MEASURE} {_WORDS.pattern(f'parts.{name}')}"
        ),
        part,
    )
    for name, part in (("one_and_three", "1.75"), ("one_and_half", "1.5"), ("one_and_quarter", "1.25"))
)
JOINED_MEASURE: Final = LatePattern(rf"(?<![\w.,/])(?P<number>\d{{1,9}}(?:[.,/]\d{{1,9}}){{0,3}}+){_A_MEASURE}")
AFTER_AMOUNT: Final = _WORDS["told.after_amount"]
INTO: Final = LatePattern(rf"(?:{_WORDS.pattern('told.into')}|=) {_A_MEASURE}")
ONE_MEASURE: Final = LatePattern(rf"{_WORDS.pattern('told.single')} {_A_MEASURE}")
RECIPE: Final = _WORDS["told.recipe"]
PREPOSITIONS: Final = _WORDS["told.prepositions"]
PLURAL: Final = _WORDS["told.plural"]
UNEQUAL_SHARES: Final = MappingProxyType(_patterns("unequal"))
PUT_ON: Final = LatePattern(_WORDS.pattern("told.put_on"))
INSTEAD: Final = LatePattern(rf"{_WORDS.pattern('told.instead')} ?[$€£]?")
_NUMBER_BEFORE: Final = r"(?<![\w.,])"
WORK_DAYS: Final = LatePattern(
    rf"{_NUMBER_BEFORE}(?P<count>\d{{1,2}}) (?:{any_of(_WORDS['told.work_day'])})(?!\w)"
)
OF_FUEL: Final = LatePattern(rf"(?<!\w)(?:{any_of(_WORDS['told.fuel'])}) (?:[^\W\d]+ ){{0,4}}\Z")
ASKS_MANY: Final = _WORDS["told.asks_many"]
_SHARE: Final = r"(?P<share>\d{1,2}(?:[.,]\d{1,2})?)(?! ?%|[\d.,:/]*\d)"
# "Más IVA 21", "el 10 de propina": a percentage without its sign.
AS_PERCENT: Final = (
    LatePattern(
        rf"(?P<head>{_WORDS.pattern('told.percent_before')}) {_SHARE}(?! {_WORDS.pattern('behind.money')})"
    ),
    LatePattern(rf"(?P<head>){_NUMBER_BEFORE}{_SHARE}(?= {_WORDS.pattern('told.percent_behind')})"),
    LatePattern(
        rf"(?P<head>{_WORDS.pattern('told.percent_marked')}) {_SHARE}"
        rf"(?= {_WORDS.pattern('told.percent_marked_behind')})"
    ),
)
MARKED_BEFORE: Final = LatePattern(rf"{_WORDS.pattern('told.percent_marked')} \Z")
NO_THING: Final = _WORDS["told.no_thing"]
_CLOCK: Final = r"(?:las |la )?(\d{1,2})(?:[:.h](\d{2}))?(?: ?(am|pm|hs|hrs|h)(?!\w))?"
_NO_MORE: Final = r"(?![\w:%]|[.,]\d)"
# They have hour, minute and half of the day of the two clock times.
FROM_TO: Final = LatePattern(
    rf"(?<!\w)(?:(?:{any_of(_WORDS['told.from_hour'])}) )?{_CLOCK} ?"
    rf"(?:(?:{any_of(_WORDS['told.to_hour'])}) |- ?){_CLOCK}{_NO_MORE}"
)
BETWEEN_HOURS: Final = LatePattern(
    rf"{_WORDS.pattern('told.between_hours')} {_CLOCK} {_WORDS.pattern('told.and_hour')} {_CLOCK}{_NO_MORE}"
)
BEGUN_AND_ENDED: Final = LatePattern(
    rf"{_WORDS.pattern('told.begins_work')} {_CLOCK}[, ]{{1,2}}(?:[^\W\d]+ ){{0,3}}?"
    rf"{_WORDS.pattern('told.ends_work')} {_CLOCK}{_NO_MORE}"
)
OF_AMOUNT: Final = LatePattern(rf"{_WORDS.pattern('told.of_amount')} ?[$€£]?\Z")
HALF_OF_DAY: Final = LatePattern(
    rf"(?P<afternoon>{_WORDS.pattern('times.afternoon')})|{_WORDS.pattern('times.morning')}"
)
TIMES: Final = MappingProxyType({**_WORDS.table("times")})
WAY: Final = MappingProxyType(_patterns("way"))
WAY_BEFORE: Final = MappingProxyType(_patterns("way_before", is_before=True))
FLIGHT: Final = _WORDS["flight"]
NAMED_BY_NUMBER: Final = LatePattern(_WORDS.pattern("named_by_number"))
_A_UNIT: Final = f"(?P<unit>{any_of(word for words in TIMES.values() for word in words)})"
LASTING: Final = MappingProxyType(
    {
        "together": LatePattern(_WORDS.pattern("lasting.together")),
        "asked": LatePattern(f"{_WORDS.pattern('lasting.how_many')} {_A_UNIT} {_WORDS.pattern('lasting.are')}"),
        "into": LatePattern(rf"{_WORDS.pattern('lasting.into')} {_A_UNIT}(?!\w)"),
    }
)
NOTHING_COUNTED: Final = _WORDS["left.nothing"] | AROUND | ELSEWHERE | STOP_WORDS
TAX_OF: Final = LatePattern(
    rf"(?P<share>\d{{1,2}}(?:[.,]\d{{1,2}})?)% {_WORDS.pattern('told.tax_of')} [$€£]?(?=\d)"
)
LEFT: Final = MappingProxyType(_patterns("left"))
OFFER: Final = MappingProxyType(_patterns("offer"))
OFFER_BEFORE: Final = MappingProxyType(_patterns("offer_before", is_before=True))
PARTS_OF_HUNDRED: Final = MappingProxyType(_patterns("hundred"))
PARTS_OF_HUNDRED_BEFORE: Final = MappingProxyType(_patterns("hundred_before", is_before=True))
RATE: Final = MappingProxyType(_patterns("rate"))
RATE_BEFORE: Final = MappingProxyType(_patterns("rate_before", is_before=True))
PERIOD_WORDS: Final = MappingProxyType(
    {word: name for name, words in _WORDS.table("period").items() for word in words}
)
AGAIN: Final = MappingProxyType(_patterns("again"))
ANOTHER: Final = LatePattern(_WORDS.pattern("another"))
