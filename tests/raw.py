"""What tests do to a database behind the application's back, on each engine."""

from app.database.db import Database, Transaction
from app.database.full_text import word_search


async def without_triggers(db: Database, tx: Transaction) -> None:
    """Let what follows in the transaction change what triggers protect."""
    if db.engine == "postgresql":
        await tx.execute("SET LOCAL session_replication_role = replica")
        return
    for row in await tx.fetch_all("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
        await tx.execute(f"DROP TRIGGER {row['name']}")


async def indexed(db: Database, table: str, word: str) -> int:
    """Count the texts of a table in whose index words that begin so stand."""
    words = word_search(db, f"{table}_fts")
    return len(await db.fetch_all(f"SELECT rowid FROM {table}_fts WHERE {words.matches}", f'"{word}"*'))


async def assert_index_is_whole(db: Database, table: str) -> None:
    """The index holds the words of the rows that there are, and no others."""
    if db.engine == "sqlite":
        async with db.transaction() as tx:
            await tx.execute(f"INSERT INTO {table}_fts({table}_fts, rank) VALUES ('integrity-check', 1)")
        return
    rows = await db.fetch_all(
        f"SELECT 1 FROM {table} FULL JOIN {table}_fts ON rowid = id WHERE rowid IS NULL OR id IS NULL"
    )
    assert rows == []
