"""A clock that moves only when the test says so."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

BEGINNING: Final = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0)
"""When the clocks of tests begin: at the same hour, whenever they run. What builders make is from then, too."""


class FrozenClock:
    """`Clock` whose sleepers wake when `advance` has moved the time past them."""

    def __init__(self, now: datetime | None = None) -> None:
        self._now = now or BEGINNING
        self._elapsed_s = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()

    def now(self) -> datetime:
        return self._now

    def elapsed_s(self) -> float:
        return self._elapsed_s

    def set_back(self, back: timedelta) -> None:
        """Change the time of day as an operator or NTP does: nobody waits longer for it."""
        self._now -= back

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (round(self._elapsed_s + seconds, 6), next(self._order), woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Move the time and let the sleepers that are due run up to their next wait."""
        self._now += timedelta(seconds=seconds)
        self._elapsed_s = round(self._elapsed_s + seconds, 6)
        while self._sleepers and self._sleepers[0][0] <= self._elapsed_s:
            _, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
        for _ in range(20):
            await asyncio.sleep(0)
