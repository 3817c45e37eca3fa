"""Answers on their way: what was pressed or said, who takes it, and what became of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from app.asking.repository import OpenQuestion
from app.domain.ids import UserId
from app.domain.inbound import Lane
from app.domain.outbound import Reply
from app.domain.turn import TurnContext


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer. `concerned` are the other users whose lanes may have work now; `is_secret`: the
    message is to be kept nowhere."""

    kind: str
    reply: Reply = field(default_factory=Reply)
    is_taken: bool = True
    is_secret: bool = False
    concerned: frozenset[UserId] = frozenset()


@dataclass(frozen=True, slots=True)
class Press:
    """An answer on its way to the handler of its kind. `question` is None for a text where none is open."""

    question: OpenQuestion | None
    key: str
    ctx: TurnContext


Typed = Literal["no", "numbers", "words"]


async def _nothing() -> None: ...


@dataclass(frozen=True, slots=True)
class Handler:
    """What happens to the answers of one kind. `run` settles the question, and returns None when it cannot.

    `claims` tells whether a text is an answer of this kind, whether or not a question is open. `recover` is called
    at every start. `is_for_home`: these questions are shown and answered on a page, too. `typed`: whether a choice
    that is typed counts as tapped, and whether a bare number is then its place, or may be a time.
    """

    run: Callable[[Press], Awaitable[Answered | None]]
    claims: Callable[[str], bool] = lambda text: False
    is_for_admins: bool = False
    lane: Lane = "control"
    is_for_home: bool = False
    recover: Callable[[], Awaitable[None]] = _nothing
    typed: Typed = "no"
