"""Everything that is one person's, in whatever table: found by the schema, so that no new one is forgotten."""

from datetime import datetime
from typing import Final

from app.database.db import Database, Row, Transaction, Value
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.domain.outbound import Recipient

# What the confirmation still needs to find its way.
_ADDRESS: Final = frozenset({"wa_id", "bsuid"})
_IS_OWED: Final = "(o.state = 'pending' OR o.state = 'sending' OR o.state = 'unknown' OR o.state = 'held')"


class Ownership:
    """Reads and deletes across all tables with a `user_id`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_tables(self) -> list[str]:
        """Return the names of the tables whose rows say whose they are, `users` among them, in order."""
        return await self._db.list_tables_with("user_id")

    async def read(self, user_id: UserId, table: str) -> list[dict[str, Value]]:
        """Return a person's rows of one of `list_tables`, in no particular order."""
        rows = await self._db.fetch_all(f'SELECT * FROM "{table}" WHERE user_id = ?', user_id)
        return [_as_mapping(row) for row in rows]

    async def read_audit(self, user_id: UserId) -> list[dict[str, Value]]:
        """Return what the audit trail holds about a person's calls, without the hashes of the chain."""
        rows = await self._db.fetch_all(
            "SELECT id, at, turn_id, tool, phase, intent_id, verdict, duration_ms, content FROM audit_events"
            " WHERE actor = ? ORDER BY id",
            user_id,
        )
        return [_as_mapping(row) for row in rows]

    async def begin(self, user_id: UserId, now: datetime, *, tx: Transaction) -> None:
        """Mark a person as being erased."""
        await tx.execute("INSERT INTO erasures(former_id, requested_at) VALUES (?, ?)", user_id, to_ms(now))

    async def delete(self, user_id: UserId, *, keeps_address: bool, tx: Transaction) -> None:
        """Delete every row of a person and blank the contents of their audit records.

        `keeps_address` leaves the row in `users` with nothing in it but where a last message goes.
        """
        # Between the tables of one person any order will do: all of them are empty at the end.
        await tx.defer_foreign_keys()
        await tx.execute(
            "DELETE FROM strangers WHERE alias IN (SELECT alias FROM identities WHERE user_id = ?)", user_id
        )
        for table in await self.list_tables():
            if table != "users":
                await tx.execute(f'DELETE FROM "{table}" WHERE user_id = ?', user_id)
        await tx.execute("UPDATE audit_events SET content = NULL WHERE actor = ? AND content IS NOT NULL", user_id)
        if not keeps_address:
            await tx.execute("DELETE FROM users WHERE user_id = ?", user_id)
            return
        columns = await self._db.list_columns("users")
        blanked = [one.name for one in columns if one.is_nullable and one.name not in _ADDRESS | {"user_id"}]
        changes = ", ".join(f'"{name}" = NULL' for name in blanked)
        await tx.execute(f"UPDATE users SET {changes} WHERE user_id = ?", user_id)

    async def list_due(self, told_before: datetime) -> list[tuple[UserId, Recipient]]:
        """Return the people who can be removed for good, and where they were written to.

        Those are the erased who are owed no message any more, or asked before `told_before`, and those whom a
        restored backup brought back.
        """
        rows = await self._db.fetch_all(
            "SELECT u.user_id, u.wa_id, u.bsuid FROM erasures e JOIN users u ON u.user_id = e.former_id"
            " WHERE e.completed_at IS NOT NULL OR e.requested_at <= ? OR NOT EXISTS"
            f" (SELECT 1 FROM outbox o INDEXED BY outbox_open WHERE o.user_id = u.user_id AND {_IS_OWED})",
            to_ms(told_before),
        )
        return [(UserId(row["user_id"]), Recipient(row["wa_id"], row["bsuid"])) for row in rows]

    async def complete(self, user_id: UserId, at: datetime, *, tx: Transaction) -> None:
        await tx.execute(
            "UPDATE erasures SET completed_at = coalesce(completed_at, ?) WHERE former_id = ?", to_ms(at), user_id
        )

    async def list_former(self) -> list[UserId]:
        """Return everybody who was erased, whether the last message to them is sent or not."""
        rows = await self._db.fetch_all("SELECT former_id FROM erasures ORDER BY former_id")
        return [UserId(row["former_id"]) for row in rows]

    async def blank_late_audit(self) -> int:
        """Blank what a call that was cut off recorded after its person was erased; returns how many records."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM audit_events WHERE actor IN (SELECT former_id FROM erasures) AND content IS NOT NULL"
        )
        if row is None:
            return 0
        async with self._db.transaction() as tx:
            return await tx.execute(
                "UPDATE audit_events SET content = NULL WHERE content IS NOT NULL"
                " AND actor IN (SELECT former_id FROM erasures)"
            )

    async def shrink(self) -> None:
        """Let no deleted word linger anywhere in the database; see `Database.shrink`."""
        await self._db.shrink()


def _as_mapping(row: Row) -> dict[str, Value]:
    return {name: row[name] for name in row.keys()}  # noqa: SIM118 - iterating a Row gives its values
