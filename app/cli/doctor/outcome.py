"""What one hop of the doctor's round is, and how it came out."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`sentence` says what was found; `next_step` is never empty on "failed", and advice otherwise."""

    status: Status
    sentence: str
    next_step: str = ""


def ok(sentence: str, advice: str = "") -> Outcome:
    """It works; `advice` is what could be better."""
    return Outcome("ok", sentence, advice)


def failed(sentence: str, next_step: str) -> Outcome:
    """It does not work, and this is what to do about it."""
    return Outcome("failed", sentence, next_step)


def skipped(sentence: str, advice: str = "") -> Outcome:
    """It was not looked at, for this reason."""
    return Outcome("skipped", sentence, advice)


@dataclass(frozen=True, slots=True)
class Hop:
    """One check in the order of the round; `needs` names earlier hops without which it tells nothing.

    `check` may raise `AppError`; it is cancelled after `timeout_s`.
    """

    name: str
    check: Callable[[], Awaitable[Outcome]]
    needs: tuple[str, ...] = ()
    timeout_s: float = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a hop."""

    hop: str
    outcome: Outcome
