"""Data directory, database and vector extension; beside a running service nothing is written."""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from app.cli.doctor.round import Outcome, failed, ok
from app.config import Settings
from app.database.db import MEMORY, Database
from app.database.lock import single_process
from app.database.migrate import find_newer, list_applied, load_migrations
from app.domain.errors import ConfigError, Transient

_MIN_FREE_BYTES: Final = 500 * 1024 * 1024
_MIB: Final = 1024 * 1024
_GIB: Final = 1024 * _MIB


def is_service_running(settings: Settings) -> bool:
    """Tell whether a process works in the data directory or with the database."""
    real = settings.database_file.resolve()
    return any(_is_held(path) for path in (settings.data_dir / "app.lock", real.with_name(real.name + ".lock")))


async def check_disk(data_dir: Path, free_bytes: Callable[[Path], int]) -> Outcome:
    """The data directory can be written, and there is space. `free_bytes` tells the space beside a folder."""
    place = _nearest_folder(data_dir)
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        fix = f"let this account write to {place} (chown, chmod), or set DATA_DIR in .env"
        return failed(f"DATA_DIR {data_dir} cannot be written: {place} is not a folder that you may write to", fix)
    free = await asyncio.to_thread(free_bytes, place)
    if free < _MIN_FREE_BYTES:
        fix = f"free at least {_MIN_FREE_BYTES // _MIB} MiB there, or set DATA_DIR in .env to another disk"
        return failed(f"only {free // _MIB} MiB are free where DATA_DIR {data_dir} lies", fix)
    about = "" if place == data_dir else "; the first start makes it"
    return ok(f"{data_dir} can be written, {free / _GIB:.1f} GiB free{about}")


async def check_database(settings: Settings) -> Outcome:
    """The database takes writes, and its schema is one that this program knows."""
    path, copies = settings.database_file, settings.data_dir / "backups"
    if not path.exists():
        return ok(f"{path} does not exist yet; the first start makes it")
    try:
        if is_service_running(settings):
            return await _check_schema(path, copies, is_write_proved=False)
        with single_process(settings.data_dir / "app.lock", database=path):
            return await _check_schema(path, copies, is_write_proved=True)
    except ConfigError as exc:
        return failed(exc.detail, f"put a copy from {copies} in its place, or correct DATABASE_PATH")
    except Transient as exc:
        return failed(
            f"{path} does not take writes: {exc.detail}",
            "check the owner and mode of the file and its folder, and the free space; "
            f"replace a damaged file with a copy from {copies}",
        )


async def _check_schema(path: Path, copies: Path, *, is_write_proved: bool) -> Outcome:
    async with Database.open(path) as db:
        if is_write_proved:
            await db.probe_write()
        applied = await list_applied(db)
    wanted = load_migrations()
    if newer := find_newer(applied, wanted):
        fix = f"update the program, or put a copy from {copies} in its place"
        return failed(f"{path} has schema {newer}, which is newer than this program", fix)
    how = "takes writes" if is_write_proved else "is in use by the running service, so it was only read"
    behind = sum(migration.key not in applied for migration in wanted)
    advice = f"migrations missing: {behind}; the next start applies them (python -m app migrate)"
    return ok(f"{path} {how}", advice if behind else "")


async def check_vectors(has_vectors: Callable[[], Awaitable[bool]]) -> Outcome:
    """The extension that searches vectors can be loaded."""
    if await has_vectors():
        return ok("sqlite-vec loads")
    return failed(
        "sqlite-vec cannot be loaded: searches by meaning fall back to a slower exact scan",
        "run: .venv/bin/python -m pip install sqlite-vec pysqlite3-binary "
        "(or use a Python whose sqlite3 can load extensions)",
    )


async def vectors_load() -> bool:
    """Try sqlite-vec on a database in memory."""
    async with Database.open(MEMORY) as db:
        return db.has_vectors


def _nearest_folder(path: Path) -> Path:
    """The folder itself, or the first of its parents that exists."""
    absolute = path.absolute()
    place = next((each for each in (absolute, *absolute.parents) if each.exists()), absolute)
    return path if place == absolute else place


def _is_held(lock_file: Path) -> bool:
    """Ask the kernel; a shared lock of a moment is all that a service starting just now could notice."""
    try:
        descriptor = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
