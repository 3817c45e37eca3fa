"""Both databases hold the same: tables, columns, keys, references, indexes, views and triggers."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from app.database.db import MEMORY, Database
from app.database.migrate import load_migrations, migrate
from tests.postgresql import Server

TYPES: Final = {"INTEGER": "bigint", "TEXT": "text", "BLOB": "bytea", "REAL": "double precision"}
LEDGER: Final = "schema_migrations"
FULL_TEXT: Final = re.compile(r"INSERT INTO \w+_fts\(.*?\)\s+VALUES \(.*?\);", re.DOTALL)
"""What keeps an index of words in SQLite; in PostgreSQL a trigger does, `…_fts_follows`."""


@asynccontextmanager
async def both(postgresql: Server) -> AsyncIterator[tuple[Database, Database]]:
    async with Database.open(MEMORY) as one, Database.open(postgresql.create(is_migrated=True)) as other:
        await migrate(one)
        await migrate(other)
        yield one, other


async def names(db: Database, sql: str) -> list[str]:
    return sorted({str(row[0]) for row in await db.fetch_all(sql)})


async def tables(db: Database) -> list[str]:
    """The tables of the application, without the indexes of words."""
    if db.engine == "sqlite":
        found = await names(db, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    else:
        found = await names(db, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return [name for name in found if not name.startswith("sqlite_") and not name.endswith("_fts")]


async def test_each_room_is_as_far_on_in_postgresql_as_in_sqlite() -> None:
    newest = [{one.room: one.version for one in load_migrations(engine)} for engine in ("sqlite", "postgresql")]
    assert newest[0] == newest[1], "a migration NNNN_name.sql needs its NNNN_name.postgresql.sql"


async def test_the_same_tables_with_the_same_columns(postgresql: Server) -> None:
    async with both(postgresql) as (sqlite, server):
        assert await tables(sqlite) == await tables(server)
        for table in await tables(sqlite):
            rows = await sqlite.fetch_all("SELECT * FROM pragma_table_info(?) ORDER BY name", table)
            wanted = [
                (
                    row["name"],
                    TYPES[row["type"]],
                    not row["notnull"] and not row["pk"],
                    row["dflt_value"] is not None,
                )
                for row in rows
            ]
            there = await server.fetch_all(
                "SELECT column_name, data_type, is_nullable, column_default, collation_name"
                " FROM information_schema.columns"
                " WHERE table_schema = 'public' AND table_name = ? ORDER BY column_name COLLATE \"C\"",
                table,
            )
            found = [
                (
                    row["column_name"],
                    row["data_type"] if table != LEDGER else row["data_type"].replace("integer", "bigint"),
                    row["is_nullable"] == "YES",
                    row["column_default"] is not None,
                )
                for row in there
            ]
            assert found == wanted, table
            # Compared and ordered by their bytes, as in SQLite.
            assert {row["collation_name"] for row in there if row["data_type"] == "text"} <= {
                "C"
            } or table == LEDGER


async def test_the_same_keys(postgresql: Server) -> None:
    async with both(postgresql) as (sqlite, server):
        for table in await tables(sqlite):
            rows = await sqlite.fetch_all(
                "SELECT l.name, group_concat(c.name) AS columns FROM pragma_index_list(?1) AS l,"
                ' pragma_index_info(l.name) AS c WHERE l."unique" AND NOT l.partial GROUP BY l.name',
                table,
            )
            wanted = {frozenset(row["columns"].split(",")) for row in rows}
            keys = await sqlite.fetch_all("SELECT name FROM pragma_table_info(?) WHERE pk", table)
            wanted |= {frozenset(row["name"] for row in keys)} - {frozenset()}
            there = await server.fetch_all(
                "SELECT array_agg(a.attname::text) AS columns FROM pg_index AS i JOIN pg_attribute AS a"
                " ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
                " WHERE i.indrelid = CAST(CAST(? AS TEXT) AS regclass) AND i.indisunique AND i.indpred IS NULL"
                " GROUP BY i.indexrelid",
                table,
            )
            assert {frozenset(row["columns"]) for row in there} == wanted, table


async def test_the_same_references(postgresql: Server) -> None:
    async with both(postgresql) as (sqlite, server):
        for table in await tables(sqlite):
            rows = await sqlite.fetch_all(
                'SELECT "table" AS target, group_concat("from") AS columns, on_delete'
                " FROM pragma_foreign_key_list(?) GROUP BY id",
                table,
            )
            wanted = sorted((row["target"], sorted(row["columns"].split(",")), row["on_delete"]) for row in rows)
            there = await server.fetch_all(
                "SELECT confrelid::regclass::text AS target, confdeltype, condeferrable,"
                " (SELECT array_agg(a.attname::text) FROM pg_attribute AS a"
                "  WHERE a.attrelid = conrelid AND a.attnum = ANY (conkey)) AS columns"
                " FROM pg_constraint WHERE contype = 'f' AND conrelid = CAST(CAST(? AS TEXT) AS regclass)",
                table,
            )
            acts = {b"c": "CASCADE", b"n": "SET NULL", b"a": "NO ACTION"}
            assert all(row["condeferrable"] for row in there), table
            assert (
                sorted((row["target"], sorted(row["columns"]), acts[row["confdeltype"]]) for row in there)
                == wanted
            ), table


async def test_the_same_indexes_and_views(postgresql: Server) -> None:
    async with both(postgresql) as (sqlite, server):
        indexes = await names(
            sqlite, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        )
        found = await names(server, "SELECT indexname FROM pg_indexes WHERE schemaname = 'public'")
        own = [name for name in found if not re.search(r"_(pkey|key\d*|fts_words)$", name)]
        assert own == indexes
        views = await names(server, "SELECT viewname FROM pg_views WHERE schemaname = 'public'")
        assert views == await names(sqlite, "SELECT name FROM sqlite_schema WHERE type = 'view'")


async def test_the_same_triggers(postgresql: Server) -> None:
    async with both(postgresql) as (sqlite, server):
        rows = await sqlite.fetch_all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        wanted = sorted(
            row["name"] for row in rows if FULL_TEXT.sub("", row["sql"]).partition("BEGIN")[2].strip() != "END"
        )
        found = await names(server, "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        indexes = await names(sqlite, "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
    assert [name for name in found if not name.endswith("_fts_follows")] == wanted
    assert sorted(name.removesuffix("_follows") for name in found if name.endswith("_fts_follows")) == indexes
