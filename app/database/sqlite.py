"""SQLite: one write connection, one read connection, transactions that survive cancellation."""

import asyncio
import json
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import aiosqlite
import sqlite_vec
import structlog

from app.database.db import MEMORY, Column, Database, Leases, Row, Transaction, Value, WriteLock
from app.domain.errors import ConfigError, Permanent, Transient

try:
    # Some Python builds cannot load extensions through the standard module.
    from pysqlite3 import dbapi2 as _found
except ImportError:
    _found = sqlite3

sqlite: Any = _found
"""The one SQLite of a process: a second copy of the library drops the locks of the first on a file, and cuts off
what they share in memory while it is read (https://www.sqlite.org/howtocorrupt.html, 2.2.1)."""

log = structlog.get_logger(__name__)

DATABASE_ERRORS: Final = (sqlite.DatabaseError, sqlite3.DatabaseError)
# Ours to mend: a constraint that was broken, a statement that was misused, a value that does not fit.
_OUR_FAULTS: Final = tuple(
    fault
    for module in (sqlite, sqlite3)
    for fault in (module.IntegrityError, module.ProgrammingError, module.DataError, module.NotSupportedError)
)


_ONE_PROCESS: Final = "SQLite serves one process; several need PostgreSQL: postgresql://…"
_REFUSALS: Final = (*_OUR_FAULTS, OverflowError)
_BEGIN: Final = "BEGIN IMMEDIATE"
T = TypeVar("T")


class SqliteConnection(aiosqlite.Connection):
    """Does several things in one trip to its thread: a trip costs more than most statements."""

    async def run(self, work: Callable[[sqlite3.Connection], T], ahead: deque[str]) -> T:
        """Return what the work returns that is done with the connection itself, in its thread, behind `ahead`."""

        def run() -> T:
            while ahead:
                self._conn.execute(ahead[0])
                ahead.popleft()  # only what ran: after a BEGIN that failed, nothing runs without one
            return work(self._conn)

        done: T = await self._execute(run)  # type: ignore[no-untyped-call]  # it says no types
        return done


class SqliteTransaction(Transaction):
    """See `Transaction`. `ahead` are statements that run with the next one, in one trip."""

    def __init__(self, connection: SqliteConnection, *ahead: str) -> None:
        self._connection = connection
        self._ahead = deque(ahead)

    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        return list(await self._connection.run(lambda raw: raw.execute(sql, values).fetchall(), self._ahead))

    async def execute(self, sql: str, *values: Value) -> int:
        return await self._connection.run(lambda raw: raw.execute(sql, values).rowcount, self._ahead)

    @asynccontextmanager
    async def part(self) -> AsyncIterator[None]:
        """See `Transaction`."""
        self._ahead.append("SAVEPOINT part")
        try:
            yield
        except _REFUSALS as exc:
            await self.execute("ROLLBACK TO part")
            raise Permanent("database_refused", str(exc)) from exc
        self._ahead.append("RELEASE part")

    async def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        await self._connection.run(lambda raw: raw.executemany(sql, rows), self._ahead)

    async def defer_foreign_keys(self) -> None:
        """See `Transaction`."""
        await self.execute("PRAGMA defer_foreign_keys = ON")

    async def check_foreign_keys(self, tables: Collection[str]) -> None:
        """See `Transaction`."""
        for table in tables:
            if await self.fetch_one(f"PRAGMA foreign_key_check({table})"):
                raise Permanent("database_refused", f"a row of {table} refers to one that is not there")

    @property
    def has_begun(self) -> bool:
        """Tell whether a statement ran."""
        return _BEGIN not in self._ahead


