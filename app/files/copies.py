"""Copies of stored files on this machine, for child processes: each as long as somebody works on it."""

import asyncio
import fcntl
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from app.disk import lock_file

_FOLDER: Final = "copies"
_LOCK: Final = ".lock"


class Copies:
    """Places below a folder of this process alone, which goes with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    @contextmanager
    def opened(cls, data_dir: Path) -> Iterator[Self]:
        """Open a folder that is gone when the block ends, and remove those of processes that were killed.

        A file beside the folder is locked as long as its process lives.
        """
        top = (data_dir / _FOLDER).resolve()
        top.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as stack:
            with lock_file(top.with_suffix(_LOCK), fcntl.LOCK_EX):
                _remove_left(top)
                folder = Path(tempfile.mkdtemp(dir=top))
                stack.enter_context(lock_file(folder.with_suffix(_LOCK), fcntl.LOCK_EX))
            try:
                yield cls(folder)
            finally:
                _remove(folder)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Path]:
        """Yield an empty folder, readable by this account alone; it goes with the block."""
        place = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self._folder))
        try:
            yield place
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)


def _remove_left(top: Path) -> None:
    for folder in [one for one in top.iterdir() if one.suffix != _LOCK]:
        with suppress(BlockingIOError), lock_file(folder.with_suffix(_LOCK), fcntl.LOCK_EX | fcntl.LOCK_NB):
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, then its lock: the other way round nobody would know that it was left."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_suffix(_LOCK).unlink(missing_ok=True)
