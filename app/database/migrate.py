"""Bring a database to the newest schema: each file once, in order, in one transaction."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Final

import structlog

from app.database.db import Database
from app.domain.errors import ConfigError

log = structlog.get_logger(__name__)

_FILE_NAME: Final = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load_migrations() -> tuple[Migration, ...]:
    """Return the migrations that ship with the application, oldest first."""
    found = (
        Migration(int(match[1]), match[2], entry.read_text("utf-8"))
        for entry in resources.files("app.database.migrations").iterdir()
        if (match := _FILE_NAME.fullmatch(entry.name))
    )
    return tuple(sorted(found, key=lambda migration: migration.version))


async def migrate(
    db: Database, *, migrations: Sequence[Migration] | None = None, backup_dir: Path | None = None
) -> int:
    """Apply what is missing and return how many files were applied.

    A database that already holds data is copied to `backup_dir` first.

    Raises:
        ConfigError: an applied file was changed, or the database is newer than this program.
    """
    wanted = load_migrations() if migrations is None else migrations
    await db.execute_script(
        "CREATE TABLE IF NOT EXISTS schema_migrations ("
        "version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL)"
    )
    applied = {
        int(row["version"]): str(row["sha256"])
        for row in await db.fetch_all("SELECT version, sha256 FROM schema_migrations")
    }
    _check_history(applied, wanted)
    missing = [migration for migration in wanted if migration.version not in applied]
    if missing and applied and backup_dir is not None:
        await _back_up(db, backup_dir, before=missing[0])
    for migration in missing:
        await _apply(db, migration)
        log.info("database.migrated", version=migration.version, name=migration.name)
    return len(missing)


def _check_history(applied: dict[int, str], wanted: Sequence[Migration]) -> None:
    known = {migration.version: migration for migration in wanted}
    for version, sha256 in applied.items():
        if version not in known:
            raise ConfigError("DATABASE_PATH", f"the database has schema {version:04}, newer than this program")
        if known[version].sha256 != sha256:
            raise ConfigError("DATABASE_PATH", f"migration {version:04} was changed after it had been applied")


async def _back_up(db: Database, directory: Path, *, before: Migration) -> None:
    await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
    target = directory / f"before-{before.version:04}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.db"
    await db.copy_to(target)
    log.info("database.backed_up", file=target.name)


async def _apply(db: Database, migration: Migration) -> None:
    record = (
        "INSERT INTO schema_migrations(version, name, sha256, applied_at) VALUES "
        f"({migration.version}, '{migration.name}', '{migration.sha256}', '{datetime.now(UTC).isoformat()}');"
    )
    await db.execute_script(f"BEGIN IMMEDIATE;\n{migration.sql}\n{record}\nCOMMIT;")
