"""Time: the system's clock, the milliseconds in which the database keeps it, and waiting for what comes first."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime


class SystemClock:
    """The `Clock` of production."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def first_of(*waits: Awaitable[object], begun: Callable[[], None] = lambda: None) -> None:
    """Wait until the first of these ends, an event or the clock; the others are cancelled, and have ended.

    `begun` is called when all of them have begun to wait. What a wait raises is not raised here.
    """
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.sleep(0)
        begun()
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970 (UTC) of an aware time."""
    return round(moment.timestamp() * 1000)


def from_ms(value: int) -> datetime:
    """The aware UTC time of `to_ms`."""
    return datetime.fromtimestamp(value / 1000, UTC)
