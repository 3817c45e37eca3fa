"""Loops that run beside everything else."""

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from contextvars import Context
from typing import Any

import structlog

log = structlog.get_logger(__name__)


@asynccontextmanager
async def beside(loop: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Run an endless loop while the block runs; if it ever ends by itself, the process ends in good order."""
    task = asyncio.create_task(loop, name=name, context=Context())
    task.add_done_callback(_end_process_on_crash)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


def _end_process_on_crash(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        log.critical("background.crashed", loop=task.get_name(), exc_info=task.exception())
        signal.raise_signal(signal.SIGTERM)
