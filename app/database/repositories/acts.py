"""What was last done for each person, and taking it back: one mechanism for every table that joins.

While an act is open, inside its transaction, triggers keep each row as it was before it changed, and as it was
left. To undo is to put those rows back, the last one first, where nothing that came later stands in the way.
"""

import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal

from app.database.db import Database, Engine, Row, Transaction
from app.domain.clock import from_ms, to_ms
from app.domain.errors import Permanent
from app.domain.ids import TurnId, UserId
from app.domain.turn import TurnContext

Verb = Literal["added", "changed", "deleted"]
_OLD: Final = "SELECT user_id, id FROM acts WHERE state = 'done' AND created_at < ?"
UNDO_FOR: Final = timedelta(minutes=10)
_KEPT: Final = 5
_MAX_SUBJECT_CHARS: Final = 200
_CHANGED_AT: Final = "updated_at"


@dataclass(frozen=True, slots=True)
class Undoable:
    """A table whose changes can be undone; it has `id` and `user_id`.

    `columns` are put back in a row that was changed: leave out counters, because no number is given twice.
    """

    table: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Act:
    """What is done for a person in a turn; `subject` names it in their words."""

    user_id: UserId
    turn_id: TurnId
    verb: Verb
    subject: str
    at: datetime

    @classmethod
    def of(cls, ctx: TurnContext, verb: Verb, subject: str, at: datetime) -> "Act":
        return cls(ctx.user_id, ctx.turn_id, verb, subject, at)


@dataclass(frozen=True, slots=True)
class KnownAct:
    """An act as it is stored: "done" as long as it can be undone, "final" after that."""

    id: int
    act: Act
    state: Literal["done", "undone", "final"]

    def can_be_undone(self, now: datetime) -> bool:
        return self.state == "done" and self.act.at + UNDO_FOR >= now


@dataclass(frozen=True, slots=True)
class Undone:
    """What came of undoing; `act` is the one that was meant. "blocked": what came later stands in the way.

    "none": the person has no such act, or it is too old to be remembered.
    """

    kind: Literal["undone", "none", "already", "expired", "blocked"]
    act: Act | None = None
    tables: frozenset[str] = frozenset()


class _StandsInTheWay(Exception):
    """What came later depends on an act: whatever was put back already is not."""

    def __init__(self, act: Act) -> None:
        super().__init__("later changes depend on the act")
        self.act = act


@asynccontextmanager
async def recorded(db: Database, act: Act | None) -> AsyncIterator[Transaction]:
    """Run a transaction whose changes can be undone as this act; several acts of one turn are one.

    Each act can be undone for `UNDO_FOR`, whatever came after it, if that does not depend on it.

    Without an act it is a plain transaction. What changes nothing is no act.
    """
    async with db.transaction() as tx:
        if act is None:
            yield tx
            return
        act_id = await _begin(act, tx)
        yield tx
        await _end(act, act_id, tx)


