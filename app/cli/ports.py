"""Whether a port is free, and who has it."""

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.domain.errors import ConfigError

_PROC: Final = Path("/proc")
_LISTENS: Final = "0A"
_STATE, _INODE = 3, 9


def require_free_port(host: str, port: int) -> None:
    """Tell before anything is opened that a port cannot be listened on.

    Raises:
        ConfigError: somebody else listens there, or this machine does not have the address.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except OSError as exc:
        if exc.errno == errno.EADDRINUSE:
            owner = _owner(port)
            by = f" by {owner}" if owner else ""
            raise ConfigError(
                "PORT", f"{port} is taken{by}: stop that, or set another one in .env, such as PORT={port + 1}"
            ) from None
        raise ConfigError("HOST", f"this machine cannot listen on {host}:{port}: {exc.strerror}") from None


def _owner(port: int) -> str:
    """Return name and id of the process that listens on a port, where the system tells; else nothing."""
    inodes = set(_listening(port))
    if not inodes:
        return ""
    sockets = {f"socket:[{inode}]" for inode in inodes}
    for process in _PROC.glob("[0-9]*"):
        try:
            if any(_target(one) in sockets for one in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text('utf-8').strip()} (process {process.name})"
        except OSError:
            continue  # it ended, or it is somebody else's
    return ""


def _target(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)
    except OSError:
        return ""  # closed meanwhile


def _listening(port: int) -> Iterator[str]:
    for table in (_PROC / "net/tcp", _PROC / "net/tcp6"):
        try:
            lines = table.read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, lines):
            if fields[_STATE] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                yield fields[_INODE]
