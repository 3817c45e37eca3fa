"""Files that survive a power cut: replaced as a whole, or not at all."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

_ONLY_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def replace_file(path: Path, data: bytes, *, check: Callable[[Path], None] = lambda fresh: None) -> None:
    """Replace a file, readable by its owner alone: afterwards it holds all of the new bytes, or still the old.

    `check` gets the new file before it takes its place, and refuses it by raising.

    Raises:
        OSError: it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        fresh.unlink(missing_ok=True)
        with open(os.open(fresh, _ONLY_NEW, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        check(fresh)
        os.replace(fresh, path)
        sync_folder(path.parent)
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
