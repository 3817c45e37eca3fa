"""The database keeps every write whole, whatever is cancelled, raised or done beside it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from app.database.db import MEMORY, Database
from app.domain.errors import ConfigError, Transient

WAIT_S = 20


@asynccontextmanager
async def ledger(path: Path | str) -> AsyncIterator[Database]:
    """A database with two tables that every transaction here writes together."""
    async with Database.open(path) as db:
        await db.execute_script("CREATE TABLE debit (n INTEGER); CREATE TABLE credit (n INTEGER)")
        yield db


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    async with ledger(tmp_path / "ledger.db") as opened:
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


async def test_four_hundred_cancellations_leave_no_transaction_open_and_none_half_done(db: Database) -> None:
    ends = {"cancelled": 0, "finished": 0}
    for n in range(400):
        task = asyncio.create_task(book(db, n))
        await cancel_after(n % 80, task)
        ends["cancelled" if task.cancelled() else "finished"] += 1
        if n % 8 == 0:
            await book(db, 1000 + n)
    debits = await numbers(db, "debit")
    assert debits == await numbers(db, "credit")
    assert {n for n in debits if n >= 1000} == {1000 + n for n in range(0, 400, 8)}
    assert ends["cancelled"] >= 40


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


@pytest.mark.parametrize("place", ["file", "memory"])
async def test_statements_of_another_task_never_join_an_open_transaction(tmp_path: Path, place: str) -> None:
    async with ledger(tmp_path / "ledger.db" if place == "file" else MEMORY) as db:
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


async def test_what_was_committed_is_there_after_opening_again(tmp_path: Path) -> None:
    async with ledger(tmp_path / "ledger.db") as db:
        await book(db, 7)
    async with Database.open(tmp_path / "ledger.db") as again:
        assert await numbers(again, "debit") == [7]


async def test_a_database_in_memory_reads_what_it_wrote_and_forgets_it_at_the_end() -> None:
    async with ledger(MEMORY) as db:
        await book(db, 1)
        assert await numbers(db, "debit") == [1]
    async with ledger(MEMORY) as another:
        assert await numbers(another, "debit") == []


async def test_a_commit_is_on_disk_before_it_is_acknowledged(db: Database) -> None:
    full = 2
    async with db.transaction() as tx:
        synchronous = await tx.fetch_one("PRAGMA synchronous")
        journal = await tx.fetch_one("PRAGMA journal_mode")
    assert synchronous is not None
    assert synchronous[0] == full
    assert journal is not None
    assert journal[0] == "wal"


async def test_deleted_content_is_overwritten_in_the_file(db: Database) -> None:
    async with db.transaction() as tx:
        row = await tx.fetch_one("PRAGMA secure_delete")
    assert row is not None
    assert row[0] == 1


async def test_a_row_cannot_point_to_one_that_is_not_there(db: Database) -> None:
    await db.execute_script(
        "CREATE TABLE owner (id INTEGER PRIMARY KEY);"
        "CREATE TABLE thing (owner INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE)"
    )
    with pytest.raises(Exception, match="FOREIGN KEY"):
        async with db.transaction() as tx:
            await tx.execute("INSERT INTO thing VALUES (1)")
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO owner VALUES (1)")
        await tx.execute("INSERT INTO thing VALUES (1)")
        await tx.execute("DELETE FROM owner")
        assert await tx.fetch_all("SELECT * FROM thing") == []


async def test_a_file_that_stays_locked_is_transient_and_usable_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with ledger(path) as holder, Database.open(path, busy_timeout_ms=20) as db:
        async with holder.transaction():
            with pytest.raises(Transient, match="locked"):
                await book(db, 1)
        await book(db, 2)
        assert await numbers(db, "debit") == [2]


async def test_the_write_probe_changes_the_file_each_time(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with ledger(path) as db, Database.open(path) as other:
        versions = []
        for _ in range(3):
            await db.probe_write()
            versions.append((await other.fetch_all("PRAGMA data_version"))[0][0])
    assert len(set(versions)) == len(versions)


async def test_the_write_probe_fails_when_writing_does(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with ledger(path) as holder, Database.open(path, busy_timeout_ms=20) as db:
        async with holder.transaction():
            with pytest.raises(Transient):
                await db.probe_write()
        await db.probe_write()


@pytest.mark.parametrize("content", [None, b"no database at all, only words " * 100])
async def test_a_path_that_holds_no_database_is_a_wrong_setting(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "there" / "x.db"
    if content is not None:
        path.parent.mkdir()
        path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        async with Database.open(path):
            pass
    assert caught.value.code == "DATABASE_PATH"


async def test_a_broken_rule_is_not_transient(db: Database) -> None:
    await db.execute_script("CREATE UNIQUE INDEX once ON debit(n)")
    await book(db, 1)
    with pytest.raises(Exception, match="UNIQUE") as caught:
        await book(db, 1)
    assert not isinstance(caught.value, Transient)


async def test_a_damaged_file_is_transient(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with ledger(path) as db:
        await book(db, 1)
    data = path.read_bytes()
    async with Database.open(path) as db:
        path.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
        with pytest.raises(Transient):
            await numbers(db, "debit")
        with pytest.raises(Transient):
            await book(db, 2)


async def test_a_script_that_fails_half_way_leaves_nothing(db: Database) -> None:
    with pytest.raises(Exception, match="nowhere"):
        await db.execute_script("BEGIN; INSERT INTO debit VALUES (1); INSERT INTO nowhere VALUES (1); COMMIT;")
    await book(db, 2)
    assert await numbers(db, "debit") == [2]


async def test_a_copy_holds_what_was_committed(db: Database, tmp_path: Path) -> None:
    await book(db, 3)
    await db.copy_to(tmp_path / "copy.db")
    await book(db, 4)
    async with Database.open(tmp_path / "copy.db") as copy:
        assert await numbers(copy, "debit") == [3]


async def test_execute_tells_how_many_rows_changed(db: Database) -> None:
    async with db.transaction() as tx:
        numbered = count(1)
        await tx.execute_many("INSERT INTO debit VALUES (?)", [(next(numbered),) for _ in range(3)])
        changed = await tx.execute("UPDATE debit SET n = n + 10 WHERE n > ?", 1)
        missing = await tx.fetch_one("SELECT n FROM debit WHERE n = 99")
    assert changed == len((2, 3))
    assert missing is None
