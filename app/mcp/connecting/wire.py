"""JSON-RPC lines of a server, read so that no size, shape or damage of one can harm us.

Parsing happens in one go on the event loop (pydantic-core holds the GIL, a thread would not help), so what
would take long is refused before: 10 MB of text parse in 0.13 s, 10 MB of empty lists in 5.6 s.
"""

import json
import re
import time
from collections.abc import Iterator
from typing import Any, Final

from mcp import types
from mcp.shared.message import SessionMessage

MAX_MESSAGE_BYTES: Final = 16_000_000
MAX_BRACKETS: Final = 150_000
_HEAD_BYTES: Final = 512
_TEXT: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ID: Final = re.compile(rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")')
_SURROGATES: Final = re.compile("[\ud800-\udfff]")

TOO_MUCH: Final = "the answer is too large to be handled; ask for less at a time"
_DAMAGED: Final = "the answer is not valid JSON-RPC"


class LineReader:
    """Cuts a stream into lines. Of one longer than `MAX_MESSAGE_BYTES` only the head is kept, marked as cut."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield the lines that this chunk completes: the bytes, and whether the line was cut."""
        *complete, rest = chunk.split(b"\n")
        for piece in complete:
            self._keep(piece)
            yield b"".join(self._parts), self._size > MAX_MESSAGE_BYTES
            self._parts, self._size = [], 0
        self._keep(rest)

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= MAX_MESSAGE_BYTES:
            self._parts.append(piece)
        elif len(self._parts) > 1 or len(self._parts[0] if self._parts else b"") > _HEAD_BYTES:
            self._parts = [b"".join(self._parts)[:_HEAD_BYTES]]


class Pace:
    """Tells when somebody has sent more than `per_s` in a second and should be left waiting."""

    def __init__(self, per_s: int, *, burst_s: float = 1.0) -> None:
        self._per_s = per_s
        self._most = per_s * burst_s
        self._credit = self._most
        self._at = time.monotonic()

    def take(self, amount: int) -> float:
        """Count an amount; returns for how many seconds to wait before the next one."""
        now = time.monotonic()
        self._credit = min(self._most, self._credit + (now - self._at) * self._per_s) - amount
        self._at = now
        return max(0.0, -self._credit / self._per_s)


def is_too_much(data: bytes) -> bool:
    """Tell whether a JSON text is too large, or has so many parts that parsing would hold everybody up."""
    if len(data) > MAX_MESSAGE_BYTES:
        return True
    if data.count(b"[") + data.count(b"{") <= MAX_BRACKETS:
        return False
    bare = _TEXT.sub(b"", data)
    return bare.count(b"[") + bare.count(b"{") > MAX_BRACKETS


def parse_line(line: bytes, *, is_cut: bool = False) -> SessionMessage | None:
    """Read a line as a message; None for what is none, such as a log line on the wrong stream.

    An answer that is too large or damaged becomes an error answer with the same id, so that who waits for
    it need not wait for the time-out.
    """
    line = line.strip()
    if not line.startswith(b"{"):
        return None
    if is_cut or is_too_much(line):
        return _error_answer(line, TOO_MUCH)
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return _mended(line) or _error_answer(line, _DAMAGED)


def _mended(line: bytes) -> SessionMessage | None:
    """Read what Python's parser takes and pydantic's does not: half surrogate pairs, bytes that are no UTF-8."""
    try:
        value: Any = json.loads(line.decode("utf-8", "replace"))
        text = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", json.dumps(value, ensure_ascii=False, allow_nan=False))
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except (ValueError, RecursionError):
        return None


def _error_answer(line: bytes, reason: str) -> SessionMessage | None:
    found = _ID.search(line[:_HEAD_BYTES]) or _ID.search(line[-_HEAD_BYTES:])
    if found is None:
        return None
    request_id = json.loads(found[1])
    error = types.ErrorData(code=types.PARSE_ERROR, message=reason)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request_id, error=error))
