"""Words around calculations, and halves and quarters that people say behind a number."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Final

from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS, Lexicon

_BEFORE: Final = "_before."


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(sorted(words, key=lambda one: (-len(one), one)))


WORDS: Final = Lexicon.of(__package__)
# Every phrase of the files by its topic; of the tables `<name>_before`, by "<name>.", ends right at a number.
PHRASES: Final = MappingProxyType(
    {topic: LatePattern(WORDS.pattern(topic)) for topic in WORDS.tongues[0].phrases if _BEFORE not in topic}
)
BEFORE: Final = MappingProxyType(
    {
        topic.replace(_BEFORE, "."): LatePattern(rf"{WORDS.pattern(topic)} ?[$€£]? ?\Z")
        for topic in WORDS.tongues[0].phrases
        if _BEFORE in topic
    }
)
NUMBERS: Final = MappingProxyType(
    {word: number for number, words in COMMON_WORDS.table("numbers").items() for word in sorted(words)}
)
SURELY: Final = LatePattern(WORDS.pattern("surely"))
OPENING: Final = LatePattern(rf"{WORDS.pattern('opening')}[:,!]? ")
CLOSING: Final = LatePattern(rf"[,?;]? (?:{WORDS.pattern('closing')}) *\Z")
MONEY: Final = LatePattern(rf"(?<=\d) ({WORDS.pattern('behind.money')})(?!\w)", re.IGNORECASE)
"""What a number is paid in, right behind it."""
PERCENT: Final = LatePattern(rf"\b{WORDS.pattern('percent')}(?!\w)")
THOUSAND: Final = LatePattern(rf"(?<![\w.,])(\d{{1,6}})(?: {WORDS.pattern('thousand')}|k(?!\w))(?! ?\d)", flags=0)
_OF_A_NUMBER: Final = r"(?<![\w.,])(\d{1,4}(?:\.\d{1,3})?)"
# Thousands and millions by names of their own; those in talk are left out behind the other numbers of a sum.
IN_TALK: Final = tuple(
    (LatePattern(rf"{_OF_A_NUMBER} (?:{WORDS.pattern(topic)})(?! ?\d| de (?!l|a))", flags=0), worth)
    for topic, worth in (("grand", 1000), ("million", 1_000_000))
)
IN_FULL: Final = tuple(
    (LatePattern(rf"{_OF_A_NUMBER} (?:{WORDS.pattern(topic)})(?! ?\d)", flags=0), worth)
    for topic, worth in (("lakh", 100_000), ("crore", 10_000_000), ("tenner", 10), ("fiver", 5))
)
A_NOTE: Final = LatePattern(rf"(?<!\w)an? (?={WORDS.pattern('tenner')}|{WORDS.pattern('fiver')})", flags=0)
CORRECTS_NAMED: Final = LatePattern(
    rf"{WORDS.pattern('corrects_named')} (?P<thing>[^\W\d_]{{3,}}) "
    rf"(?:{WORDS.pattern('was')}|{WORDS.pattern('cost_was')}) "
)
NOT_THAT: Final = LatePattern(rf"{WORDS.pattern('not_that')} \Z")
BUT_THIS: Final = LatePattern(rf"[^\w,]*+(?:\w+ ){{0,2}}?(?:,[^\w,]*+)?{WORDS.pattern('but_this')} \Z")
# "We're 6 plus a baby", "I'm going with 6 friends".
ONE_MORE: Final = LatePattern(
    rf"(?P<head>{WORDS.pattern('one_more.we_are')}) (?P<count>[1-9]\d?) {WORDS.pattern('one_more.joins')} "
    rf"{WORDS.pattern('one_more.who')}"
)
ONE_WITH: Final = LatePattern(
    rf"{WORDS.pattern('one_more.going_with')} (?P<count>[1-9]\d?) (?:{any_of(WORDS['one_more.friends'])})(?!\w)"
)
UNITS: Final = MappingProxyType({**WORDS.table("units")})
_PARTS: Final = tuple(
    (LatePattern(rf"\b({'|'.join(NUMBERS)}|\d{{1,9}})\s([^\W\d_]+\s)?{WORDS.pattern(name)}(?!\w)", flags=0), part)
    for name, part in (("half", "5"), ("quarter", "25"))
)


def parts_said(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a whole number and the number that was meant: "4 kilos y medio" gives ("4", "4.5")."""
    folded = fold(text)
    for pattern, part in _PARTS:
        for found in pattern.finditer(folded):
            whole = str(NUMBERS.get(found[1], found[1]))
            yield whole, f"{whole}.{part}"


def with_parts(folded: str) -> str:
    """Write halves and quarters in digits: "4 kilos y medio" becomes "4.5 kilos"."""
    for pattern, part in _PARTS:
        folded = pattern.sub(partial(_in_digits, part), folded)
    return folded


def _in_digits(part: str, found: re.Match[str]) -> str:
    return f"{NUMBERS.get(found[1], found[1])}.{part} {found[2] or ''}".rstrip()


