"""A question whose turn waits, and the line in which one person's questions stand."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from app.asking.typed import Shown, by_place
from app.domain.ids import TurnId
from app.domain.inbound import Lane
from app.domain.outbound import OutboundMessage

R = TypeVar("R")

ButtonId = Callable[[str], str]
"""Make the id of the button with that key."""


@dataclass(frozen=True, slots=True)
class Ask(Generic[R]):
    """A question whose turn waits. `show` makes its messages, the last of which an answer may quote.

    `read_key` and `read_text` return what a button and a text mean, None for no answer. `is_private`: what is
    typed meanwhile is meant for somebody else, and reaches no model. `elsewhere` is then said to a text that
    quotes another message. `gives_way`: it ends when the person writes something else.
    """

    kind: str
    bound_to: str
    show: Callable[[ButtonId], tuple[OutboundMessage, ...]]
    read_key: Callable[[str], R | None]
    read_text: Callable[[str], R | None]
    is_private: bool = False
    elsewhere: str = ""
    gives_way: bool = False


@dataclass(frozen=True, slots=True)
class Silence:
    """Nobody answered in time; `was_sent` is False where the question never reached them. `gave_way`: they wrote
    something else."""

    was_sent: bool
    gave_way: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A message is an answer: which question it is for, and whether it waits behind the person's turns."""

    address: str
    lane: Lane = "control"


@dataclass(slots=True)
class Open(Generic[R]):
    token: str
    ask: Ask[R]
    shown: tuple[Shown, ...] = ()
    value: R | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def address(self) -> str:
        return button_id(self.ask.kind, self.token, "")

    def read_text(self, text: str) -> R | None:
        """Return what a text means: what it says, or the button at the place that it says."""
        said = self.ask.read_text(text)
        # Who is asked whether they wish for something may speak of what they wish for: "the second one".
        if said is not None or self.ask.gives_way:
            return said
        one = by_place(text, self.shown, takes_numbers=True)
        return None if one is None else self.ask.read_key(one.key)


@dataclass(slots=True)
class Line:
    """One person's questions: at most one is open, the others wait for the lock."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    open: Open[Any] | None = None
    last_private: str = ""
    """Where a text goes that comes in between two private questions of one asker: to the one that is over."""
    stopped: tuple[TurnId, int] | None = None
    """The turn and attempt in which the person stopped everything."""


def button_id(kind: str, token: str, key: str) -> str:
    """Return the id of a button: which question it is of, and which of its answers it gives."""
    return f"q:{kind}:{token}:{key}"
