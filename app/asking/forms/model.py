"""What a server may ask a person: fields of a few kinds, the limits of their values, and the answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType
from typing import Final, Literal

Format = Literal["email", "uri", "date", "date-time"]
FieldKind = Literal["text", "number", "integer", "boolean", "choice", "choices"]
Value = str | int | float | bool | list[str] | None

FORMATS: Final[tuple[Format, ...]] = ("email", "uri", "date", "date-time")
_EMAIL: Final = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>.]+")
# RFC 3986: a scheme, and none of the characters that have to be written as %XX.
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-\[\]_a-z~]+")
_BEFORE_ZONE: Final = re.compile(r"(?<!\s)\s++(?=[+-]\d\d:?\d\d$|[Zz]$)")


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


@dataclass(frozen=True, slots=True)
class Choice:
    """`value` goes to the server, `label` is shown."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in. `default` is what the server gets when the person leaves it out."""

    name: str
    label: str
    kind: FieldKind
    hint: str = ""
    choices: tuple[Choice, ...] = ()
    is_required: bool = False
    default: Value = None
    limits: Limits = NO_LIMITS


@dataclass(frozen=True, slots=True)
class Question:
    """What a server wants to know. All its texts are the server's: data to show, cut to a length, never ours.

    Without fields it is a yes or no. With a `url` the person is asked to open that address, no more.
    """

    server: str
    message: str
    fields: tuple[Field, ...] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """`values` by the names of the fields, for "accept" only; "cancel" is also silence."""

    action: Literal["accept", "decline", "cancel"]
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))


CANCELLED: Final = Answer("cancel")


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