class SqliteDatabase(Database):
    """See `Database`."""

    engine = "sqlite"
    label = f"SQLite {sqlite.sqlite_version}"

    def __init__(self, writer: SqliteConnection, reader: SqliteConnection, *, has_vectors: bool) -> None:
        self._writer = writer
        self._reader = reader
        self._lock = WriteLock()
        self.has_vectors = has_vectors

    @asynccontextmanager
    async def transaction(self, *, is_urgent: bool = False) -> AsyncIterator[Transaction]:
        """See `Database`."""
        async with self._lock.hold(is_urgent=is_urgent):
            with _failures():
                async with self._whole_or_nothing():
                    transaction = SqliteTransaction(self._writer, _BEGIN)
                    yield transaction
                    if transaction.has_begun:
                        await transaction.execute("COMMIT")

    async def execute(self, sql: str, *values: Value) -> int:
        """See `Database`: SQLite commits a statement that stands alone by itself, in one trip instead of three."""
        async with self._lock.hold():
            with _failures():
                return await SqliteTransaction(self._writer).execute(sql, *values)

    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        """See `Database`."""
        with _failures():
            return list(await self._reader.execute_fetchall(sql, values))

    async def probe_write(self) -> None:
        """See `Database`: it changes `user_version`, which nothing else uses."""
        async with self.transaction() as tx:
            row = await tx.fetch_one("PRAGMA user_version")
            number = 0 if row is None else 1 - row["user_version"]
            await tx.execute(f"PRAGMA user_version = {number}")

    async def execute_script(self, script: str) -> None:
        """See `Database`."""
        async with self._lock.hold(), self._whole_or_nothing():
            await self._writer.executescript(script)

    async def copy_to(self, target: Path) -> None:
        """See `Database`."""
        async with self._lock.hold():
            await self._writer.execute("VACUUM INTO ?", (str(target),))

    async def serve_alone(self) -> None:
        """See `Database`; the file is held by app/database/lock.py, before it is opened."""

    async def serve_together(self) -> None:
        """See `Database`."""
        raise ConfigError("DATABASE_URL", _ONE_PROCESS)

    @asynccontextmanager
    async def starting(self) -> AsyncIterator[None]:
        """See `Database`: there is no other process."""
        yield

    def share(self, label: str, hear: Callable[[str], None]) -> AbstractAsyncContextManager[Leases]:
        """See `Database`."""
        raise ConfigError("DATABASE_URL", _ONE_PROCESS)

    async def list_columns(self, *tables: str) -> list[Column]:
        """See `Database`."""
        rows = await self.fetch_all(
            'SELECT t.value AS at, c.name, c."notnull" FROM json_each(?) AS t JOIN pragma_table_info(t.value) AS c'
            " ORDER BY t.key, c.cid",
            json.dumps(tables),
        )
        return [Column(row["name"], not row["notnull"], row["at"]) for row in rows]

    async def list_tables_with(self, column: str) -> list[str]:
        """See `Database`."""
        rows = await self.fetch_all(
            "SELECT t.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
            " WHERE t.schema = 'main' AND t.type = 'table' AND c.name = ? ORDER BY t.name",
            column,
        )
        return [str(row["name"]) for row in rows]

    async def shrink(self) -> None:
        """See `Database`.

        FTS5 keeps deleted words until their segments are merged ("optimize"), and the log keeps old pages until a
        checkpoint (SQLite documentation, "FTS5 Extension" 6.9 and "Write-Ahead Logging" 3.1).
        """
        rows = await self.fetch_all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'"
        )
        async with self.transaction() as tx:
            for row in rows:
                await tx.execute(f'INSERT INTO "{row["name"]}"("{row["name"]}") VALUES (\'optimize\')')
        await self.execute_script("PRAGMA wal_checkpoint(TRUNCATE);")

    @asynccontextmanager
    async def _whole_or_nothing(self) -> AsyncIterator[None]:
        """Roll back what did not end well, a cancellation among it."""
        try:
            yield
        except BaseException:
            await asyncio.shield(self._roll_back())
            raise

    async def _roll_back(self) -> None:
        # "no transaction is active" when BEGIN never ran or COMMIT already did.
        with suppress(*DATABASE_ERRORS):
            await self._writer.execute("ROLLBACK")


@asynccontextmanager
async def open_database(path: Path | str, *, busy_timeout_ms: int = 5000) -> AsyncIterator[Database]:
    """Open the file (or `:memory:`), and close it when the block ends; see `Database.open`.

    `synchronous=FULL`, because with WAL and NORMAL a power cut may take commits that were
    already acknowledged to Meta (SQLite documentation, "Write-Ahead Logging", section 9).

    Raises:
        ConfigError: the file cannot be opened, or holds something else than a database.
    """
    await asyncio.to_thread(_check, path)
    async with _connection(path, busy_timeout_ms) as writer:
        has_vectors = await _load_vectors(writer)
        if str(path) == MEMORY:
            yield SqliteDatabase(writer, writer, has_vectors=has_vectors)
            return
        async with _connection(path, busy_timeout_ms, "query_only = ON") as reader:
            await _load_vectors(reader)
            yield SqliteDatabase(writer, reader, has_vectors=has_vectors)


def _is_failure_of_store(exc: BaseException) -> bool:
    return isinstance(exc, DATABASE_ERRORS) and not isinstance(exc, _OUR_FAULTS)


@contextmanager
def _failures() -> Iterator[None]:
    """Raise what is the disk's fault, and may pass, as `Transient`."""
    try:
        yield
    except DATABASE_ERRORS as exc:
        if _is_failure_of_store(exc):
            raise Transient("database_failed", str(exc), retry_after_s=1) from exc
        raise


@asynccontextmanager
async def _connection(path: Path | str, busy_timeout_ms: int, *pragmas: str) -> AsyncIterator[SqliteConnection]:
    def connect() -> Any:
        # pysqlite3 mirrors sqlite3, but its types are unknown to the checker.
        return sqlite.connect(str(path), isolation_level=None, check_same_thread=False)

    connection = SqliteConnection(connect, iter_chunk_size=64)
    async with connection:
        connection.row_factory = sqlite.Row
        settings = (
            f"busy_timeout = {int(busy_timeout_ms)}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",
            *pragmas,
        )
        # In one script: each statement of its own is a trip to the thread.
        await connection.executescript("".join(f"PRAGMA {one};" for one in settings))
        yield connection


def _check(path: Path | str) -> None:
    """Open and close the file once: a connection of aiosqlite that fails leaves its thread behind.

    Raises:
        ConfigError: the file cannot be opened, or holds something else than a database.
    """
    try:
        with closing(sqlite.connect(str(path))) as connection:
            connection.execute("PRAGMA schema_version")
    except DATABASE_ERRORS as exc:
        raise ConfigError("DATABASE_PATH", f"{path} cannot be used as a database: {exc}") from exc


async def _load_vectors(connection: aiosqlite.Connection) -> bool:
    """Load sqlite-vec; without it the exact scan in numpy takes over."""
    try:
        await connection.enable_load_extension(True)
        await connection.load_extension(sqlite_vec.loadable_path())
        await connection.enable_load_extension(False)
    except (AttributeError, *DATABASE_ERRORS) as exc:
        log.warning("database.vectors_unavailable", reason=str(exc))
        return False
    return True
