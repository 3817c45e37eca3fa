"""Webhooks come first: turns hold back for a moment while messages are being stored."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

QUIET_S: Final = 0.01
"""How long nothing must have been stored: in a burst, the next webhook is on its way."""
MAX_HOLD_S: Final = 0.25
"""The longest that a turn's next step gives way, however many webhooks arrive."""


class RushHour:
    """Knows when webhooks are being stored, and lets the steps of turns wait for a lull."""

    def __init__(self) -> None:
        self._storing = 0
        self._lull = asyncio.Event()
        self._lull.set()
        self._ending: asyncio.TimerHandle | None = None

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Be counted while the block runs."""
        self._storing += 1
        self._lull.clear()
        if self._ending is not None:
            self._ending.cancel()
        try:
            yield
        finally:
            self._storing -= 1
            if not self._storing:
                self._ending = asyncio.get_running_loop().call_later(QUIET_S, self._lull.set)

    async def give_way(self) -> None:
        """Wait for a lull of `QUIET_S`, but no longer than `MAX_HOLD_S`."""
        if self._lull.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_HOLD_S):
                await self._lull.wait()
