"""Put a backup in place of what is there, which is kept aside; nothing happens before all of it was checked."""

import asyncio
import errno
import hashlib
import os
import shlex
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pydantic import ValidationError

from app.cli.backup import DATABASE, MANIFEST, USERS, FileEntry, Home, Manifest, is_unsafe
from app.database.db import Database
from app.database.lock import single_process
from app.database.migrate import CORE, load_migrations, migrate
from app.database.sqlite import sqlite
from app.disk import sync_folder
from app.domain.errors import ConfigError, Rejected, Transient
from app.mcp.config import ServerConfig
from app.mcp.files import MAX_FILE_BYTES, ConfigFile

_MAX_MANIFEST_BYTES: Final = 64 * 1024 * 1024
_CHUNK_BYTES: Final = 1024 * 1024
POLICIES: Final = "security_policies.toml"
SERVERS: Final = "mcp_servers.json"
# What `zipfile` raises for what is no archive, a damaged one, or one that it cannot read.
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Restored:
    """`aside` are the folders that hold what was there before, one for each disk place; `still_forgotten` are
    the people who had been erased since the backup and are not brought back."""

    manifest: Manifest
    aside: tuple[Path, ...]
    still_forgotten: int


_Move = tuple[Path | None, Path]
"""What was unpacked, and its place; None for what the backup does not have: its place is emptied all the same."""


def read_manifest(path: Path) -> Manifest:
    """Return what an archive says it holds.

    Raises:
        Rejected: it is no backup, is damaged, or holds what no backup holds; of another version than this
            program, too.
    """
    with _opened(path) as archive:
        return _checked_manifest(archive)


def read_commands(path: Path) -> list[str]:
    """Return a line for each thing in an archive that decides what is run, or asked about, once it is restored.

    Raises:
        Rejected: see `read_manifest`; also when its list of servers cannot be read.
    """
    with _opened(path) as archive:
        names = _checked_manifest(archive).files
        lines = ["it brings rules of its own for what tools may do (security_policies.toml)"] * (POLICIES in names)
        if SERVERS not in names:
            return lines
        with TemporaryDirectory(prefix=".restore-") as scratch:
            listed = Path(scratch) / SERVERS
            listed.write_bytes(archive.open(SERVERS).read(MAX_FILE_BYTES + 1))
            try:
                servers = ConfigFile(listed).load().servers
            except ConfigError as exc:
                raise Rejected("backup_damaged", f"its list of servers cannot be used: {exc.detail}") from exc
    for name, config in servers.items():
        runs = config.url or shlex.join([config.command or "", *config.args])
        does = "connects to" if config.url else "runs"
        off = "" if config.is_enabled else " (switched off)"
        lines.append(f"its server {name} {does}: {ascii(runs)[1:-1]}{_reach(config)}{off}")
    return lines


def _reach(config: ServerConfig) -> str:
    """Return what a server may touch beyond its own folder and its command line; "" where nothing."""
    if not config.confined:
        return ", with all that this account may read and change"
    given = [*config.folders, *([config.cwd] if config.cwd else [])]
    return f", which may change {', '.join(ascii(one)[1:-1] for one in given)}" if given else ""


async def restore_backup(home: Home, source: Path) -> Restored:
    """Check the whole archive, then put its parts in place; what was there is kept beside.

    People who were erased since the backup was made stay erased: the service removes them when it starts.
    The database is replaced last and in one step; when it was not reached, run it again.

    Raises:
        ConfigError: the service runs, or the database of the backup is newer than this program.
        Rejected: see `read_manifest`; also when the disk is full or a place cannot be written.
    """
    with single_process(home.lock_file, database=home.database):
        try:
            with (
                TemporaryDirectory(prefix=".restore-", dir=home.data_dir) as main,
                TemporaryDirectory(prefix=".restore-", dir=home.database.parent) as beside,
            ):
                return await _restore(home, source, Path(main), Path(beside))
        except OSError as exc:
            raise Rejected("restore_failed", f"{exc.filename or source}: {exc.strerror or exc}") from exc


async def _restore(home: Home, source: Path, scratch: Path, beside_database: Path) -> Restored:
    manifest = await asyncio.to_thread(_unpack, source, scratch)
    staged = beside_database / home.database.name
    await asyncio.to_thread(shutil.move, scratch / DATABASE, staged)
    stamp = f"before-restore-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    # Opening a damaged database may remove its log.
    aside = await asyncio.to_thread(_keep_log, home.database, stamp)
    former = await _list_former(home.database) if home.database.is_file() else []
    kept_out = await _prepare_database(staged, former)
    aside |= await asyncio.to_thread(_swap, _moves(home, scratch, manifest), stamp)
    aside |= await asyncio.to_thread(_swap_database, staged, home.database, stamp)
    return Restored(manifest, tuple(sorted(aside)), kept_out)


def _moves(home: Home, scratch: Path, manifest: Manifest) -> list[_Move]:
    has_users = any(name.startswith(USERS) for name in manifest.files)
    plain = [
        (scratch / name if name in manifest.files else None, place) for name, place in home.plain_files.items()
    ]
    # Secrets are in few backups: without them, those in use stay.
    secret = [(scratch / name, place) for name, place in home.secret_files.items() if name in manifest.files]
    return [(scratch / "users" if has_users else None, home.users_dir), *plain, *secret]


# Checking.


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError as exc:
        raise Rejected("backup_missing", f"there is no file {path}") from exc
    except (*_DAMAGED, OSError) as exc:
        # It says that a part of it begins before it does; any other is about the disk.
        if isinstance(exc, OSError) and exc.errno != errno.EINVAL:
            raise
        raise Rejected("backup_damaged", f"{path.name} is not a backup, or is damaged") from exc


