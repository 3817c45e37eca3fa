"""The outside things a test cannot run, as small protocols."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Literal, Protocol

from app.domain.chat import ChatRequest, ChatResponse, ModelState
from app.domain.ids import TurnId, UserId, WaMessageId
from app.domain.inbound import MediaRef
from app.domain.outbound import Occasion, OutboundMessage, Recipient

EmbeddingPurpose = Literal["query", "document"]
MaySend = Callable[[Occasion], Awaitable[bool]]
"""Tells whether a message of that occasion may go out now."""


class Clock(Protocol):
    def now(self) -> datetime:
        """The current time, aware, UTC."""
        ...

    def elapsed_s(self) -> float:
        """Seconds since some moment, for pauses: nobody sets this back, as happens to `now`."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait that long by this clock."""
        ...


class ChatModel(Protocol):
    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer a conversation. Cancelling the call stops the generation.

        Raises:
            NotReady: the model is still being fetched or loaded.
            Transient: unreachable, overloaded, timed out, or the provider failed.
            Permanent: the provider does not have the model, or refuses the request.
        """
        ...

    async def state(self) -> ModelState:
        """Tell whether the model can answer now. Never raises, answers within two seconds."""
        ...


class Embedder(Protocol):
    @property
    def model(self) -> str:
        """The name that its vectors are stored under: vectors of different models are never compared."""
        ...

    async def embed(self, texts: Sequence[str], *, purpose: EmbeddingPurpose) -> list[bytes]:
        """Return one vector for each text: float32, little-endian, of length 1.

        `purpose` "query" is what somebody asks, "document" what is kept: some models tell them apart.

        Raises:
            Transient: unreachable, overloaded, timed out, or the provider failed.
            Permanent: the provider does not have the model.
        """
        ...


class Messenger(Protocol):
    async def send(self, to: Recipient, message: OutboundMessage, *, tracker: str) -> WaMessageId:
        """Hand a message to WhatsApp; `tracker` (≤ 512 characters) comes back in its statuses.

        Raises:
            OutcomeUnknown: the request went out and no answer came.
            Transient: try again after `retry_after_s`; `scope` says what must wait.
            WindowClosed, AccessRevoked, Permanent: see their docstrings.
        """
        ...

    async def mark_read(self, message_id: WaMessageId, *, is_typing: bool) -> None:
        """Show the read mark and, if asked, the typing mark (it lasts 25 s at most).

        Raises:
            Transient, Permanent: as `send`; callers treat it as best effort.
        """
        ...


@dataclass(frozen=True, slots=True)
class TemplateState:
    """What Meta says of a template in one language: `status` is APPROVED, PENDING, REJECTED, PAUSED, DISABLED …"""

    name: str
    language: str
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewTemplate:
    """A utility template. `body` has one `{{1}}`, and `example` is what could stand there."""

    name: str
    language: str
    body: str
    example: str
    buttons: tuple[str, ...]


class Templates(Protocol):
    """The templates of the WhatsApp account.

    Raises, in every method:
        Transient, Permanent, AccessRevoked: as `Messenger.send`.
    """

    async def list(self, name: str) -> Sequence[TemplateState]:
        """Return the state of a template in each of its languages."""

    async def create(self, new: NewTemplate) -> TemplateState:
        """Submit a template for Meta's approval; one that is there already stays as it is."""


class MediaSource(Protocol):
    async def download(self, media: MediaRef, target: IO[bytes], *, max_bytes: int) -> int:
        """Write a file a person sent into `target`, verified against its checksum; returns its size.

        Raises:
            Transient, Permanent: as `Messenger.send`; Permanent also for too large or damaged.
        """
        ...

    async def upload(self, data: bytes, *, mime_type: str, filename: str) -> str:
        """Store a file at Meta's for sending; returns its media id (valid for 30 days)."""
        ...


class Children(Protocol):
    async def run(self, task: str, arguments: Mapping[str, object], *, timeout_s: float) -> Mapping[str, object]:
        """Do a piece of heavy work in a process of its own, with limits of memory and time.

        Raises:
            Permanent: the code says what was wrong with the file or the limits: "encrypted", "damaged",
                "took_too_long" ...
        """
        ...


class TurnControl(Protocol):
    async def cancel(self, user_id: UserId, before: TurnId) -> bool:
        """Stop what the user sent before that row: running or waiting. False when there was nothing."""
        ...
