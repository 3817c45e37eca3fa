"""Connections to PostgreSQL through asyncpg, and whose fault it is when one fails."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

import asyncpg

from app.domain.errors import Transient

CONNECT_S: Final = 10
STATEMENT_S: Final = 60
STATEMENTS: Final = 1000
SESSION: Final[Mapping[str, str]] = MappingProxyType(
    {
        "application_name": "wasap",
        # A machine that is gone gives its lock back after half a minute.
        "tcp_keepalives_idle": "10",
        "tcp_keepalives_interval": "5",
        "tcp_keepalives_count": "4",
        "idle_in_transaction_session_timeout": "60000",
    }
)
# Ours to mend: a constraint that was broken, a statement that was misused, a value that does not fit.
OUR_FAULTS: Final = (
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.DataError,
    asyncpg.exceptions.DataError,
    asyncpg.RaiseError,
)
REFUSALS: Final = (*OUR_FAULTS, OverflowError)
FAILURES: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)


async def connect(url: str, *, application_name: str = SESSION["application_name"]) -> Any:
    connection = await asyncpg.connect(
        url,
        timeout=CONNECT_S,
        command_timeout=STATEMENT_S,
        statement_cache_size=STATEMENTS,
        max_cached_statement_lifetime=0,
        server_settings={**SESSION, "application_name": application_name},
    )
    await prepare(connection)
    return connection


async def prepare(connection: Any) -> None:
    # Sums of whole numbers are `numeric`; in SQLite they are whole numbers.
    await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=_number, format="text")


async def leave_as_it_is(connection: Any) -> None:
    """Reads leave nothing behind in a connection: putting it back costs no question to the server."""


async def close(connection: Any) -> None:
    try:
        async with asyncio.timeout(CONNECT_S):
            await connection.close()
    except FAILURES:
        connection.terminate()


@contextmanager
def failures() -> Iterator[None]:
    """Say of a failure that is not ours to mend that it passes."""
    try:
        yield
    except OUR_FAULTS:
        raise
    except FAILURES as exc:
        raise Transient("database_failed", f"{type(exc).__name__}: {exc}", retry_after_s=1) from exc


def _number(text: str) -> int | float:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else float(number)
