"""One file with everything that cannot be made again, taken while the service runs or not."""

import asyncio
import hashlib
import os
import stat
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from app.config import ENV_FILE
from app.database.db import Database
from app.database.migrate import CORE, list_applied
from app.disk import sync_folder
from app.domain.errors import ConfigError, Rejected

MANIFEST: Final = "manifest.json"
DATABASE: Final = "database.db"
USERS: Final = "users/"
FORMAT: Final = 1
_CHUNK_BYTES: Final = 1024 * 1024
_READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Home:
    """Where an installation keeps its things."""

    data_dir: Path
    database: Path
    env_file: Path = ENV_FILE
    servers: Path | None = None

    @property
    def lock_file(self) -> Path:
        return self.data_dir / "app.lock"

    @property
    def users_dir(self) -> Path:
        return self.data_dir / "users"

    @property
    def plain_files(self) -> dict[str, Path]:
        """The single files beside the database, by their names in the archive.

        The head of the audit trail is the first: an older one than the database does no harm, a newer one looks
        like missing records.
        """
        servers = self.servers or self.data_dir / "mcp_servers.json"
        names = ("audit.head", "security_policies.toml")
        return {**{name: self.data_dir / name for name in names}, "mcp_servers.json": servers}

    @property
    def secret_files(self) -> dict[str, Path]:
        return {"mcp_secrets.json": self.data_dir / "mcp_secrets.json", "env": self.env_file}


class FileEntry(BaseModel):
    """One file of the archive; `sha256` is hexadecimal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What an archive holds; nothing that is not named here is ever restored."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = FORMAT
    created_at: datetime
    schema_version: Annotated[int, Field(ge=1)]
    files: dict[str, FileEntry]


@dataclass(frozen=True, slots=True)
class Backup:
    """`skipped` are links, special files and names that no archive can hold, by their path."""

    path: Path
    manifest: Manifest
    skipped: tuple[str, ...]


async def make_backup(home: Home, target: Path | None = None, *, with_secrets: bool = False) -> Backup:
    """Write the archive, for this account only, and return where it is.

    The database is copied in one transaction; files are copied as they are at that moment. An archive appears
    under its name when it is whole and on disk.

    Raises:
        ConfigError: there is no database, or it cannot be read.
        Rejected: the target exists, or cannot be written.
    """
    if not home.database.is_file():
        raise ConfigError("DATABASE_PATH", "there is no database to back up")
    now = datetime.now(UTC)
    target = target or home.data_dir / "backups" / f"wasap-{now:%Y%m%dT%H%M%SZ}.zip"
    if target.exists():
        raise Rejected("backup_exists", f"{target} exists already; choose another name")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Beside the target: on the same disk, so that the last step is one rename.
        with TemporaryDirectory(prefix=".wasap-backup-", dir=target.parent) as scratch:
            return await _make(home, target, Path(scratch), now, with_secrets=with_secrets)
    except OSError as exc:
        raise Rejected("backup_failed", f"{target}: {exc.strerror or exc}") from exc


async def _make(home: Home, target: Path, scratch: Path, now: datetime, *, with_secrets: bool) -> Backup:
    files = home.plain_files | (home.secret_files if with_secrets else {})
    copy = scratch / DATABASE
    with _Packing(scratch / "archive.zip") as packing:
        await asyncio.to_thread(packing.add_files, files)
        version = await _copy_database(home.database, copy)
        await asyncio.to_thread(packing.add_file, DATABASE, copy)
        await asyncio.to_thread(packing.add_tree, home.users_dir)
        manifest = Manifest(created_at=now, schema_version=version, files=packing.files)
        await asyncio.to_thread(packing.finish, manifest)
    os.link(packing.path, target)  # unlike a rename, it never replaces what somebody put there meanwhile
    sync_folder(target.parent)
    return Backup(target, manifest, tuple(packing.skipped))


async def _copy_database(database: Path, copy: Path) -> int:
    """Copy a database in one transaction and return the version of the core's schema."""
    async with Database.open(database) as db:
        if not await db.list_columns("schema_migrations"):
            raise ConfigError("DATABASE_PATH", f"{database} is not a database of this program")
        await db.copy_to(copy)
    async with Database.open(copy) as db:
        return max((key.version for key in await list_applied(db) if key.room == CORE), default=0)


class _Packing:
    """An archive while it is written; blocking."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, FileEntry] = {}
        self.skipped: list[str] = []
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self._zip.close()
        finally:
            self._file.close()

    def add_files(self, files: dict[str, Path]) -> None:
        for name, path in files.items():
            if path.is_file():
                self.add_file(name, path)

    def add_file(self, name: str, path: Path) -> None:
        with path.open("rb") as source:
            self._copy(name, source)

    def add_tree(self, root: Path) -> None:
        """Add the regular files below a folder; links are neither followed nor kept."""
        if not root.is_dir():
            return
        for place, folders, names, opened in os.fwalk(root):
            folders.sort()
            inside = USERS + Path(place).relative_to(root).as_posix().removeprefix(".")
            for name in sorted(names):
                full = f"{inside.rstrip('/')}/{name}"
                if not self._add_inside(full, name, opened):
                    self.skipped.append(full.encode("utf-8", "backslashreplace").decode())
            links = [folder for folder in folders if stat.S_ISLNK(os.lstat(folder, dir_fd=opened).st_mode)]
            self.skipped.extend(f"{inside.rstrip('/')}/{link}" for link in links)

    def _add_inside(self, full: str, name: str, folder: int) -> bool:
        try:
            full.encode()
            opened = os.fdopen(os.open(name, _READ_FLAGS, dir_fd=folder), "rb")
        except (UnicodeEncodeError, OSError):
            return False
        with opened as source:
            is_fit = stat.S_ISREG(os.fstat(source.fileno()).st_mode) and not is_unsafe(full)
            if is_fit:
                self._copy(full, source)
        return is_fit

    def _copy(self, name: str, source: IO[bytes]) -> None:
        digest, size = hashlib.sha256(), 0
        with self._zip.open(name, "w", force_zip64=True) as sink:
            while chunk := source.read(_CHUNK_BYTES):
                digest.update(chunk)
                size += len(chunk)
                sink.write(chunk)
        self.files[name] = FileEntry(size=size, sha256=digest.hexdigest())

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest and bring everything to disk."""
        self._zip.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        self._zip.close()
        self._file.flush()
        os.fsync(self._file.fileno())


def is_unsafe(name: str) -> bool:
    """Tell whether a name in an archive could lead anywhere but to the place it names."""
    parts = name.split("/")
    return (
        any(part in {"", ".", ".."} for part in parts)
        or any(ord(char) < 32 or ord(char) == 127 for char in name)
        or "\\" in name
        or ":" in parts[0]
    )
