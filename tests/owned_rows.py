"""One row of one person in every table that has an owner, made from the schema, so that new tables take part."""

from collections.abc import Mapping
from datetime import datetime
from itertools import count
from types import MappingProxyType
from typing import Final

from app.database.db import Database, Row, Value
from app.database.repository import Repository
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.domain.inbound import Sender
from app.domain.phones import phone_alias
from app.privacy.ownership import Ownership

CHECKED: Final[Mapping[tuple[str, str], Value]] = MappingProxyType(
    {
        ("messages", "role"): "user",
        ("memories", "state"): "active",
        ("memories", "number"): 1,
        ("daily_events", "day"): "2026-01-02",
        ("questions", "state"): "pending",
        ("outbox", "state"): "sent",
        ("charges", "category"): "service",
        ("charges", "kind"): "regular",
        ("inbox", "state"): "done",
        ("embeddings", "vector"): bytes(8),
        ("embeddings", "dims"): 2,
        ("list_items", "is_done"): 1,
        ("voice_choices", "mode"): "auto",
        ("acts", "verb"): "added",
        ("acts", "state"): "done",
        ("act_rows", "change"): "insert",
    }
)
"""What a column may hold where the schema is stricter than its type."""


class RowMaker:
    """Fills the tables of one database; numbers are given once, so that nobody shares an id."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._numbers = count(1000)

    async def add_person(self, phone: str, word: str, at: datetime) -> UserId:
        """Make a person whose every text is `word`, with one row in every table that says whose it is."""
        repository = Repository(self._db)
        async with repository.transaction() as tx:
            sender = Sender(wa_id=phone, name=word)
            user_id = await repository.directory.create(sender, "es", at, tx=tx)
            await repository.users.add_alias(user_id, phone_alias(phone), at, tx=tx)
            await tx.execute("UPDATE users SET mode = 'yolo' WHERE user_id = ?", user_id)
        made: dict[str, dict[str, Value]] = {"users": {"user_id": user_id}, "identities": {}}
        waiting = [name for name in await Ownership(self._db).list_tables() if name not in made]
        while waiting:
            table = waiting.pop(0)
            keys = await self._db.fetch_all(f"PRAGMA foreign_key_list({table})")
            if any(key["table"] in waiting for key in keys):
                waiting.append(table)
                continue
            made[table] = await self._add_row(table, keys, made, word, to_ms(at))
        return user_id

    async def _add_row(
        self, table: str, keys: list[Row], made: dict[str, dict[str, Value]], word: str, at_ms: int
    ) -> dict[str, Value]:
        columns = await self._db.fetch_all(f"PRAGMA table_info({table})")
        values: dict[str, Value] = {}
        for column in columns:
            name = column["name"]
            of_type: dict[str, Value] = {"TEXT": word, "BLOB": word.encode(), "REAL": 1.0}
            number = at_ms + 600_000 if name.endswith(("_at", "_until")) else next(self._numbers)
            values[name] = CHECKED.get((table, name), of_type.get(column["type"], number))
        for key in keys:
            parent = made.get(key["table"], {})
            values[key["from"]] = parent.get(key["to"] or await self._primary_key(key["table"]))
        marks = ", ".join("?" for _ in values)
        async with self._db.transaction() as tx:
            names = ", ".join(values)
            await tx.execute(f"INSERT INTO {table}({names}) VALUES ({marks})", *values.values())
        return values

    async def _primary_key(self, table: str) -> str:
        row = await self._db.fetch_one("SELECT name FROM pragma_table_info(?) WHERE pk = 1", table)
        assert row is not None, table
        return str(row["name"])


async def rows_of(db: Database, user_id: UserId) -> dict[str, list[tuple[Value, ...]]]:
    """Everything that the database holds of a person, the audit trail included."""
    found = {}
    for table in await Ownership(db).list_tables():
        found[table] = [
            tuple(row) for row in await db.fetch_all(f"SELECT * FROM {table} WHERE user_id = ?", user_id)
        ]
    found["audit_events"] = [
        tuple(row) for row in await db.fetch_all("SELECT * FROM audit_events WHERE actor = ?", user_id)
    ]
    return found
