"""What is told for so many and asked for others: a recipe for 4 made for 6, fuel for so many kilometres."""

import re
from dataclasses import dataclass
from typing import Final

from app.skills.tools.calculator.lexicon import ASKS_MANY, FOR_ONE, OF_FUEL, RECIPE, TOLD, TOLD_BEFORE, TOLD_WISHES
from app.skills.tools.calculator.measures import Amount, amounts, dimension, has_more, measured_ways, unit_named
from app.skills.tools.calculator.spoken import WORD

_MAX_CHARS: Final = 300
_MOST: Final = 6
_PAIR: Final = 2
_THING: Final = re.compile(r" (?:de |of )?(?P<thing>[^\W\d_]{3,})")
_PEOPLE: Final = re.compile(r"\d{1,3}")
_KITCHEN: Final = frozenset({"mass", "volume"})


@dataclass(frozen=True, slots=True)
class Scaled:
    """`sum` with the numbers as they were written, `what` it is of: "g harina", "l"."""

    sum: str
    what: str = ""


def read_recipe(text: str) -> list[Scaled]:
    """Return how much of each thing goes in for the others; nothing for a message that is no recipe."""
    if len(text) > _MAX_CHARS:
        return []
    return next(filter(None, map(_recipe, measured_ways(text))), [])


def read_fuel(text: str) -> Scaled | None:
    """Return the calculation of what a way takes, or costs where the price of a litre is told."""
    if len(text) > _MAX_CHARS:
        return None
    return next(filter(None, map(_fuel, measured_ways(text))), None)


def _recipe(text: str) -> list[Scaled]:
    words = WORD.findall(text)
    if RECIPE.isdisjoint(words) or not TOLD_WISHES.isdisjoint(words) or not _asks(text):
        return []
    found = list(amounts(text))
    people = [
        one
        for one in found
        if not one.unit and _PEOPLE.fullmatch(one.value) and TOLD_BEFORE["scaled_for"].search(text[: one.start])
    ]
    things = [one for one in found if one not in people]
    if len(people) != _PAIR or has_more(text, found) or not 0 < len(things) <= _MOST or int(people[0].value) == 0:
        return []
    scaled = [_scaled(text, one, *people) for one in things]
    return [] if None in scaled else [one for one in scaled if one is not None]


def _scaled(text: str, one: Amount, first: Amount, second: Amount) -> Scaled | None:
    if one.unit and dimension(one.unit) not in _KITCHEN:
        return None
    thing = _THING.match(text, one.end)
    if not one.unit and thing is None:
        return None
    unit = text[one.start : one.end].split()[-1] if one.unit else ""
    what = " ".join(filter(None, (unit, thing["thing"] if thing else "")))
    return Scaled(f"{one.value} * {second.value} / {first.value}", what)


def _fuel(text: str) -> Scaled | None:
    if not TOLD_WISHES.isdisjoint(WORD.findall(text)) or not _asks(text):
        return None
    found = list(amounts(text))
    rate = next((rate for one in found if (rate := _consumption(text, one, found)) is not None), None)
    if rate is None or has_more(text, found):
        return None
    calculation, used = rate
    left = [one for one in found if one not in used]
    way = [
        one for one in left if one.unit == used[0].unit or (one.unit == "kilometre" and used[0].unit == "litre")
    ]
    price = [one for one in left if not one.unit and _is_of_a_litre(text, one)]
    if len(way) != 1 or len(price) > 1 or len(left) != len(way) + len(price):
        return None
    taken = calculation.replace("{}", way[0].value)
    if price:
        return Scaled(f"{taken} * {price[0].value}")
    return Scaled(taken, "gal" if used[0].unit == "mile" else "l")


def _consumption(text: str, one: Amount, found: list[Amount]) -> tuple[str, list[Amount]] | None:
    """Return what a way takes, `{}` in its place, with the numbers that say so."""
    after = text[one.end + 1 :]
    if one.unit == "litre" and (per := TOLD["per_hundred"].match(after)) is not None:
        end = one.end + 1 + per.end()
        hundred = [other for other in found if one.end < other.start < end]
        return f"{{}} * {one.value} / 100", [one, *hundred]
    if (one.unit == "kilometre" and TOLD["per_litre"].match(after)) or (
        one.unit == "mile" and TOLD["per_gallon"].match(after)
    ):
        return f"{{}} / {one.value}", [one]
    return None


def _is_of_a_litre(text: str, one: Amount) -> bool:
    per = FOR_ONE.match(text, one.end)
    if per is not None:
        return unit_named(per["thing"]) in {"litre", "gallon"}
    return OF_FUEL.search(text[: one.start]) is not None


def _asks(text: str) -> bool:
    return "?" in text or not ASKS_MANY.isdisjoint(WORD.findall(text))
