"""One process for each data directory and each database file, or several that share a PostgreSQL."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from app.domain.errors import ConfigError

_LOCK_SUFFIX: Final = ".lock"


@contextmanager
def single_process(path: Path, *, database: Path | None = None, is_shared: bool = False) -> Iterator[None]:
    """Hold the lock file while the block runs; the kernel frees it however the process ends.

    Several hold it together where each says that it `is_shared`.

    With a database, the file `<database>.lock` beside it is held too: two data directories may be set to
    use the same one.

    Raises:
        ConfigError: another process holds one of them, or it cannot be made.
    """
    with suppress(FileExistsError, PermissionError, NotADirectoryError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _held(path, "DATA_DIR", path.parent, is_shared=is_shared):
        if database is None:
            yield
            return
        real = database.resolve()
        with _held(real.with_name(real.name + _LOCK_SUFFIX), "DATABASE_PATH", real):
            yield


@contextmanager
def _held(path: Path, variable: str, place: Path, *, is_shared: bool = False) -> Iterator[None]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        raise ConfigError(variable, f"{place} cannot be used: {exc.strerror}") from exc
    try:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            raise ConfigError(variable, f"another process already works in {place}; stop it first") from exc
        yield
    finally:
        os.close(descriptor)