class Acts:
    """The newest act of each person, and their newest row in a table."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._undoable: dict[str, Undoable] = {}
        self._listeners: dict[str, Callable[[UserId], None]] = {}

    def add(self, *tables: Undoable) -> None:
        """Have the changes of these tables undoable."""
        self._undoable |= {one.table: one for one in tables}

    def when_undone(self, table: str, tell: Callable[[UserId], None]) -> None:
        """Tell of each person for whom changes of that table were undone."""
        self._listeners[table] = tell

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Have the triggers of all tables that were added, made from the columns that they have now."""
        wanted, columns = dict[str, str](), await self._db.list_columns(*self._undoable)
        for table, names in groupby(columns, key=attrgetter("table")):
            wanted |= _triggers(self._db.engine, table, [column.name for column in names])
        if self._db.engine == "sqlite":
            rows = await self._db.fetch_all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            there = {row["name"]: row["sql"] for row in rows}
            others = [
                f"DROP TRIGGER IF EXISTS {name}; {sql};" for name, sql in wanted.items() if there.get(name) != sql
            ]
            if others:
                await self._db.execute_script("\n".join(["BEGIN IMMEDIATE;", *others, "COMMIT;"]))
        else:
            async with self._db.transaction() as tx:
                for statement in wanted.values():
                    await tx.execute(statement)
        yield

    async def find_last(self, user_id: UserId) -> Act | None:
        """Return what was last done for a person, undone or not."""
        row = await self._db.fetch_one("SELECT * FROM acts WHERE user_id = ? ORDER BY id DESC LIMIT 1", user_id)
        return None if row is None else _act(row)

    async def find_last_row(self, user_id: UserId, table: str) -> int | None:
        """Return the id of the row of a table that one of the last acts added or changed last."""
        row = await self._db.fetch_one(
            "SELECT row_id FROM act_rows WHERE user_id = ? AND table_name = ? AND change <> 'delete'"
            " ORDER BY id DESC LIMIT 1",
            user_id,
            table,
        )
        return None if row is None else int(row["row_id"])

    async def list_last_rows(self, user_id: UserId, since: datetime, limit: int) -> list[tuple[str, int]]:
        """Return table and id of the rows that a person's last act added or changed, if it was since then."""
        rows = await self._db.fetch_all(
            "SELECT r.table_name, r.row_id, max(r.id) AS newest FROM act_rows r"
            " JOIN acts a ON a.user_id = r.user_id AND a.id = r.act_id"
            " WHERE r.user_id = ?1 AND r.change <> 'delete' AND a.created_at >= ?2"
            " AND a.id = (SELECT max(id) FROM acts WHERE user_id = ?1 AND state <> 'undone')"
            " GROUP BY r.table_name, r.row_id ORDER BY newest DESC LIMIT ?3",
            user_id,
            to_ms(since),
            limit,
        )
        return [_place(row) for row in rows]

    async def find_last_touched(self, user_id: UserId, table: str) -> tuple[int, datetime] | None:
        """Return which row of a table one of the last acts added or changed last, and when."""
        row = await self._db.fetch_one(
            "SELECT r.row_id, a.created_at FROM act_rows r"
            " JOIN acts a ON a.user_id = r.user_id AND a.id = r.act_id"
            " WHERE r.user_id = ? AND r.table_name = ? AND r.change <> 'delete' ORDER BY r.id DESC LIMIT 1",
            user_id,
            table,
        )
        return None if row is None else (int(row["row_id"]), from_ms(row["created_at"]))

    async def find_undoable(self, user_id: UserId, turn_id: TurnId) -> int | None:
        """Return the id of what was done for a person in a turn, if that is not undone or too old."""
        row = await self._db.fetch_one(
            "SELECT id FROM acts WHERE user_id = ? AND turn_id = ? AND state = 'done' ORDER BY id DESC LIMIT 1",
            user_id,
            turn_id,
        )
        return None if row is None else int(row["id"])

    async def list_of_turns(self, user_id: UserId, turn_ids: Collection[TurnId]) -> list[KnownAct]:
        """Return what was done in those turns and is still known, the latest first."""
        rows = await self._db.fetch_all(
            "SELECT * FROM acts WHERE user_id = ? AND turn_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
            " ORDER BY id DESC",
            user_id,
            json.dumps(list(turn_ids)),
        )
        return [KnownAct(int(row["id"]), _act(row), row["state"]) for row in rows]

    async def remembers(self, user_id: UserId, turn_id: TurnId) -> bool:
        """Tell whether whatever was done in that turn would still be known."""
        row = await self._db.fetch_one(
            "SELECT count(*) AS kept, count(CASE WHEN turn_id >= 0 AND turn_id <= ? THEN 1 END) AS older"
            " FROM acts WHERE user_id = ?",
            turn_id,
            user_id,
        )
        return row is None or row["kept"] < _KEPT or bool(row["older"])

    async def undo(self, user_id: UserId, now: datetime, act_id: int | None = None) -> Undone:
        """Take back one act of a person, or (without an id) their last one: once, and within `UNDO_FOR`."""
        try:
            async with self._db.transaction() as tx:
                undone = await self._undo(user_id, now, act_id, tx)
        except _StandsInTheWay as exc:
            return Undone("blocked", exc.act)
        for table in undone.tables & self._listeners.keys():
            self._listeners[table](user_id)
        return undone

    async def _undo(self, user_id: UserId, now: datetime, act_id: int | None, tx: Transaction) -> Undone:
        row = await tx.fetch_one(
            "SELECT * FROM acts WHERE user_id = ? AND id = coalesce(?, id) ORDER BY id DESC LIMIT 1",
            user_id,
            act_id,
        )
        if row is None:
            return Undone("none")
        act = _act(row)
        if row["state"] == "undone":
            return Undone("already", act)
        if row["state"] != "done" or act.at + UNDO_FOR < now:
            return Undone("expired", act)
        changes = await tx.fetch_all(
            "SELECT * FROM act_rows WHERE user_id = ? AND act_id = ? ORDER BY id DESC", user_id, row["id"]
        )
        if not await self._are_as_left(user_id, changes, tx):
            raise _StandsInTheWay(act)
        # A row may come back before the one that it belongs to.
        await tx.defer_foreign_keys()
        try:
            async with tx.part(), _watched(user_id, tx) as touched:
                for change in changes:
                    await self._put_back(user_id, change, tx)
                back = {change["table_name"] for change in changes if change["change"] != "insert"}
                await tx.check_foreign_keys(back)
        except Permanent as exc:
            raise _StandsInTheWay(act) from exc
        if not touched <= {_place(change) for change in changes}:
            raise _StandsInTheWay(act)
        await _settle(user_id, row["id"], "undone", tx)
        return Undone("undone", act, frozenset(change["table_name"] for change in changes))

    async def finish_old(self, now: datetime) -> int:
        """Forget the old rows of acts that can no longer be undone; returns how many acts."""
        before = to_ms(now - UNDO_FOR)
        if not await self._db.fetch_all(_OLD, before):
            return 0
        async with self._db.transaction() as tx:
            old = await tx.fetch_all(_OLD, before)
            for row in old:
                await _settle(UserId(row["user_id"]), row["id"], "final", tx)
        return len(old)

    async def _are_as_left(self, user_id: UserId, changes: Sequence[Row], tx: Transaction) -> bool:
        """Tell whether the rows are what the act made of them; when they were changed does not count."""
        last = {_place(change): change for change in reversed(changes)}
        for (table, row_id), change in last.items():
            one = self._undoable[table]
            row = await tx.fetch_one(f"SELECT * FROM {one.table} WHERE user_id = ? AND id = ?", user_id, row_id)
            left = None if change["became"] is None else json.loads(change["became"])
            if row is None or left is None:
                if row is not None or left is not None:
                    return False
            elif any(row[name] != left[name] for name in one.columns if name != _CHANGED_AT):
                return False
        return True

    async def _put_back(self, user_id: UserId, change: Row, tx: Transaction) -> None:
        one = self._undoable[change["table_name"]]
        key = (user_id, change["row_id"])
        if change["change"] == "insert":
            await tx.execute(f"DELETE FROM {one.table} WHERE user_id = ? AND id = ?", *key)
            return
        before = json.loads(change["before"])
        if change["change"] == "update":
            wanted = ", ".join(f"{name} = ?" for name in one.columns)
            values = [before[name] for name in one.columns]
            await tx.execute(f"UPDATE {one.table} SET {wanted} WHERE user_id = ? AND id = ?", *values, *key)
            return
        names, marks = ", ".join(before), ", ".join("?" for _ in before)
        await tx.execute(f"INSERT INTO {one.table}({names}) VALUES ({marks})", *before.values())


