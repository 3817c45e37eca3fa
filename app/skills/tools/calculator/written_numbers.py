"""Numbers as they are written in different countries: `1.560,50`, `1,560.50`, `1,5`.

Babel reads a number of a locale that is known. Here it is not: a person in Spain pastes a price in dollars, and
a model writes numbers as programs do. So the number itself decides, and what has two readings says so.
"""

import re
from typing import Final

from app.domain.errors import ToolFault

_GROUPS: Final = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")
_TWO_READINGS: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


def plain_number(text: str) -> str:
    """Write a number with a decimal point and without separators of thousands or leading zeros.

    `text` is digits with points and commas between them, and perhaps an exponent. One comma or point
    alone with three digits behind it has two readings: the comma is taken for thousands, the point for
    decimals, as in programs.

    Raises:
        ToolFault: the separators fit no way of writing numbers.
    """
    mantissa, mark, exponent = text.partition("e")
    whole, part = _halves(mantissa)
    digits = re.sub("[.,]", "", whole).lstrip("0") or "0"
    return f"{digits}.{part}{mark}{exponent}" if part else f"{digits}{mark}{exponent}"


def has_two_readings(text: str) -> bool:
    """Whether the number is 1,560 or 1.560, one thousand times more in one country than in another."""
    return _TWO_READINGS.fullmatch(text) is not None


def ambiguous(text: str) -> ToolFault:
    return ToolFault(
        "ambiguous_number",
        f"'{text[:40]}' can be read in two ways; write decimals with a point and no thousands separators.",
    )


def _halves(mantissa: str) -> tuple[str, str]:
    separators = [sign for sign in mantissa if sign in ".,"]
    if not separators:
        return mantissa, ""
    last = separators[-1]
    is_mixed = len(set(separators)) > 1
    is_grouped = not is_mixed and (len(separators) > 1 or (last == "," and has_two_readings(mantissa)))
    whole, _, part = (mantissa, "", "") if is_grouped else mantissa.rpartition(last)
    if (is_mixed or is_grouped) and not _GROUPS.fullmatch(whole):
        raise ambiguous(mantissa)
    return whole, part
