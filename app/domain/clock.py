"""Time: the system's clock, and the milliseconds in which the database keeps it."""

import asyncio
from datetime import UTC, datetime


class SystemClock:
    """The `Clock` of production."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970 (UTC) of an aware time."""
    return round(moment.timestamp() * 1000)


def from_ms(value: int) -> datetime:
    """The aware UTC time of `to_ms`."""
    return datetime.fromtimestamp(value / 1000, UTC)
