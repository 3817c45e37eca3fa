"""What a look at one part of the whole found."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Status = Literal["ok", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Checked:
    """`sentence` and `next_step` are for whoever runs the service, in English, and hold no secret."""

    hop: str
    status: Status
    sentence: str
    next_step: str = ""


Examine: TypeAlias = Callable[[], Awaitable[Sequence[Checked]]]
"""Checks every hop, in order; it may take a minute."""
