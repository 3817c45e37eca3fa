"""The reconcilers of memory: what conversations owe, found in the database, done a little at a time."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.database.db import Database, Row
from app.domain.backoff import Backoff
from app.domain.clock import to_ms
from app.domain.errors import AppError
from app.domain.ids import ConversationId, UserId
from app.domain.ports import Clock
from app.jobs import Job
from app.memory.extraction import Extractor
from app.memory.sessions import Sessions
from app.memory.summarizer import FoldLimits, Summarizer

log = structlog.get_logger(__name__)

_BATCH: Final = 50
_UNREAD_MESSAGES: Final = 12
_QUIET: Final = timedelta(minutes=5)
_BYTES_PER_TOKEN: Final = 3.5
_SETTLED_AT_ONCE: Final = 2000
_MOST_KILLS: Final = 2
_SET_ASIDE: Final = timedelta(days=1)
_CONVERSATIONS: Final = "conversations AS c INDEXED BY conversations_unsettled"
# In the words of that index.
_IS_UNSETTLED: Final = "(c.ended_at IS NULL OR c.settled_revision IS NOT c.revision)"
_OF_USER: Final = "CASE m.role WHEN 'user' THEN 1 END"
_IS_FINISHED: Final = (
    f"{_IS_UNSETTLED} AND c.ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages AS m"
    " WHERE m.conversation_id = c.id AND m.role = 'user' AND (m.id > c.extracted_through_message_id"
    " OR NOT EXISTS (SELECT 1 FROM snapshots AS s WHERE s.conversation_id = c.id)))"
)

IsIdle = Callable[[UserId], bool]


@dataclass(frozen=True, slots=True)
class Due:
    """One conversation of one person."""

    user_id: UserId
    conversation_id: ConversationId


class Backlog:
    """Derived from what is stored, so that no crash can lose an entry."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def list_long(self, *, over_messages: int, over_bytes: int, limit: int) -> list[Due]:
        """Return open conversations with more than either behind their summary, the longest first."""
        rows = await self.db.fetch_all(
            "SELECT c.user_id, c.id FROM conversations AS c INDEXED BY conversations_open"
            " LEFT JOIN summaries AS s ON s.conversation_id = c.id"
            " JOIN messages AS m ON m.conversation_id = c.id AND m.id > coalesce(s.through_message_id, 0)"
            " WHERE c.ended_at IS NULL GROUP BY c.id"
            " HAVING count(*) > ?1 OR sum(length(CAST(m.text AS BLOB))) > ?2"
            " ORDER BY count(*) DESC, c.id LIMIT ?3",
            over_messages,
            over_bytes,
            limit,
        )
        return _due(rows)

    async def list_unread(self, *, at_least: int, quiet_since: datetime, limit: int) -> list[Due]:
        """Return conversations that facts should be taken out of, the longest waiting first.

        They ended, or hold `at_least` unread messages of the person, or some and nothing new since
        `quiet_since`.
        """
        rows = await self.db.fetch_all(
            f"SELECT c.user_id, c.id FROM {_CONVERSATIONS}"
            " JOIN messages AS m ON m.conversation_id = c.id AND m.id > c.extracted_through_message_id"
            f" WHERE {_IS_UNSETTLED} GROUP BY c.id HAVING count({_OF_USER}) > 0"
            f" AND (c.ended_at IS NOT NULL OR count({_OF_USER}) >= ?1 OR max(m.created_at) <= ?2)"
            " ORDER BY min(m.id) LIMIT ?3",
            at_least,
            to_ms(quiet_since),
            limit,
        )
        return _due(rows)

    async def list_unkept(self, *, limit: int) -> list[Due]:
        """Return ended conversations, in which the person said something, without a snapshot, oldest first."""
        rows = await self.db.fetch_all(
            f"SELECT c.user_id, c.id FROM {_CONVERSATIONS}"
            " LEFT JOIN snapshots AS s ON s.conversation_id = c.id"
            f" WHERE {_IS_UNSETTLED} AND c.ended_at IS NOT NULL AND s.id IS NULL AND EXISTS"
            " (SELECT 1 FROM messages AS m WHERE m.conversation_id = c.id AND m.role = 'user')"
            " ORDER BY c.ended_at, c.id LIMIT ?",
            limit,
        )
        return _due(rows)

    async def settle(self) -> int:
        """Pass ended conversations by from now on that nothing is left to be taken out of; returns how many."""
        found = await self.db.fetch_all(
            f"SELECT c.id FROM {_CONVERSATIONS} WHERE {_IS_FINISHED} LIMIT ?", _SETTLED_AT_ONCE
        )
        if not found:
            return 0
        async with self.db.transaction() as tx:
            return await tx.execute(
                "UPDATE conversations AS c SET settled_revision = revision"
                f" WHERE c.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND {_IS_FINISHED}",
                json.dumps([row["id"] for row in found]),
            )


