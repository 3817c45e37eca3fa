"""Copy everything from one database to another, SQLite or PostgreSQL, checked row by row; the way back likewise.

All of it is one transaction of the target: what is interrupted has not happened, and can be done again.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from app.database.db import Database, Engine, Row, Transaction, Value
from app.domain.errors import ConfigError, Rejected

_PAGE: Final = 500
_NOT_MOVED: Final = ("schema_migrations", "sqlite_", "vec_embeddings")


@dataclass(frozen=True, slots=True)
class MovedTable:
    """What is now in both databases; `sha256` is over all rows in the order of their keys."""

    name: str
    rows: int
    sha256: str


class _Side(Protocol):
    """What moving has to do otherwise in each database."""

    async def tables(self, db: Database) -> set[str]:
        """Return the tables that hold what people and the application wrote; no search indexes."""
        ...

    async def key(self, db: Database, table: str) -> list[str]: ...

    async def last_numbers(self, db: Database) -> Mapping[str, int]:
        """Return the highest number that each table ever gave: none is given twice."""
        ...

    async def empty(self, tables: Iterable[str], tx: Transaction) -> None: ...

    async def silence(self, tx: Transaction) -> list[str]:
        """Keep triggers from acting on what is copied, but those that index words; returns how to undo it."""
        ...

    async def set_numbers(self, tables: Iterable[str], last: Mapping[str, int], tx: Transaction) -> None: ...


class _Sqlite:
    async def tables(self, db: Database) -> set[str]:
        rows = await db.fetch_all("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        return {row["name"] for row in rows}

    async def key(self, db: Database, table: str) -> list[str]:
        rows = await db.fetch_all("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table)
        return [row["name"] for row in rows]

    async def last_numbers(self, db: Database) -> Mapping[str, int]:
        return {row["name"]: row["seq"] for row in await db.fetch_all("SELECT name, seq FROM sqlite_sequence")}

    async def empty(self, tables: Iterable[str], tx: Transaction) -> None:
        for table in tables:
            await tx.execute(f'DELETE FROM "{table}"')

    async def silence(self, tx: Transaction) -> list[str]:
        rows = await tx.fetch_all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        silenced = [row for row in rows if "_fts(" not in row["sql"]]
        for row in silenced:
            await tx.execute(f'DROP TRIGGER "{row["name"]}"')
        return [row["sql"] for row in silenced]

    async def set_numbers(self, tables: Iterable[str], last: Mapping[str, int], tx: Transaction) -> None:
        rows = await tx.fetch_all("SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'")
        for table in {row["name"] for row in rows} & set(tables) & last.keys():
            await tx.execute("DELETE FROM sqlite_sequence WHERE name = ?", table)
            await tx.execute("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", table, last[table])


class _Postgresql:
    async def tables(self, db: Database) -> set[str]:
        rows = await db.fetch_all("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return {row["tablename"] for row in rows if not row["tablename"].endswith("_fts")}

    async def key(self, db: Database, table: str) -> list[str]:
        rows = await db.fetch_all(
            "SELECT a.attname FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid"
            " AND a.attnum = ANY (i.indkey) WHERE i.indisprimary"
            " AND i.indrelid = CAST(CAST(? AS TEXT) AS regclass)"
            " ORDER BY array_position(CAST(i.indkey AS smallint[]), a.attnum)",
            table,
        )
        return [str(row["attname"]) for row in rows]

    async def last_numbers(self, db: Database) -> Mapping[str, int]:
        rows = await db.fetch_all(
            "SELECT sequencename, last_value FROM pg_sequences"
            " WHERE schemaname = current_schema() AND last_value IS NOT NULL"
        )
        return {row["sequencename"].removesuffix("_id_seq"): row["last_value"] for row in rows}

    async def empty(self, tables: Iterable[str], tx: Transaction) -> None:
        names = ", ".join(f'"{table}"' for table in tables)
        await tx.execute(f"TRUNCATE {names} CASCADE")

    async def silence(self, tx: Transaction) -> list[str]:
        rows = await tx.fetch_all(
            "SELECT t.tgname, c.relname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid"
            " WHERE NOT t.tgisinternal AND c.relnamespace = CAST(current_schema() AS regnamespace)"
        )
        silenced = [row for row in rows if not row["tgname"].endswith("_fts_follows")]
        for row in silenced:
            await tx.execute(f'ALTER TABLE "{row["relname"]}" DISABLE TRIGGER "{row["tgname"]}"')
        return [f'ALTER TABLE "{row["relname"]}" ENABLE TRIGGER "{row["tgname"]}"' for row in silenced]

    async def set_numbers(self, tables: Iterable[str], last: Mapping[str, int], tx: Transaction) -> None:
        rows = await tx.fetch_all(
            "SELECT table_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES'"
        )
        for table in {str(row["table_name"]) for row in rows} & set(tables):
            row = await tx.fetch_one(f'SELECT coalesce(max(id), 0) AS id FROM "{table}"')
            number = max(last.get(table, 0), 0 if row is None else row["id"])
            await tx.fetch_all(
                "SELECT setval(CAST(pg_get_serial_sequence(?1, 'id') AS regclass), ?2, ?3)",
                table,
                max(number, 1),
                number > 0,
            )


def _side(engine: Engine) -> _Side:
    return _Sqlite() if engine == "sqlite" else _Postgresql()


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    async def pages(self, reader: Database | Transaction) -> AsyncIterator[list[Row]]:
        """Give all rows in the order of their keys, some hundreds at a time."""
        names = ", ".join(f'"{name}"' for name in self.columns)
        keys = ", ".join(f'"{name}"' for name in self.key)
        marks = ", ".join("?" for _ in self.key)
        after: tuple[Value, ...] = ()
        while True:
            where = f" WHERE ({keys}) > ({marks})" if after else ""
            rows = await reader.fetch_all(
                f'SELECT {names} FROM "{self.name}"{where} ORDER BY {keys} LIMIT {_PAGE}', *after
            )
            if rows:
                yield rows
            if len(rows) < _PAGE:
                return
            after = tuple(rows[-1][name] for name in self.key)


async def count_rows(db: Database) -> dict[str, int]:
    """Return how many rows there are to move, for each table."""
    found = {}
    for table in sorted(await _side(db.engine).tables(db)):
        if not table.startswith(_NOT_MOVED):
            row = await db.fetch_one(f'SELECT count(*) AS n FROM "{table}"')
            found[table] = 0 if row is None else int(row["n"])
    return found


async def move(
    source: Database, target: Database, *, replaces: bool, tell: Callable[[str, int], None]
) -> list[MovedTable]:
    """Copy every row, and compare what then is in the target with what was read; `tell` hears of rows that come.

    Both have the newest schema, and nobody else writes to either. With `replaces`, what the target holds goes.

    Raises:
        Rejected: `target_not_empty`: the target holds something; `moved_otherwise`: what was written is not what
            was read. Nothing has changed.
        ConfigError: the databases do not have the same tables.
        Transient: one of them failed; nothing has changed.
    """
    tables = await _tables_of_both(source, target)
    side, last = _side(target.engine), await _side(source.engine).last_numbers(source)
    if not replaces and (filled := [name for name, count in (await count_rows(target)).items() if count]):
        raise Rejected("target_not_empty", f"the target already holds something: {', '.join(filled)}")
    async with target.transaction() as tx:
        await tx.defer_foreign_keys()
        undo = await side.silence(tx)
        await side.empty([table.name for table in tables], tx)
        moved = [await _copy(table, source, tx, tell) for table in tables]
        await tx.check_foreign_keys([table.name for table in tables])
        await side.set_numbers([table.name for table in tables], last, tx)
        for statement in undo:
            await tx.execute(statement)
        for table, copied in zip(tables, moved, strict=True):
            if await _digest(table, tx) != copied:
                raise Rejected("moved_otherwise", f"what was written to {table.name} is not what was read")
    return moved


async def _tables_of_both(source: Database, target: Database) -> list[_Table]:
    found = []
    there = await _side(target.engine).tables(target)
    for name in await count_rows(source):
        columns = {column.name for column in await source.list_columns(name)}
        if name not in there or columns != {column.name for column in await target.list_columns(name)}:
            raise ConfigError("DATABASE_URL", f"the table {name} is not the same in both; update both first")
        key = await _side(source.engine).key(source, name)
        found.append(_Table(name, tuple(sorted(columns)), tuple(key)))
    return found


async def _copy(table: _Table, source: Database, tx: Transaction, tell: Callable[[str, int], None]) -> MovedTable:
    digest, count = hashlib.sha256(), 0
    names = ", ".join(f'"{name}"' for name in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    statement = f'INSERT INTO "{table.name}"({names}) VALUES ({marks})'
    async for rows in table.pages(source):
        await tx.execute_many(statement, [tuple(row) for row in rows])
        _add(digest, rows)
        count += len(rows)
        tell(table.name, len(rows))
    return MovedTable(table.name, count, digest.hexdigest())


async def _digest(table: _Table, tx: Transaction) -> MovedTable:
    digest, count = hashlib.sha256(), 0
    async for rows in table.pages(tx):
        _add(digest, rows)
        count += len(rows)
    return MovedTable(table.name, count, digest.hexdigest())


def _add(digest: Any, rows: Sequence[Row]) -> None:
    for row in rows:
        digest.update(json.dumps([_plain(value) for value in row], ensure_ascii=False).encode() + b"\n")


def _plain(value: Value) -> Value:
    """Return what both databases give for the same value; PostgreSQL keeps no text with the character 0 in it."""
    if isinstance(value, bytes):
        return value.hex()
    return value.replace("\0", "") if isinstance(value, str) else value
