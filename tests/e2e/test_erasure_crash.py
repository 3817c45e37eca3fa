"""kill -9 while a person is being forgotten: nothing happened yet, or the next start completes it."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.database.db import Database
from app.database.repository import Repository
from app.domain.ids import TurnId, UserId
from app.files.folder import FolderFiles
from app.privacy.erasure import Belongings, Eraser
from app.privacy.ownership import Ownership
from tests.builders import ALICE, BOB
from tests.databases import migrated, place_of
from tests.e2e.erasure_worker import MOMENTS, confirmed
from tests.fakes.clock import FrozenClock
from tests.owned_rows import RowMaker, rows_of
from tests.talks import NOON

ROOT = Path(__file__).resolve().parents[2]
UNTOUCHED = MOMENTS[:2]
"""Moments at which nothing was committed: the person is asked for the word once more."""


class NextStart:
    """An eraser of a new process over the same data directory."""

    def __init__(self, db: Database, data_dir: Path) -> None:
        self.db = db
        self.users_dir = data_dir / "users"
        repository = Repository(db)
        self.eraser = Eraser(
            repository,
            Ownership(db),
            FrozenClock(NOON),
            control=self,
            belongings=Belongings(FolderFiles(self.users_dir)),
            wake_delivery=lambda _: None,
        )

    async def cancel(self, user_id: UserId, before: TurnId) -> bool:
        return False

    async def tell(self) -> None:
        async with self.db.transaction() as tx:
            await tx.execute("UPDATE outbox SET state = 'sent' WHERE state = 'pending'")

    def files_of(self, user_id: UserId) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.users_dir.glob(f"{user_id}/**/*.*")}


@asynccontextmanager
async def started(data_dir: Path) -> AsyncIterator[NextStart]:
    async with migrated(place_of(data_dir)) as db:
        yield NextStart(db, data_dir)


async def make_people(data_dir: Path) -> tuple[UserId, UserId]:
    """Alice, who pressed the button, and Bob, with something in every table and two files each."""
    async with started(data_dir) as start:
        maker = RowMaker(start.db)
        people = (await maker.add_person(ALICE, "heliotrope", NOON), await maker.add_person(BOB, "bergamot", NOON))
        for user_id in people:
            (start.users_dir / user_id / "deep").mkdir(parents=True)
            (start.users_dir / user_id / "deep" / "letter.txt").write_text(user_id)
            (start.users_dir / user_id / "MEMORY.md").write_text(user_id)
        return people


async def erase_and_be_killed(data_dir: Path, user_id: UserId, moment: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.e2e.erasure_worker",
        str(data_dir),
        user_id,
        moment,
        cwd=ROOT,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60):
            assert await process.wait() == -signal.SIGKILL
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS)
async def test_an_erasure_that_is_killed_has_not_begun_or_is_completed_by_the_next_start(
    tmp_path: Path, moment: str
) -> None:
    alice, bob = await make_people(tmp_path)
    async with started(tmp_path) as start:
        hers, his = await rows_of(start.db, alice), await rows_of(start.db, bob)
        her_files, his_files = start.files_of(alice), start.files_of(bob)

    await erase_and_be_killed(tmp_path, alice, moment)

    async with started(tmp_path) as start:
        if moment in UNTOUCHED:
            assert await rows_of(start.db, alice) == hers
            assert start.files_of(alice) == her_files
            assert await start.eraser.erase(alice, "en", confirmed=confirmed)
        await start.eraser.finish_erasures()
        left = {table for table, rows in (await rows_of(start.db, alice)).items() if rows}
        assert left <= {"users", "outbox"}
        assert not (start.users_dir / alice).exists()
        await start.tell()
        await start.eraser.finish_erasures()
        assert not any((await rows_of(start.db, alice)).values())
        assert await start.eraser.finish_erasures() == 0
        assert await rows_of(start.db, bob) == his
        assert start.files_of(bob) == his_files
