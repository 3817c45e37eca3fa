"""Every statement of the application is one that PostgreSQL understands, also those that no test runs there."""

import re
from typing import Any, Final

import pytest

from app.database.db import Database
from app.database.dialect import for_postgresql
from app.privacy.ownership import Ownership
from tests.postgresql import Server
from tests.test_query_plans import ROOT, Source, Statement, _texts, has_statements

OF_SQLITE: Final = frozenset({"app/database/vectors.py", "app/cli/restore.py"})
"""Its own search of vectors, and its own files; `watching` makes triggers."""


def as_written_for_a_server(statement: Statement) -> str:
    """Say what `word_search` says there."""
    sql = re.sub(r"(\w+_fts) MATCH \?1", r"\1.words @@ fts_query(?1)", statement.sql)
    return for_postgresql(re.sub(r"(\w+_fts)\.rank", r"-ts_rank(\1.words, fts_query(?1))", sql))


async def test_every_statement_can_be_prepared(postgresql: Server) -> None:
    asyncpg: Any = pytest.importorskip("asyncpg")
    url = postgresql.create(is_migrated=True)
    async with Database.open(url) as db:
        owned = await Ownership(db).list_tables()
    paths = sorted(path for path in (ROOT / "app").rglob("*.py") if has_statements(path))
    statements = [one for path in paths for one in Source(path, owned, _texts()).statements()]
    connection = await asyncpg.connect(url)
    refused = []
    for one in statements:
        if one.place in OF_SQLITE or one.function == "watching":
            continue
        try:
            await connection.prepare(as_written_for_a_server(one))
        except asyncpg.PostgresError as exc:
            refused.append(f"{one.place} {one.function}: {exc}: {one.sql[:200]}")
    await connection.close()

    assert len(statements) > 250
    assert not refused, "\n".join(refused)