# Who says one of these wants something done that is no sum; or, with the others, another sum than most.
TOLD_WISHES: Final = ("told.wishes", "told.other_sums")
NO_SUM: Final = (*TOLD_WISHES, "told.unless", "told.no_sum")
_BLANKS: Final = re.compile(r"[_\W\d]+")
_CONVERTED: Final = MappingProxyType(
    {said.replace("_", " "): name for name, each in WORDS.table("converted").items() for said in sorted(each)}
)
# Written as one word that nobody else writes, by how they are said, and the other way round.
AS_ONE_WORD: Final = MappingProxyType({said: f"{_BLANKS.sub('_', said)}_" for said in _CONVERTED})
WRITTEN: Final = MappingProxyType({word: said for said, word in AS_ONE_WORD.items()})
CONVERTED: Final = LatePattern(rf"(?<![^\W\d])(?:{any_of(AS_ONE_WORD)})(?![\w/])", flags=0)
MEASURE_WORDS: Final = MappingProxyType(
    {word: name for name, words in WORDS.table("measure").items() for word in words}
    | {AS_ONE_WORD[said]: name for said, name in _CONVERTED.items()}
)
_A_MEASURE: Final = rf"(?P<unit>{any_of(MEASURE_WORDS)})(?!\w)"
_SQUARE: Final = f"(?:{any_of(WORDS['squared'])})"
SQUARED: Final = LatePattern(
    rf"(?<![^\W\d])(?:{_SQUARE}\.? ?{_A_MEASURE}"
    rf"|(?P<side>{any_of(MEASURE_WORDS)})(?:2| {_SQUARE}(?! (?:{any_of(MEASURE_WORDS)})(?!\w)))(?!\w))"
)
FOR_ONE: Final = LatePattern(rf" ?(?:{WORDS.pattern('told.for_one')} )(?P<thing>[^\W\d_]+)")
COSTS: Final = LatePattern(
    rf"(?<!\w){_A_MEASURE}(?: [^\W\d]+){{0,5}}? {WORDS.pattern('told.costs')} (?=[$€£]? ?\d)"
)
PARTS_OF_ONE: Final = tuple(
    (LatePattern(rf"{WORDS.pattern(f'parts.{name}')} {_A_MEASURE}"), part)
    for name, part in (("three_quarters", "0.75"), ("half", "0.5"), ("quarter", "0.25"))
)
PARTS_ALONE: Final = tuple(
    (LatePattern(rf"{WORDS.pattern(f'parts.{name}')}(?:{ends}(?! ?\w))"), part)
    for name, part, ends in (
        ("three_quarters", "0.75", "(?<= de)|(?<= of)|"),
        ("half", "0.5", ""),
        ("quarter", "0.25", "(?<= de)|(?<= of)|"),
    )
)
ONE_AND_PARTS: Final = tuple(
    (
        LatePattern(
            rf"(?<!\d )(?:{WORDS.pattern('parts.one')} )?(?<!\w){_A_MEASURE} {WORDS.pattern(f'parts.{name}')}"
        ),
        part,
    )
    for name, part in (("one_and_three", "1.75"), ("one_and_half", "1.5"), ("one_and_quarter", "1.25"))
)
JOINED_MEASURE: Final = LatePattern(rf"(?<![\w.,/])(?P<number>\d{{1,9}}(?:[.,/]\d{{1,9}}){{0,3}}+){_A_MEASURE}")
INTO: Final = LatePattern(rf"(?:{WORDS.pattern('told.into')}|=) {_A_MEASURE}")
ONE_MEASURE: Final = LatePattern(rf"{WORDS.pattern('told.single')} {_A_MEASURE}")
INSTEAD: Final = LatePattern(rf"{WORDS.pattern('told.instead')} ?[$€£]?")
_NUMBER_BEFORE: Final = r"(?<![\w.,])"
WORK_DAYS: Final = LatePattern(rf"{_NUMBER_BEFORE}(?P<count>\d{{1,2}}) (?:{any_of(WORDS['told.work_day'])})(?!\w)")
OF_FUEL: Final = LatePattern(rf"(?<!\w)(?:{any_of(WORDS['told.fuel'])}) (?:[^\W\d]+ ){{0,4}}\Z")
_SHARE: Final = r"(?P<share>\d{1,2}(?:[.,]\d{1,2})?)(?! ?%|[\d.,:/]*\d)"
# "Más IVA 21", "el 10 de propina": a percentage without its sign.
AS_PERCENT: Final = (
    LatePattern(rf"(?P<head>{WORDS.pattern('told.percent_before')}) {_SHARE}(?! {WORDS.pattern('behind.money')})"),
    LatePattern(rf"(?P<head>){_NUMBER_BEFORE}{_SHARE}(?= {WORDS.pattern('told.percent_behind')})"),
    LatePattern(
        rf"(?P<head>{WORDS.pattern('told.percent_marked')}) {_SHARE}"
        rf"(?= {WORDS.pattern('told.percent_marked_behind')})"
    ),
)
# What went down already: "20% de descuento y el 21 de IVA".
SHARE_OFF: Final = LatePattern(rf"% ?{WORDS.pattern('told.share_off')}")
MARKED_BEFORE: Final = LatePattern(rf"{WORDS.pattern('told.percent_marked')} \Z")
_CLOCK: Final = r"(?:las |la )?(\d{1,2})(?:[:.h](\d{2}))?(?: ?(am|pm|hs|hrs|h)(?!\w))?"
_NO_MORE: Final = r"(?![\w:%]|[.,]\d)"
# They have hour, minute and half of the day of the two clock times.
FROM_TO: Final = LatePattern(
    rf"(?<!\w)(?:(?:{any_of(WORDS['told.from_hour'])}) )?{_CLOCK} ?"
    rf"(?:(?:{any_of(WORDS['told.to_hour'])}) |- ?){_CLOCK}{_NO_MORE}"
)
BETWEEN_HOURS: Final = LatePattern(
    rf"{WORDS.pattern('told.between_hours')} {_CLOCK} {WORDS.pattern('told.and_hour')} {_CLOCK}{_NO_MORE}"
)
BEGUN_AND_ENDED: Final = LatePattern(
    rf"{WORDS.pattern('told.begins_work')} {_CLOCK}[, ]{{1,2}}(?:[^\W\d]+ ){{0,3}}?"
    rf"{WORDS.pattern('told.ends_work')} {_CLOCK}{_NO_MORE}"
)
# They have hour, minute and half of the day.
_AT: Final = rf",? (?:[^\W\d_]+ ){{0,2}}?{_CLOCK}{_NO_MORE}"
TO_BED: Final = LatePattern(WORDS.pattern("told.to_bed") + _AT)
GETS_UP: Final = LatePattern(WORDS.pattern("told.gets_up") + _AT)
# "And 3 buns each".
EACH_ALSO: Final = LatePattern(
    rf"{WORDS.pattern('portion.also')} "
    r"(?P<portion>\d{1,4}(?:[.,]\d{1,2})? [^\W\d_]{1,20}(?: [^\W\d_]{1,20}){0,3}) each"
    rf"(?:[ ,]{{1,2}}{WORDS.pattern('portion.asks')})?"
)
# An hour that nothing else says to be one.
AN_HOUR: Final = re.compile(r" ?(?P<hour>\d{1,2})(?= ?(?:\Z|[?!.,](?!\d)))")
OF_AMOUNT: Final = LatePattern(rf"{WORDS.pattern('told.of_amount')} ?[$€£]?\Z")
HALF_OF_DAY: Final = LatePattern(
    rf"(?P<afternoon>{WORDS.pattern('times.afternoon')})|{WORDS.pattern('times.morning')}"
)
TIMES: Final = MappingProxyType({**WORDS.table("times")})
_A_UNIT: Final = f"(?P<unit>{any_of(word for words in TIMES.values() for word in words)})"
LASTING: Final = MappingProxyType(
    {
        "asked": LatePattern(f"{WORDS.pattern('lasting.how_many')} {_A_UNIT} {WORDS.pattern('lasting.are')}"),
        "into": LatePattern(rf"{WORDS.pattern('lasting.into')} {_A_UNIT}(?!\w)"),
    }
)
NOTHING_COUNTED: Final = WORDS["left.nothing"] | WORDS["around"] | WORDS["elsewhere"] | STOP_WORDS
TAX_OF: Final = LatePattern(
    rf"(?P<share>\d{{1,2}}(?:[.,]\d{{1,2}})?)% {WORDS.pattern('told.tax_of')} [$€£]?(?=\d)"
)
PERIOD_WORDS: Final = MappingProxyType(
    {word: name for name, words in WORDS.table("period").items() for word in words}
)
_MANY: Final = any_of(WORDS["told.asks_many"])
ASKED_UNIT: Final = re.compile(rf"(?<!\w)(?:{_MANY})(?: (?:{_MANY}))? (?P<unit>\w+)")
# "Y en horas?", "so how many grams is that".
_ANY_UNIT: Final = any_of({*MEASURE_WORDS, *(word for words in TIMES.values() for word in words)})
OTHER_UNIT: Final = LatePattern(
    rf"{WORDS.pattern('other_unit.head')} (?P<unit>{_ANY_UNIT})"
    rf"(?: {WORDS.pattern('other_unit.tail')}){{0,2}}"
)
# What joins one duration to the next.
JOINS: Final = LatePattern(rf"[-+,;]|(?<!\w)(?:{any_of(WORDS['joining'] | WORDS['way.then'])})(?!\w)")
# "4 euros con 50 centavos", "85p".
CENTS: Final = LatePattern(
    rf"(?<![\w.,:/])(?:(?P<whole>\d{{1,6}}) {WORDS.pattern('told.units_and_cents')} )?"
    rf"(?P<cents>\d{{1,2}})(?: ?(?:{any_of(WORDS['told.cents'])})|p)(?![\w.]\w|\w)"
)
