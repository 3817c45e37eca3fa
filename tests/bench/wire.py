"""Just enough HTTP/1.1 for loopback: cheap, so that two cores are left to what is measured."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

HEAD_END: Final = b"\r\n\r\n"
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


def encode_request(method: str, path: str, body: bytes = b"", headers: Mapping[str, str] = NO_HEADERS) -> bytes:
    """Lay out a whole request, ready to be written."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("ascii") + HEAD_END + body


def encode_response(body: bytes, status: int = 200) -> bytes:
    """Lay out a whole JSON response of a server that keeps its connections open."""
    head = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode("ascii") + HEAD_END + body


@dataclass(frozen=True, slots=True)
class Received:
    """`start` is the request line or the status line."""

    start: str
    body: bytes

    @property
    def status(self) -> int:
        return int(self.start.split()[1])

    @property
    def path(self) -> str:
        return self.start.split()[1]


async def read_one(reader: asyncio.StreamReader) -> Received:
    """Read one request or response with a Content-Length.

    Raises:
        EOFError: the other side closed the connection (`asyncio.IncompleteReadError`).
    """
    head = await reader.readuntil(HEAD_END)
    size = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    start = head.partition(b"\r\n")[0].decode("ascii", "replace")
    return Received(start, await reader.readexactly(size) if size else b"")


class Connection:
    """One kept-alive connection; one exchange at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def exchange(self, request: bytes) -> Received:
        self._writer.write(request)
        return await read_one(self._reader)


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Connection]:
    """Connect to a loopback port while the block runs."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Connection(reader, writer)
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
