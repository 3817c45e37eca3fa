"""Migrations: each file once, in order, whole or not at all, and never on data without a copy."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.database.db import MEMORY, Database
from app.database.migrate import Migration, list_applied, load_migrations, migrate
from app.domain.errors import ConfigError

FORMER = Path(__file__).parent / "data" / "database_of_schema_0010.sql"
"""As the program left it when all migrations were the core's; with data of two people."""
ASKED_FORMERLY = frozenset({"approvals", "erasure_requests"})
"""Their open questions are ended by the start that follows; `test_approvals.py` has that."""
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
    assert list(await list_applied(db)) == [migration.key for migration in load_migrations()]
    assert await db.fetch_all("PRAGMA foreign_key_check") == []


NOTES = Migration(1, "notes", "-- replaces: 0002_second\nINSERT INTO log VALUES ('notes');", room="notes")


async def test_a_room_numbers_its_files_for_itself(db: Database) -> None:
    assert await migrate(db, migrations=(FIRST, NOTES)) == len((FIRST, NOTES))
    assert await steps(db) == ["first", "notes"]
    assert await migrate(db, migrations=(FIRST, SECOND, NOTES)) == 1


async def test_what_a_former_file_did_is_only_noted(db: Database) -> None:
    await migrate(db, migrations=(FIRST, SECOND))
    rest = replace(SECOND, name="rest", sql="-- replaces: 0002_second\nINSERT INTO log VALUES ('rest');")
    assert await migrate(db, migrations=(FIRST, rest, NOTES)) == 1
    assert await steps(db) == ["first", "second"]
    assert await migrate(db, migrations=(FIRST, rest, NOTES)) == 0


async def test_an_ability_that_came_later_is_applied_whatever_has_its_number_in_the_core(db: Database) -> None:
    await migrate(db, migrations=(FIRST, replace(SECOND, name="rest")))
    await migrate(db, migrations=(FIRST, replace(SECOND, name="rest"), NOTES))
    assert await steps(db) == ["first", "second", "notes"]


async def test_a_room_that_is_gone_leaves_its_tables_and_harms_nothing(db: Database) -> None:
    await migrate(db, migrations=(FIRST, NOTES))
    assert await migrate(db, migrations=(FIRST, SECOND)) == 1
    assert await migrate(db, migrations=(FIRST, SECOND, NOTES)) == 0


async def test_a_newer_ability_is_refused_and_named(db: Database) -> None:
    await migrate(db, migrations=(FIRST, NOTES, replace(NOTES, version=2)))
    with pytest.raises(ConfigError, match="notes 0002, newer than this program"):
        await migrate(db, migrations=(FIRST, NOTES))


async def former_database(path: Path) -> None:
    async with Database.open(path) as db:
        await db.execute_script(FORMER.read_text("utf-8"))


async def schema(db: Database) -> dict[str, str]:
    rows = await db.fetch_all("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {row["name"]: row["sql"] for row in rows}


@pytest.mark.needs("notes", "projects")
async def test_a_database_of_the_former_files_gets_the_schema_of_a_new_one(tmp_path: Path, db: Database) -> None:
    await former_database(tmp_path / "live.db")
    await migrate(db)
    async with Database.open(tmp_path / "live.db") as old:
        await migrate(old, backup_dir=tmp_path / "backups")
        assert await schema(old) == await schema(db)
        assert (await list_applied(old)).keys() >= {one.key for one in load_migrations()}
        assert await migrate(old) == 0
    assert len(list((tmp_path / "backups").iterdir())) == 1


async def test_a_database_of_the_former_files_keeps_what_is_in_it(tmp_path: Path) -> None:
    await former_database(tmp_path / "live.db")
    async with Database.open(tmp_path / "live.db") as db:
        kept = [table for table in await tables(db) if table not in ASKED_FORMERLY]
        before = {table: await rows_of(db, table) for table in kept}
        await migrate(db)
        for table, rows in before.items():
            # What a table was given since stands behind its former columns.
            assert [row[: len(old)] for row, old in zip(await rows_of(db, table), rows, strict=True)] == rows
        assert len(before["notes"]) == 3
        found = await db.fetch_all("SELECT rowid FROM notes_fts WHERE notes_fts MATCH 'harina'")
        assert [row["rowid"] for row in found] == [1]
        async with db.transaction() as tx:
            await tx.execute("DELETE FROM notes WHERE id = 1")
        assert [row["owner_id"] for row in await db.fetch_all("SELECT * FROM embeddings WHERE kind = 'note'")] == [
            2
        ]
        assert await db.fetch_all("PRAGMA foreign_key_check") == []


async def tables(db: Database) -> list[str]:
    rows = await db.fetch_all("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    return [row["name"] for row in rows if row["name"] not in {"schema_migrations", "sqlite_schema"}]


async def rows_of(db: Database, table: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await db.fetch_all(f'SELECT * FROM "{table}" ORDER BY 1')]
