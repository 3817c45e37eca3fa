"""A clock that moves only when the test says so."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from itertools import count


class FrozenClock:
    """`Clock` whose sleepers wake when `advance` has moved the time past them."""

    def __init__(self, now: datetime | None = None) -> None:
        self._now = now or datetime.now(UTC).replace(microsecond=0)
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._order = count()

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + timedelta(seconds=seconds), next(self._order), woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Move the time and let the sleepers that are due run up to their next wait."""
        self._now += timedelta(seconds=seconds)
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
        for _ in range(20):
            await asyncio.sleep(0)
