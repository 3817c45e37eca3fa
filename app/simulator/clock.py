"""A clock that runs like the system's, some hours ahead of it."""

import asyncio
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import structlog

from app.domain.errors import Rejected

MAX_OFFSET: Final = timedelta(days=3650)

log = structlog.get_logger(__name__)


class OffsetClock:
    """`Clock` for the simulated world: the service and the simulated Graph share one.

    It only goes forward: what was stored under a later time would otherwise lie in the future. For the same
    reason the offset outlives the process where there is a `path`; a file that cannot be read counts as none.
    """

    def __init__(
        self, path: Path | None = None, *, base: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._path = path
        self._base = base
        self._jumped = asyncio.Event()
        self._offset = _read(path)

    @property
    def offset(self) -> timedelta:
        """How far this clock is ahead."""
        return self._offset

    def now(self) -> datetime:
        return self._base() + self._offset

    def elapsed_s(self) -> float:
        return time.monotonic() + self._offset.total_seconds()

    async def sleep(self, seconds: float) -> None:
        """Wait that long by this clock: a jump past the end ends the wait."""
        end = self.now() + timedelta(seconds=seconds)
        await asyncio.sleep(0)
        while (left_s := (end - self.now()).total_seconds()) > 0:
            jumped = self._jumped
            try:
                async with asyncio.timeout(left_s):
                    await jumped.wait()
            except TimeoutError:
                continue

    def jump(self, ahead: timedelta) -> None:
        """Move the time forward and wake the sleepers that are due.

        Raises:
            Rejected: the time would stand still, go back, or run ten years ahead.
        """
        offset = self._offset + ahead
        if ahead <= timedelta(0) or offset > MAX_OFFSET:
            raise Rejected("clock_jump", "the clock goes forward only, ten years at most")
        if self._path is not None:
            fresh = self._path.with_suffix(".tmp")
            fresh.write_text(json.dumps({"offset_s": offset.total_seconds()}), "utf-8")
            fresh.replace(self._path)
        self._offset = offset
        self._jumped.set()
        self._jumped = asyncio.Event()


def _read(path: Path | None) -> timedelta:
    if path is None or not path.exists():
        return timedelta(0)
    try:
        offset = timedelta(seconds=json.loads(path.read_text("utf-8"))["offset_s"])
    except (ValueError, TypeError, KeyError, OverflowError) as exc:
        log.warning("simulator.clock_unreadable", reason=type(exc).__name__)
        return timedelta(0)
    return min(max(offset, timedelta(0)), MAX_OFFSET)
