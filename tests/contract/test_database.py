"""What every `Database` promises, run on SQLite and on PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from app.database.db import MEMORY, Database, Engine, Transaction
from app.database.migrate import migrate
from app.domain.errors import ConfigError, Permanent, Transient
from tests.postgresql import Server

WAIT_S = 60


@asynccontextmanager
async def ledger(where: Path | str) -> AsyncIterator[Database]:
    """A database with two tables that every transaction here writes together."""
    async with Database.open(where) as db:
        await db.execute_script("CREATE TABLE debit (n BIGINT); CREATE TABLE credit (n BIGINT)")
        yield db


@pytest.fixture
def place(engine: Engine, request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where an empty database is: a file, or on a server."""
    if engine == "sqlite":
        return tmp_path / "ledger.db"
    server: Server = request.getfixturevalue("postgresql")
    return server.create()


@pytest.fixture
async def db(place: Path | str) -> AsyncIterator[Database]:
    async with ledger(place) as opened:
        yield opened


async def book(db: Database, n: int) -> None:
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO debit VALUES (?)", n)
        await tx.execute("INSERT INTO credit VALUES (?)", n)


async def numbers(db: Database, table: str) -> list[int]:
    return [row["n"] for row in await db.fetch_all(f"SELECT n FROM {table} ORDER BY n")]


async def cancel_after(steps: int, task: asyncio.Task[None]) -> None:
    """Cancel a task when the event loop has gone round that many times."""
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    async with asyncio.timeout(WAIT_S):
        await asyncio.wait({task})


async def test_hundreds_of_cancellations_leave_no_transaction_open_and_none_half_done(db: Database) -> None:
    ends = {"cancelled": 0, "finished": 0}
    # A server is told of each cancellation through a connection of its own.
    tries = 400 if db.engine == "sqlite" else 120
    for n in range(tries):
        task = asyncio.create_task(book(db, n))
        await cancel_after(n % 80, task)
        ends["cancelled" if task.cancelled() else "finished"] += 1
        if n % 8 == 0:
            await book(db, 1000 + n)
    debits = await numbers(db, "debit")
    assert debits == await numbers(db, "credit")
    assert {n for n in debits if n >= 1000} == {1000 + n for n in range(0, tries, 8)}
    assert ends["cancelled"] >= tries // 10


async def test_a_second_cancellation_does_not_stop_the_rollback(db: Database) -> None:
    async def hold() -> None:
        async with db.transaction() as tx:
            await tx.execute("INSERT INTO debit VALUES (1)")
            await asyncio.Event().wait()

    for gap in range(30):
        task = asyncio.create_task(hold())
        async with asyncio.timeout(WAIT_S):
            while not task.done() and not await _is_locked(db):
                await asyncio.sleep(0)
        task.cancel()
        for _ in range(gap):
            await asyncio.sleep(0)
        await cancel_after(0, task)
        await book(db, gap)
    assert await numbers(db, "debit") == list(range(30))


async def _is_locked(db: Database) -> bool:
    """Somebody is inside a transaction: another one does not get in at once."""
    probe = asyncio.create_task(_empty_transaction(db))
    await asyncio.wait({probe}, timeout=0.001)
    is_locked = not probe.done()
    probe.cancel()
    await asyncio.wait({probe})
    return is_locked


async def _empty_transaction(db: Database) -> None:
    async with db.transaction():
        pass


async def test_an_exception_undoes_the_whole_block_and_reaches_the_caller(db: Database) -> None:
    async def fail_half_way() -> None:
        async with db.transaction() as tx:
            await tx.execute("INSERT INTO debit VALUES (1)")
            raise LookupError("on purpose")

    with pytest.raises(LookupError, match="on purpose"):
        await fail_half_way()
    await book(db, 2)
    assert await numbers(db, "debit") == [2]