async def _begin(act: Act, tx: Transaction) -> int:
    last = await tx.fetch_one("SELECT * FROM acts WHERE user_id = ? ORDER BY id DESC LIMIT 1", act.user_id)
    if last is not None and last["turn_id"] == act.turn_id and last["state"] == "done":
        subject = f"{last['subject']}, {act.subject}"[:_MAX_SUBJECT_CHARS]
        verb = act.verb if act.verb == last["verb"] else "changed"
        await tx.execute(
            "UPDATE acts SET state = 'open', subject = ?, verb = ? WHERE id = ? AND state = 'done'",
            subject,
            verb,
            last["id"],
        )
        return int(last["id"])
    row = await tx.fetch_one(
        "INSERT INTO acts(user_id, turn_id, verb, subject, state, created_at) VALUES (?, ?, ?, ?, 'open', ?)"
        " RETURNING id",
        act.user_id,
        act.turn_id,
        act.verb,
        act.subject[:_MAX_SUBJECT_CHARS],
        to_ms(act.at),
    )
    if row is None:
        raise LookupError("the database returned no id for an act")
    return int(row["id"])


async def _end(act: Act, act_id: int, tx: Transaction) -> None:
    """Close the act. Of those that can no longer be undone only the last few are kept at all."""
    user_id = act.user_id
    if not await tx.fetch_one("SELECT 1 FROM act_rows WHERE user_id = ? AND act_id = ? LIMIT 1", user_id, act_id):
        await tx.execute("DELETE FROM acts WHERE user_id = ? AND id = ?", user_id, act_id)
        return
    await tx.execute("UPDATE acts SET state = 'done' WHERE id = ? AND state = 'open'", act_id)
    await tx.execute(
        "DELETE FROM acts WHERE user_id = ?1 AND state <> 'done' AND id NOT IN"
        " (SELECT id FROM acts WHERE user_id = ?1 ORDER BY id DESC LIMIT ?2)",
        user_id,
        _KEPT,
    )


