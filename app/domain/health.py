"""What a look at one part of the whole found."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from app.language.catalogue import InEachLanguage

Status = Literal["ok", "failed", "skipped"]
NOTHING: Final[InEachLanguage] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Checked:
    """`hop` is what programs call the part, `title` what people do.

    `sentence` and `next_step` are for whoever runs the service and hold no secret; without a next step there is
    nothing to do.
    """

    hop: str
    status: Status
    sentence: InEachLanguage
    next_step: InEachLanguage = field(default_factory=lambda: NOTHING)
    title: InEachLanguage = field(default_factory=lambda: NOTHING)


Examine: TypeAlias = Callable[[], Awaitable[Sequence[Checked]]]
"""Checks every hop, in order; it may take a minute."""
