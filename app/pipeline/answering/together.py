"""Two things at once, without leaving one of them behind."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")


async def both(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Run both side by side; the error of either ends the other and is raised as it is, not in a group."""
    other = asyncio.ensure_future(second)
    try:
        return await first, await other
    finally:
        other.cancel()
        await asyncio.wait({other})
