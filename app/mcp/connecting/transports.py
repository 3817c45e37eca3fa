"""How a server is reached: a child process, streamable HTTP, or the older SSE."""

import os
from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import httpx2
import structlog
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from app.disk import remove_tree
from app.mcp.config import slug
from app.mcp.connecting.confinement import Confinement
from app.mcp.connecting.ending import Ending, ending_here
from app.mcp.connecting.process import open_process
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.connecting.server_log import ServerLog
from app.mcp.connecting.wire import MAX_BRACKETS, MAX_MESSAGE_BYTES, is_too_much

_TIMEOUT_S: Final = 30.0
_SILENCE_S: Final = 300.0
"""For how long a stream of events may stay silent."""
_EVENT_STREAM: Final = "text/event-stream"


log = structlog.get_logger(__name__)


class Connector(Protocol):
    """Opens the way to a server: the seam at which tests put real servers over in-memory streams."""

    def open(self, spec: ServerSpec) -> AbstractAsyncContextManager[TransportStreams]: ...


class Transports:
    """The real ones. `home` holds a folder for each child process (`work/`) and their logs (`logs/`).

    `confinement` keeps them from everything else that is ours; without it they may what our account may.
    `ending` is how they are ended, with all that they started.
    `guard` makes what connects to servers that may only be on the public internet; `sign_in` what carries
    a server's token, where it wants one that its owner did not write down.
    """

    def __init__(
        self,
        home: Path,
        *,
        confinement: Confinement | None = None,
        ending: Ending | None = None,
        guard: Callable[[], httpx2.AsyncBaseTransport] | None = None,
        sign_in: Callable[[ServerSpec], httpx2.Auth | None] = lambda spec: None,
    ) -> None:
        self._home = home
        self._confinement = confinement or Confinement((), landlock_version=0)
        self._ending = ending or ending_here()
        self._guard = guard
        self._sign_in = sign_in

    def log_path(self, name: str) -> Path:
        """Return the file with what that server said on standard error."""
        return self._home / "logs" / f"{slug(name)}.log"

    def forget(self, name: str) -> None:
        """Remove what that server left in its folder: the next one of that name would run in it.

        Raises:
            OSError: something stays.
        """
        folder = self._work_folder(name)
        try:
            if os.path.lexists(folder):
                remove_tree(folder)
        except OSError as exc:
            log.error("mcp.folder_left", server=name, reason=exc.strerror)
            raise

    def _work_folder(self, name: str) -> Path:
        return self._home / "work" / slug(name)

    @asynccontextmanager
    async def open(self, spec: ServerSpec) -> AsyncIterator[TransportStreams]:
        """Open a server's streams; what goes wrong is raised as the library raises it."""
        match spec.transport:
            case "stdio":
                folder = self._work_folder(spec.name)
                with ServerLog(self.log_path(spec.name), secrets=spec.secrets) as server_log:
                    async with open_process(
                        spec,
                        folder=folder,
                        confinement=self._confinement,
                        ending=self._ending,
                        server_log=server_log,
                    ) as streams:
                        yield streams
            case "http":
                async with (
                    http_client(
                        dict(spec.headers), auth=self._sign_in(spec), transport=self._guarded(spec)
                    ) as http,
                    streamable_http_client(
                        spec.url, http_client=http, max_sse_event_size=MAX_MESSAGE_BYTES
                    ) as streams,
                ):
                    yield streams
            case "sse":
                client = partial(http_client, transport=self._guarded(spec))
                async with sse_client(
                    spec.url,
                    headers=dict(spec.headers),
                    httpx_client_factory=client,
                    auth=self._sign_in(spec),
                ) as streams:
                    yield streams

    def _guarded(self, spec: ServerSpec) -> httpx2.AsyncBaseTransport | None:
        return self._guard() if spec.is_public_only and self._guard is not None else None


def http_client(
    headers: dict[str, str] | None = None,
    timeout: httpx2.Timeout | None = None,
    auth: httpx2.Auth | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> httpx2.AsyncClient:
    """Return a client that reads no answer, and no event, that is too much for us."""
    return httpx2.AsyncClient(
        transport=transport,
        headers=headers,
        timeout=timeout or httpx2.Timeout(_TIMEOUT_S, read=_SILENCE_S),
        auth=auth,
        event_hooks={"response": [_bound]},
    )


async def _bound(response: httpx2.Response) -> None:
    """Guard an answer's body: the SDK reads JSON of any size, and parses it in one go."""
    if isinstance(response.stream, httpx2.AsyncByteStream):
        is_events = response.headers.get("content-type", "").lower().startswith(_EVENT_STREAM)
        response.stream = _Bounded(response.stream, _events if is_events else _body)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(
        self, inner: httpx2.AsyncByteStream, read: Callable[[AsyncIterable[bytes]], AsyncIterator[bytes]]
    ) -> None:
        self._inner = inner
        self._read = read

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._read(self._inner)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _body(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MAX_MESSAGE_BYTES:
            raise httpx2.StreamError("the answer is too large")
    if is_too_much(bytes(body)):
        raise httpx2.StreamError("the answer has too many parts")
    yield bytes(body)


async def _events(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Read an event stream, which may be endless; each of its events may not. The SDK bounds their size."""
    brackets = 0
    async for chunk in chunks:
        if (end := chunk.rfind(b"\n\n")) >= 0:
            brackets = 0
        brackets += chunk.count(b"[", end + 1) + chunk.count(b"{", end + 1)
        if brackets > MAX_BRACKETS:
            raise httpx2.StreamError("an event has too many parts")
        yield chunk
