"""The door: nothing is acknowledged before it is on disk."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from app.database.db import Transaction
from app.database.repository import Repository
from app.domain.errors import Permanent, Transient
from app.domain.inbound import AccountNotice, WebhookBatch
from app.domain.ports import Clock
from app.pipeline.queueing.lanes import RushHour
from app.pipeline.queueing.work import NewWork
from app.pipeline.receiving.intake import Intake

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """One POST that waits for the next group commit."""

    batch: WebhookBatch
    stored: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def settle(self, failure: Exception | None) -> None:
        if self.stored.done():
            return
        if failure is None:
            self.stored.set_result(None)
        else:
            self.stored.set_exception(failure)
            self.stored.exception()  # the poster may be gone: then nobody else looks at it


class Ingest:
    """Accept webhook batches; `accept` returns only after its batch is on disk.

    Concurrent POSTs share one transaction (group commit, as database servers do with their logs): the
    disk is asked to sync once for all of them, so that acknowledging stays fast in a burst.
    """

    def __init__(
        self,
        repository: Repository,
        intake: Intake,
        clock: Clock,
        rush: RushHour,
        *,
        notify: Callable[[NewWork], None],
    ) -> None:
        self._repository = repository
        self._intake = intake
        self._clock = clock
        self._rush = rush
        self._notify = notify
        self.when_noticed: list[Callable[[AccountNotice], None]] = []
        self._waiting: list[_Waiting] = []
        self._turnstile = asyncio.Lock()
        self._has_next_leader = False
        self.last_received_at: datetime | None = None

    async def accept(self, batch: WebhookBatch) -> None:
        """Store everything in the batch that is new and allowed, then start the work.

        Raises:
            Transient: the store failed; nothing of this batch may be acknowledged.
        """
        for notice in batch.notices:
            log.warning("webhook.notice", field=notice.field, summary=notice.summary, codes=notice.codes)
            for hear in self.when_noticed:
                hear(notice)
        self.last_received_at = self._clock.now()
        if not batch.messages and not batch.statuses:
            return
        entry = _Waiting(batch)
        self._waiting.append(entry)
        with self._rush.storing():
            if not self._has_next_leader:
                await self._lead()
            await entry.stored

    async def _lead(self) -> None:
        """Store, in one transaction, the batches of everybody who waits by then, and tell each how it ended.

        While one commits, one is next and the others only wait. Meta delivers again what was not stored, so a
        failure of the store is everybody's; what the database refuses is its own batch's alone.
        """
        self._has_next_leader = True
        group: list[_Waiting] = []
        refused: list[_Waiting] = []
        failure: Exception | None = Transient("ingest_failed")
        try:
            async with self._turnstile, self._repository.transaction(is_urgent=True) as tx:
                group = self._take_waiting()
                work, refused = await self._store(group, tx)
            failure = None
        except Transient as exc:
            failure = exc
            raise
        finally:
            for entry in group or self._take_waiting():
                entry.settle(Transient("message_refused") if entry in refused else failure)
        self._notify(work)

    async def _store(self, group: Sequence[_Waiting], tx: Transaction) -> tuple[NewWork, list[_Waiting]]:
        """Store what all of them brought; returns the work, and whose batch holds a message that was refused.

        Such a message leaves the others alone. Meta delivers its batch again for days: an upgrade may mend it.
        A refused status is given up.
        """
        together = WebhookBatch(
            tuple(message for entry in group for message in entry.batch.messages),
            tuple(status for entry in group for status in entry.batch.statuses),
        )
        now = self._clock.now()
        with suppress(Permanent):
            async with tx.part():
                return await self._intake.store(together, now, tx), []
        work = NewWork()
        refused: list[_Waiting] = []
        for entry, one in [(waiting, one) for waiting in group for one in _one_by_one(waiting.batch)]:
            try:
                async with tx.part():
                    work |= await self._intake.store(one, now, tx)
            except Permanent as exc:
                log.error("webhook.part_refused", messages=len(one.messages), detail=exc.detail)
                refused += [entry] if one.messages else []
        return work, refused

    def _take_waiting(self) -> list[_Waiting]:
        """Take all who wait; whoever comes next leads the next group."""
        self._has_next_leader = False
        taken, self._waiting = self._waiting, []
        return taken


def _one_by_one(batch: WebhookBatch) -> Iterator[WebhookBatch]:
    """Split a batch into its messages and then its statuses."""
    yield from (WebhookBatch(messages=(message,)) for message in batch.messages)
    yield from (WebhookBatch(statuses=(status,)) for status in batch.statuses)
