"""Which processes serve together: each is on the roll while it lives, and who died is found and written down."""

import secrets
from collections.abc import Collection
from typing import Final

import structlog

from app.database.db import Leases
from app.database.repositories.deaths import Deaths
from app.domain.ids import UserId
from app.domain.ports import Clock

log = structlog.get_logger(__name__)

_PROCESS: Final = "process "


class Roll:
    """This process on the roll, by a lease of its own: whose lease is free is dead."""

    def __init__(self, deaths: Deaths, clock: Clock) -> None:
        self._deaths = deaths
        self._clock = clock
        self._name = ""
        self._epoch = 0

    def has_signed(self, leases: Leases) -> bool:
        """Tell whether this process is on the roll by the connection that there is."""
        return self._epoch == leases.epoch

    async def sign(self, leases: Leases) -> str:
        """Put this process on the roll, anew after it lost its connection; returns what it is called there.

        Raises:
            Transient: the server cannot be reached; it is not on the roll.
        """
        name = secrets.token_hex(8)
        await leases.take([_PROCESS + name])
        epoch = leases.epoch
        await self._deaths.begin(name, self._clock.now(), formerly=self._name)
        self._name, self._epoch = name, epoch
        return name

    async def leave(self) -> None:
        """Take this process off the roll: it ends in good order."""
        await self._deaths.end(self._name)

    async def note_dead(self, leases: Leases) -> None:
        """Write down who died.

        Raises:
            Transient: the server cannot be reached.
        """
        names = {_PROCESS + one: one for one in await self._deaths.list_living() if one != self._name}
        if not names or not (free := await leases.take(list(names))):
            return
        if count := await self._deaths.note([names[one] for one in free], self._clock.now()):
            log.warning("together.died", processes=count)
        await leases.give_back(free)

    async def note_takers(self, user_ids: Collection[UserId]) -> None:
        """Write down that those died who left turns of these people running: the people are this process's now."""
        takers = [one for one in await self._deaths.list_takers(user_ids) if one != self._name]
        await self._deaths.note(takers, self._clock.now())

    async def list_suspects(self) -> dict[UserId, int]:
        """See `Deaths`."""
        return await self._deaths.list_suspects()
