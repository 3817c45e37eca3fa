"""The loop that keeps every MEMORY.md and its facts alike."""

import asyncio

import structlog

from app.database.repository import Repository
from app.domain.clock import first_of
from app.domain.errors import Transient
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.memory.mirror import MemoryMirror, Stamp

log = structlog.get_logger(__name__)


class MirrorWatch:
    """Looks every two seconds whose file changed; `wake` tells it whose facts did."""

    def __init__(
        self,
        repository: Repository,
        mirror: MemoryMirror,
        clock: Clock,
        *,
        interval_s: float = 2.0,
    ) -> None:
        self._repository = repository
        self._mirror = mirror
        self._clock = clock
        self._interval_s = interval_s
        self._stamps: dict[UserId, Stamp | None] = {}
        self._due: set[UserId] = set()
        self._woken = asyncio.Event()

    def wake(self, user_id: UserId) -> None:
        """Have the file of that person written soon; returns at once."""
        self._due.add(user_id)
        self._woken.set()

    async def run(self) -> None:
        """Reconcile everybody, then whoever changed something, until cancelled; a failing store is tried again."""
        while True:
            try:
                await self.step()
            except Transient as exc:
                self._stamps.clear()
                log.warning("memory_file.watch_failed", reason=exc.code)
            await self._wait()

    async def step(self) -> None:
        """Look at everybody's file once, and reconcile those that changed, were woken, or are waiting."""
        self._woken.clear()
        owners = await self._repository.memory_owners.list_all()
        for user_id in self._stamps.keys() - set(owners):
            del self._stamps[user_id]
        due, self._due = self._due, set()
        # Taken before the reading: what is saved after it, our own write included, is looked at next time.
        stamps = await self._mirror.stamps(owners)
        for user_id, stamp in stamps.items():
            if user_id in due or user_id not in self._stamps or stamp != self._stamps[user_id]:
                if await self._mirror.reconcile(user_id) == "waiting":
                    self._due.add(user_id)
                self._stamps[user_id] = stamp

    async def _wait(self) -> None:
        """Wait for the interval or for `wake`, whichever is first."""
        await first_of(self._woken.wait(), self._clock.sleep(self._interval_s))
