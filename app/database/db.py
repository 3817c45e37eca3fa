"""The database: one write connection, one read connection, transactions that survive cancellation."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any, Final

import aiosqlite
import sqlite_vec
import structlog

from app.domain.errors import ConfigError, Permanent, Transient

try:
    # Some Python builds cannot load extensions through the standard module.
    from pysqlite3 import dbapi2 as sqlite
except ImportError:
    sqlite = sqlite3

log = structlog.get_logger(__name__)

Row = sqlite3.Row
Value = str | int | float | bytes | None
MEMORY: Final = ":memory:"
DATABASE_ERRORS: Final = (sqlite.DatabaseError, sqlite3.DatabaseError)
# Ours to mend: a constraint that was broken, a statement that was misused, a value that does not fit.
_OUR_FAULTS: Final = tuple(
    fault
    for module in (sqlite, sqlite3)
    for fault in (module.IntegrityError, module.ProgrammingError, module.DataError, module.NotSupportedError)
)


_REFUSALS: Final = (*_OUR_FAULTS, OverflowError)


class Transaction:
    """What can be done between BEGIN and COMMIT; made by `Database.transaction` only."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        """Run a statement and return all its rows (RETURNING included)."""
        return list(await self._connection.execute_fetchall(sql, values))

    async def fetch_one(self, sql: str, *values: Value) -> Row | None:
        rows = await self.fetch_all(sql, *values)
        return rows[0] if rows else None

    async def execute(self, sql: str, *values: Value) -> int:
        """Run a statement and return how many rows it changed."""
        # The cursor is left to the garbage collector: closing it is one more trip to the thread.
        cursor = await self._connection.execute(sql, values)
        return cursor.rowcount

    @asynccontextmanager
    async def part(self) -> AsyncIterator[None]:
        """Run the block as a part that is undone alone when the database refuses what it would store.

        Raises:
            Permanent: `database_refused`; the rest of the transaction stands.
        """
        await self._connection.execute("SAVEPOINT part")
        try:
            yield
        except _REFUSALS as exc:
            await self._connection.execute("ROLLBACK TO part")
            raise Permanent("database_refused", str(exc)) from exc
        await self._connection.execute("RELEASE part")

    async def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        await self._connection.executemany(sql, rows)


class WriteLock:
    """First come, first served, among the urgent and then among the rest.

    An acknowledgement that waits behind every running turn is late: measured with 300 messages of 50
    users, 203 ms at the median with one queue and 51 ms with two.
    """

    def __init__(self) -> None:
        self._is_held = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def hold(self, *, is_urgent: bool = False) -> AsyncIterator[None]:
        """Hold the lock while the block runs."""
        if self._is_held:
            await self._wait(self._urgent if is_urgent else self._others)
        self._is_held = True
        try:
            yield
        finally:
            self._hand_on()

    async def _wait(self, queue: deque[asyncio.Future[None]]) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._hand_on()  # it was our turn already
            raise

    def _hand_on(self) -> None:
        for queue in (self._urgent, self._others):
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._is_held = False


class Database:
    """An open database; reads see the last commit, writes go through `transaction` only."""

    def __init__(self, writer: aiosqlite.Connection, reader: aiosqlite.Connection, *, has_vectors: bool) -> None:
        self._writer = writer
        self._reader = reader
        self._lock = WriteLock()
        self.has_vectors = has_vectors

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path | str, *, busy_timeout_ms: int = 5000) -> AsyncIterator["Database"]:
        """Open the file (or `:memory:`), and close it when the block ends.

        `synchronous=FULL`, because with WAL and NORMAL a power cut may take commits that were
        already acknowledged to Meta (SQLite documentation, "Write-Ahead Logging", section 9).

        Raises:
            ConfigError: the file cannot be opened, or holds something else than a database.
        """
        await asyncio.to_thread(_check, path)
        async with _connection(path, busy_timeout_ms) as writer:
            has_vectors = await _load_vectors(writer)
            if str(path) == MEMORY:
                yield cls(writer, writer, has_vectors=has_vectors)
                return
            async with _connection(path, busy_timeout_ms) as reader:
                await _load_vectors(reader)
                await reader.execute("PRAGMA query_only = ON")
                yield cls(writer, reader, has_vectors=has_vectors)

    @asynccontextmanager
    async def transaction(self, *, is_urgent: bool = False) -> AsyncIterator[Transaction]:
        """Run the block as one atomic write; an exception or a cancellation undoes all of it.

        An urgent one goes before those that wait.

        A COMMIT may take effect although the caller sees `CancelledError`: hence guarded
        transitions (`WHERE state = …`) everywhere.

        Raises:
            Transient: the disk is full, or the file stayed locked or unreadable.
        """
        async with self._lock.hold(is_urgent=is_urgent):
            try:
                # Inside the try: a cancellation may arrive while BEGIN is already in the queue.
                await self._writer.execute("BEGIN IMMEDIATE")
                yield Transaction(self._writer)
                await self._writer.execute("COMMIT")
            except BaseException as exc:
                await asyncio.shield(self._roll_back())
                if _is_failure_of_store(exc):
                    raise Transient("database_failed", str(exc), retry_after_s=1) from exc
                raise

    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        """Read committed rows.

        Raises:
            Transient: the file is damaged, unreadable or stayed locked.
        """
        try:
            return list(await self._reader.execute_fetchall(sql, values))
        except DATABASE_ERRORS as exc:
            if _is_failure_of_store(exc):
                raise Transient("database_failed", str(exc), retry_after_s=1) from exc
            raise

    async def fetch_one(self, sql: str, *values: Value) -> Row | None:
        rows = await self.fetch_all(sql, *values)
        return rows[0] if rows else None

    async def probe_write(self) -> None:
        """Prove that a write reaches the disk: it changes `user_version`, which nothing else uses.

        Raises:
            Transient: it does not.
        """
        async with self.transaction() as tx:
            row = await tx.fetch_one("PRAGMA user_version")
            number = 0 if row is None else 1 - row["user_version"]
            await tx.execute(f"PRAGMA user_version = {number}")

    async def execute_script(self, script: str) -> None:
        """Run several statements as they stand; for migrations, which bring their own BEGIN."""
        async with self._lock.hold():
            try:
                await self._writer.executescript(script)
            except BaseException:
                await asyncio.shield(self._roll_back())
                raise

    async def copy_to(self, target: Path) -> None:
        """Write a consistent copy of the whole database to a file that does not exist yet."""
        async with self._lock.hold():
            await self._writer.execute("VACUUM INTO ?", (str(target),))

    async def _roll_back(self) -> None:
        # "no transaction is active" when BEGIN never ran or COMMIT already did.
        with suppress(*DATABASE_ERRORS):
            await self._writer.execute("ROLLBACK")


def _is_failure_of_store(exc: BaseException) -> bool:
    return isinstance(exc, DATABASE_ERRORS) and not isinstance(exc, _OUR_FAULTS)


@asynccontextmanager
async def _connection(path: Path | str, busy_timeout_ms: int) -> AsyncIterator[aiosqlite.Connection]:
    def connect() -> Any:
        # pysqlite3 mirrors sqlite3, but its types are unknown to the checker.
        return sqlite.connect(str(path), isolation_level=None, check_same_thread=False)

    connection = aiosqlite.Connection(connect, iter_chunk_size=64)
    async with connection:
        connection.row_factory = sqlite.Row
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {int(busy_timeout_ms)}",
            "secure_delete = ON",
        ):
            await connection.execute(f"PRAGMA {pragma}")
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
