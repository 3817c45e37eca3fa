"""Once a day, what was dealt with long ago goes."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from app.database.repositories.retention import OldRows
from app.domain.ports import Clock
from app.jobs import Job, Pruning

_A_DAY_S: Final = 86_400.0


class Retention:
    """The daily round over `prunings`; `last_count` rows went in the last one that ended, at `last_at`."""

    def __init__(self, rows: OldRows, prunings: Sequence[Pruning], clock: Clock) -> None:
        self._rows = rows
        self._clock = clock
        self._due_s = clock.elapsed_s()
        self._count = 0
        self.prunings = prunings
        self.last_at: datetime | None = None
        self.last_count = 0

    @property
    def job(self) -> Job:
        return Job("retention", self.run)

    async def run(self) -> int:
        """Delete a page of each kind; returns how many rows were looked at, 0 if the round is over or not due."""
        if self._clock.elapsed_s() < self._due_s:
            return 0
        now = self._clock.now()
        count = sum([await one.delete(now - timedelta(days=one.days)) for one in self.prunings if one.days])
        self._count += count
        if not count:
            self.last_at, self.last_count, self._count = now, self._count, 0
            self._due_s = self._clock.elapsed_s() + _A_DAY_S
            self._rows.rewind()
        return count
