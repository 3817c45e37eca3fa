"""The background: jobs that look at what is stored and do what is missing, and loops that never end."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import structlog

from app.disk import stamp_of
from app.domain.backoff import Backoff
from app.domain.clock import first_of
from app.domain.errors import AppError
from app.domain.ports import Clock
from app.language.catalogue import Sentence

log = structlog.get_logger(__name__)

_EVERY_S: Final = 60.0
_FIRST_RETRY_S: Final = 5.0
_LONGEST_RETRY_S: Final = 900.0
_GRACE_S: Final = 5.0
_LOOK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Job:
    """`run` does a bounded amount of work and returns how much: more than 0 means that there may be more."""

    name: str
    run: Callable[[], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Pruning:
    """What goes when it is `days` old (0: never): `told` names it, with `{span}` for how long it stays.

    `delete` lets go of a page of what is older than a moment, and returns how many rows it looked at.
    """

    told: Sentence
    days: int
    delete: Callable[[datetime], Awaitable[int]]


class JobRunner:
    """Runs every job one after the other, again while any of them finds work, then waits.

    The wait ends with `wake` or after `every_s`. A job that fails waits alone, longer each time. One job at a
    time, because most of them ask the same model.
    """

    def __init__(self, jobs: Sequence[Job], clock: Clock, *, every_s: float = _EVERY_S) -> None:
        self._jobs = list(jobs)
        self._clock = clock
        self._every_s = every_s
        self._backoff = Backoff(clock, first_s=_FIRST_RETRY_S, longest_s=_LONGEST_RETRY_S)
        self._wanted = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._is_closing = False
        self._is_ours: Callable[[], bool] = lambda: True
        self._tell: Callable[[], None] = lambda: None

    def share(self, is_ours: Callable[[], bool], tell: Callable[[], None]) -> None:
        """Run only while `is_ours`; `tell` wakes the process whose jobs they are otherwise."""
        self._is_ours, self._tell = is_ours, tell

    def add(self, job: Job) -> None:
        """Run one more job, after those there are."""
        self._jobs.append(job)

    def wake(self) -> None:
        """Look for work now; while a round is running, after it."""
        if not self._is_ours():
            self._tell()
            return
        self._is_idle.clear()
        self._wanted.set()

    async def idle(self) -> None:
        """Wait until a round found nothing to do and nobody has called `wake` since."""
        await self._is_idle.wait()

    @asynccontextmanager
    async def running(self, *, grace_s: float = _GRACE_S) -> AsyncIterator[None]:
        """Run the jobs beside the block.

        At its end the running job has `grace_s` seconds, then it is cancelled: what it left undone is found
        again at the next start.
        """
        loop = asyncio.create_task(self._run(), name="jobs", context=Context())
        try:
            yield
        finally:
            self._is_closing = True
            self._wanted.set()
            _, late = await asyncio.wait({loop}, timeout=grace_s)
            for task in late:
                task.cancel()
                await asyncio.wait({task})
            self._is_idle.set()
            if not loop.cancelled():
                loop.result()

    async def _run(self) -> None:
        while not self._is_closing:
            self._wanted.clear()
            self._is_idle.clear()
            while await self._round() and not self._is_closing:
                pass
            if not self._wanted.is_set():
                await self._wait()

    async def _round(self) -> int:
        done = 0
        for job in self._jobs:
            if not self._is_closing and self._is_ours() and self._backoff.is_due(job.name):
                done += await self._run_job(job)
        return done

    async def _run_job(self, job: Job) -> int:
        """Run a job as a task of its own: however it fails, the others go on."""
        task = asyncio.create_task(_call(job), name=f"job:{job.name}")
        try:
            await asyncio.wait({task})
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        failure = None if task.cancelled() else task.exception()
        if failure is None and not task.cancelled():
            self._backoff.succeeded(job.name)
            if count := task.result():
                log.info("job.finished", job=job.name, count=count)
            return count
        delay_s = self._backoff.failed(job.name)
        if isinstance(failure, AppError):
            log.warning("job.postponed", job=job.name, reason=failure.code, delay_s=delay_s)
        else:
            log.error("job.failed", job=job.name, delay_s=delay_s, exc_info=failure)
        return 0

    async def _wait(self) -> None:
        def note_idle() -> None:
            if not self._wanted.is_set():
                self._is_idle.set()

        await first_of(self._wanted.wait(), self._clock.sleep(self._every_s), begun=note_idle)


async def _call(job: Job) -> int:
    return await job.run()


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


async def follow_files(
    files: Callable[[], Iterable[Path]], changed: Callable[[], Awaitable[bool]], clock: Clock
) -> None:
    """Await `changed` at once, whenever one of the files is another, and again while it returns False; endless.

    `files` runs in a thread, once a second, and each of them is asked for its stamp then.
    """
    seen = None
    while True:
        now = await asyncio.to_thread(lambda: [(path, stamp_of(path)) for path in files()])
        if now != seen:
            # What could not be done, or is being changed here, is looked at again.
            seen = now if await changed() else None
        await clock.sleep(_LOOK_S)


def _end_process_on_crash(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        log.critical("background.crashed", loop=task.get_name(), exc_info=task.exception())
        signal.raise_signal(signal.SIGTERM)
