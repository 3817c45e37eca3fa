"""A transport made of others, each opened when it is first needed and all closed together."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

import httpx2


class PooledTransport(httpx2.AsyncBaseTransport):
    """Base of transports that choose, for each request, by which other one it goes."""

    def __init__(self) -> None:
        self._open: dict[str, httpx2.AsyncBaseTransport] = {}
        self._stack = AsyncExitStack()

    async def opened(self, key: str, make: Callable[[], httpx2.AsyncBaseTransport]) -> httpx2.AsyncBaseTransport:
        """Return the transport under that key; it is made the first time."""
        if key not in self._open:
            self._open[key] = await self._stack.enter_async_context(make())
        return self._open[key]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        self._open.clear()
        await self._stack.aclose()
