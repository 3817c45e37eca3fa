"""Once a day, what was dealt with long ago goes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.database.repositories.retention import OldRows
from app.domain.ports import Clock
from app.jobs import Job

_A_DAY_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class KeepDays:
    """How long rows of each kind stay; 0: for ever."""

    messages: int
    traces: int
    strangers: int
    audit: int


class Retention:
    """The daily round; `last_count` rows went in the last one that ended, at `last_at`."""

    def __init__(
        self, rows: OldRows, prune_audit: Callable[[datetime], Awaitable[int]], keep: KeepDays, clock: Clock
    ) -> None:
        self._prune_audit = prune_audit
        self._rows = rows
        self._clock = clock
        self._due_s = clock.elapsed_s()
        self._count = 0
        self.keep = keep
        self.last_at: datetime | None = None
        self.last_count = 0

    @property
    def job(self) -> Job:
        return Job("retention", self.run)

    async def run(self) -> int:
        """Delete a page of each kind; returns how many rows were looked at, 0 if the round is over or not due."""
        if self._clock.elapsed_s() < self._due_s:
            return 0
        keep, rows = self.keep, self._rows
        tasks: list[tuple[int, Callable[[datetime], Awaitable[int]]]] = [
            (keep.messages, rows.delete_received),
            (keep.messages, rows.delete_sent),
            (keep.messages, rows.delete_questions),
            (keep.traces, rows.delete_traces),
            (keep.strangers, rows.delete_strangers),
            (keep.audit, self._prune_audit),
        ]
        now = self._clock.now()
        count = sum([await delete(now - timedelta(days=days)) for days, delete in tasks if days])
        self._count += count
        if not count:
            self.last_at, self.last_count, self._count = now, self._count, 0
            self._due_s = self._clock.elapsed_s() + _A_DAY_S
            rows.rewind()
        return count
