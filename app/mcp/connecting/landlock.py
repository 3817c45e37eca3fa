"""Landlock: a program touches only what it was granted, enforced by the Linux kernel for it and its children.

No rights are needed and nothing is installed: https://docs.kernel.org/userspace-api/landlock.html.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

# One number on every architecture that Python runs on: system calls from 424 on are shared.
_CREATE: Final = 444
_ADD_RULE: Final = 445
_VERSION_FLAG: Final = 1
_BENEATH: Final = 1

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
_REFER: Final = 1 << 13
_TRUNCATE: Final = 1 << 14
_IOCTL_DEV: Final = 1 << 15
_READ: Final = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_RIGHTS_SINCE: Final = ((1, (1 << 13) - 1), (2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV))
_LEAST: Final = 2
"""The first version forbids to move a file between folders, which `uvx` does (Linux 5.19 has the second)."""
_SCOPES_SINCE: Final = 6
_SCOPES: Final = 0b11
"""No signal to, and no abstract socket of, a process that is not confined likewise."""


class _Attributes(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Return which Landlock this system has; 0 where it has none that we can use, or forbids it."""
    if sys.platform != "linux":
        return 0
    found = _syscall(_CREATE, None, 0, _VERSION_FLAG)
    return found if found >= _LEAST else 0


class Ruleset:
    """What a program will be allowed, as a descriptor that it is handed and enters by itself.

    Raises:
        OSError: this system has no Landlock.
    """

    def __init__(self, landlock_version: int) -> None:
        self._handled = sum(right for since, right in _RIGHTS_SINCE if landlock_version >= since)
        wanted = _Attributes(self._handled, 0, _SCOPES if landlock_version >= _SCOPES_SINCE else 0)
        # Kernels refuse a structure with parts that they do not know, unless those are zero.
        size = ctypes.sizeof(_Attributes) if wanted.scoped else ctypes.sizeof(ctypes.c_uint64)
        self.descriptor = _checked(_syscall(_CREATE, ctypes.byref(wanted), size, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self.descriptor)

    def allow_reading(self, paths: Iterable[Path]) -> None:
        """Let these be read and run, and what is below them; what is not there is left out."""
        self._allow(paths, _READ)

    def allow_everything(self, paths: Iterable[Path]) -> None:
        """Let these be read, run and changed, and what is below them; what is not there is left out."""
        self._allow(paths, self._handled)

    def _allow(self, paths: Iterable[Path], rights: int) -> None:
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            try:
                is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
                allowed = rights & self._handled & (~0 if is_folder else _OF_FILES)
                rule = _Beneath(allowed, descriptor)
                _checked(_syscall(_ADD_RULE, self.descriptor, _BENEATH, ctypes.byref(rule), 0))
            finally:
                os.close(descriptor)


def _syscall(number: int, *arguments: object) -> int:
    as_longs = (ctypes.c_long(one) if isinstance(one, int) else one for one in arguments)
    return int(ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *as_longs))


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
