"""A SQLite database with the application's tables, made once in each process of tests and copied from then on."""

import asyncio
import functools
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.database.db import MEMORY, Database
from app.database.migrate import migrate


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


async def lay_down(path: Path) -> None:
    """Put a database with all tables and no rows there, unless there is something already."""
    await asyncio.to_thread(_lay_down, path)


@asynccontextmanager
async def migrated(path: Path | str = MEMORY) -> AsyncIterator[Database]:
    """Open a database with all tables, for tests that are not about migrations; `:memory:` is a file that goes.

    Most of the time of a test of a few statements was running the migrations.
    """
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "wasap.db" if path == MEMORY else Path(path)
        await lay_down(file)
        async with Database.open(file) as db:
            yield db


def _lay_down(path: Path) -> None:
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(_file())
