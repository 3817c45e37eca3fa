"""Files that survive a power cut, replaced as a whole or not at all; folders that go whatever is in them."""

import fcntl
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

Stamp = tuple[int, int, int]
"""What is another when somebody replaced or changed a file: inode, time of change (ns), bytes."""
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


def stamp_of(path: Path, *, follows_links: bool = True) -> Stamp | None:
    """Return the stamp of a file; None where there is none that can be looked at."""
    try:
        found = path.stat(follow_symlinks=follows_links)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


@contextmanager
def lock_file(path: Path, how: int) -> Iterator[int]:
    """Hold a lock file while the block runs, as `fcntl.flock` says `how`; yields its descriptor.

    A file, because folders on NFS cannot be locked. The kernel lets go of it however the process ends.

    Raises:
        BlockingIOError: another process holds it, where `how` does not wait.
        OSError: it cannot be made.
    """
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, how)
        yield opened
    finally:
        os.close(opened)


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, however deep, and whatever rights its owner took away; or a link.

    Nothing is followed. `shutil.rmtree` fails on a few thousand folders in each other, and on one that may
    not be written to.

    Raises:
        OSError: something stays.
    """
    if not stat.S_ISDIR(folder.lstat().st_mode):
        folder.unlink()
        return
    folder.chmod(0o700)
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        while inside := _emptied(top, top):
            for name in inside:
                _level(top, name)
    finally:
        os.close(top)
    folder.rmdir()


def _level(top: int, name: str) -> None:
    """Remove a folder of `top`; the folders in it become folders of `top`."""
    one = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
    try:
        _emptied(one, top)
    finally:
        os.close(one)
    os.rmdir(name, dir_fd=top)


def _emptied(one: int, top: int) -> list[str]:
    """Remove the files of a folder and bring its folders to `top`; returns their names there."""
    folders: list[str] = []
    with os.scandir(one) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if not is_folder:
            os.unlink(name, dir_fd=one)
            continue
        os.chmod(name, 0o700, dir_fd=one)
        folders.append(name if one == top else secrets.token_hex(16))
        if one != top:
            os.rename(name, folders[-1], src_dir_fd=one, dst_dir_fd=top)
    return folders
