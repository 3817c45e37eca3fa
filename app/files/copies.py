"""Copies of stored files on this machine, for child processes: each as long as somebody works on it."""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final, Self

_FOLDER: Final = "copies"


class Copies:
    """Places below a folder of this process alone, which goes with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    @contextmanager
    def opened(cls, data_dir: Path) -> Iterator[Self]:
        """Open a folder that is gone when the block ends, and remove those of processes that were killed.

        The folder is locked as long as its process lives.
        """
        top = (data_dir / _FOLDER).resolve()
        top.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as stack:
            with _locked(top, waits=True):
                for left in list(top.iterdir()):
                    _remove_if_left(left)
                folder = Path(tempfile.mkdtemp(dir=top))
                stack.enter_context(_locked(folder))
            try:
                yield cls(folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Path]:
        """Yield an empty folder, readable by this account alone; it goes with the block."""
        place = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self._folder))
        try:
            yield place
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)


def _remove_if_left(folder: Path) -> None:
    with suppress(OSError), _locked(folder):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path, *, waits: bool = False) -> Iterator[None]:
    """Hold the lock of a folder.

    Raises:
        OSError: another process holds it, unless this one `waits`; or it is gone.
    """
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)
