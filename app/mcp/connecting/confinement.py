"""What a server that runs here may touch: the system's programs, what it was given, and a folder of its own."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

from app.mcp.connecting.landlock import Ruleset, version
from app.mcp.connecting.resolve import ServerSpec

_SYSTEM: Final = tuple(
    Path("/", name)
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "usr", "etc", "opt", "nix", "gnu", "snap", "proc", "sys")
)
_NAMES_OF_HOSTS: Final = Path("/etc/resolv.conf")
_RUN: Final = Path("/run")
_DEVICES: Final = tuple(
    Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm", "fd")
)
_BIN: Final = "bin"
_BESIDE_BIN: Final = ("lib", "lib64", "libexec", "include", "pyvenv.cfg")
_SHIMS: Final = "shims"
"""Where version managers (pyenv, asdf) put programs that only lead to others below the same folder."""
_LAUNCHERS: Final = ("npx", "node", "uvx", "python3")
_MARKS_OF_A_PROJECT: Final = ("package.json", "pyproject.toml", ".git")
_MAX_PARENTS: Final = 6

log = structlog.get_logger(__name__)


class Confinement:
    """Keeps servers from what the service holds, where the system can (Linux with Landlock).

    `closed` are the service's own files and folders: no server gets at them, whatever it was given. Its own
    folder, which lies among them, is granted by name. `workplace` is where the service runs: what is there is
    no program of the system.
    """

    def __init__(
        self, closed: Iterable[Path], *, workplace: Path | None = None, landlock_version: int | None = None
    ) -> None:
        self._closed = frozenset(path.resolve() for path in closed)
        self._workplace = workplace
        self._version = version() if landlock_version is None else landlock_version

    @property
    def is_possible(self) -> bool:
        return self._version > 0

    @contextmanager
    def confine(self, spec: ServerSpec, own: Path, cwd: Path) -> Iterator[int | None]:
        """Yield the descriptor of a ruleset in which a server may change its `own` folder and what it was given,
        and read programs; None where nothing confines it.

        Blocks for a moment: it looks at folders.

        Raises:
            OSError: the command is not to be found, or the kernel refuses.
        """
        program = _found(spec, cwd)
        if not self.is_possible or not spec.is_confined:
            log.warning("mcp.unconfined", server=spec.name, effect="it can read and change what this account can")
            yield None
            return
        with Ruleset(self._version) as rules:
            rules.allow_reading(self._programs(spec, program))
            rules.allow_reading(self._around_all(map(Path, spec.reads)))
            rules.allow_everything(_DEVICES)
            rules.allow_everything((own, *self._given(spec, program, own, cwd)))
            yield rules.descriptor

    def _programs(self, spec: ServerSpec, program: Path) -> Iterator[Path]:
        ours = self._workplace
        is_among_them = ours is not None and any(root in ours.parents for root in _SYSTEM)
        closed = self._closed | ({ours} if ours is not None and is_among_them else frozenset())
        for root in _SYSTEM:
            yield from _around(root.resolve(), closed)
        if _RUN in (names := _NAMES_OF_HOSTS.resolve().parent).parents:
            yield names
        yield from self._around_all(
            _programs_of(spec.env.get("PATH", os.defpath), (program, Path(sys.executable)))
        )

    def _given(self, spec: ServerSpec, program: Path, own: Path, cwd: Path) -> Iterator[Path]:
        own_program = (program,) if "/" in spec.command and program.parent.name != _BIN else ()
        wanted = (cwd, *map(Path, spec.folders), *_paths(spec.args), *_paths(spec.given), *own_program)
        for path in dict.fromkeys(one.resolve() for one in wanted if one.exists() and one != own):
            place = _needed(path, spec.env.get("HOME", "/"))
            parts = tuple(_around(place, self._closed))
            if parts != (place,):
                log.warning("mcp.folder_cut", server=spec.name, kept=len(parts), effect="not our own files in it")
            yield from parts

    def _around_all(self, paths: Iterable[Path]) -> Iterator[Path]:
        for path in paths:
            yield from _around(path.resolve(), self._closed)


def _found(spec: ServerSpec, cwd: Path) -> Path:
    """Return the program of a server, as the system would find it. Raises FileNotFoundError."""
    path = spec.env.get("PATH", os.defpath)
    found = cwd / spec.command if "/" in spec.command else shutil.which(spec.command, path=path)
    if found is None or not Path(found).exists():
        raise FileNotFoundError(2, os.strerror(2), spec.command)
    return Path(found)


def _around(path: Path, closed: frozenset[Path]) -> Iterator[Path]:
    """Yield a folder, or what is in it without the closed ones; nothing of what lies in one that is closed."""
    if closed & {path, *path.parents}:
        return
    if not any(path in one.parents for one in closed):
        yield path
        return
    try:
        with os.scandir(path) as entries:
            inside = [Path(entry.path) for entry in entries if not entry.is_symlink()]
    except OSError:
        return
    for one in inside:
        yield from _around(one, closed)


def _programs_of(search: str, files: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders that are searched for programs, some files, and the libraries beside each."""
    folders = [Path(part) for part in search.split(os.pathsep) if os.path.isabs(part)]
    launchers = (folder / name for folder in folders for name in _LAUNCHERS)
    for file in (*files, *filter(Path.exists, launchers)):
        # A link is followed by the program itself, too: a virtual environment leads to its Python.
        for one in (file, file.resolve()):
            yield one
            folders += [one.parent] if one.parent.name == _BIN else []
    for folder in dict.fromkeys(folders):
        yield folder.parent if folder.name == _SHIMS else folder
        if folder.name == _BIN:
            yield from (folder.parent / name for name in _BESIDE_BIN)


def _paths(texts: Iterable[str]) -> Iterator[Path]:
    """Yield the absolute paths in some texts: `/a`, `--dir=/a`, `file:///a`, `/a:/b`; never the root."""
    for text in texts:
        value = text.partition("=")[2] if text.startswith("-") else text
        for part in (value, *value.split(os.pathsep)):
            path = Path(part.removeprefix("file://"))
            if path.is_absolute() and path.parent != path and "\0" not in part:
                yield path


def _needed(path: Path, home: str) -> Path:
    """Return a folder itself; of a file its project, else its folder, but never a home or one of the system's."""
    if path.is_dir() or any(root in path.parents for root in _SYSTEM):
        return path
    homes = {Path("/"), Path.home(), Path(home)}
    around = [folder for folder in path.parents[:_MAX_PARENTS] if folder not in homes]
    marked = (folder for folder in around if any((folder / mark).exists() for mark in _MARKS_OF_A_PROJECT))
    return next(marked, path if path.parent in homes else path.parent)
