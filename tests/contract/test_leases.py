"""What processes agree on that serve from one PostgreSQL: who holds what, and what one tells the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from app.database.db import Database, Leases
from app.domain.errors import ConfigError, Transient
from tests.postgresql import Server

WAIT_S = 60


def nobody_hears(news: str) -> None:
    """Whoever tells something here is not listened to."""


@asynccontextmanager
async def two(url: str) -> AsyncIterator[tuple[Leases, Leases]]:
    async with AsyncExitStack() as stack:
        db = await stack.enter_async_context(Database.open(url))
        one = await stack.enter_async_context(db.share("worker one", nobody_hears))
        other = await stack.enter_async_context(db.share("web other", nobody_hears))
        yield one, other


async def test_a_name_is_held_by_one_until_it_is_given_back(postgresql: Server) -> None:
    async with two(postgresql.create()) as (one, other):
        assert await one.take(["ana", "ben"]) == {"ana", "ben"}
        assert await other.take(["ana", "cleo"]) == {"cleo"}
        await one.give_back(["ana"])
        assert await other.take(["ana", "ben"]) == {"ana"}


async def test_no_more_names_are_held_than_were_asked_for(postgresql: Server) -> None:
    async with two(postgresql.create()) as (one, other):
        assert await one.take(["ana", "ben", "cleo"], at_most=2) == {"ana", "ben"}
        assert await other.take(["ana", "ben", "cleo"]) == {"cleo"}


async def test_what_a_process_held_is_free_in_the_moment_in_which_it_is_gone(postgresql: Server) -> None:
    async with Database.open(postgresql.create()) as db, db.share("one", nobody_hears) as one:
        async with db.share("other", nobody_hears) as other:
            assert await other.take(["ana"]) == {"ana"}
            assert await one.take(["ana"]) == frozenset()
        async with asyncio.timeout(WAIT_S):
            while not await one.take(["ana"]):
                pass


async def test_what_one_tells_all_hear(postgresql: Server) -> None:
    heard: list[tuple[str, str]] = []
    told = asyncio.Event()

    def hear(who: str, news: str) -> None:
        heard.append((who, news))
        if len(heard) == 4:
            told.set()

    async with Database.open(postgresql.create()) as db, AsyncExitStack() as stack:
        leases = [
            await stack.enter_async_context(db.share(who, lambda news, who=who: hear(who, news)))  # type: ignore[misc]  # a default binds it
            for who in ("one", "other")
        ]
        for one in leases:
            await one.take([])
        await leases[0].tell(["a", "b"])
        async with asyncio.timeout(WAIT_S):
            await told.wait()
    assert sorted(heard) == [("one", "a"), ("one", "b"), ("other", "a"), ("other", "b")]


async def test_whoever_lives_is_listed_with_what_it_holds(postgresql: Server) -> None:
    async with two(postgresql.create()) as (one, other):
        await one.take(["ana", "ben", "the office"])
        await other.take([])
        assert [(who.label, who.held) for who in await one.list_processes(but="the office")] == [
            ("web other", 0),
            ("worker one", 2),
        ]


async def test_after_the_server_was_gone_nothing_is_held_and_the_epoch_says_so(postgresql: Server) -> None:
    async with two(postgresql.create()) as (one, other):
        await one.take(["ana"])
        before = one.epoch
        try:
            await asyncio.to_thread(postgresql.stop)
            with pytest.raises(Transient):
                await one.take(["ben"])
        finally:
            await asyncio.to_thread(postgresql.start)
        assert await other.take(["ana"]) == {"ana"}
        assert await one.take(["ana"]) == frozenset()
        assert one.epoch > before


async def test_transactions_of_several_processes_follow_one_another(postgresql: Server) -> None:
    url = postgresql.create()

    async def count(db: Database) -> None:
        for _ in range(25):
            async with db.transaction() as tx:
                row = await tx.fetch_one("SELECT n FROM counter")
                assert row is not None
                await tx.execute("UPDATE counter SET n = ?", row["n"] + 1)

    async with AsyncExitStack() as stack:
        dbs = [await stack.enter_async_context(Database.open(url)) for _ in range(3)]
        await dbs[0].execute_script("CREATE TABLE counter (n BIGINT); INSERT INTO counter VALUES (0)")
        for db in dbs:
            await db.serve_together()
        async with asyncio.timeout(WAIT_S):
            await asyncio.gather(*(count(db) for db in dbs))
        [row] = await dbs[0].fetch_all("SELECT n FROM counter")
    assert row["n"] == 75


async def test_who_serves_alone_lets_nobody_in_and_joins_nobody(postgresql: Server) -> None:
    url = postgresql.create()
    async with Database.open(url) as alone, Database.open(url) as other:
        await alone.serve_alone()
        with pytest.raises(ConfigError, match="another process"):
            await other.serve_together()
    async with Database.open(url) as one, Database.open(url) as other, Database.open(url) as alone:
        await one.serve_together()
        await other.serve_together()
        with pytest.raises(ConfigError, match="another process"):
            await alone.serve_alone()


async def test_sqlite_says_plainly_that_it_is_for_one_process(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "one.db") as db:
        with pytest.raises(ConfigError, match="SQLite serves one process"):
            await db.serve_together()
        with pytest.raises(ConfigError, match="SQLite serves one process"):
            db.share("one", nobody_hears)
