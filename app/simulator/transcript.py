"""What happened in the simulated chats, in order, kept across restarts."""

import asyncio
import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import structlog
from pydantic import JsonValue, TypeAdapter, ValidationError

MAX_EVENTS: Final = 2_000

EventKind = Literal["inbound", "webhook", "send", "read", "status"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SimEvent:
    """One line of the transcript; `seq` only grows, also over restarts.

    `user` is the wa_id of the person concerned. What `data` holds, by kind:
    inbound `id, name, message` (Meta's JSON) · webhook `id, status` (our HTTP answer to that message, 0: none) ·
    send `id, recipient, type, text, tracker, payload` · read `id, typing` ·
    status `id, status, code` (Graph error, or null) `, webhook` (our HTTP answer).
    """

    seq: int
    kind: EventKind
    user: str
    at: datetime
    data: dict[str, JsonValue]

    def to_json(self) -> str:
        return _EVENT.dump_json(self).decode()


_EVENT: Final[TypeAdapter[SimEvent]] = TypeAdapter(SimEvent)


@dataclass(frozen=True, slots=True)
class RecordedSend:
    """A message that Graph accepted; `text` is what a person would read of it."""

    id: str
    recipient: str
    type: str
    text: str
    payload: dict[str, JsonValue]
    tracker: str | None
    at: datetime

    @classmethod
    def of(cls, event: SimEvent) -> "RecordedSend":
        return _SEND.validate_python({**event.data, "at": event.at})


@dataclass(frozen=True, slots=True)
class RecordedRead:
    """A read mark; `is_typing` when it came with the typing mark."""

    message_id: str
    is_typing: bool
    at: datetime

    @classmethod
    def of(cls, event: SimEvent) -> "RecordedRead":
        return cls(str(event.data["id"]), event.data["typing"] is True, event.at)


_SEND: Final[TypeAdapter[RecordedSend]] = TypeAdapter(RecordedSend)


class Transcript:
    """The last events, mirrored in a JSONL file when there is a path.

    An event is on disk before `append` returns. At twice `max_events` the older half is dropped, and the
    file replaced atomically. Lines that cannot be read, such as a torn last one, are left out.
    """

    def __init__(self, path: Path | None = None, *, max_events: int = MAX_EVENTS) -> None:
        self._path = path
        self._max_events = max_events
        self._changed = asyncio.Event()
        self.events: list[SimEvent] = []
        if path is not None and path.exists():
            self._load(path)

    @property
    def last_seq(self) -> int:
        return self.events[-1].seq if self.events else 0

    def append(self, kind: EventKind, user: str, *, at: datetime, data: dict[str, JsonValue]) -> SimEvent:
        event = SimEvent(self.last_seq + 1, kind, user, at, data)
        if self._path is not None:
            # In the event loop on purpose: it is a few hundred bytes, and nothing may overtake it.
            with self._path.open("ab") as file:
                _write_durably(file.fileno(), event.to_json() + "\n")
        self.events.append(event)
        if len(self.events) > 2 * self._max_events:
            self.events = self.events[-self._max_events :]
            self._rewrite()
        self.wake()
        return event

    def since(self, seq: int) -> list[SimEvent]:
        """The events after `seq`, oldest first."""
        return self.events[bisect_right(self.events, seq, key=lambda event: event.seq) :]

    async def wait_beyond(self, seq: int, *, timeout_s: float | None = None) -> bool:
        """Wait until there is an event after `seq`, or `wake` was called; False when time ran out first.

        A waiter holds nothing here: cancelling it loses nothing, and a slow one costs no memory.
        """
        try:
            async with asyncio.timeout(timeout_s):
                if self.last_seq <= seq:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def wake(self) -> None:
        """Let every waiter look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _load(self, path: Path) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        self.events = list(_readable(lines))[-self._max_events :]
        # A torn line must not swallow the one that would be appended to it.
        if len(self.events) != len(lines) or not lines[-1].endswith(b"\n"):
            self._rewrite()

    def _rewrite(self) -> None:
        if self._path is not None:
            fresh = self._path.with_suffix(".tmp")
            with fresh.open("wb") as file:
                _write_durably(file.fileno(), "".join(event.to_json() + "\n" for event in self.events))
            fresh.replace(self._path)


def _readable(lines: list[bytes]) -> Iterator[SimEvent]:
    for line in lines:
        try:
            yield _EVENT.validate_json(line)
        except ValidationError:
            log.warning("simulator.line_skipped", size_bytes=len(line))


def _write_durably(descriptor: int, text: str) -> None:
    left = memoryview(text.encode())
    while left:
        left = left[os.write(descriptor, left) :]
    os.fsync(descriptor)