class BegunWork:
    """Notes on disk what a job is at work on, so that what kills the process is not begun again for ever."""

    def __init__(self, db: Database, job: str, clock: Clock) -> None:
        self._db = db
        self._job = job
        self._clock = clock

    @asynccontextmanager
    async def begin(self, due: Due) -> AsyncIterator[bool]:
        """Run the block as one attempt; it is to do nothing (False) when two were killed within a day.

        However the block ends by itself, cancellation included, it was not killed.
        """
        now = self._clock.now()
        async with self._db.transaction() as tx:
            row = await tx.fetch_one(
                "INSERT INTO begun_work(job, user_id, conversation_id, attempts, begun_at)"
                " VALUES (?1, ?2, ?3, 1, ?4)"
                " ON CONFLICT (job, conversation_id) DO UPDATE SET"
                " attempts = CASE WHEN begun_work.begun_at < ?5 THEN 1 ELSE min(begun_work.attempts + 1, ?6) END,"
                " begun_at = CASE WHEN begun_work.begun_at < ?5 OR begun_work.attempts < ?6 THEN ?4"
                "  ELSE begun_work.begun_at END"
                " RETURNING attempts",
                self._job,
                due.user_id,
                due.conversation_id,
                to_ms(now),
                to_ms(now - _SET_ASIDE),
                _MOST_KILLS + 1,
            )
        if row is not None and row["attempts"] > _MOST_KILLS:
            yield False
            return
        try:
            yield True
        finally:
            async with self._db.transaction() as tx:
                await tx.execute(
                    "DELETE FROM begun_work WHERE job = ? AND conversation_id = ?", self._job, due.conversation_id
                )


def _due(rows: list[Row]) -> list[Due]:
    return [Due(UserId(row["user_id"]), ConversationId(row["id"])) for row in rows]


def due_extraction(backlog: Backlog, extractor: Extractor, clock: Clock, is_idle: IsIdle) -> Job:
    """Take facts and events out of conversations that ended, fell quiet, or have many unread messages."""

    async def work(due: Due) -> int:
        return await extractor.extract(due.user_id, due.conversation_id)

    async def find() -> Sequence[Due]:
        quiet_since = clock.now() - _QUIET
        return await backlog.list_unread(at_least=_UNREAD_MESSAGES, quiet_since=quiet_since, limit=_BATCH)

    return Job(
        "extraction", _each(find, work, is_idle, Backoff(clock), BegunWork(backlog.db, "extraction", clock))
    )


def due_summaries(
    backlog: Backlog, summarizer: Summarizer, limits: FoldLimits, clock: Clock, is_idle: IsIdle
) -> Job:
    """Fold the conversations that are too long."""

    async def work(due: Due) -> int:
        return await summarizer.fold(due.user_id, due.conversation_id, is_idle=is_idle)

    async def find() -> Sequence[Due]:
        return await backlog.list_long(
            over_messages=limits.over_messages,
            over_bytes=round(limits.over_tokens * _BYTES_PER_TOKEN),
            limit=_BATCH,
        )

    return Job("summaries", _each(find, work, is_idle, Backoff(clock), BegunWork(backlog.db, "summaries", clock)))


def due_snapshots(backlog: Backlog, sessions: Sessions, clock: Clock, is_idle: IsIdle) -> Job:
    """Write the snapshots of conversations that ended."""

    async def work(due: Due) -> int:
        return int(await sessions.keep(due.user_id, due.conversation_id))

    async def find() -> Sequence[Due]:
        return await backlog.list_unkept(limit=_BATCH)

    return Job("snapshots", _each(find, work, is_idle, Backoff(clock), BegunWork(backlog.db, "snapshots", clock)))


def settled_conversations(backlog: Backlog) -> Job:
    """Let the other jobs pass by what they are done with."""
    return Job("settled_conversations", backlog.settle)


def _each(
    find: Callable[[], Awaitable[Sequence[Due]]],
    work: Callable[[Due], Awaitable[int]],
    is_idle: IsIdle,
    backoff: Backoff,
    begun: BegunWork,
) -> Callable[[], Awaitable[int]]:
    """Work on everything due whose person waits for no answer; what fails waits alone."""

    async def run() -> int:
        count = 0
        for due in await find():
            if not is_idle(due.user_id) or not backoff.is_due(due):
                continue
            try:
                async with begun.begin(due) as may_begin:
                    count += await work(due) if may_begin else 0
            except AppError as exc:
                delay_s = backoff.failed(due)
                log.warning("job.entry_postponed", reason=exc.code, delay_s=delay_s)
            else:
                if may_begin:
                    backoff.succeeded(due)
                else:
                    log.error("job.entry_set_aside", delay_s=backoff.failed(due))
        return count

    return run
