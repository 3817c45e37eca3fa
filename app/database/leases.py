"""What processes on one PostgreSQL agree on: advisory locks of a session, and LISTEN."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from typing import Any, Final

from app.database.connecting import close, connect, failures
from app.database.db import LOST, Leases, Row, Running

_LABEL: Final = "wasap: "
_HEARD: Final = "wasap"
_PROBE_S: Final = 5
_MOST_NEWS_BYTES: Final = 7000
"""PostgreSQL takes 8000 in one notification."""


class PostgresLeases(Leases):
    """See `Leases`: advisory locks of one session, and LISTEN. A connection that was lost is made anew."""

    def __init__(self, url: str, label: str, hear: Callable[[str], None]) -> None:
        self._url = url
        self._label = f"{_LABEL}{label}"
        self._hear = hear
        self._connection: Any = None
        self._using = asyncio.Lock()
        self.epoch = 0

    async def take(self, names: Sequence[str], *, at_most: int | None = None) -> frozenset[str]:
        """See `Leases`: no more are tried than are needed, since rows are filtered one by one."""
        keys = {_key(name): name for name in names}
        rows = await self._ask(
            "SELECT key FROM unnest($1::bigint[]) AS key WHERE pg_try_advisory_lock(key) LIMIT $2",
            list(keys),
            at_most,
        )
        return frozenset(keys[row["key"]] for row in rows)

    async def give_back(self, names: Collection[str]) -> None:
        """See `Leases`."""
        keys = [_key(name) for name in names]
        await self._ask("SELECT pg_advisory_unlock(key) FROM unnest($1::bigint[]) AS key", keys)

    async def tell(self, news: Sequence[str]) -> None:
        """See `Leases`."""
        if any(len(one.encode()) > _MOST_NEWS_BYTES for one in news):
            raise ValueError("news are too long")
        await self._ask("SELECT pg_notify($1, one) FROM unnest($2::text[]) AS one", _HEARD, list(news))

    async def list_processes(self, *, but: str = "") -> list[Running]:
        """See `Leases`: as the server sees them, which shows a key as its two halves."""
        high, low = divmod(_key(but) % 2**64, 2**32)
        rows = await self._ask(
            "SELECT a.application_name AS label, a.backend_start AS since, count(l.pid) AS held"
            " FROM pg_stat_activity AS a LEFT JOIN pg_locks AS l ON l.pid = a.pid AND l.locktype = 'advisory'"
            " AND (l.classid::bigint, l.objid::bigint) <> ($2::bigint, $3::bigint)"
            " WHERE a.datname = current_database() AND a.application_name LIKE $1"
            " GROUP BY a.pid, a.application_name, a.backend_start ORDER BY 1, 2",
            f"{_LABEL}%",
            high,
            low,
        )
        return [Running(row["label"].removeprefix(_LABEL), row["since"], row["held"]) for row in rows]

    async def close(self) -> None:
        """Let go of everything."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await close(connection)

    async def _ask(self, sql: str, *values: object) -> list[Row]:
        """Ask the server; a connection that does not answer in time is given up, and all it held with it."""
        async with self._using:
            # Also after a cancellation: whether it holds what was asked for is not known.
            with failures(), ExitStack() as unless_answered:
                unless_answered.callback(self._give_up)
                if self._connection is None:
                    self._connection = await connect(self._url, application_name=self._label[:63])
                    self.epoch += 1
                    self._connection.add_termination_listener(self._lost)
                    await self._connection.add_listener(_HEARD, self._heard)
                rows: list[Row] = await self._connection.fetch(sql, *values, timeout=_PROBE_S)
                unless_answered.pop_all()
            return rows

    def _give_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()

    def _lost(self, connection: object) -> None:
        """Say so; a connection that was given up or closed is not lost."""
        if connection is self._connection:
            self._connection = None
            self._hear(LOST)

    def _heard(self, connection: object, process: int, channel: str, news: str) -> None:
        self._hear(news)


def _key(name: str) -> int:
    """Return the number that stands for a name among advisory locks."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True)
