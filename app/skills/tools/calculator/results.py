"""A calculation with its result in words, and that read back."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.domain.errors import ToolFault
from app.domain.turn import TurnContext
from app.language.catalogue import LANGUAGES, Sentence, say
from app.language.written_numbers import group_sign, locale_at
from app.skills.tools.calculator.arithmetic import evaluate, show, show_briefly
from app.skills.tools.calculator.calculator_tools import computed, in_words
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.spoken import is_grouped, with_plain_numbers
from app.skills.tools.calculator.texts import CALCULATOR

_RESULT: Final = re.compile(
    r"(?P<sum>[^=≈\n]{1,400}?) [=≈] (?P<result>-?\d[\d.,]*+)(?P<doubts> \([^()\n]{1,400}\))?"
)
_BARE: Final = re.compile(r"\d[\d.,]*+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*+")
_MOST_DECIMALS: Final = 4
# Added as a part, it makes a number that ends one that is rounded.
_NO_END: Final = 3 * 10**12
# A result that would be read as thousands there.
_LIKE_GROUPED: Final = re.compile(r" [1-9]\d{0,2}\.\d{3}\Z")
# As numbers are written where a point stands between thousands.
_LOCAL: Final = re.compile(r"(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?")


@dataclass(frozen=True, slots=True)
class Told:
    """`sum` is what was computed, `value` its result, or the sum in parentheses where that is rounded.

    Their numbers have a decimal point and no groups; `is_local`: they were told as they are written where the
    person lives.
    """

    sum: str
    value: str
    is_local: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """`sum` with the numbers as they were written, `what` it is of: "g harina", "l", "%".

    `is_whole`: only whole ones hold what there is, so the next whole number is told, too.
    """

    sum: str
    what: str = ""
    is_whole: bool = False


def worded(calculation: str, ctx: TurnContext, *, is_signed: bool = False) -> str | None:
    """Return a calculation with its result; None where that is not sure, or less than nothing and not `is_signed`.

    Raises:
        ToolFault: it is not defined, or too large.
    """
    plain = with_plain_numbers(calculation, ctx)
    if plain is None or (not is_signed and evaluate(read_expression(plain).source) < 0):
        return None
    return in_words(computed(read_expression(plain)), ctx, is_local=is_grouped(calculation, ctx))


def told_of(one: Quantity, ctx: TurnContext) -> str | None:
    """Word an amount with what it is of, with no more digits than anybody measures; it may be below nothing."""
    plain = with_plain_numbers(one.sum, ctx)
    if plain is None:
        return None
    expression = read_expression(plain)
    value = evaluate(expression.source)
    text, is_exact = show_briefly(value)
    if is_exact and len(text.partition(".")[2]) > _MOST_DECIMALS:
        text, is_exact = show_briefly(Fraction(value) + Fraction(1, _NO_END))[0], False
    told = f"{expression.shown} {'=' if is_exact else '≈'} {text}"
    if one.is_whole and value != math.ceil(value):
        told = f"{told} → {math.ceil(value)}"
    what = one.what if one.what == "%" else f" {one.what}"
    is_dotted = group_sign(locale_at(ctx.language, ctx.timezone)) == "."
    is_local = (is_dotted and _LIKE_GROUPED.search(told) is not None) or is_grouped(one.sum, ctx)
    return f"{in_words(told, ctx, is_local=is_local)}{what}".rstrip()


def read_result(text: str, ctx: TurnContext) -> Told | None:
    """Return the calculation that an answer consists of; None where it says more, or its result is not right."""
    bare = _without_lead(text.strip())
    if (found := _RESULT.fullmatch(bare)) is None:
        is_total = bare != text.strip() and _BARE.fullmatch(bare)
        return _checked(bare, bare, ctx) if is_total else None
    if found["doubts"]:
        return _computed(found["sum"], found["result"], is_local=False)
    return _checked(found["sum"], found["result"], ctx)


def _checked(told: str, result: str, ctx: TurnContext) -> Told | None:
    is_at_home = group_sign(locale_at(ctx.language, ctx.timezone)) == "."
    local_sum, local_result = _from_local(told), _from_local(result)
    read = None
    if is_at_home and local_sum and local_result and re.search("[.,]", told + result):
        read = _computed(local_sum, local_result, is_local=True)
    return read or _computed(told, result, is_local=False)


def _computed(told: str, result: str, *, is_local: bool) -> Told | None:
    try:
        value = evaluate(read_expression(told).source)
    except ToolFault:
        return None
    text, is_exact = show(value)
    # A sum of one amount is told as it was written: 18.40. A model may tell all the digits that it was given.
    if {text, show_briefly(value)[0]}.isdisjoint((result, result.rstrip("0").rstrip("."))):
        return None
    return Told(told, text if is_exact else f"({told})", is_local)


def _from_local(text: str) -> str | None:
    if not all(_LOCAL.fullmatch(number) for number in _NUMBER.findall(text)):
        return None
    return _NUMBER.sub(lambda found: found[0].replace(".", "").replace(",", "."), text)


def without_again(text: str) -> str:
    """Return an answer without what says that it is said once more."""
    return _without(text, (CALCULATOR.again,))


def _without_lead(text: str) -> str:
    return _without(text, (CALCULATOR.total, CALCULATOR.again))


def _without(text: str, sentences: Sequence[Sentence]) -> str:
    leads = [say(one, language, sum="") for one in sentences for language in LANGUAGES]
    return next((text.removeprefix(lead).lstrip() for lead in leads if text.startswith(lead)), text)
