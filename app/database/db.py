"""What the application asks of its database, whichever it is: SQLite (sqlite.py) or PostgreSQL (postgresql.py).

Queries are written in the SQL that both understand, with the placeholders `?` and `?1`; app/database/dialect.py
says what is translated for PostgreSQL. What only one of them has is a method here.
"""

import asyncio
import importlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from app.domain.errors import ConfigError

Value = str | int | float | bytes | None
Engine = Literal["sqlite", "postgresql"]
MEMORY: Final = ":memory:"
_SERVER_SCHEMES: Final = ("postgresql://", "postgres://")


class Row(Protocol):
    """A row of a result: by name, by place, and its values in order when it is iterated."""

    def __getitem__(self, key: Any, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

    def keys(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    is_nullable: bool
    table: str


class Transaction(ABC):
    """What can be done between BEGIN and COMMIT; made by `Database.transaction` only."""

    @abstractmethod
    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        """Run a statement and return all its rows (RETURNING included)."""

    async def fetch_one(self, sql: str, *values: Value) -> Row | None:
        rows = await self.fetch_all(sql, *values)
        return rows[0] if rows else None

    @abstractmethod
    async def execute(self, sql: str, *values: Value) -> int:
        """Run a statement and return how many rows it changed."""

    @abstractmethod
    async def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run a statement once for each row of values."""

    @abstractmethod
    def part(self) -> AbstractAsyncContextManager[None]:
        """Run the block as a part that is undone alone when the database refuses what it would store.

        Raises:
            Permanent: `database_refused`; the rest of the transaction stands.
        """

    @abstractmethod
    async def defer_foreign_keys(self) -> None:
        """Check references when the transaction is committed: until then rows may come and go in any order."""

    @abstractmethod
    async def check_foreign_keys(self, tables: Collection[str]) -> None:
        """Check the deferred references of rows in these tables now.

        Raises:
            Permanent: `database_refused`: a row refers to one that is not there.
        """


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


@dataclass(frozen=True, slots=True)
class Running:
    """A process that serves from a database beside others; `held` is how many names it holds."""

    label: str
    since: datetime
    held: int


LOST: Final = ""
"""What `Database.share` lets its caller hear when the connection is gone, and everything that was held with it."""


class Leases(ABC):
    """What processes agree on that serve from one database: who holds a name, and news for all of them.

    A name is held until it is given back. The server takes it back when the process dies or loses its connection;
    `epoch` is another number then, and `LOST` was heard where that was noticed at once.
    """

    epoch: int

    @abstractmethod
    async def take(self, names: Sequence[str], *, at_most: int | None = None) -> frozenset[str]:
        """Hold the first names that nobody else holds, and return them; none of them may be held here already.

        Raises:
            Transient: the server cannot be reached. Whatever was held here is not any more.
        """

    @abstractmethod
    async def give_back(self, names: Collection[str]) -> None:
        """Hold these names no longer.

        Raises:
            Transient: see `take`.
        """

    @abstractmethod
    async def tell(self, news: Sequence[str]) -> None:
        """Let every process hear, this one included.

        Raises:
            Transient: see `take`; whether anybody heard is not known.
        """

    @abstractmethod
    async def list_processes(self, *, but: str = "") -> list[Running]:
        """Return the processes that live, by their labels; that name is not counted among what they hold.

        Raises:
            Transient: see `take`.
        """


class Database(ABC):
    """An open database; reads see the last commit, writes go through `transaction` only.

    `has_vectors`: it searches vectors itself. `label` names it to an operator, without user and password.
    """

    engine: Engine
    has_vectors: bool
    label: str

    @staticmethod
    def open(where: Path | str, *, busy_timeout_ms: int = 5000) -> AbstractAsyncContextManager["Database"]:
        """Open a file, `:memory:` or a server (`postgresql://…`), and close it when the block ends.

        The library of a server is needed only by those who use one.

        Raises:
            ConfigError: it cannot be opened, or holds something else than a database.
        """
        engine = "postgresql" if is_server(where) else "sqlite"
        try:
            module = importlib.import_module(f"app.database.{engine}")
        except ModuleNotFoundError as exc:
            raise ConfigError(
                "DATABASE_URL", f"the package {exc.name} is missing; run: pip install 'wasap[postgres]'"
            ) from exc
        opened: AbstractAsyncContextManager[Database] = module.open_database(
            where, busy_timeout_ms=busy_timeout_ms
        )
        return opened

    @abstractmethod
    def transaction(self, *, is_urgent: bool = False) -> AbstractAsyncContextManager[Transaction]:
        """Run the block as one atomic write; an exception or a cancellation undoes all of it.

        An urgent one goes before those that wait. A file is held from the first statement on.

        A COMMIT may take effect although the caller sees `CancelledError`: hence guarded
        transitions (`WHERE state = …`) everywhere.

        Raises:
            Transient: the disk is full, or the database stayed locked, unreadable or unreachable.
        """

    async def execute(self, sql: str, *values: Value) -> int:
        """Run one statement as a transaction of its own, and return how many rows it changed.

        Raises:
            Transient: as for `transaction`.
        """
        async with self.transaction() as tx:
            return await tx.execute(sql, *values)

    @abstractmethod
    async def fetch_all(self, sql: str, *values: Value) -> list[Row]:
        """Read committed rows.

        Raises:
            Transient: the database is damaged, unreadable, unreachable or stayed locked.
        """

    async def fetch_one(self, sql: str, *values: Value) -> Row | None:
        rows = await self.fetch_all(sql, *values)
        return rows[0] if rows else None

    @abstractmethod
    async def probe_write(self) -> None:
        """Prove that a write reaches the disk, without changing anything that is read.

        Raises:
            Transient: it does not.
        """

    @abstractmethod
    async def execute_script(self, script: str) -> None:
        """Run several statements as they stand; for migrations, which bring their own BEGIN."""

    @abstractmethod
    async def copy_to(self, target: Path) -> None:
        """Write a consistent copy of the whole database to a file that does not exist yet.

        Raises:
            Permanent: `backup_by_server`: a server has tools of its own for that.
        """

    @abstractmethod
    async def serve_alone(self) -> None:
        """Let no other process serve from this database until it is closed.

        Raises:
            ConfigError: another process does.
        """

    @abstractmethod
    async def serve_together(self) -> None:
        """Let other processes serve beside this one, each of which says so, until it is closed.

        From here on, each transaction waits for those of the others: what it reads is true until it ends.

        Raises:
            ConfigError: this database is for one process, or one serves alone.
        """

    @abstractmethod
    def starting(self) -> AbstractAsyncContextManager[None]:
        """Let one process at a time run the block: who brings the schema up to date."""

    @abstractmethod
    def share(self, label: str, hear: Callable[[str], None]) -> AbstractAsyncContextManager[Leases]:
        """Join the other processes under that label; `hear` is given what any of them tells.

        Raises:
            ConfigError: this database is for one process.
        """

    @abstractmethod
    async def list_columns(self, *tables: str) -> list[Column]:
        """Return the columns of tables, table by table and in order; none of one that there is not."""

    @abstractmethod
    async def list_tables_with(self, column: str) -> list[str]:
        """Return the names of the tables that have a column of that name, in order."""

    @abstractmethod
    async def shrink(self) -> None:
        """Let no deleted word linger in search indexes, in pages that are free, or in a log of changes."""


def is_server(where: Path | str) -> bool:
    """Tell whether that is the address of a server, and not a file."""
    return isinstance(where, str) and where.startswith(_SERVER_SCHEMES)
