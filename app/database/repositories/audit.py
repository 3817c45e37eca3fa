"""The audit trail's records, and the journal of what each turn already did."""

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import to_ms
from app.domain.errors import Conflict
from app.domain.ids import TurnId, UserId
from app.domain.tools import ToolResult

Phase = Literal["intent", "outcome"]

_COLUMNS: Final = (
    "id, at, actor, turn_id, tool, phase, intent_id, verdict, duration_ms,"
    " content, content_hash, previous_hash, entry_hash"
)


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One record; `at` in milliseconds (UTC), `content` None once its person asked to be forgotten.

    `verdict` is the decision (run, ask, block and the rule) for an intent, the kind of result for an outcome.
    `intent_id` is the id of the call's intent, for an intent its own. `actor` is a user's id.
    """

    id: int
    at: int
    actor: str
    turn_id: int
    tool: str
    phase: Phase
    intent_id: int
    verdict: str
    duration_ms: int
    content: str | None
    content_hash: str
    previous_hash: str
    entry_hash: str


@dataclass(frozen=True, slots=True)
class JournalKey:
    """One call of one turn: `occurrence` counts identical calls of the turn from 0."""

    turn_id: TurnId
    tool: str
    call_hash: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """`result` is None when the call began and nobody knows how it ended."""

    tool: str
    result: ToolResult | None


@dataclass(frozen=True, slots=True)
class AuditedCall:
    """An intent with its outcome; `at` in milliseconds (UTC), `content` the recorded arguments as JSON."""

    at: int
    tool: str
    decision: str
    content: str | None
    kind: str
    duration_ms: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """The last record of the part that is kept no longer."""

    last_id: int
    last_hash: str
    last_at: int
    mac: str = ""


class AuditEvents:
    """Serves all users at once: the records of all of them form one chain."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find_last(self, *, tx: Transaction) -> AuditEvent | None:
        row = await tx.fetch_one(f"SELECT {_COLUMNS} FROM audit_events ORDER BY id DESC LIMIT 1")
        return None if row is None else AuditEvent(*row)

    async def append(self, event: AuditEvent, *, tx: Transaction) -> None:
        await tx.execute(
            f"INSERT INTO audit_events({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            event.id,
            event.at,
            event.actor,
            event.turn_id,
            event.tool,
            event.phase,
            event.intent_id,
            event.verdict,
            event.duration_ms,
            event.content,
            event.content_hash,
            event.previous_hash,
            event.entry_hash,
        )

    async def find_anchor(self) -> Anchor | None:
        row = await self._db.fetch_one("SELECT last_id, last_hash, last_at, mac FROM audit_anchor WHERE id = 1")
        return None if row is None else Anchor(*row)

    async def prune(self, anchor: Anchor, *, tx: Transaction) -> int:
        """Move the anchor on, and delete the records up to it; returns how many they were."""
        await tx.execute(
            "INSERT INTO audit_anchor(id, last_id, last_hash, last_at, mac) VALUES (1, ?1, ?2, ?3, ?4)"
            " ON CONFLICT(id) DO UPDATE SET last_id = ?1, last_hash = ?2, last_at = ?3, mac = ?4",
            anchor.last_id,
            anchor.last_hash,
            anchor.last_at,
            anchor.mac,
        )
        return await tx.execute("DELETE FROM audit_events WHERE id <= ?", anchor.last_id)

    async def list_after(self, event_id: int, limit: int) -> list[AuditEvent]:
        """Return a page of records in the order of their ids."""
        rows = await self._db.fetch_all(
            f"SELECT {_COLUMNS} FROM audit_events WHERE id > ? ORDER BY id LIMIT ?", event_id, limit
        )
        return [AuditEvent(*row) for row in rows]

    async def list_blanked(self) -> list[int]:
        """Return the records without their content whose person did not ask to be forgotten."""
        rows = await self._db.fetch_all(
            "SELECT id FROM audit_events WHERE content IS NULL"
            " AND actor NOT IN (SELECT former_id FROM erasures) ORDER BY id"
        )
        return [row["id"] for row in rows]

    async def count_unrecorded(self) -> int:
        """Count the calls in the journal of which there is no record, since the oldest one there is."""
        row = await self._db.fetch_one(
            "SELECT count(*) AS n FROM tool_journal AS j WHERE"
            " j.started_at >= coalesce((SELECT at FROM audit_events ORDER BY id LIMIT 1), 0) AND NOT EXISTS"
            " (SELECT 1 FROM audit_events AS a WHERE a.turn_id = j.turn_id AND a.tool = j.tool)"
        )
        return 0 if row is None else row["n"]

    async def list_asked(self, user_id: UserId) -> list[tuple[str, str]]:
        """Return the calls of the user's last answered turn that they were asked about: tool, recorded content."""
        rows = await self._db.fetch_all(
            "SELECT tool, content FROM audit_events WHERE actor = ?1 AND phase = 'intent' AND verdict LIKE 'ask%'"
            " AND turn_id = (SELECT max(turn_id) FROM turn_traces WHERE user_id = ?1) AND content IS NOT NULL"
            " ORDER BY id",
            user_id,
        )
        return [(row["tool"], row["content"]) for row in rows]

    async def list_calls(self, user_id: UserId, *, limit: int, offset: int = 0) -> list[AuditedCall]:
        """Return the user's calls that ended, the newest first, without the `offset` newest ones."""
        rows = await self._db.fetch_all(
            "SELECT i.at, i.tool, i.verdict AS decision, i.content, o.verdict AS kind, o.duration_ms"
            " FROM audit_events o JOIN audit_events i ON i.id = o.intent_id"
            " WHERE o.actor = ?1 AND i.actor = ?1 AND o.phase = 'outcome' ORDER BY o.id DESC LIMIT ?2 OFFSET ?3",
            user_id,
            limit,
            offset,
        )
        return [AuditedCall(**dict(row)) for row in rows]

    async def count_calls(self, user_id: UserId) -> int:
        """Count the user's calls: each has two records."""
        row = await self._db.fetch_one("SELECT count(*) AS n FROM audit_events WHERE actor = ?", user_id)
        return 0 if row is None else row["n"] // 2


