"""The reconcilers of memory: what conversations owe, found in the database, done a little at a time."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

import structlog

from app.database.repositories.backlog import Due
from app.database.repository import Repository
from app.domain.backoff import Backoff
from app.domain.errors import AppError
from app.domain.ids import UserId
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
_EMBEDDINGS: Final = 64

IsIdle = Callable[[UserId], bool]


def due_extraction(repository: Repository, extractor: Extractor, clock: Clock, is_idle: IsIdle) -> Job:
    """Take facts and events out of conversations that ended, fell quiet, or have many unread messages."""

    async def work(due: Due) -> int:
        return await extractor.extract(due.user_id, due.conversation_id)

    async def find() -> Sequence[Due]:
        quiet_since = clock.now() - _QUIET
        return await repository.backlog.list_unread(
            at_least=_UNREAD_MESSAGES, quiet_since=quiet_since, limit=_BATCH
        )

    return Job("extraction", _each(find, work, is_idle, Backoff(clock)))


def due_summaries(
    repository: Repository, summarizer: Summarizer, limits: FoldLimits, clock: Clock, is_idle: IsIdle
) -> Job:
    """Fold the conversations that are too long."""

    async def work(due: Due) -> int:
        return await summarizer.fold(due.user_id, due.conversation_id, is_idle=is_idle)

    async def find() -> Sequence[Due]:
        return await repository.backlog.list_long(
            over_messages=limits.over_messages,
            over_bytes=round(limits.over_tokens * _BYTES_PER_TOKEN),
            limit=_BATCH,
        )

    return Job("summaries", _each(find, work, is_idle, Backoff(clock)))


def due_snapshots(repository: Repository, sessions: Sessions, clock: Clock, is_idle: IsIdle) -> Job:
    """Write the snapshots of conversations that ended."""

    async def work(due: Due) -> int:
        return int(await sessions.keep(due.user_id, due.conversation_id))

    async def find() -> Sequence[Due]:
        return await repository.backlog.list_unkept(limit=_BATCH)

    return Job("snapshots", _each(find, work, is_idle, Backoff(clock)))


def missing_embeddings(backfill: Callable[[int], Awaitable[int]]) -> Job:
    """Compute the vectors that rows lack; `backfill(limit)` returns how many it stored."""

    async def run() -> int:
        return await backfill(_EMBEDDINGS)

    return Job("embeddings", run)


def _each(
    find: Callable[[], Awaitable[Sequence[Due]]],
    work: Callable[[Due], Awaitable[int]],
    is_idle: IsIdle,
    backoff: Backoff,
) -> Callable[[], Awaitable[int]]:
    """Work on everything due whose person waits for no answer; what fails waits alone."""

    async def run() -> int:
        count = 0
        for due in await find():
            if not is_idle(due.user_id) or not backoff.is_due(due):
                continue
            try:
                count += await work(due)
            except AppError as exc:
                delay_s = backoff.failed(due)
                log.warning("job.entry_postponed", reason=exc.code, delay_s=delay_s)
            else:
                backoff.succeeded(due)
        return count

    return run
