"""What comes to mind for a message and is told to the model with it; what goes with a message or a person."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
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
    themselves. `warnings` are told to the person in their own words, beside whatever is answered. `told` are the
    facts about themselves that the message holds, `is_only_told` where it holds nothing else. `is_for_doctor`: the
    message is about medicines, which a model must not judge. `against` are the warnings about just
    what it names, such as an allergy to it."""

    items: tuple[Remembrance, ...] = ()
    lasting: tuple[tuple[str, str], ...] = ()
    more: tuple[Remembrance, ...] = ()
    warnings: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    is_only_told: bool = False
    is_for_doctor: bool = False
    against: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()


NOTHING_RECALLED: Final = Recollection()
Recall = Callable[[str, TurnContext], Awaitable[Recollection]]
"""Tells what comes to mind for a text of the person who asks. Raises Transient when the database failed."""

Learn = Callable[[Sequence[str], TurnContext], Awaitable[None]]
"""Keeps what the person told of themselves in this turn; doing it twice changes nothing."""


Reads = Callable[[str], Sequence[str]]
"""Returns the sentences of a message in which something is told: no question, no wish."""

Unsays = Callable[[str, str], bool]
"""Tells whether a message asks to forget what an earlier sentence tells."""


@dataclass(frozen=True, slots=True)
class Remembering:
    """What every ability remembers, and keeps: `recalls` are asked what comes to mind, `learns` keep, `reads` tell
    what a message says, `unsays` what is not to be said again, and `takes_back` whether a message takes back the
    one before it."""

    recalls: list[Recall] = field(default_factory=list)
    learns: list[Learn] = field(default_factory=list)
    reads: list[Reads] = field(default_factory=list)
    unsays: list[Unsays] = field(default_factory=list)
    takes_back: list[Callable[[str], bool]] = field(default_factory=list)

    async def recall(self, text: str, ctx: TurnContext) -> Recollection:
        """Return all that comes to mind for a text.

        Raises:
            Transient: the database failed.
        """
        found = [await recall(text, ctx) for recall in self.recalls]
        return Recollection(
            tuple(item for one in found for item in one.items),
            tuple(text for one in found for text in one.lasting),
            tuple(item for one in found for item in one.more),
            tuple(text for one in found for text in one.warnings),
            told=tuple(text for one in found for text in one.told),
            is_only_told=any(one.is_only_told for one in found),
            is_for_doctor=any(one.is_for_doctor for one in found),
            against=tuple(text for one in found for text in one.against),
            cautions=tuple(text for one in found for text in one.cautions),
        )

    async def learn(self, told: Sequence[str], ctx: TurnContext) -> None:
        """Keep what a person told of themselves."""
        for learn in self.learns:
            await learn(told, ctx)

    def told_in(self, said: Sequence[str]) -> list[str]:
        """Return the sentences of messages in which something is told, in their order; none that a later message
        asks to forget."""
        found: list[str] = []
        last = 0
        for text in said:
            if any(takes_back(text) for takes_back in self.takes_back):
                found = found[:last]
                continue
            found = [one for one in found if not any(unsays(text, one) for unsays in self.unsays)]
            last = len(found)
            told = [sentence for read in self.reads for sentence in read(text)]
            found += [one for one in told if not any(unsays(text, one) for unsays in self.unsays)]
        return found

    def not_unsaid(self, said: Sequence[str]) -> list[str]:
        """Return messages in their order, without those that a later one asks to forget, and without that one."""
        found: list[str] = []
        for text in said:
            if any(takes_back(text) for takes_back in self.takes_back):
                found = found[:-1]
                continue
            found = [one for one in (*found, text) if not any(unsays(text, one) for unsays in self.unsays)]
        return found


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
