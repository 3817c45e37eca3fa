"""The database keeps every write whole, whatever is cancelled, raised or done beside it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.database.db import MEMORY, Database
from app.database.sqlite import DATABASE_ERRORS
from app.domain.errors import ConfigError, Transient

WAIT_S = 60


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


async def test_a_file_that_stays_locked_is_transient_and_usable_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with ledger(path) as holder, Database.open(path, busy_timeout_ms=20) as db:
        async with holder.transaction() as held:
            await held.fetch_one("SELECT 1")
            with pytest.raises(Transient, match="locked"):
                await book(db, 1)
        await book(db, 2)
        assert await numbers(db, "debit") == [2]


async def test_after_a_lock_that_was_refused_nothing_is_written_outside_of_the_transaction(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with ledger(path) as holder, Database.open(path, busy_timeout_ms=20) as db:

        async def go_on_until_it_fails() -> None:
            async with db.transaction() as tx:
                async with holder.transaction() as held:
                    await held.fetch_one("SELECT 1")
                    with pytest.raises(DATABASE_ERRORS, match="locked"):
                        await tx.execute("INSERT INTO debit VALUES (1)")
                await tx.execute("INSERT INTO debit VALUES (2)")
                raise RuntimeError("undo it")

        with pytest.raises(RuntimeError, match="undo it"):
            await go_on_until_it_fails()
        assert await numbers(db, "debit") == []


async def test_a_transaction_without_a_statement_leaves_the_file_to_others(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with ledger(path) as holder, Database.open(path, busy_timeout_ms=20) as db:
        async with holder.transaction() as idle:
            await book(db, 1)
            async with idle.part():
                await book(db, 2)
        assert await numbers(db, "debit") == [1, 2]


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
        async with holder.transaction() as held:
            await held.fetch_one("SELECT 1")
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


async def test_a_copy_holds_what_was_committed(db: Database, tmp_path: Path) -> None:
    await book(db, 3)
    await db.copy_to(tmp_path / "copy.db")
    await book(db, 4)
    async with Database.open(tmp_path / "copy.db") as copy:
        assert await numbers(copy, "debit") == [3]