def _checked_manifest(archive: zipfile.ZipFile) -> Manifest:
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if MANIFEST not in names:
        raise Rejected("backup_damaged", "it has no manifest, so it is not a backup")
    if archive.getinfo(MANIFEST).file_size > _MAX_MANIFEST_BYTES:
        raise Rejected("backup_damaged", "its manifest is too long")
    try:
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except ValidationError as exc:
        raise Rejected("backup_damaged", "its manifest cannot be read; a newer program may have made it") from exc
    if sorted(names) != sorted([MANIFEST, *manifest.files]):
        raise Rejected("backup_damaged", "its manifest does not name exactly what is in it")
    known = {DATABASE, *Home(Path(), Path()).plain_files, *Home(Path(), Path()).secret_files}
    for info in infos:
        name = info.filename
        is_known = name in known or name == MANIFEST or name.startswith(USERS)
        if not is_known or is_unsafe(name) or stat.S_ISLNK(info.external_attr >> 16):
            raise Rejected("backup_refused", f"it holds what no backup holds: {ascii(name)[:120]}")
    if DATABASE not in manifest.files:
        raise Rejected("backup_damaged", "it has no database")
    newest = max(migration.version for migration in load_migrations() if migration.room == CORE)
    if manifest.schema_version > newest:
        newer = f"it has schema {manifest.schema_version:04}, newer than this program's {newest:04}; upgrade first"
        raise Rejected("backup_newer", newer)
    return manifest


def _unpack(source: Path, target: Path) -> Manifest:
    """Unpack into an empty folder and check every byte on the way."""
    with _opened(source) as archive:
        manifest = _checked_manifest(archive)
        needed = sum(entry.size for entry in manifest.files.values())
        if needed > shutil.disk_usage(target).free:
            raise Rejected("disk_full", f"the backup needs {needed // 1024 // 1024 + 1} MB of disk")
        for name, entry in manifest.files.items():
            place = target / name
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _unpack_file(archive, name, entry, place)
    return manifest


def _unpack_file(archive: zipfile.ZipFile, name: str, entry: FileEntry, place: Path) -> None:
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as sink, archive.open(name) as stored:
        while size <= entry.size and (chunk := stored.read(_CHUNK_BYTES)):
            digest.update(chunk)
            size += len(chunk)
            sink.write(chunk)
        sink.flush()
        os.fsync(sink.fileno())
    if size != entry.size or digest.hexdigest() != entry.sha256:
        raise Rejected("backup_damaged", f"{ascii(name)[:120]} does not match its checksum")


async def _list_former(database: Path) -> list[tuple[str, int]]:
    """Return who was erased from the database that is in use; nobody where it cannot be read any more."""
    with suppress(ConfigError, Transient, sqlite.DatabaseError):
        async with Database.open(database) as db:
            if await db.list_columns("erasures"):
                rows = await db.fetch_all("SELECT former_id, requested_at FROM erasures")
                return [(str(row["former_id"]), int(row["requested_at"])) for row in rows]
    return []


async def _prepare_database(staged: Path, former: list[tuple[str, int]]) -> int:
    """Bring the backup's database to the newest schema and note whom it may not bring back; returns how many.

    Raises:
        Rejected: it is no database, or a damaged one.
        ConfigError: it is newer than this program.
    """
    try:
        async with Database.open(staged) as db:
            row = await db.fetch_one("PRAGMA quick_check(1)")
            if row is None or row[0] != "ok":
                raise Rejected("backup_damaged", "its database is damaged")
            await migrate(db)
            async with db.transaction() as tx:
                await tx.execute_many(
                    "INSERT INTO erasures(former_id, requested_at, completed_at) VALUES (?1, ?2, ?2)"
                    " ON CONFLICT(former_id) DO UPDATE SET completed_at = coalesce(completed_at, requested_at)",
                    former,
                )
            row = await db.fetch_one(
                "SELECT count(*) AS n FROM users WHERE user_id IN"
                " (SELECT former_id FROM erasures WHERE completed_at IS NOT NULL)"
            )
    except (Transient, sqlite.DatabaseError) as exc:
        raise Rejected("backup_damaged", f"its database cannot be used: {exc}") from exc
    return 0 if row is None else int(row["n"])


# Putting in place.


def _swap(moves: list[_Move], stamp: str) -> set[Path]:
    """Put what is there aside and the new in its place, one after the other; returns the folders aside."""
    folders = set()
    for staged, place in moves:
        aside = place.parent / stamp
        if place.exists() or place.is_symlink():
            aside.mkdir(mode=0o700, exist_ok=True)
            place.rename(aside / place.name)
            folders.add(aside)
        if staged is not None:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.move(staged, place)
        sync_folder(place.parent)
    return folders


def _keep_log(database: Path, stamp: str) -> set[Path]:
    """Copy the log of a database that was not closed aside; returns the folder, if there was one."""
    left = database.with_name(f"{database.name}-wal")
    if not left.exists():
        return set()
    aside = database.parent / stamp
    aside.mkdir(mode=0o700)
    shutil.copy2(left, aside)
    return {aside}


def _swap_database(staged: Path, place: Path, stamp: str) -> set[Path]:
    """Replace the database in one step: at any moment there is a whole one under its name.

    Its log goes first: the one of the old database must never be read with the new one.
    """
    aside = place.parent / stamp
    folders = set()
    for suffix in ("-wal", "-shm"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)
    if place.exists():
        aside.mkdir(mode=0o700, exist_ok=True)
        os.link(place, aside / place.name)
        folders.add(aside)
    staged.replace(place)
    sync_folder(place.parent)
    return folders
