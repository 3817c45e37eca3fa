"""What a measure just told comes to: at a price for each, or in packs that hold so much."""

from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.lexicon import ASKED_UNIT, BEFORE, MEASURE_WORDS, NO_SUM, PHRASES, WORDS
from app.skills.tools.calculator.measures import amounts, has_more, measured_ways
from app.skills.tools.calculator.spoken import WORD, behind, first_read, has_word, says
from app.skills.tools.calculator.told import unit_priced

_MOST_LOOSE: Final = 6


def read_price_of_it(text: str, before: str) -> str | None:
    """Return what a measure just told comes to, `{}` in its place: "and it's 14 dollars a metre, what's that?".

    None where the message `before` told of a price: then it was no measure.
    """
    is_of_money = any(
        unit_priced(one, each) or behind("money", one, each.end) or one[each.start] in "$€£"
        for one in measured_ways(before)
        for each in amounts(one)
    )
    return None if is_of_money else first_read(_price_of_it, measured_ways(text))


def _price_of_it(text: str) -> str | None:
    text = " ".join(PHRASES["told.square"].sub(" ", text).split())
    found = list(amounts(text))
    if len(found) != 1 or has_more(text, found) or has_word(text, *NO_SUM):
        return None
    priced = unit_priced(text, found[0]) if says(text, "told.asks") or "?" in text else None
    rest = [word for word in WORD.findall(text) if word not in WORDS["around"] and word not in MEASURE_WORDS]
    return f"{{}} * {found[0].value}" if priced and len(rest) <= _MOST_LOOSE else None


def read_count(text: str, told: str) -> str | None:
    """Return how many are bought at the price just `told`: "y si llevo cuatro a ese precio?"; None where that
    is of several already."""
    if not {"×", "*"}.isdisjoint(told):
        return None
    return first_read(_count, measured_ways(text))


def _count(text: str) -> str | None:
    found = list(amounts(text))
    if (
        len(found) != 1
        or has_more(text, found)
        or has_word(text, *NO_SUM)
        or found[0].unit not in ("", "pair", "piece")
    ):
        return None
    rest, at_price = PHRASES["told.at_that_price"].subn(" ", text[found[0].end :])
    known = WORDS["around"] | WORDS["told.asks_many"] | WORDS["told.buys"]
    others = [word for word in WORD.findall(f"{text[: found[0].start]} {rest}") if word not in known]
    return found[0].value if at_price and len(others) <= 1 and found[0].value.isdecimal() else None


def read_packs(text: str) -> tuple[str, str] | None:
    """Return how much each holds, and what they are: "y el rollo cubre 5 metros, cuantos rollos"."""
    return first_read(_packs, measured_ways(text))


def _packs(text: str) -> tuple[str, str] | None:
    found = list(amounts(text))
    if len(found) != 1 or has_more(text, found) or "/" in found[0].value or has_word(text, *NO_SUM):
        return None
    held = BEFORE["told.covers"].search(text[: found[0].start])
    asked = [one["unit"] for one in ASKED_UNIT.finditer(text)]
    named = {*map(stem, WORD.findall(held[0]))} if held else set[str]()
    return next(((found[0].value, one) for one in asked if stem(one) in named), None)
