"""From one measure to another: "3/4 inch in mm", "a cuántos kilos equivalen 45 libras"."""

import re
from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.skills.tools.calculator.clocks import NAMES, timed_ways
from app.skills.tools.calculator.lexicon import (
    AS_ONE_WORD,
    BEFORE,
    CONVERTED,
    INTO,
    LASTING,
    MEASURE_WORDS,
    ONE_MEASURE,
    OTHER_UNIT,
    PHRASES,
    TOLD_WISHES,
)
from app.skills.tools.calculator.measures import (
    Amount,
    amounts,
    converted,
    dimension,
    has_more,
    measured_ways,
    shown,
)
from app.skills.tools.calculator.results import Quantity, told_of
from app.skills.tools.calculator.spoken import WORD, first_read, has_word
from app.skills.tools.calculator.texts import CALCULATOR
from app.skills.tools.calculator.units import KITCHEN, OF_A_COUNTRY, SIZES, of_country

_PAIRS: Final = (("foot", "inch"), ("pound", "ounce"), ("stone", "pound"), ("metre", "centimetre"))
_ELSEWHERE: Final = frozenset({"count", "pair", "hour", "day", "night", ""})
_BRITISH: Final = frozenset({"Europe/London", "Europe/Dublin", "Europe/Belfast"})
_KILOS: Final = re.compile(r"(?<=\d) ?k(?:'?s)?(?!\w)")
_KS: Final = re.compile(r"(?<!\w)k'?s(?!\w)")
_DEGREES: Final = re.compile(r"(?<=\d) ?(?:[°º]|(?:grados|degrees|degs?)(?!\w))")
_PAUSES: Final = re.compile(r"[.,;:!?¡¿]")
_HEATS: Final = (("fahrenheit", "celsius"), ("celsius", "fahrenheit"))
_RATIO: Final = re.compile(r" ?/ ?[a-z]")
_TAKEN_FOR: Final = MappingProxyType(
    {"calorie": CALCULATOR.food_calories, "horsepower": CALCULATOR.mechanical_power}
)


def with_units(text: str) -> str:
    """Write measures of several words as one, "10k" in full where miles are asked for, and degrees with their kind
    where those of the other are.
    """
    folded = CONVERTED.sub(lambda found: AS_ONE_WORD[found[0]], fold(text))
    units = {MEASURE_WORDS.get(word) for word in WORD.findall(folded)}
    if "mile" in units:
        return _KS.sub("km", _KILOS.sub(" km", folded))
    heat = next((other for one, other in _HEATS if one in units and other not in units), None)
    return _DEGREES.sub(f" {heat}", folded) if heat else folded


def with_unit(text: str, before: str) -> str | None:
    """Return the conversion that `before` asks for into the unit that `text` asks for: "and in grams?"."""
    another = first_read(
        lambda way: OTHER_UNIT.fullmatch(" ".join(_PAUSES.sub(" ", way).split())), measured_ways(with_units(text))
    )
    if another is None:
        return None
    for way in dict.fromkeys((*measured_ways(with_units(before)), *timed_ways(before))):
        told = {one.end for one in amounts(way)}
        asked = {
            one.span("unit"): one for one in (*INTO.finditer(way), *_asked_of_time(way)) if one.end() not in told
        }
        same = [one for one in asked.values() if _are_alike(one["unit"], another["unit"])]
        if len(asked) == len(same) == 1:
            return f"{way[: same[0].start('unit')]}{another['unit']}{way[same[0].end('unit') :]}"
    return None


def _asked_of_time(text: str) -> Iterator[re.Match[str]]:
    for topic in ("asked", "into"):
        yield from LASTING[topic].finditer(text)


def _are_alike(one: str, other: str) -> bool:
    kinds = [dimension(MEASURE_WORDS.get(unit, "")) for unit in (one, other)]
    return {one, other} <= NAMES.keys() or (kinds[0] == kinds[1] and kinds[0] not in _ELSEWHERE)


def answer_conversion(text: str, ctx: TurnContext) -> str | None:
    """Tell what a message wants in another measure; None for any other message."""
    if has_word(text, *TOLD_WISHES):
        return None
    found = list(amounts(text)) or [
        Amount("1", MEASURE_WORDS[one["unit"]], one.start(), one.end()) for one in ONE_MEASURE.finditer(text)
    ]
    counted = {one.end for one in found}
    into = [one for one in INTO.finditer(text) if one.end() not in counted]
    if len(into) != 1 or has_more(text, found) or not 1 <= len(found) <= len(_PAIRS[0]):
        return None
    is_for = BEFORE["told.by_for"].search(text[: found[0].start])
    if is_for and PHRASES["told.thing"].match(text[into[0].end() :].lstrip()):
        return None  # "Cuántos gramos de levadura para 3 kilos de harina".
    first, unit = _of_a_kind(found[0], MEASURE_WORDS[into[0]["unit"]])
    is_ratio = any(_RATIO.match(text, one) for one in (first.end, into[0].end()))
    if is_ratio or dimension(unit) in _ELSEWHERE or dimension(first.unit) != dimension(unit) or first.unit == unit:
        return None
    is_british = ctx.timezone in _BRITISH
    start, end = (_meant(one, ctx) for one in (first.unit, unit))
    if (unknown := next((one for one in (start, end) if not SIZES[one][1]), None)) is not None:
        written = text[first.start : first.end].partition(" ")[2] if unknown == start else into[0]["unit"]
        sign = "×" if unknown == start else "/"
        return say(CALCULATOR.differs, ctx.language, unit=shown(written), sum=f"{first.value} {sign} …")
    calculation = converted(first.value, start, end)
    if len(found) > 1:
        if (rest := _smaller(first, found[1])) is None:
            return None
        calculation = f"{calculation} + {converted(found[1].value, rest, unit)}"
    told = told_of(Quantity(calculation, shown(into[0]["unit"])), ctx)
    used = {first.unit, unit}
    remark = next((_TAKEN_FOR[one] for one in used & _TAKEN_FOR.keys()), None)
    if used & KITCHEN or used & OF_A_COUNTRY:
        remark = CALCULATOR.uk_measure if is_british and not used & KITCHEN else CALCULATOR.us_measure
    return say(remark, ctx.language, sum=told) if told and remark else told


def _of_a_kind(first: Amount, unit: str) -> tuple[Amount, str]:
    """Return what is told and what is asked; ounces beside a volume are fluid ones: "4 oz in ml"."""
    if first.unit == "ounce" and dimension(unit) == "volume":
        return replace(first, unit="fluid_ounce"), unit
    return first, "fluid_ounce" if unit == "ounce" and dimension(first.unit) == "volume" else unit


def _meant(unit: str, ctx: TurnContext) -> str:
    """Return the measure that a name is for where the person lives."""
    if unit == "ton" and ctx.language == "es":
        return "tonne"
    return of_country(unit, is_british=ctx.timezone in _BRITISH)


def _smaller(one: Amount, other: Amount) -> str | None:
    """Return the measure of the second of "5 foot 10"; None where the two do not belong together."""
    smaller = dict(_PAIRS).get(one.unit)
    is_behind = other.start - one.end <= len(" and ")
    return smaller if smaller and is_behind and other.unit in ("", smaller) else None
