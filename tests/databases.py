"""Where a test keeps the application's database: in a file of its directory, or on a real server.

`WASAP_TEST_DATABASE=postgresql` puts them on the PostgreSQL that tests/fixtures.py starts: each data directory has
a database of its own there, which a second start over the same directory finds again.
"""

import asyncio
import functools
import hashlib
import os
import subprocess
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

from app.database.db import MEMORY, Database, Value, is_server
from app.database.migrate import migrate
from app.database.sqlite import sqlite
from tests.postgresql import MIGRATED, OF_A_TEST, find_binaries, url_of

SWITCH: Final = "WASAP_TEST_DATABASE"
SOCKETS: Final = "WASAP_TEST_SERVER"
"""Names the folder of the server's socket; the processes that tests start know it from there, too."""


def is_on_server() -> bool:
    """Tell whether the application under test has its database on PostgreSQL."""
    return os.environ.get(SWITCH, "sqlite") == "postgresql"


def place_of(data_dir: Path) -> Path | str:
    """Return where the database is that belongs to a data directory."""
    if not is_on_server():
        return data_dir / "wasap.db"
    return _on_server(hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:16])


def settings_of(data_dir: Path) -> dict[str, str]:
    """Return the environment that tells a process of the service where its database is."""
    place = place_of(data_dir)
    return {"DATABASE_URL": place} if isinstance(place, str) else {}


async def brief_database() -> str:
    """Return where a database may be opened that nobody opens twice: in memory, or a new one with all tables."""
    if not is_on_server():
        return MEMORY
    place = _on_server(uuid.uuid4().hex[:16])
    await lay_down(place)
    return place


async def lay_down(place: Path | str, *, is_migrated: bool = True) -> None:
    """Put a database with all tables and no rows there, unless there is something already.

    Without the tables a file is left to the application, and on a server there is an empty database.
    """
    if is_server(place):
        await _create(str(place), MIGRATED if is_migrated else "template0")
    elif is_migrated:
        await asyncio.to_thread(_lay_down, Path(place))


@asynccontextmanager
async def migrated(place: Path | str = MEMORY) -> AsyncIterator[Database]:
    """Open a database with all tables, for tests that are not about migrations; `:memory:` is a file that goes.

    Most of the time of a test of a few statements was running the migrations.
    """
    with tempfile.TemporaryDirectory() as directory:
        found = Path(directory) / "wasap.db" if place == MEMORY else place
        await lay_down(found)
        async with Database.open(found) as db:
            yield db


def beside(place: str) -> str:
    """Return the address of the database on that server which no application uses."""
    return url_of("postgres", place.rpartition("host=")[2])


async def rows_in(place: Path | str, query: str, *values: Value) -> list[tuple[Any, ...]]:
    """Look into a database, whichever it is, beside the service that works with it."""
    async with Database.open(place) as db:
        return [tuple(row) for row in await db.fetch_all(query, *values)]


async def copy(source: Path | str, target: Path | str) -> None:
    """Copy a database that is in use, as a kill would leave it."""
    if isinstance(target, str):
        await lay_down(target, is_migrated=False)
        dump = await asyncio.to_thread(_client, "pg_dump", str(source))
        await asyncio.to_thread(_client, "psql", "-qX", "-v", "ON_ERROR_STOP=1", target, stdin=dump)
    else:
        await asyncio.to_thread(_copy, Path(source), target)


async def dump_of(place: Path | str) -> str:
    """Return everything that can be read in a database."""
    if isinstance(place, str):
        return (await asyncio.to_thread(_client, "pg_dump", place)).decode()
    with closing(sqlite.connect(f"{place.as_uri()}?mode=ro", uri=True)) as db:
        # What a virtual table shows is kept in others; the module of vectors is not loaded here.
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        names = [name for (name,) in db.execute(tables)]
        return "\n".join(str(db.execute(f'SELECT * FROM "{name}"').fetchall()) for name in names)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(sqlite.connect(source)) as one, closing(sqlite.connect(target)) as other:
        one.backup(other)


def _client(program: str, *arguments: str, stdin: bytes = b"") -> bytes:
    binaries = find_binaries()
    if binaries is None:
        raise RuntimeError("there is no PostgreSQL")
    return subprocess.run([binaries / program, *arguments], input=stdin, capture_output=True, check=True).stdout


def _on_server(name: str) -> str:
    return url_of(f"{OF_A_TEST}{name}", os.environ[SOCKETS])


async def _create(url: str, template: str) -> None:
    name = url.partition("?")[0].rpartition("/")[2]
    async with Database.open(url_of("postgres", os.environ[SOCKETS])) as server:
        if await server.fetch_one("SELECT 1 FROM pg_database WHERE datname = ?", name) is None:
            await server.execute_script(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'")


@functools.cache
def _file() -> bytes:
    """Return what a new file holds after the migrations. For a thread without an event loop of its own."""

    async def make(path: Path) -> None:
        async with Database.open(path) as db:
            await migrate(db)

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "migrated.db"
        asyncio.run(make(path))
        return path.read_bytes()


def _lay_down(path: Path) -> None:
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(_file())