@asynccontextmanager
async def _watched(user_id: UserId, tx: Transaction) -> AsyncIterator[set[tuple[str, int]]]:
    """Give the rows that change for a person in the block, cascades included; they are known when it ends."""
    touched: set[tuple[str, int]] = set()
    row = await tx.fetch_one(
        "INSERT INTO acts(user_id, turn_id, verb, subject, state, created_at)"
        " VALUES (?, 0, 'changed', '', 'open', 0) RETURNING id",
        user_id,
    )
    if row is None:
        raise LookupError("the database returned no id for an act")
    yield touched
    rows = await tx.fetch_all("SELECT * FROM act_rows WHERE user_id = ? AND act_id = ?", user_id, row["id"])
    touched.update(map(_place, rows))
    await tx.execute("DELETE FROM acts WHERE user_id = ? AND id = ?", user_id, row["id"])


async def _settle(user_id: UserId, act_id: int, state: Literal["undone", "final"], tx: Transaction) -> None:
    await tx.execute("UPDATE acts SET state = ? WHERE id = ? AND state = 'done'", state, act_id)
    await tx.execute(
        "UPDATE act_rows SET before = NULL, became = NULL WHERE user_id = ? AND act_id = ?", user_id, act_id
    )


def _triggers(engine: Engine, table: str, columns: list[str]) -> dict[str, str]:
    """Return, by its name, what makes each trigger that keeps rows of a table while an act of their owner is open.

    In PostgreSQL their function is in the core's migration.
    """
    names = {change: f"acts_keep_{table}_{change}" for change in ("insert", "update", "delete")}
    if engine == "postgresql":
        return {
            name: f"CREATE OR REPLACE TRIGGER {name} {'BEFORE' if change == 'delete' else 'AFTER'}"
            f" {change.upper()} ON {table} FOR EACH ROW EXECUTE FUNCTION keep_act_row()"
            for change, name in names.items()
        }
    old, new = (", ".join(f"'{name}', {row}.{name}" for name in columns) for row in ("OLD", "NEW"))
    values = {
        "insert": f"NULL, json_object({new})",
        "update": f"json_object({old}), json_object({new})",
        "delete": f"json_object({old}), NULL",
    }
    return {name: _trigger(name, table, change, values[change]) for change, name in names.items()}


def _trigger(name: str, table: str, change: str, values: str) -> str:
    row = "NEW" if change == "insert" else "OLD"
    when = "BEFORE" if change == "delete" else "AFTER"
    return (
        f"CREATE TRIGGER {name} {when} {change.upper()} ON {table}"
        f" WHEN EXISTS (SELECT 1 FROM acts WHERE user_id = {row}.user_id AND state = 'open')"
        " BEGIN INSERT INTO act_rows(user_id, act_id, table_name, row_id, change, before, became)"
        f" SELECT {row}.user_id, id, '{table}', {row}.id, '{change}', {values}"
        f" FROM acts WHERE user_id = {row}.user_id AND state = 'open'; END"
    )


def _act(row: Row) -> Act:
    return Act(
        UserId(row["user_id"]), TurnId(row["turn_id"]), row["verb"], row["subject"], from_ms(row["created_at"])
    )


def _place(change: Row) -> tuple[str, int]:
    return change["table_name"], change["row_id"]
