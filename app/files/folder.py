"""The files of people in a folder: each has one of their own below it, named by their id."""

import asyncio
import errno
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, TypeVar

from app.disk import remove_tree
from app.domain.ids import UserId
from app.domain.ports import Draft, FileEntry
from app.security.paths import TEMPORARY_PREFIX, opened_folder, read_bytes, validate_path, walk

_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_Result = TypeVar("_Result")


class FolderFiles:
    """`PeoplesFiles` below `root`. No link is followed, whatever somebody put there by hand."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def list_files(
        self, user_id: UserId, folder: str = "", *, is_deep: bool = True, limit: int, with_drafts: bool = False
    ) -> list[FileEntry]:
        root = self._root / user_id

        def found() -> list[FileEntry]:
            place = validate_path(folder, root)
            return walk(place, root, is_deep=is_deep, limit=limit, with_temporary=with_drafts)

        return await asyncio.to_thread(found)

    async def read(self, user_id: UserId, path: str, *, max_bytes: int) -> tuple[bytes, int]:
        root = self._root / user_id
        return await asyncio.to_thread(lambda: read_bytes(validate_path(path, root), root, max_bytes=max_bytes))

    async def write(self, user_id: UserId, path: str, data: bytes) -> None:
        await _to_the_end(lambda: _write(path, self._root / user_id, data))

    @asynccontextmanager
    async def draft(self, user_id: UserId, folder: str, name: str) -> AsyncIterator[Draft]:
        root = self._root / user_id
        place, temporary = validate_path(folder, root), f"{TEMPORARY_PREFIX}{name}"
        with (
            opened_folder(place, root, is_created=True) as opened,
            _temporary(temporary, opened) as file,
        ):
            yield _FolderDraft(file, temporary, place, opened)

    @asynccontextmanager
    async def local(self, user_id: UserId, path: str) -> AsyncIterator[Path]:
        root = self._root / user_id
        target = validate_path(path, root)
        read_bytes(target, root, max_bytes=0)
        yield target

    async def remove(self, user_id: UserId, path: str) -> None:
        await _to_the_end(lambda: _remove(path, self._root / user_id))

    async def remove_all(self, user_id: UserId) -> None:
        await asyncio.to_thread(_remove_all, self._root / user_id)

    async def list_owners(self) -> list[UserId]:
        return await asyncio.to_thread(self._owners)

    def _owners(self) -> list[UserId]:
        try:
            return [UserId(name) for name in sorted(os.listdir(self._root))]
        except FileNotFoundError:
            return []


@dataclass(frozen=True, slots=True)
class _FolderDraft:
    file: IO[bytes]
    temporary: str
    place: Path
    folder: int

    async def keep(self, name: str) -> Path:
        self.file.flush()
        await asyncio.to_thread(os.fsync, self.file.fileno())
        os.replace(self.temporary, name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        return self.place / name


async def _to_the_end(work: Callable[[], _Result]) -> _Result:
    """Do it in a thread, and wait for its end also when cancelled: whoever comes next finds it done."""
    done = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.wait({done})
        raise


def _write(path: str, root: Path, data: bytes) -> None:
    """Write beside the file and rename, so that it is never seen, nor left by a crash, half written."""
    target = validate_path(path, root)
    if target == root.resolve():
        raise IsADirectoryError(errno.EISDIR, "the root")
    with opened_folder(target.parent, root, is_created=True) as folder:
        name = f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
        with _temporary(name, folder) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(name, target.name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def _temporary(name: str, folder: int) -> Iterator[IO[bytes]]:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    try:
        with open(os.open(name, _NEW, 0o600, dir_fd=folder), "w+b") as file:
            yield file
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _remove(path: str, root: Path) -> None:
    target = validate_path(path, root)
    read_bytes(target, root, max_bytes=0)  # some systems report a folder as "not permitted"
    with opened_folder(target.parent, root) as folder:
        os.unlink(target.name, dir_fd=folder)


def _remove_all(folder: Path) -> None:
    """Remove a folder with all that is in it; a link is removed, and never what it leads to."""
    with suppress(FileNotFoundError):
        folder.lstat()
        remove_tree(folder)