async def test_a_failing_statement_undoes_the_block_and_is_transient(db: Database) -> None:
    async def fail_half_way() -> None:
        async with db.transaction() as tx:
            await tx.execute("INSERT INTO debit VALUES (1)")
            await tx.execute("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(Transient) as caught:
        await fail_half_way()
    assert caught.value.code == "database_failed"
    assert await numbers(db, "debit") == []


async def test_statements_of_another_task_never_join_an_open_transaction(db: Database) -> None:
    await assert_nobody_joins(db)


async def test_statements_of_another_task_never_join_an_open_transaction_in_memory() -> None:
    async with ledger(MEMORY) as db:
        await assert_nobody_joins(db)


async def assert_nobody_joins(db: Database) -> None:
    is_inside, may_fail = asyncio.Event(), asyncio.Event()

    async def fails() -> None:
        async with db.transaction() as tx:
            await tx.execute("INSERT INTO debit VALUES (1)")
            is_inside.set()
            await may_fail.wait()
            raise LookupError

    failing = asyncio.create_task(fails())
    async with asyncio.timeout(WAIT_S):
        await is_inside.wait()
        other = asyncio.create_task(book(db, 2))
        await asyncio.sleep(0)
        may_fail.set()
        await asyncio.wait({failing, other})
    assert isinstance(failing.exception(), LookupError)
    assert await numbers(db, "debit") == [2]
    assert await numbers(db, "credit") == [2]


async def test_fifty_tasks_writing_at_once_all_get_their_turn(db: Database) -> None:
    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(*(book(db, n) for n in range(50)))
    assert await numbers(db, "debit") == list(range(50))


async def test_reads_see_the_last_commit_and_nothing_newer(db: Database) -> None:
    await book(db, 1)
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO debit VALUES (2)")
        assert await numbers(db, "debit") == [1]
        assert [row["n"] for row in await tx.fetch_all("SELECT n FROM debit ORDER BY n")] == [1, 2]
    assert await numbers(db, "debit") == [1, 2]


async def test_reading_cannot_write(db: Database) -> None:
    with pytest.raises(Transient):
        await db.fetch_all("INSERT INTO debit VALUES (1) RETURNING n")
    assert await numbers(db, "debit") == []


async def test_a_row_cannot_point_to_one_that_is_not_there(db: Database) -> None:
    await db.execute_script(
        "CREATE TABLE owner (id BIGINT PRIMARY KEY);"
        "CREATE TABLE thing (owner BIGINT NOT NULL REFERENCES owner ON DELETE CASCADE)"
    )
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        async with db.transaction() as tx:
            await tx.execute("INSERT INTO thing VALUES (1)")
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO owner VALUES (1)")
        await tx.execute("INSERT INTO thing VALUES (1)")
        await tx.execute("DELETE FROM owner")
        assert await tx.fetch_all("SELECT * FROM thing") == []


async def test_a_broken_rule_is_not_transient(db: Database) -> None:
    await db.execute_script("CREATE UNIQUE INDEX once ON debit(n)")
    await book(db, 1)
    with pytest.raises(Exception, match=r"(?i)unique") as caught:
        await book(db, 1)
    assert not isinstance(caught.value, Transient)


async def test_a_script_that_fails_half_way_leaves_nothing(db: Database) -> None:
    with pytest.raises(Exception, match="nowhere"):
        await db.execute_script("BEGIN; INSERT INTO debit VALUES (1); INSERT INTO nowhere VALUES (1); COMMIT;")
    await book(db, 2)
    assert await numbers(db, "debit") == [2]


async def test_execute_tells_how_many_rows_changed(db: Database) -> None:
    async with db.transaction() as tx:
        numbered = count(1)
        await tx.execute_many("INSERT INTO debit VALUES (?)", [(next(numbered),) for _ in range(3)])
        changed = await tx.execute("UPDATE debit SET n = n + 10 WHERE n > ?", 1)
        missing = await tx.fetch_one("SELECT n FROM debit WHERE n = 99")
    assert changed == len((2, 3))
    assert missing is None


async def test_a_part_is_undone_alone_when_the_database_refuses_it(db: Database) -> None:
    await db.execute_script("CREATE UNIQUE INDEX once ON debit(n)")
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO debit VALUES (1)")
        with pytest.raises(Permanent) as caught:
            await insert_together(tx, 2, 1)
        await tx.execute("INSERT INTO debit VALUES (3)")
    assert caught.value.code == "database_refused"
    assert await numbers(db, "debit") == [1, 3]


async def insert_together(tx: Transaction, *values: int) -> None:
    async with tx.part():
        for value in values:
            await tx.execute("INSERT INTO debit VALUES (?)", value)


async def test_references_may_be_broken_until_the_commit_when_they_are_deferred(db: Database) -> None:
    await db.execute_script(
        "CREATE TABLE owner (id BIGINT PRIMARY KEY);"
        "CREATE TABLE thing (owner BIGINT NOT NULL REFERENCES owner DEFERRABLE)"
    )
    async with db.transaction() as tx:
        await tx.defer_foreign_keys()
        await tx.execute("INSERT INTO thing VALUES (1)")
        await tx.execute("INSERT INTO owner VALUES (1)")
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        await refer_to_nothing(db)
    assert [row["owner"] for row in await db.fetch_all("SELECT owner FROM thing")] == [1]


async def test_deferred_references_can_be_checked_before_the_commit(db: Database) -> None:
    await db.execute_script(
        "CREATE TABLE owner (id BIGINT PRIMARY KEY);"
        "CREATE TABLE thing (owner BIGINT NOT NULL REFERENCES owner DEFERRABLE)"
    )
    async with db.transaction() as tx:
        await tx.defer_foreign_keys()
        await tx.execute("INSERT INTO thing VALUES (1)")
        await tx.execute("INSERT INTO owner VALUES (1)")
        await tx.check_foreign_keys({"thing"})
    with pytest.raises(Permanent) as caught:
        await refer_to_nothing(db, checks={"thing"})

    assert caught.value.code == "database_refused"
    assert [row["owner"] for row in await db.fetch_all("SELECT owner FROM thing")] == [1]


async def refer_to_nothing(db: Database, *, checks: Collection[str] = ()) -> None:
    async with db.transaction() as tx:
        await tx.defer_foreign_keys()
        await tx.execute("INSERT INTO thing VALUES (2)")
        if checks:
            await tx.check_foreign_keys(checks)


async def test_an_urgent_transaction_goes_before_those_that_wait(db: Database) -> None:
    done: list[str] = []

    async def write(name: str, *, is_urgent: bool = False) -> None:
        async with db.transaction(is_urgent=is_urgent):
            done.append(name)

    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as tasks, db.transaction():
        tasks.create_task(write("first"))
        await asyncio.sleep(0)
        tasks.create_task(write("urgent", is_urgent=True))
        await asyncio.sleep(0)
    assert done == ["urgent", "first"]


async def test_a_row_is_read_by_name_by_place_and_in_order(db: Database) -> None:
    row = await db.fetch_one("SELECT 1 AS one, 'two' AS two")

    assert row is not None
    assert (row["one"], row[1], list(row), dict(row)) == (1, "two", [1, "two"], {"one": 1, "two": "two"})


async def test_numbers_stay_numbers(db: Database) -> None:
    await book(db, 2**40)
    await book(db, 2)

    row = await db.fetch_one("SELECT sum(n) AS total, count(*) AS n, max(n) AS most, 1.5 AS part FROM debit")

    assert row is not None
    assert (row["total"], row["n"], row["most"], row["part"]) == (2**40 + 2, 2, 2**40, 1.5)
    assert isinstance(row["total"], int)


async def test_texts_and_bytes_come_back_as_they_were(db: Database) -> None:
    blob = "BLOB" if db.engine == "sqlite" else "BYTEA"
    await db.execute_script(f"CREATE TABLE kept (said TEXT, raw {blob})")
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO kept VALUES (?, ?)", "ñandú 🌱 'quoted' \"too\" ? %", b"\x00\xff")
        await tx.execute("INSERT INTO kept VALUES (?2, ?1)", b"", None)

    rows = await db.fetch_all("SELECT said, raw FROM kept WHERE said IS ? OR said IS NULL ORDER BY raw DESC", None)
    kept = await db.fetch_all("SELECT said, raw FROM kept WHERE said LIKE ?", "%QUOTED%")

    assert [(row["said"], row["raw"]) for row in rows] == [(None, b"")]
    assert [(row["said"], row["raw"]) for row in kept] == [("ñandú 🌱 'quoted' \"too\" ? %", b"\x00\xff")]


