"""The outside things a test cannot run, as small protocols."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
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


@dataclass(frozen=True, slots=True)
class FileEntry:
    """Something among a person's files: `path` has `/` between the names; `modified_s` are seconds since 1970."""

    path: str
    is_folder: bool
    size_bytes: int = field(default=0, compare=False)
    modified_s: float = field(default=0, compare=False)


class Draft(Protocol):
    """A file that comes in, to be written to `file`."""

    @property
    def file(self) -> IO[bytes]: ...

    async def keep(self, name: str) -> Path:
        """Make it the person's, beside the others of its folder, for good, even if the power fails now.

        Returns where a child process finds it as long as the block runs.
        """


class PeoplesFiles(Protocol):
    """The files of everybody; a path is relative to what is that person's, and leads to nobody else's.

    Raises, in every method:
        OSError: what a folder would say: there is no such file, it is a folder, its name is too long.
        ToolFault: the path is none, or leads outside; the sentence names it as given.
        Transient: the files cannot be reached now.
    """

    async def list_files(
        self, user_id: UserId, folder: str = "", *, is_deep: bool = True, limit: int, with_drafts: bool = False
    ) -> list[FileEntry]:
        """Return up to `limit` entries of a folder; `with_drafts` also what was never kept, after a crash."""

    async def read(self, user_id: UserId, path: str, *, max_bytes: int) -> tuple[bytes, int]:
        """Return the first `max_bytes` of a file, and its whole size."""

    async def write(self, user_id: UserId, path: str, data: bytes) -> None:
        """Write a file, whole or not at all, with the folders that it needs; done when it is safe."""

    def draft(self, user_id: UserId, folder: str, name: str) -> AbstractAsyncContextManager[Draft]:
        """Open a file that comes in; what is not kept is gone when the block ends. `name` is one of ours."""

    def local(self, user_id: UserId, path: str) -> AbstractAsyncContextManager[Path]:
        """Have a file where a child process can read it, as long as the block runs."""

    async def remove(self, user_id: UserId, path: str) -> None:
        """Remove a file."""

    async def remove_all(self, user_id: UserId) -> None:
        """Remove everything of a person; twice does no harm."""

    async def list_owners(self) -> list[UserId]:
        """Return whose files there are, in order."""


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
