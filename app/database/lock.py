"""One process for each data directory: no leases, no clock games."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import ConfigError


@contextmanager
def single_process(path: Path) -> Iterator[None]:
    """Hold the lock file while the block runs; the kernel frees it however the process ends.

    Raises:
        ConfigError: another process holds it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            raise ConfigError(
                "DATA_DIR", f"another process already works in {path.parent}; stop it first"
            ) from exc
        yield
    finally:
        os.close(descriptor)