class ToolJournal:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, user_id: UserId, key: JournalKey) -> JournalEntry | None:
        """Return what an earlier attempt of the turn left of this call."""
        row = await self._db.fetch_one(
            "SELECT tool, result FROM tool_journal WHERE user_id = ? AND turn_id = ? AND tool = ?"
            " AND call_hash = ? AND occurrence = ?",
            user_id,
            key.turn_id,
            key.tool,
            key.call_hash,
            key.occurrence,
        )
        return None if row is None else _entry(row)

    async def start(self, user_id: UserId, key: JournalKey, at: datetime, *, claim_id: str = "") -> bool:
        """Note that the call is about to run; False when it was noted before, or the turn was taken anew."""
        async with self._db.transaction() as tx:
            added = await tx.execute(
                "INSERT INTO tool_journal(turn_id, tool, call_hash, occurrence, user_id, state, started_at)"
                " SELECT ?1, ?2, ?3, ?4, ?5, 'started', ?6 WHERE ?7 = '' OR EXISTS (SELECT 1 FROM inbox i"
                " WHERE i.user_id = ?5 AND i.turn_id = ?1 AND i.state = 'running' AND i.claim_id = ?7)"
                " ON CONFLICT DO NOTHING",
                key.turn_id,
                key.tool,
                key.call_hash,
                key.occurrence,
                user_id,
                to_ms(at),
                claim_id,
            )
        return added == 1

    async def finish(self, user_id: UserId, key: JournalKey, result: ToolResult, *, tx: Transaction) -> None:
        """Store the result of a call that ran.

        Raises:
            Conflict: the call was not started, or is finished already.
        """
        changed = await tx.execute(
            "UPDATE tool_journal SET state = 'finished', result = ? WHERE user_id = ? AND turn_id = ? AND tool = ?"
            " AND call_hash = ? AND occurrence = ? AND state = 'started'",
            json.dumps(asdict(replace(result, attachments=()))),
            user_id,
            key.turn_id,
            key.tool,
            key.call_hash,
            key.occurrence,
        )
        if changed != 1:
            raise Conflict("journal_not_started", key.tool)

    async def list_for_turn(self, user_id: UserId, turn_id: TurnId) -> list[JournalEntry]:
        """Return what the turn already did, in the order in which it began."""
        rows = await self._db.fetch_all(
            "SELECT tool, result FROM tool_journal WHERE user_id = ? AND turn_id = ?"
            " ORDER BY started_at, occurrence, tool, call_hash",
            user_id,
            turn_id,
        )
        return [_entry(row) for row in rows]


def _entry(row: Row) -> JournalEntry:
    if row["result"] is None:
        return JournalEntry(row["tool"], None)
    kept = json.loads(row["result"])
    return JournalEntry(
        row["tool"], ToolResult(**{**kept, "attachments": (), "shows": tuple(kept.get("shows", ("", "")))})
    )
