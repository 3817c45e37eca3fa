"""Webhooks come first: turns hold back for a moment while messages are being stored."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

MAX_HOLD_S: Final = 0.25
"""The longest that a turn's next step gives way, however many webhooks arrive."""


class RushHour:
    """Counts the webhooks that are being stored now."""

    def __init__(self) -> None:
        self._storing = 0
        self._calm = asyncio.Event()
        self._calm.set()

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Be counted while the block runs."""
        self._storing += 1
        self._calm.clear()
        try:
            yield
        finally:
            self._storing -= 1
            if not self._storing:
                self._calm.set()

    async def give_way(self) -> None:
        """Wait until nothing is being stored, or `MAX_HOLD_S` is over."""
        if self._calm.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_HOLD_S):
                await self._calm.wait()
