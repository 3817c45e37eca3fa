"""The limits that a server sets to a field of its question: read from its schema, and checked in a value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, Final, Literal

Format = Literal["email", "uri", "date", "date-time"]

FORMATS: Final[tuple[Format, ...]] = ("email", "uri", "date", "date-time")
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "string": ("minLength", "maxLength"),
        "integer": ("minimum", "maximum"),
        "number": ("minimum", "maximum"),
        "array": ("minItems", "maxItems"),
    }
)
_HUGE: Final = 1e300
_EMAIL: Final = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>.]+")
# RFC 3986: a scheme, and none of the characters that have to be written as %XX.
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-\[\]_a-z~]+")
_BEFORE_ZONE: Final = re.compile(r"\s+(?=[+-]\d\d:?\d\d$|[Zz]$)")


@dataclass(frozen=True, slots=True)
class Limits:
    """`least` and `most` bound a number's value, a text's characters, or how many of a list are chosen."""

    least: float | None = None
    most: float | None = None
    format: Format | None = None

    @property
    def has_size(self) -> bool:
        return self.least is not None or self.most is not None


NO_LIMITS: Final = Limits()


def read_limits(node: Mapping[str, Any]) -> Limits:
    """Read the limits of a primitive schema (MCP 2025-11-25, "Elicitation", and SEP-1330 for lists).

    What is no number, or a format that the specification does not know, limits nothing. A `pattern` is left
    to the server: a hostile one would keep Python's `re` busy for minutes.
    """
    lower, upper = _BOUNDS.get(str(node.get("type")), ("", ""))
    known = next((one for one in FORMATS if node.get("format") == one), None)
    return Limits(
        _bound(node.get(lower)), _bound(node.get(upper)), known if node.get("type") == "string" else None
    )


def is_within(limits: Limits, value: str | float | list[str]) -> bool:
    """Tell whether a value has the size that is wanted: a text by its characters, a list by its items."""
    size = value if isinstance(value, int | float) else len(value)
    is_enough = limits.least is None or size >= limits.least
    return is_enough and (limits.most is None or size <= limits.most)


def in_format(text: str, wanted: Format) -> str | None:
    """Return the text in the form that the format has, None when it cannot be read as one.

    A date and a time may be written in any form of ISO 8601 that Python reads, with a blank for the T; the
    time needs its zone (RFC 3339), which nobody but the person knows.
    """
    match wanted:
        case "email":
            return text if _EMAIL.fullmatch(text) else None
        case "uri":
            return text if _URI.fullmatch(text) else None
        case "date":
            return _iso_date(text)
        case "date-time":
            return _iso_time(text)


def _iso_date(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _iso_time(text: str) -> str | None:
    try:
        read = datetime.fromisoformat(_BEFORE_ZONE.sub("", text).upper())
    except ValueError:
        return None
    return None if read.tzinfo is None else read.isoformat().replace("+00:00", "Z")


def _bound(value: object) -> float | None:
    """A bound as it was given; none for what is no number, and for one that no value could ever reach."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if -_HUGE < value < _HUGE else None
