"""Data directory, database and vector extension; beside a running service nothing is written."""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from app.cli.doctor.outcome import Outcome, failed, ok
from app.database.db import MEMORY, Database
from app.database.lock import single_process
from app.database.migrate import load_migrations
from app.domain.errors import ConfigError, Transient

_MIN_FREE_BYTES: Final = 500 * 1024 * 1024
_MIB: Final = 1024 * 1024
_GIB: Final = 1024 * _MIB


class StorageChecks:
    """Looks at where everything is kept. `free_bytes` tells the space beside a folder."""

    def __init__(
        self,
        data_dir: Path,
        database_file: Path,
        *,
        free_bytes: Callable[[Path], int],
        has_vectors: Callable[[], Awaitable[bool]],
    ) -> None:
        self._data_dir = data_dir
        self._database_file = database_file
        self._free_bytes = free_bytes
        self._has_vectors = has_vectors

    @property
    def is_service_running(self) -> bool:
        """Tell whether a process works in the data directory or with the database."""
        real = self._database_file.resolve()
        return any(_is_held(path) for path in (self._data_dir / "app.lock", real.with_name(real.name + ".lock")))

    async def disk(self) -> Outcome:
        """The data directory can be written, and there is space."""
        place = _nearest_folder(self._data_dir)
        if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            return failed(
                f"DATA_DIR {self._data_dir} cannot be written: {place} is no folder of ours",
                f"make it a folder that you may write (chown, chmod on {place}), or set DATA_DIR in .env",
            )
        free = await asyncio.to_thread(self._free_bytes, place)
        if free < _MIN_FREE_BYTES:
            return failed(
                f"only {free // _MIB} MiB are free where DATA_DIR {self._data_dir} lies",
                f"free at least {_MIN_FREE_BYTES // _MIB} MiB there, or set DATA_DIR in .env to another disk",
            )
        about = "" if place == self._data_dir else "; the first start makes it"
        return ok(f"{self._data_dir} can be written, {free / _GIB:.1f} GiB free{about}")

    async def database(self) -> Outcome:
        """The database takes writes, and its schema is one that this program knows."""
        path = self._database_file
        if not path.exists():
            return ok(f"{path} does not exist yet; the first start makes it")
        try:
            if self.is_service_running:
                return await self._schema(is_write_proved=False)
            with single_process(self._data_dir / "app.lock", database=path):
                return await self._schema(is_write_proved=True)
        except ConfigError as exc:
            return failed(
                exc.detail, f"put a copy from {self._data_dir / 'backups'} in its place, or correct DATABASE_PATH"
            )
        except Transient as exc:
            return failed(
                f"{path} does not take writes: {exc.detail}",
                "check owner and mode of the file and its folder, and the free space; "
                f"a damaged file is replaced by a copy from {self._data_dir / 'backups'}",
            )

    async def vectors(self) -> Outcome:
        """The extension that searches vectors can be loaded."""
        if await self._has_vectors():
            return ok("sqlite-vec loads")
        return failed(
            "sqlite-vec cannot be loaded: searches by meaning fall back to a slower exact scan",
            "run: .venv/bin/python -m pip install sqlite-vec pysqlite3-binary "
            "(or use a Python whose sqlite3 can load extensions)",
        )

    async def _schema(self, *, is_write_proved: bool) -> Outcome:
        async with Database.open(self._database_file) as db:
            if is_write_proved:
                await db.probe_write()
            tables = await db.fetch_one("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'schema_migrations'")
            rows = await db.fetch_all("SELECT version FROM schema_migrations") if tables and tables["n"] else []
        applied = {int(row["version"]) for row in rows}
        known = {migration.version for migration in load_migrations()}
        if applied - known:
            return failed(
                f"{self._database_file} has schema {max(applied):04}, which is newer than this program",
                f"update the program, or put a copy from {self._data_dir / 'backups'} in its place",
            )
        how = "takes writes" if is_write_proved else "is in use by the running service, so it was only read"
        behind = len(known - applied)
        advice = f"{behind} migrations are missing; the next start applies them (python -m app migrate)"
        return ok(f"{self._database_file} {how}", advice if behind else "")


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
