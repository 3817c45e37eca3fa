"""What a measure just told comes to: at a price for each, or in packs that hold so much."""

import math
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import stem
from app.skills.tools.calculator.arithmetic import evaluate
from app.skills.tools.calculator.calculator_tools import computed, in_words
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.lexicon import ASKED_UNIT, BEFORE, MEASURE_WORDS, NO_SUM, PHRASES, WORDS
from app.skills.tools.calculator.measures import (
    amounts,
    converted,
    dimension,
    has_more,
    is_divisible,
    measured_ways,
)
from app.skills.tools.calculator.spoken import (
    WORD,
    behind,
    first_read,
    has_word,
    is_grouped,
    says,
    with_plain_numbers,
)
from app.skills.tools.calculator.told import unit_priced

_MOST_LOOSE: Final = 6
_PAIR: Final = 2


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
    if BEFORE["handed.get"].search(text[: found[0].start]):
        return None  # "And if they get 4 each?"
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


def answer_packs(text: str, ctx: TurnContext) -> str | None:
    """Say how many packs so much takes: "how many boxes for 12 square metres, each covers 2"."""
    found = list(amounts(text))
    heads = [(one, head) for one in found if (head := BEFORE["told.covers"].search(text[: one.start]))]
    asked = [one["unit"] for one in ASKED_UNIT.finditer(text)]
    if len(found) != _PAIR or len(heads) != len(asked) or len(asked) != 1 or has_more(text, found):
        return None
    ((held, head),), (what,) = heads, asked
    whole, named = next(one for one in found if one != held), WORD.findall(head[0])
    is_plural = stem(what) != what and what not in WORDS["around"] and what not in MEASURE_WORDS
    is_named = "each" in named or stem(what) in map(stem, named)
    is_alike = dimension(held.unit or whole.unit) == dimension(whole.unit) and is_divisible(whole.unit)
    if not (is_plural and is_named and is_alike) or has_word(text, *NO_SUM):
        return None
    if not held.unit and WORDS["told.covering"].isdisjoint(named):
        return None  # "A box is 12": a price.
    plain = with_plain_numbers(converted(whole.value, whole.unit, held.unit or whole.unit), ctx)
    return plain and in_packs(plain, held.value, what, ctx, is_local=is_grouped(whole.value, ctx))


def in_packs(whole: str, holds: str, what: str, ctx: TurnContext, *, is_local: bool) -> str | None:
    """Say how many whole packs a plain calculation takes, each of which holds so much."""
    plain = with_plain_numbers(holds, ctx)
    packs = evaluate(read_expression(f"{whole} / {plain}").source) if plain and float(plain) else None
    if packs is None or packs <= 0:
        return None
    divided = in_words(computed(read_expression(f"{whole} / {plain}")), ctx, is_local=is_local)
    rounded = "" if packs == math.ceil(packs) else f" → {math.ceil(packs)}"
    return f"{divided}{rounded} {what}"


def _packs(text: str) -> tuple[str, str] | None:
    found = list(amounts(text))
    if len(found) != 1 or has_more(text, found) or "/" in found[0].value or has_word(text, *NO_SUM):
        return None
    held = BEFORE["told.covers"].search(text[: found[0].start])
    asked = [one["unit"] for one in ASKED_UNIT.finditer(text)]
    named = {*map(stem, WORD.findall(held[0]))} if held else set[str]()
    return next(((found[0].value, one) for one in asked if stem(one) in named), None)
