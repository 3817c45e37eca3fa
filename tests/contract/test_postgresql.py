"""What only a server can do to us: go away, come back, refuse, and hold a password."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from app.database.db import Database
from app.domain.errors import ConfigError, Transient
from tests.postgresql import Server

WAIT_S = 60
pytestmark = [pytest.mark.lengthy, pytest.mark.timeout(300)]
"""A server that is started again on a busy machine takes its time."""

PASSWORD = "s3cr3t-of-ours"


@pytest.fixture
async def db(postgresql: Server) -> AsyncIterator[Database]:
    async with Database.open(postgresql.create()) as opened:
        await opened.execute_script("CREATE TABLE debit (n BIGINT)")
        yield opened


async def write(db: Database, n: int) -> None:
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO debit VALUES (?)", n)


async def test_while_the_server_is_gone_all_is_transient_and_afterwards_it_goes_on(
    db: Database, postgresql: Server
) -> None:
    await db.serve_alone()
    await write(db, 1)
    try:
        await asyncio.to_thread(postgresql.stop)
        for _ in range(2):
            with pytest.raises(Transient, match="database_failed"):
                await write(db, 2)
            with pytest.raises(Transient, match="database_failed"):
                await db.fetch_all("SELECT n FROM debit")
            with pytest.raises(Transient):
                await db.probe_write()
    finally:
        await asyncio.to_thread(postgresql.start)
    async with asyncio.timeout(WAIT_S):
        await write(db, 3)
        rows = await db.fetch_all("SELECT n FROM debit ORDER BY n")

    assert [row["n"] for row in rows] == [1, 3]


async def test_a_transaction_that_loses_the_server_leaves_nothing(db: Database, postgresql: Server) -> None:
    try:
        with pytest.raises(Transient):
            await lose_the_server(db, postgresql)
    finally:
        await asyncio.to_thread(postgresql.start)
    async with asyncio.timeout(WAIT_S):
        await write(db, 2)
        rows = await db.fetch_all("SELECT n FROM debit")

    assert [row["n"] for row in rows] == [2]


async def lose_the_server(db: Database, postgresql: Server) -> None:
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO debit VALUES (1)")
        await asyncio.to_thread(postgresql.stop)


async def test_who_comes_back_to_a_server_takes_its_lock_again(postgresql: Server) -> None:
    url = postgresql.create()
    async with Database.open(url) as db, Database.open(url) as other:
        await db.serve_alone()
        await asyncio.to_thread(postgresql.stop)
        await asyncio.to_thread(postgresql.start)
        async with asyncio.timeout(WAIT_S), db.transaction():
            pass
        with pytest.raises(ConfigError, match="another process"):
            await other.serve_alone()


async def test_a_character_that_the_server_cannot_store_is_left_out(db: Database) -> None:
    await db.execute_script("CREATE TABLE said (text TEXT)")
    async with db.transaction() as tx:
        await tx.execute("INSERT INTO said VALUES (?)", "a\0b")

    assert [row["text"] for row in await db.fetch_all("SELECT text FROM said")] == ["ab"]


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann:{PASSWORD}@127.0.0.1:1/wasap",
        f"postgresql://ann:{PASSWORD}@localhost:not-a-port/wasap",
        f"postgresql://ann:{PASSWORD}@/wasap?host=/nowhere",
        f"postgresql://ann@127.0.0.1:1/wasap?password={PASSWORD}",
        f"postgresql://ann:{PASSWORD}@127.0.0.1:1/wasap?sslmode={PASSWORD}",
    ],
)
async def test_no_error_tells_the_password(url: str) -> None:
    pytest.importorskip("asyncpg")

    with pytest.raises(ConfigError) as caught:
        await open_and_close(url)

    assert caught.value.code == "DATABASE_URL"
    assert PASSWORD not in f"{caught.value!s} {caught.value!r} {caught.value.__cause__!r}"


async def test_the_label_names_the_server_without_user_and_password(postgresql: Server) -> None:
    url = postgresql.create().replace("postgres@", f"postgres:{PASSWORD}@")
    async with Database.open(url) as db:
        label = db.label

    assert label.startswith("PostgreSQL 1")
    assert PASSWORD not in label
    assert "postgres@" not in label


async def test_without_the_library_a_server_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    monkeypatch.delitem(sys.modules, "app.database.postgresql", raising=False)

    with pytest.raises(ConfigError, match="pip install"):
        await open_and_close(f"postgresql://ann:{PASSWORD}@127.0.0.1:1/wasap")


def test_a_start_with_files_needs_no_library_of_servers_nor_of_stores() -> None:
    """In a process of its own, which has imported nothing yet: a database in a file, people's files in folders."""
    script = (
        "import sys; sys.modules['asyncpg'] = sys.modules['obstore'] = None\n"
        "import asyncio, app.main, app.cli.main\n"
        "from app.database.db import Database\n"
        "from app.database.migrate import migrate\n"
        "async def run():\n"
        "    async with Database.open(':memory:') as db:\n"
        "        assert await migrate(db)\n"
        "asyncio.run(run())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)

    assert done.returncode == 0, done.stderr.decode()


async def open_and_close(url: str) -> None:
    async with Database.open(url):
        pass
