"""The only gate for files: a path that a model or a person names is checked and opened here.

`validate_path` answers where a path leads. Between that answer and the opening somebody could put a
symbolic link in its place; so nothing is opened by its path, but folder by folder from the root with
O_NOFOLLOW (`opened_folder`), and the file itself the same way. The answer has no links left in it, so a
link found then was put there since, and is refused. Hard links are not told apart from files.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.domain.errors import ToolFault
from app.domain.ports import FileEntry
from app.domain.wording import cut

MAX_PATH_CHARS: Final = 512
MAX_NAME_BYTES: Final = 255
MAX_PATTERN_CHARS: Final = 120
MAX_WALK_DEPTH: Final = 16
TEMPORARY_PREFIX: Final = ".wasap-tmp-"

_MAX_STARS: Final = 8
_MAX_DEEP_STARS: Final = 2
_SHOWN_CHARS: Final = 160
_ABSOLUTE: Final = re.compile(r"/|~(?:/|$)|[A-Za-z]:/")
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe would wait for somebody who writes into it.
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_REASONS: Final[Mapping[int, str]] = MappingProxyType(
    {
        errno.ENOENT: "does not exist",
        errno.EISDIR: "is a folder, not a file",
        errno.ENOTDIR: "is not a folder, or goes through something that is not one",
        errno.ELOOP: "is a link that may not be followed",
        errno.EINVAL: "is not a regular file",
        errno.ENXIO: "is not a regular file",
        errno.ENAMETOOLONG: "is too long",
        errno.EACCES: "may not be accessed",
        errno.EPERM: "may not be accessed",
        errno.ENOSPC: "could not be written, the disk is full",
        errno.EDQUOT: "could not be written, the disk is full",
        errno.EROFS: "could not be written, the disk is read-only",
    }
)


def shown(path: str) -> str:
    """Return a path as it was given, on one line and short enough for a sentence."""
    printable = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in path)
    return cut(printable, _SHOWN_CHARS)


def validate_path(path: str, root: Path) -> Path:
    """Return where a relative path leads, absolute and with all links resolved: `root` or below it.

    It need not exist. "" and "." are the root; `..` may be used as long as it stays inside.

    Raises:
        ToolFault: the path is absolute (wherever it leads), leads outside through `..` or a link, has
            control characters or backslashes, is too long, or its links run in a circle. The sentence
            names the path as given, never where it leads.
    """
    _refuse_unusable(path)
    base = root.resolve()
    try:
        target = (base / path).resolve()
    except (OSError, RuntimeError, ValueError) as exc:
        raise _refused(path, "its links lead nowhere") from exc
    if not target.is_relative_to(base):
        raise _refused(path, "it leads outside this folder")
    return target


def normalise_path(path: str) -> str:
    """Return a relative path where there are no links: without `.`, `..` and doubled `/`; "" is the root.

    Raises:
        ToolFault: as `validate_path`.
    """
    _refuse_unusable(path)
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if not names:
                raise _refused(path, "it leads outside this folder")
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    return "/".join(names)


def validate_pattern(pattern: str) -> str:
    """Return a glob pattern that can only match below the folder it is used in, at bounded cost.

    Raises:
        ToolFault: it has a `..`, is absolute, or has too many wildcards or characters.
    """
    _refuse_unusable(pattern)
    parts = pattern.split("/")
    if ".." in parts:
        raise _refused(pattern, "a pattern cannot go upwards with ..")
    is_deep = parts.count("**") > _MAX_DEEP_STARS
    if is_deep or len(pattern) > MAX_PATTERN_CHARS or pattern.count("*") > _MAX_STARS:
        raise _refused(pattern, "the pattern is too complex, use a simpler one such as *.txt")
    return pattern


def matches(path: str, pattern: str) -> bool:
    """Tell whether a relative path matches a pattern from `validate_pattern`, upper and lower case apart.

    A pattern without `/` is compared with the last name alone; `**` stands for any number of folders.
    """
    names = path.split("/")
    return _match(names if "/" in pattern or pattern == "**" else names[-1:], pattern.split("/"))


@contextmanager
def file_faults(path: str) -> Iterator[None]:
    """Turn what the system reports inside the block into a sentence about the path as it was given.

    Raises:
        ToolFault: in place of any OSError.
    """
    try:
        yield
    except OSError as exc:
        reason = _REASONS.get(exc.errno or 0, "could not be used")
        raise ToolFault("file_failed", f"'{shown(path)}' {reason}.") from exc


@contextmanager
def opened_folder(folder: Path, root: Path, *, is_created: bool = False) -> Iterator[int]:
    """Open a folder that `validate_path` returned, as a descriptor for `dir_fd`; no link is followed.

    `is_created` makes the root and the folder where they are missing, for this account only.

    Raises:
        OSError: it does not exist, is no folder, or a link has taken its place.
    """
    base = root.resolve()
    if is_created:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
    opened = os.open(base, _FOLDER_FLAGS)
    try:
        for name in folder.relative_to(base).parts:
            if is_created:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=opened)
            inner = os.open(name, _FOLDER_FLAGS, dir_fd=opened)
            os.close(opened)
            opened = inner
        yield opened
    finally:
        os.close(opened)


def read_bytes(target: Path, root: Path, *, max_bytes: int) -> tuple[bytes, int]:
    """Return the first `max_bytes` of a file that `validate_path` returned, and its whole size.

    Raises:
        OSError: it does not exist, is no regular file, or a link has taken its place.
    """
    if target == root.resolve():
        raise IsADirectoryError(errno.EISDIR, "the root")
    with opened_folder(target.parent, root) as folder:
        opened = os.open(target.name, _FILE_FLAGS, dir_fd=folder)
        try:
            state = os.fstat(opened)
            if stat.S_ISDIR(state.st_mode):
                raise IsADirectoryError(errno.EISDIR, "a folder")
            if not stat.S_ISREG(state.st_mode):
                raise OSError(errno.EINVAL, "a pipe, socket or device")
            with open(opened, "rb", closefd=False) as file:
                return file.read(max_bytes), state.st_size
        finally:
            os.close(opened)


def walk(folder: Path, root: Path, *, is_deep: bool, limit: int, with_temporary: bool = False) -> list[FileEntry]:
    """Return up to `limit` entries of a folder that `validate_path` returned, sorted within each folder.

    `is_deep` goes into the folders inside, at most `MAX_WALK_DEPTH` deep. Links, special files and, unless
    asked for, our own temporary files are left out.

    Raises:
        OSError: the folder does not exist, is no folder, or a link has taken its place.
    """
    prefix = folder.relative_to(root.resolve()).as_posix()
    found: list[FileEntry] = []
    with opened_folder(folder, root) as top:
        for place, folders, files, opened in os.fwalk(".", dir_fd=top):
            inner = [part for part in (prefix, place.removeprefix(".").strip("/")) if part not in {"", "."}]
            for name in sorted([*folders, *files]):
                if name.startswith(TEMPORARY_PREFIX) and not with_temporary:
                    continue
                if (entry := _entry("/".join([*inner, name]), name, opened)) is not None:
                    found.append(entry)
                    if len(found) == limit:
                        return found
            is_deeper = is_deep and place.count("/") < MAX_WALK_DEPTH
            folders[:] = sorted(folders) if is_deeper else []
    return found


def _entry(path: str, name: str, folder: int) -> FileEntry | None:
    """Return a folder or file; None for anything else, or when it is gone."""
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    if stat.S_ISDIR(state.st_mode):
        return FileEntry(path, is_folder=True)
    return FileEntry(path, False, state.st_size, state.st_mtime) if stat.S_ISREG(state.st_mode) else None


def _refuse_unusable(path: str) -> None:
    if len(path) > MAX_PATH_CHARS:
        raise _refused(path, "it is too long")
    try:
        sizes = [len(name.encode()) for name in path.split("/")]
    except UnicodeEncodeError as exc:
        raise _refused(path, "it has characters that no file name can have") from exc
    if max(sizes) > MAX_NAME_BYTES:
        raise _refused(path, "a name in it is too long")
    if any(ord(char) < 32 or ord(char) == 127 for char in path):
        raise _refused(path, "it has control characters")
    if "\\" in path:
        raise _refused(path, "write / between folders, not a backslash")
    if _ABSOLUTE.match(path):
        raise _refused(path, "give a path relative to this folder, not an absolute one")


def _refused(path: str, reason: str) -> ToolFault:
    return ToolFault("path_refused", f"'{shown(path)}' is refused: {reason}.")


def _match(names: Sequence[str], parts: Sequence[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_match(names[start:], parts[1:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and _match(names[1:], parts[1:])
