"""uvicorn's HTTP protocol with an end to its patience: half a request holds a connection for some seconds only."""

import asyncio
import resource
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

log = structlog.get_logger(__name__)

HALF_OPEN: Final = 64
"""How many requests may be on their way at once; of more, the oldest is given up."""
REQUEST_S: Final = 10.0
"""How long a whole request may take to arrive, from the first byte or from the opening of the connection."""
AT_ONCE: Final = 8
"""How many connections are accepted in one round of the event loop.

asyncio accepts as many as the backlog that it was given, and one that is given up is closed some rounds later:
what a few rounds accept has to fit into the files that a process may have open. Where files run out, it logs an
error for each of those left, which for uvicorn's 2,048 keeps everybody waiting for ten seconds
(https://github.com/python/cpython/blob/3.11/Lib/asyncio/selector_events.py, `_accept_connection`).
"""
QUEUE: Final = 2048
"""How many connections the system holds until they are accepted (uvicorn's own default)."""
_WANTED_FILES: Final = 4096


class HalfOpen:
    """The connections whose request is not whole, the oldest first."""

    def __init__(self, limit: int = HALF_OPEN, deadline_s: float = REQUEST_S) -> None:
        self._limit = limit
        self._deadline_s = deadline_s
        self._timers: dict[PatientProtocol, asyncio.TimerHandle] = {}

    def add(self, one: "PatientProtocol") -> None:
        """Wait for a request on that connection; not anew when it is waited for already."""
        if one in self._timers:
            return
        if len(self._timers) >= self._limit:
            self._give_up(next(iter(self._timers)), "too_many")
        loop = asyncio.get_running_loop()
        self._timers[one] = loop.call_later(self._deadline_s, self._give_up, one, "too_slow")

    def discard(self, one: "PatientProtocol") -> None:
        """The request is whole, or its connection is gone."""
        if timer := self._timers.pop(one, None):
            timer.cancel()

    def _give_up(self, one: "PatientProtocol", reason: str) -> None:
        self.discard(one)
        log.warning("http.connection_given_up", reason=reason)
        one.transport.abort()


class PatientProtocol(H11Protocol):
    """Is among the half-open from its opening, or from the first byte of a request, until the request is whole."""

    def __init__(self, *args: Any, half_open: HalfOpen, **options: Any) -> None:
        super().__init__(*args, **options)
        self._half_open = half_open

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._half_open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._half_open.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._half_open.add(self)
        super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._half_open.discard(self)


def patient_http() -> Callable[..., PatientProtocol]:
    """Return what uvicorn makes the connections of one server with."""
    return partial(PatientProtocol, half_open=HalfOpen())


def lengthen_queues(listening: Iterable[asyncio.Server]) -> None:
    """Let the system hold `QUEUE` connections, though few are accepted at once: nobody has to knock again."""
    for server in listening:
        for one in server.sockets:
            with one.dup() as socket:  # asyncio hands out a wrapper without `listen`
                socket.listen(QUEUE)


def raise_file_limit() -> None:
    """Let the process open more files and connections than a desktop's default, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
