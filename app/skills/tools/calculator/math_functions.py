"""The functions of the calculator: exact where they can be, bounded always.

Ours like `arithmetic`: Python's own round, root and divide as floats do, and have no limit of size.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias

from app.domain.errors import ToolFault

Number: TypeAlias = int | Fraction | float
"""Whole numbers and fractions are exact; a float has been through a function that cannot be."""

MAX_DIGITS: Final = 1000
_MAX_BITS: Final = 3322  # those of the smallest number with more than MAX_DIGITS decimal digits
_MAX_FACTORIAL: Final = 400
_MAX_PLACES: Final = 100
_TRIG_PLACES: Final = 15


def bounded(value: Number) -> Number:
    """Give whole numbers back as int; refuse what is too large to go on with.

    Raises:
        ToolFault: more than MAX_DIGITS digits, infinite, or not a number.
    """
    match value:
        case float():
            if not math.isfinite(value):
                raise too_large()
            return value
        case Fraction() if value.denominator != 1:
            if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
                raise too_large()
            return value
        case _:
            whole = int(value)
            if whole.bit_length() > _MAX_BITS:
                raise too_large()
            return whole


def too_large() -> ToolFault:
    return ToolFault("too_large", f"The result is too large: more than {MAX_DIGITS} digits are not computed.")


def power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, int) and not isinstance(base, float):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        # One, zero and minus one stay small whatever the exponent.
        if bits > 1 and (bits - 1) * abs(exponent) > _MAX_BITS:
            raise too_large()
        return Fraction(base) ** (exponent if bits > 1 else _small(exponent))
    if base < 0 and not isinstance(exponent, int):
        raise ToolFault("undefined", "A negative number has no real power with a fraction as exponent.")
    if exponent == Fraction(1, 2):
        return _square_root(base)
    return math.pow(base, exponent)


def _small(exponent: int) -> int:
    """An exponent with the same effect on 0, 1 and -1."""
    parity = 2 - exponent % 2
    return parity if exponent > 0 else -parity if exponent else 0


def _square_root(value: Number) -> Number:
    if value < 0:
        raise ToolFault("undefined", "A negative number has no real square root.")
    if isinstance(value, float):
        return math.sqrt(value)
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    return math.sqrt(value)


def _cube_root(value: Number) -> Number:
    root = math.copysign(abs(float(value)) ** (1 / 3), float(value))
    return round(root) if round(root) ** 3 == value else root


def _round(value: Number, places: Number = 0) -> Number:
    """Halves away from zero, as people round money; Python would round 2.5 to 2."""
    if not isinstance(places, int) or abs(places) > _MAX_PLACES:
        raise ToolFault("undefined", f"round takes a whole number of places up to {_MAX_PLACES}.")
    scaled = abs(Fraction(value)) * Fraction(10) ** places
    rounded = Fraction(math.floor(scaled + Fraction(1, 2))) / Fraction(10) ** places
    return rounded if value >= 0 else -rounded


def factorial(value: Number) -> Number:
    if not isinstance(value, int) or value < 0:
        raise ToolFault("undefined", "factorial takes a whole number from 0 on.")
    if value > _MAX_FACTORIAL:
        raise ToolFault("too_large", f"factorial is computed up to {_MAX_FACTORIAL}.")
    return math.factorial(value)


def _logarithm(value: Number, base: Number | None = None) -> Number:
    if value <= 0 or (base is not None and (base <= 0 or base == 1)):
        raise ToolFault("undefined", "A logarithm needs a positive number, and a positive base other than 1.")
    natural = (
        math.log(value) if isinstance(value, float) else math.log(value.numerator) - math.log(value.denominator)
    )
    return natural if base is None else natural / math.log(base)


def _log10(value: Number) -> Number:
    if isinstance(value, int) and value > 0:
        return math.log10(value)
    return _logarithm(value, 10)


def _tangent(value: Number) -> Number:
    if round(math.cos(value), _TRIG_PLACES) == 0:
        raise ToolFault("undefined", "The tangent is not defined there.")
    return round(math.tan(value), _TRIG_PLACES)


def _sine(value: Number) -> Number:
    # The last bits are noise: sin(pi) is meant to be 0.
    return round(math.sin(value), _TRIG_PLACES)


def _cosine(value: Number) -> Number:
    return round(math.cos(value), _TRIG_PLACES)


def _mean(*values: Number) -> Number:
    return _sum(*values) / Fraction(len(values))


def _sum(*values: Number) -> Number:
    # Denominators multiply: the bound holds after every step, not only at the end.
    total: Number = 0
    for value in values:
        total = bounded(total + value)
    return total


def _greatest_divisor(*values: Number) -> Number:
    return math.gcd(*_whole(values))


def _least_multiple(*values: Number) -> Number:
    total = 1
    for value in _whole(values):
        total = math.lcm(total, value)
        bounded(total)
    return total


def _whole(values: Sequence[Number]) -> list[int]:
    whole = [value for value in values if isinstance(value, int)]
    if len(whole) < len(values):
        raise ToolFault("undefined", "That function takes whole numbers.")
    return whole


CONSTANTS: Final[Mapping[str, Number]] = MappingProxyType({"pi": math.pi, "e": math.e, "tau": math.tau})
FUNCTIONS: Final[Mapping[str, Callable[..., Number]]] = MappingProxyType(
    {
        "sqrt": _square_root,
        "cbrt": _cube_root,
        "abs": abs,
        "round": _round,
        "floor": math.floor,
        "ceil": math.ceil,
        "trunc": math.trunc,
        "min": lambda *values: min(values),
        "max": lambda *values: max(values),
        "sum": _sum,
        "mean": _mean,
        "mod": operator.mod,
        "pow": power,
        "factorial": factorial,
        "gcd": _greatest_divisor,
        "lcm": _least_multiple,
        "exp": math.exp,
        "log": _logarithm,
        "ln": _logarithm,
        "log10": _log10,
        "log2": lambda value: _logarithm(value, 2),
        "sin": _sine,
        "cos": _cosine,
        "tan": _tangent,
        "asin": math.asin,
        "acos": math.acos,
        "atan": math.atan,
        "radians": math.radians,
        "degrees": math.degrees,
    }
)
"""Angles are in radians; log is the natural logarithm unless a base follows."""
LIST_FUNCTIONS: Final = frozenset({"min", "max", "sum", "mean", "gcd", "lcm", "round", "log", "mod", "pow"})
"""The functions that take several numbers."""
