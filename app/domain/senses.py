"""What is made of a message with a file, and how an answer leaves in another form than text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import Language


@dataclass(frozen=True, slots=True)
class Perceived:
    """One message, in words.

    `asked` are the person's own words: a caption, or what they spoke; "" if there are none. `text` is what history
    keeps, those words included. `passing` belongs to this turn's prompt alone. `lead` stands before the answer,
    and `reply` is the whole answer where the person asked nothing: both in their language. `language` is the one
    that was spoken, where that is known. `category` is of the tools that work on such a file.
    """

    text: str = ""
    asked: str = ""
    passing: str = ""
    lead: str = ""
    reply: str = ""
    is_spoken: bool = False
    category: str = ""
    language: Language | None = None


class Sense(Protocol):
    async def __call__(self, message: InboundMessage, ctx: TurnContext) -> Perceived | None:
        """Put a message with a file in words; None for messages that this sense is not for.

        What cannot be understood is said in `reply` and `lead`.

        Raises:
            NotReady: a model is being fetched; the turn should wait.
            Transient: WhatsApp or the database failed.
        """
        ...


class Telling(Protocol):
    async def __call__(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return the whole answer to a question about what a person showed; None where it needs a model."""
        ...


class Voice(Protocol):
    async def __call__(self, reply: Reply, ctx: TurnContext, *, was_spoken_to: bool, asked: str) -> Reply:
        """Return the answer as it should leave: spoken, or the same where it should not or cannot be."""
        ...