async def test_texts_are_in_the_order_of_their_bytes(place: Path | str) -> None:
    async with Database.open(place) as db:
        await migrate(db)
        async with db.transaction() as tx:
            for name in ("b", "a", "Z", "é", "_", "a b"):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)",
                    name,
                )
        rows = await db.fetch_all("SELECT user_id FROM users ORDER BY user_id")

    assert [row["user_id"] for row in rows] == ["Z", "_", "a", "a b", "b", "é"]


async def test_the_write_probe_passes_and_leaves_nothing(db: Database) -> None:
    await db.probe_write()
    await db.probe_write()

    assert await numbers(db, "debit") == []


async def test_what_was_deleted_can_be_swept_away_while_others_write(db: Database) -> None:
    await book(db, 1)

    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(db.shrink(), book(db, 2))

    assert await numbers(db, "debit") == [1, 2]


async def test_the_schema_tells_its_tables_and_columns(db: Database) -> None:
    await db.execute_script("CREATE TABLE thing (user_id TEXT NOT NULL, name TEXT)")

    assert await db.list_tables_with("user_id") == ["thing"]
    assert [(one.name, one.is_nullable) for one in await db.list_columns("thing")] == [
        ("user_id", False),
        ("name", True),
    ]
    assert await db.list_columns("nothing") == []


async def test_migrations_are_applied_once(place: Path | str) -> None:
    async with Database.open(place) as db:
        assert await migrate(db) > 0
        assert await migrate(db) == 0


async def test_only_one_process_serves_from_a_server(postgresql: Server) -> None:
    url = postgresql.create()
    async with Database.open(url) as first:
        await first.serve_alone()
        async with Database.open(url) as second:
            await book_nothing(second)
            with pytest.raises(ConfigError, match="another process"):
                await second.serve_alone()
    async with Database.open(url) as third:
        await third.serve_alone()


async def book_nothing(db: Database) -> None:
    async with db.transaction():
        pass
