"""Bring a database to the newest schema: each file once, in order, in one transaction.

The core and each ability have files of their own, in a folder `migrations`, numbered for themselves. For SQLite
they are `0001_name.sql`, for PostgreSQL `0001_name.postgresql.sql`; a `baseline` holds all up to its number.
"""

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import structlog

from app.database.db import Database, Engine
from app.domain.errors import ConfigError

log = structlog.get_logger(__name__)

CORE: Final = "core"
_APP: Final = Path(__file__).resolve().parents[1]
_PLACES: Final = ("*/migrations/*.sql", "skills/tools/*/migrations/*.sql")
_FILE_NAMES: Final[Mapping[Engine, re.Pattern[str]]] = MappingProxyType(
    {
        "sqlite": re.compile(r"^(\d{4})_(\w+)\.sql"),
        "postgresql": re.compile(r"^(\d{4})_(\w+)\.postgresql\.sql"),
    }
)
_BEGIN: Final[Mapping[Engine, str]] = MappingProxyType({"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN"})
_REPLACES: Final = re.compile(r"-- replaces: (\d{4}_\w+)\n")
_LEDGER: Final = (
    "CREATE TABLE IF NOT EXISTS schema_migrations (room TEXT NOT NULL, version INTEGER NOT NULL,"
    " name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL, PRIMARY KEY (room, version));"
)
# Before abilities had files of their own, the ledger was the core's alone.
_LEDGER_WITH_ROOMS: Final = f"""BEGIN IMMEDIATE;
ALTER TABLE schema_migrations RENAME TO former_migrations;
{_LEDGER}
INSERT INTO schema_migrations SELECT '{CORE}', version, name, sha256, applied_at FROM former_migrations;
DROP TABLE former_migrations;
COMMIT;"""


class Key(NamedTuple):
    """A file: `room` is the name of its ability's folder, or `CORE`."""

    room: str
    version: int

    def __str__(self) -> str:
        return f"{self.version:04}" if self.room == CORE else f"{self.room} {self.version:04}"


@dataclass(frozen=True, slots=True)
class Applied:
    """A file as the database's ledger has it."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str
    room: str = CORE

    @property
    def key(self) -> Key:
        return Key(self.room, self.version)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def replaces(self) -> str:
        """The former file of the core, such as `0004_notes_projects`, that had this one's statements; "" if none.

        The first line of the file says so: `-- replaces: 0004_notes_projects`.
        """
        match = _REPLACES.match(self.sql)
        return match[1] if match else ""


@cache
def load_migrations(engine: Engine = "sqlite") -> tuple[Migration, ...]:
    """Return the migrations that ship with the application: the core's, then each ability's, oldest first."""
    found = (
        Migration(int(match[1]), match[2], path.read_text("utf-8"), _room_of(path))
        for place in _PLACES
        for path in _APP.glob(place)
        if (match := _FILE_NAMES[engine].fullmatch(path.name))
    )
    return tuple(sorted(found, key=lambda one: (one.room != CORE, one.key)))


def _room_of(path: Path) -> str:
    folder = path.parents[1]
    return CORE if folder == _APP / "database" else folder.name


async def migrate(
    db: Database, *, migrations: Sequence[Migration] | None = None, backup_dir: Path | None = None
) -> int:
    """Apply what is missing and return how many files were.

    A file that replaces a former one is only noted where that was applied. A file that already holds data is
    copied to `backup_dir` first. Tables of an ability that is gone stay.

    Raises:
        ConfigError: an applied file was changed, or the database is newer than this program.
    """
    wanted = load_migrations(db.engine) if migrations is None else migrations
    applied = await list_applied(db)
    _check_history(applied, wanted)
    missing = [migration for migration in wanted if migration.key not in applied]
    if missing and applied and backup_dir is not None and db.engine == "sqlite":
        await _back_up(db, backup_dir, before=missing[0])
    await _ensure_ledger(db)
    former = {f"{key.version:04}_{one.name}" for key, one in applied.items() if key.room == CORE}
    for migration in missing:
        is_there = migration.replaces in former
        await _apply(db, migration, "" if is_there else migration.sql)
        log.info("database.migrated", migration=str(migration.key), name=migration.name, was_there=is_there)
    return len(missing)


async def list_applied(db: Database) -> Mapping[Key, Applied]:
    """Return the files that were applied to a database; none for one that is empty."""
    if not await db.list_columns("schema_migrations"):
        return {}
    ledger = [
        {name: row[name] for name in row.keys()}  # noqa: SIM118 - iterating a Row gives its values
        for row in await db.fetch_all("SELECT * FROM schema_migrations")
    ]
    return {
        Key(row.get("room", CORE), row["version"]): Applied(row.get("name", ""), row["sha256"]) for row in ledger
    }


def find_newer(applied: Mapping[Key, Applied], wanted: Sequence[Migration]) -> Key | None:
    """Return an applied file that is newer than all those of its room that this program has; None if none is."""
    newest = {migration.room: migration.version for migration in sorted(wanted, key=lambda one: one.key)}
    return next((key for key in applied if key.version > newest.get(key.room, key.version)), None)


def _check_history(applied: Mapping[Key, Applied], wanted: Sequence[Migration]) -> None:
    if newer := find_newer(applied, wanted):
        raise ConfigError("DATABASE_PATH", f"the database has schema {newer}, newer than this program")
    for migration in wanted:
        recorded = applied.get(migration.key)
        if recorded is None or recorded.sha256 == migration.sha256:
            continue
        if migration.replaces != f"{migration.version:04}_{recorded.name}":
            raise ConfigError("DATABASE_PATH", f"migration {migration.key} was changed after it had been applied")


async def _back_up(db: Database, directory: Path, *, before: Migration) -> None:
    await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
    name = str(before.key).replace(" ", "-")
    target = directory / f"before-{name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.db"
    await db.copy_to(target)
    log.info("database.backed_up", file=target.name)


async def _ensure_ledger(db: Database) -> None:
    columns = {column.name for column in await db.list_columns("schema_migrations")}
    is_former = bool(columns) and "room" not in columns
    await db.execute_script(_LEDGER_WITH_ROOMS if is_former else _LEDGER)


async def _apply(db: Database, migration: Migration, sql: str) -> None:
    record = (
        "INSERT INTO schema_migrations(room, version, name, sha256, applied_at) VALUES ("
        f"'{migration.room}', {migration.version}, '{migration.name}', '{migration.sha256}',"
        f" '{datetime.now(UTC).isoformat()}');"
    )
    await db.execute_script(f"{_BEGIN[db.engine]};\n{sql}\n{record}\nCOMMIT;")
