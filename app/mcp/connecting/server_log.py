"""What a server says on standard error, kept in a file of its own: bounded in size and in pace."""

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from app.domain.wording import one_line
from app.mcp.connecting.wire import Pace

MAX_FILE_BYTES: Final = 256_000
MAX_LINE_BYTES: Final = 4_000
_BYTES_PER_S: Final = 50_000
_TAIL_LINES: Final = 6
_TAIL_LINE_CHARS: Final = 160
_TAIL_BYTES: Final = 4_000


class ServerLog:
    """Two files, `NAME.log` and the one before it, each up to `MAX_FILE_BYTES`, for this account only.

    Lines beyond `_BYTES_PER_S` are counted and left out. Known secrets are blanked. A disk that is full or
    gone ends the log, not the server.
    """

    def __init__(self, path: Path, *, secrets: tuple[str, ...] = ()) -> None:
        self._path = path
        self._secrets = tuple(secret.encode() for secret in secrets)
        self._pace = Pace(_BYTES_PER_S, burst_s=2.0)
        self._rest = b""
        self._left_out = 0
        self._fd: int | None = None
        self._size = 0

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._open()
        except OSError:
            self._fd = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._rest:
            self._write_line(self._rest)
        self._close()

    def write(self, chunk: bytes) -> None:
        """Take the next bytes; lines are written once they are complete, or too long to wait for."""
        *lines, rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._write_line(line)
        while len(rest) > MAX_LINE_BYTES:
            self._write_line(rest[:MAX_LINE_BYTES])
            rest = rest[MAX_LINE_BYTES:]
        self._rest = rest

    def _write_line(self, line: bytes) -> None:
        if self._fd is None:
            return
        if self._pace.take(0) > 0:
            self._left_out += 1
            return
        for secret in self._secrets:
            line = line.replace(secret, b"[secret]")
        line = line[:MAX_LINE_BYTES] + b"\n"
        if self._left_out:
            line = b"[%d lines left out]\n" % self._left_out + line
            self._left_out = 0
        self._pace.take(len(line))
        try:
            self._append(self._fd, line)
        except OSError:
            self._close()

    def _append(self, fd: int, line: bytes) -> None:
        if self._size + len(line) > MAX_FILE_BYTES:
            os.close(fd)
            self._fd = None
            os.replace(self._path, self._path.with_name(f"{self._path.name}.1"))
            fd = self._open()
        self._size += os.write(fd, line)

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._fd = os.open(self._path, flags, 0o600)
        self._size = os.fstat(self._fd).st_size
        return self._fd

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def log_size(path: Path) -> int:
    """Return how long a log is now; 0 when there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def last_lines(path: Path, start: int, hidden: Iterable[str]) -> list[str]:
    """Return up to six last lines written since a log was `start` bytes long, short and printable.

    `hidden` texts are blanked, the home folder is written as `~`. A log that cannot be read has no lines.
    """
    try:
        with path.open("rb") as file:
            # A log that became shorter was begun anew meanwhile.
            end = path.stat().st_size
            file.seek(max(start if start <= end else 0, end - _TAIL_BYTES))
            text = file.read(_TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    for secret in sorted(filter(None, hidden), key=len, reverse=True):
        text = text.replace(secret, "[secret]")
    text = text.replace(str(Path.home()), "~")
    lines = ("".join(char if char.isprintable() else " " for char in line) for line in text.splitlines())
    return [one_line(line, _TAIL_LINE_CHARS) for line in lines if line.strip()][-_TAIL_LINES:]
