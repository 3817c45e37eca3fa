"""PostgreSQL through asyncpg: one connection writes, some read; a connection that is lost is made anew.

One transaction at a time, as in SQLite: what it reads cannot change before it writes. Where several processes
serve, an advisory lock that each transaction holds sees to that. Another connection holds what a process is at
work on, as advisory locks of its session: the server frees them in the moment in which the process dies.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import asyncpg
import structlog

from app.database.connecting import (
    CONNECT_S,
    FAILURES,
    REFUSALS,
    SESSION,
    STATEMENT_S,
    STATEMENTS,
    close,
    connect,
    failures,
    leave_as_it_is,
    prepare,
)
from app.database.db import Column, Database, Leases, Row, Transaction, Value, WriteLock
from app.database.dialect import Statements
from app.database.leases import PostgresLeases
from app.domain.addresses import passwords_of
from app.domain.errors import ConfigError, Permanent

log = structlog.get_logger(__name__)

_OLDEST: Final = 15
_READERS: Final = 4
_ALONE: Final = 0x77617361705F3031
"""The key of the advisory lock that every process which serves holds: one alone, or several together."""
_WRITING: Final = 0x77617361705F3032
_STARTING: Final = 0x77617361705F3033


class PostgresTransaction(Transaction):
    """See `Transaction`."""

    def __init__(self, connection: Any, statements: Statements) -> None:
        self._connection = connection
        self._translate = statements.translate

    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        """See `Transaction`."""
        with failures():
            rows: list[Row] = await self._connection.fetch(self._translate(sql), *_sent(values))
        return rows

    async def execute(self, sql: str, *values: Value) -> int:
        """See `Transaction`."""
        with failures():
            status: str = await self._connection.execute(self._translate(sql), *_sent(values))
        return _changed(status)

    async def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """See `Transaction`."""
        with failures():
            await self._connection.executemany(self._translate(sql), [_sent(row) for row in rows])

    @asynccontextmanager
    async def part(self) -> AsyncIterator[None]:
        """See `Transaction`."""
        await self.execute("SAVEPOINT part")
        try:
            yield
        except REFUSALS as exc:
            await self.execute("ROLLBACK TO SAVEPOINT part")
            raise Permanent("database_refused", str(exc)) from exc
        await self.execute("RELEASE SAVEPOINT part")

    async def defer_foreign_keys(self) -> None:
        """See `Transaction`."""
        await self.execute("SET CONSTRAINTS ALL DEFERRED")

    async def check_foreign_keys(self, tables: Collection[str]) -> None:
        """See `Transaction`: all tables are checked, because only what changed is looked at."""
        try:
            await self.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except asyncpg.IntegrityConstraintViolationError as exc:
            raise Permanent("database_refused", str(exc)) from exc
        await self.defer_foreign_keys()


class PostgresDatabase(Database):
    """See `Database`."""

    engine = "postgresql"
    has_vectors = False

    def __init__(self, url: str, readers: Any, label: str) -> None:
        self._url = url
        self._readers = readers
        self.label = label
        self._writer: Any = None
        self._lock = WriteLock()
        self._ending: asyncio.Task[None] | None = None
        self._serving: Literal["", "alone", "together"] = ""
        self._holds_lock = False
        self._begin = "BEGIN"
        self._statements = Statements()
        self._translate = self._statements.translate

    @asynccontextmanager
    async def transaction(self, *, is_urgent: bool = False) -> AsyncIterator[Transaction]:
        """See `Database`."""
        async with self._lock.hold(is_urgent=is_urgent):
            tx = PostgresTransaction(await self._connected(), self._statements)
            async with AsyncExitStack() as unless_done:
                unless_done.push_async_callback(self._end)
                await self._begun()
                yield tx
                await tx.execute("COMMIT")
                unless_done.pop_all()

    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        """See `Database`."""
        with failures():
            rows: list[Row] = await self._readers.fetch(self._translate(sql), *_sent(values))
        return rows

    async def probe_write(self) -> None:
        """See `Database`: a message in the write-ahead log, which nobody reads."""
        async with self.transaction() as tx:
            await tx.fetch_all("SELECT pg_logical_emit_message(true, 'wasap', '')")

    async def execute_script(self, script: str) -> None:
        """See `Database`."""
        async with self._lock.hold():
            connection = await self._connected()
            async with AsyncExitStack() as unless_done:
                unless_done.push_async_callback(self._end)
                with failures():
                    await connection.execute(script)
                unless_done.pop_all()

    async def copy_to(self, target: Path) -> None:
        """See `Database`."""
        raise Permanent("backup_by_server", "a PostgreSQL database is copied with pg_dump")

    async def serve_alone(self) -> None:
        """See `Database`: by a lock that the server frees with the connection."""
        async with self._lock.hold():
            self._serving = "alone"
            await self._connected()

    async def serve_together(self) -> None:
        """See `Database`."""
        async with self._lock.hold():
            self._serving = "together"
            self._begin = f"BEGIN; SELECT pg_advisory_xact_lock({_WRITING})"
            await self._connected()

    @asynccontextmanager
    async def starting(self) -> AsyncIterator[None]:
        """See `Database`: by a lock on a connection of its own, since the block writes."""
        connection = await connect(self._url)
        try:
            await connection.execute(f"SELECT pg_advisory_lock({_STARTING})")
            yield
        finally:
            await close(connection)

    @asynccontextmanager
    async def share(self, label: str, hear: Callable[[str], None]) -> AsyncIterator[Leases]:
        """See `Database`."""
        leases = PostgresLeases(self._url, label, hear)
        try:
            yield leases
        finally:
            await leases.close()

    async def list_columns(self, *tables: str) -> list[Column]:
        """See `Database`."""
        rows = await self.fetch_all(
            "SELECT table_name, column_name, is_nullable FROM information_schema.columns"
            " WHERE table_schema = current_schema()"
            " AND table_name IN (SELECT json_array_elements_text(CAST(? AS json)))"
            " ORDER BY table_name, ordinal_position",
            json.dumps(tables),
        )
        return [Column(row["column_name"], row["is_nullable"] == "YES", row["table_name"]) for row in rows]

    async def list_tables_with(self, column: str) -> list[str]:
        """See `Database`."""
        rows = await self.fetch_all(
            "SELECT c.table_name FROM information_schema.columns AS c JOIN information_schema.tables AS t"
            " USING (table_schema, table_name) WHERE c.table_schema = current_schema() AND c.column_name = ?"
            " AND t.table_type = 'BASE TABLE' ORDER BY c.table_name COLLATE \"C\"",
            column,
        )
        return [str(row["table_name"]) for row in rows]

    async def shrink(self) -> None:
        """See `Database`: what was deleted stays in the tables' pages until they are vacuumed.

        The server's own write-ahead log and its backups are the operator's.
        """
        tables = await self.fetch_all(
            "SELECT table_name FROM information_schema.tables"
            " WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        )
        names = ", ".join(f'"{row["table_name"]}"' for row in tables)
        if names:
            await self.execute_script(f"VACUUM {names}")

    async def close(self) -> None:
        """Close the connection that writes, if there is one."""
        await self._ended()
        if self._writer is not None:
            await close(self._writer)

    async def _connected(self) -> Any:
        """Return the connection that writes, made anew when it was lost; the lock is held.

        Raises:
            ConfigError: another process serves from this database, and this one is to do it alone.
            Transient: the server cannot be reached, or does not want us now.
        """
        await self._ended()
        if self._writer is None or self._writer.is_closed():
            with failures():
                self._writer = await connect(self._url)
            self._holds_lock = False
        if self._serving and not self._holds_lock:
            await self._take_lock()
        return self._writer

    async def _take_lock(self) -> None:
        shared = "_shared" if self._serving == "together" else ""
        with failures():
            is_ours = await self._writer.fetchval(f"SELECT pg_try_advisory_lock{shared}($1)", _ALONE)
        if not is_ours:
            raise ConfigError("DATABASE_URL", "another process already serves from this database; stop it first")
        self._holds_lock = True

    async def _begun(self) -> None:
        """Begin a transaction, in one trip to the server."""
        with failures():
            await self._writer.execute(self._begin)

    async def _end(self) -> None:
        """Undo what was begun, whatever is cancelled meanwhile."""
        self._ending = asyncio.create_task(self._roll_back())
        await asyncio.shield(self._ending)

    async def _ended(self) -> None:
        """Wait for a rollback whose caller was cancelled a second time."""
        if self._ending is not None:
            await asyncio.wait({self._ending})
            self._ending = None

    async def _roll_back(self) -> None:
        connection = self._writer
        try:
            if not connection.is_closed():
                # "no transaction is in progress", a warning, when BEGIN never ran or COMMIT already did.
                await connection.execute("ROLLBACK", timeout=CONNECT_S)
        except FAILURES:
            connection.terminate()


@asynccontextmanager
async def open_database(where: str, *, busy_timeout_ms: int = 5000) -> AsyncIterator[Database]:
    """Connect to a server, and leave it when the block ends; see `Database.open`.

    The time-out of locks is SQLite's: here nobody waits for another process.

    Raises:
        ConfigError: the server cannot be reached or used; never with the password.
    """
    del busy_timeout_ms
    try:
        readers = await asyncpg.create_pool(
            where,
            min_size=1,
            max_size=_READERS,
            timeout=CONNECT_S,
            init=prepare,
            reset=leave_as_it_is,
            command_timeout=STATEMENT_S,
            statement_cache_size=STATEMENTS,
            max_cached_statement_lifetime=0,
            server_settings={**SESSION, "default_transaction_read_only": "on"},
        )
    except (*FAILURES, ValueError) as exc:
        raise ConfigError("DATABASE_URL", f"{place_of(where)} cannot be used: {_reason(exc, where)}") from None
    try:
        version = await _check(readers)
        db = PostgresDatabase(where, readers, f"PostgreSQL {version}, {place_of(where)}")
        try:
            yield db
        finally:
            await db.close()
    finally:
        await close(readers)


def place_of(url: str) -> str:
    """Return where a database is, without user and password, as `db.example:5432/wasap`."""
    parts = urlsplit(url)
    try:
        host = parts.hostname or "local socket"
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the server"
    return f"{host}{port}{parts.path}"


async def _check(readers: Any) -> str:
    """Return the server's version.

    Raises:
        ConfigError: it is too old, or its database holds another encoding.
    """
    version = await readers.fetchval("SHOW server_version")
    encoding = await readers.fetchval("SHOW server_encoding")
    number = str(version).split()[0]
    if int(number.split(".")[0]) < _OLDEST:
        raise ConfigError("DATABASE_URL", f"the server has PostgreSQL {number}; {_OLDEST} or newer is needed")
    if encoding != "UTF8":
        raise ConfigError("DATABASE_URL", f"the database is encoded in {encoding}; create it with ENCODING 'UTF8'")
    return number


def _reason(exc: BaseException, url: str) -> str:
    """Return what an error says, without the password, wherever it may have come from."""
    reason = f"{type(exc).__name__}: {exc}" if str(exc) else type(exc).__name__
    for secret in (url, *passwords_of(url)):
        reason = reason.replace(secret, "…")
    return reason


def _sent(values: Sequence[Value]) -> list[Value]:
    """Take the character from texts that PostgreSQL cannot store."""
    return [value.replace("\0", "") if isinstance(value, str) and "\0" in value else value for value in values]


def _changed(status: str) -> int:
    count = status.rpartition(" ")[2]
    return int(count) if count.isdecimal() else 0
