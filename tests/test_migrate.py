"""Migrations: each file once, in order, whole or not at all, and never on data without a copy."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.database.db import MEMORY, Database
from app.database.migrate import Migration, load_migrations, migrate
from app.domain.errors import ConfigError

FIRST = Migration(1, "first", "CREATE TABLE log (step TEXT); INSERT INTO log VALUES ('first');")
SECOND = Migration(2, "second", "INSERT INTO log VALUES ('second');")
BROKEN = Migration(2, "broken", "INSERT INTO log VALUES ('half'); INSERT INTO nowhere VALUES (1);")


@pytest.fixture
async def db() -> AsyncIterator[Database]:
    async with Database.open(MEMORY) as opened:
        yield opened


async def steps(db: Database) -> list[str]:
    return [row["step"] for row in await db.fetch_all("SELECT step FROM log ORDER BY rowid")]


async def versions(db: Database) -> list[int]:
    return [row["version"] for row in await db.fetch_all("SELECT version FROM schema_migrations ORDER BY 1")]


async def test_every_file_is_applied_once_in_order(db: Database) -> None:
    assert await migrate(db, migrations=(FIRST, SECOND)) == len((FIRST, SECOND))
    assert await steps(db) == ["first", "second"]
    assert await versions(db) == [1, 2]


async def test_a_second_run_applies_nothing(db: Database) -> None:
    await migrate(db, migrations=(FIRST, SECOND))
    assert await migrate(db, migrations=(FIRST, SECOND)) == 0
    assert await steps(db) == ["first", "second"]


async def test_only_what_is_missing_is_applied(db: Database) -> None:
    await migrate(db, migrations=(FIRST,))
    assert await migrate(db, migrations=(FIRST, SECOND)) == 1
    assert await steps(db) == ["first", "second"]


async def test_a_file_that_was_changed_after_it_was_applied_is_refused(db: Database) -> None:
    await migrate(db, migrations=(FIRST,))
    with pytest.raises(ConfigError, match="0001 was changed") as caught:
        await migrate(db, migrations=(replace(FIRST, sql=FIRST.sql + " "), SECOND))
    assert caught.value.code == "DATABASE_PATH"
    assert await steps(db) == ["first"]


async def test_a_database_of_a_newer_program_is_refused(db: Database) -> None:
    await migrate(db, migrations=(FIRST, SECOND))
    with pytest.raises(ConfigError, match="newer than this program") as caught:
        await migrate(db, migrations=(FIRST,))
    assert caught.value.code == "DATABASE_PATH"


async def test_a_failing_migration_leaves_the_database_as_it_was(db: Database) -> None:
    await migrate(db, migrations=(FIRST,))
    with pytest.raises(Exception, match="nowhere"):
        await migrate(db, migrations=(FIRST, BROKEN))
    assert await steps(db) == ["first"]
    assert await versions(db) == [1]
    assert await migrate(db, migrations=(FIRST, SECOND)) == 1


async def test_what_came_before_a_failing_migration_stays_applied(db: Database) -> None:
    with pytest.raises(Exception, match="nowhere"):
        await migrate(db, migrations=(FIRST, BROKEN))
    assert await versions(db) == [1]
    assert await steps(db) == ["first"]


async def test_a_database_with_data_is_copied_before_it_is_touched(tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    async with Database.open(tmp_path / "live.db") as db:
        await migrate(db, migrations=(FIRST,), backup_dir=backups)
        assert not backups.exists()
        await migrate(db, migrations=(FIRST, SECOND), backup_dir=backups)
        await migrate(db, migrations=(FIRST, SECOND), backup_dir=backups)
    [copy] = backups.iterdir()
    async with Database.open(copy) as saved:
        assert await steps(saved) == ["first"]
        assert await versions(saved) == [1]


async def test_the_copy_is_there_even_if_the_migration_fails(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "live.db") as db:
        await migrate(db, migrations=(FIRST,))
        with pytest.raises(Exception, match="nowhere"):
            await migrate(db, migrations=(FIRST, BROKEN), backup_dir=tmp_path / "backups")
    assert len(list((tmp_path / "backups").iterdir())) == 1


async def test_the_shipped_migrations_apply_to_an_empty_database_and_then_rest(db: Database) -> None:
    assert await migrate(db) == len(load_migrations())
    assert await migrate(db) == 0
    assert await versions(db) == [migration.version for migration in load_migrations()]
    assert await db.fetch_all("PRAGMA foreign_key_check") == []
