"""What comes to mind for a message and is told to the model with it; what goes with a message or a person."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from app.domain.ids import UserId, WaMessageId
from app.domain.outbound import Recipient
from app.domain.turn import TurnContext


@dataclass(frozen=True, slots=True)
class Remembrance:
    """One thing that came to mind.

    `says` introduces it: "a note of theirs says". `why` tells by which words or how near in meaning (cosine).
    `is_fact`: it is a sentence of the person about themselves and theirs.
    """

    kind: str
    says: str
    text: str
    why: str
    is_fact: bool = False

    @property
    def plainly(self) -> str:
        """The text, introduced where it is no fact."""
        return self.text if self.is_fact else f"{self.says}: {self.text}"


@dataclass(frozen=True, slots=True)
class Recollection:
    """`items` stand beside the newest message, in their order; `lasting`, pairs of a tag and a text, below the
    system text, because they change seldom. `more` is less near, for questions of the person about
    themselves. `warnings` are told to the person in their own words, beside whatever is answered."""

    items: tuple[Remembrance, ...] = ()
    lasting: tuple[tuple[str, str], ...] = ()
    more: tuple[Remembrance, ...] = ()
    warnings: tuple[str, ...] = ()


NOTHING_RECALLED: Final = Recollection()
Recall = Callable[[str, TurnContext], Awaitable[Recollection]]
"""Tells what comes to mind for a text of the person who asks. Raises Transient when the database failed."""


class TakenBack(Protocol):
    async def __call__(self, user_id: UserId, message_id: WaMessageId, *, is_rewritten: bool) -> None:
        """Forget what was learned from a message that its person revoked, or rewrote.

        Called once history has the change; doing it twice changes nothing.
        """
        ...


@dataclass(frozen=True, slots=True)
class Former:
    """Who is being forgotten: `address` is where they were written to."""

    user_id: UserId
    address: Recipient


ForgetElsewhere = Callable[[Former], Awaitable[None]]
"""Forgets a person in one more place than the database and their folder. May be called twice for one person."""
FileLock = Callable[[UserId], AbstractAsyncContextManager[None]]
"""Keeps an ability from writing into a person's folder inside its block."""
