"""One task for each user with work: strictly in order within a user, side by side across users."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context
from typing import Final

import structlog

from app.domain.clock import first_of
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.log import user_tag

log = structlog.get_logger(__name__)

QUIET_S: Final = 0.01
"""How long nothing must have been stored: in a burst, the next webhook is on its way."""
MAX_HOLD_S: Final = 0.25
"""The longest that a turn's next step gives way, however many webhooks arrive."""

Step = Callable[[UserId], Awaitable[float | None]]
AGAIN: Final = 0.0


class RushHour:
    """Webhooks come first: knows when they are being stored, and lets the steps of turns wait for a lull."""

    def __init__(self) -> None:
        self._storing = 0
        self._lull = asyncio.Event()
        self._lull.set()
        self._ending: asyncio.TimerHandle | None = None

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Mark a webhook store as in progress."""
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


class Lanes:
    """Run `step(user)` again and again while it says that there is more to do.

    A step returns None when nothing is left, or the seconds until it wants to run again (0 means at
    once); `wake` ends that wait. A step that raises is logged and tried again after `retry_s`, so that
    one bad row never ends the lane of a user, let alone the process. Steps give way to `rush`.
    """

    def __init__(
        self, name: str, step: Step, clock: Clock, rush: RushHour | None = None, *, retry_s: float = 1.0
    ) -> None:
        self._name = name
        self._step = step
        self._clock = clock
        self._rush = rush or RushHour()
        self._retry_s = retry_s
        self._tasks: dict[UserId, asyncio.Task[None]] = {}
        self._wakes: dict[UserId, asyncio.Event] = {}
        self._waiting: set[UserId] = set()
        self._changed = asyncio.Event()
        self._is_closing = False
        self._on_idle: Callable[[], None] = lambda: None
        self._on_over: Callable[[UserId], None] = lambda user_id: None

    def when_over(self, call: Callable[[UserId], None]) -> None:
        """Have `call` called whenever a lane ends."""
        self._on_over = call

    def is_busy(self, user_id: UserId) -> bool:
        """Tell whether that user has a lane, be it one that waits."""
        return user_id in self._tasks

    def is_at_work(self, user_id: UserId) -> bool:
        """Tell whether that user has a lane that does not wait for a time."""
        return user_id in self._tasks and user_id not in self._waiting

    def drop(self, user_ids: Iterable[UserId]) -> None:
        """Cancel these users' lanes, whatever they are doing."""
        for user_id in user_ids:
            if (task := self._tasks.get(user_id)) is not None:
                task.cancel()

    def when_idle(self, call: Callable[[], None]) -> None:
        """Have `call` called whenever the last lane ends."""
        self._on_idle = call

    def wake(self, user_ids: Iterable[UserId]) -> None:
        """Make sure that these users' lanes look for work now."""
        for user_id in user_ids:
            if self._is_closing:
                return
            if user_id in self._tasks:
                self._wakes[user_id].set()
                self._waiting.discard(user_id)
            else:
                self._wakes[user_id] = asyncio.Event()
                # A context of its own: a lane must not carry the log fields of the turn that woke it.
                name = f"{self._name}:{user_tag(user_id)}"
                self._tasks[user_id] = asyncio.create_task(self._run(user_id), name=name, context=Context())

    async def idle(self) -> None:
        """Wait until every lane has ended or waits for a later time."""
        while any(user_id not in self._waiting for user_id in self._tasks):
            self._changed.clear()
            await self._changed.wait()

    @property
    def active_count(self) -> int:
        return len(self._tasks)

    @property
    def is_open(self) -> bool:
        return not self._is_closing

    async def aclose(self, grace_s: float) -> None:
        """Start nothing new, let running steps end within `grace_s` seconds, then cancel them."""
        self._is_closing = True
        for user_id in tuple(self._waiting):
            self._tasks[user_id].cancel()
        tasks = tuple(self._tasks.values())
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=grace_s)
        for task in late:
            task.cancel()
        if late:
            log.warning("lanes.cut_short", lanes=self._name, count=len(late))
            await asyncio.wait(late)

    async def _run(self, user_id: UserId) -> None:
        wake = self._wakes[user_id]
        try:
            while not self._is_closing:
                wake.clear()
                try:
                    await self._rush.give_way()
                    delay_s = await self._step(user_id)
                except Exception:
                    log.exception("lane.step_failed", lanes=self._name, user=user_tag(user_id))
                    delay_s = self._retry_s
                # No await from here to the end of the lane: a wake-up cannot be missed.
                if delay_s is None and not wake.is_set():
                    return
                if delay_s:
                    await self._wait(user_id, wake, delay_s)
        finally:
            del self._tasks[user_id], self._wakes[user_id]
            self._waiting.discard(user_id)
            if not self._tasks and not self._is_closing:
                self._on_idle()
            self._on_over(user_id)
            self._changed.set()

    async def _wait(self, user_id: UserId, wake: asyncio.Event, delay_s: float) -> None:
        """Wait for a wake-up or for the clock, whichever is first."""

        def note_waiting() -> None:
            self._waiting.add(user_id)
            self._changed.set()

        try:
            await first_of(wake.wait(), self._clock.sleep(delay_s), begun=note_waiting)
        finally:
            self._waiting.discard(user_id)
