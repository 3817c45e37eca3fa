"""A process that erases one person, in the data directory it is given, and kills itself when it is told to."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from app.database.db import Database, Transaction
from app.database.repository import Repository
from app.domain.ids import TurnId, UserId
from app.domain.recollection import Former
from app.files.folder import FolderFiles
from app.privacy.erasure import Belongings, Eraser
from app.privacy.ownership import Ownership
from tests.databases import place_of
from tests.fakes.clock import FrozenClock
from tests.talks import NOON

MOMENTS: Final = (
    "before anything",
    "rows deleted, not committed",
    "before the files",
    "between the files",
    "before it is told",
    "told, address left",
)


class LastMoments:
    """What the eraser is built with, each of which may be the last thing that it calls."""

    def __init__(self, last: str, users_dir: Path) -> None:
        self._last = last
        self._users_dir = users_dir

    def pass_by(self, moment: str) -> None:
        if moment == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    async def cancel(self, user_id: UserId, before: TurnId) -> bool:
        self.pass_by("before anything")
        return False

    @asynccontextmanager
    async def held(self, user_id: UserId) -> AsyncIterator[None]:
        self.pass_by("before the files")
        if self._last == "between the files":
            (self._users_dir / user_id / "MEMORY.md").unlink()
            self.pass_by(self._last)
        yield

    def wake(self, user_ids: frozenset[UserId]) -> None:
        self.pass_by("before it is told")

    async def forget(self, former: Former) -> None:
        self.pass_by("told, address left")


class MortalRepository(Repository):
    def __init__(self, db: Database, moments: LastMoments) -> None:
        super().__init__(db)
        self._db = db
        self._moments = moments
        self.transaction = self._transaction

    @asynccontextmanager
    async def _transaction(self, *, is_urgent: bool = False) -> AsyncIterator[Transaction]:
        async with self._db.transaction(is_urgent=is_urgent) as tx:
            yield tx
            self._moments.pass_by("rows deleted, not committed")


async def confirmed(tx: Transaction) -> bool:
    return True


async def work(data_dir: Path, user_id: UserId, last: str) -> None:
    moments = LastMoments(last, data_dir / "users")
    async with Database.open(place_of(data_dir)) as db:
        repository = MortalRepository(db, moments)
        eraser = Eraser(
            repository,
            Ownership(db),
            FrozenClock(NOON),
            control=moments,
            belongings=Belongings(FolderFiles(data_dir / "users"), (moments.held,), (moments.forget,)),
            wake_delivery=moments.wake,
        )
        assert await eraser.erase(user_id, "en", confirmed=confirmed)
        async with db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = 'sent' WHERE user_id = ?", user_id)
        await eraser.finish_erasures()


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), UserId(sys.argv[2]), sys.argv[3]))
