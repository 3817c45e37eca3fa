"""A process that fires what is due in the data directory it is given, and kills itself when it is told to.

usage: python -m tests.abilities.reminders.firing_worker DATA_DIR NOW MOMENT TIMES
"""

import asyncio
import os
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Final

from app.asking.asking import Asking
from app.database.db import Database
from app.domain.ids import UserId
from app.domain.outbound import Occasion
from app.skills.tools.reminders.firing import Firing
from tests.databases import place_of
from tests.fakes.clock import FrozenClock

MOMENTS: Final = ("in the transaction", "committed, nobody told")


class LastMoments:
    """What the firing is built with, each of which may be the last thing that it calls."""

    def __init__(self, last: str, times: int) -> None:
        self._last = last
        self._left = times

    def pass_by(self, moment: str) -> None:
        self._left -= moment == self._last
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def wake(self, users: frozenset[UserId]) -> None:
        self.pass_by("committed, nobody told")


class LastClock(FrozenClock):
    """Asked for the time when the buttons of a message are made, between the first and the last write."""

    def __init__(self, now: datetime, moments: LastMoments) -> None:
        super().__init__(now)
        self._moments = moments

    def now(self) -> datetime:
        self._moments.pass_by("in the transaction")
        return super().now()


async def _always(occasion: Occasion) -> bool:
    return True


async def _no_template(language: str) -> str:
    return ""


async def main(data_dir: Path, now: datetime, moments: LastMoments) -> None:
    async with Database.open(place_of(data_dir)) as db:
        asking = Asking(db, LastClock(now, moments), wake_delivery=moments.wake)
        firing = Firing(
            db,
            FrozenClock(now),
            asking,
            take_up=moments.wake,
            may_send=_always,
            template_status=_no_template,
        )
        async with firing.running():
            await firing.idle()


if __name__ == "__main__":
    asyncio.run(
        main(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]), LastMoments(sys.argv[3], int(sys.argv[4])))
    )
