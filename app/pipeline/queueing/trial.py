"""A turn that processes died with runs alone: it takes no other with it, and what dies then is its doing."""

from collections.abc import Sequence
from typing import Final

from app.database.db import Leases
from app.domain.backoff import growing_delay_s
from app.domain.ids import UserId
from app.domain.ports import Clock

_TRIAL: Final = "trial"
_QUIET_S: Final = 30.0
"""How long it waits until nothing else is at work; then it begins beside it."""
_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 8.0


def pause_s(deaths: int) -> float:
    """Return how long everybody else goes before a turn that so many processes died with."""
    return growing_delay_s(deaths, first_s=_PAUSE_S / 2, longest_s=_LONGEST_PAUSE_S)


class Trial:
    """Who is tried in this process; in all of them it is one person at a time.

    `person` is held; `has_begun` when their work runs.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest_s = 0.0
        self.person: UserId | None = None
        self.has_begun = False

    async def choose(self, leases: Leases, people: Sequence[UserId], prefix: str) -> UserId | None:
        """Hold one of these people, unless another process tries somebody; None when nobody can be had.

        Raises:
            Transient: the server cannot be reached; nobody is held.
        """
        if not await leases.take([_TRIAL]):
            return None
        taken = await leases.take([prefix + one for one in people], at_most=1)
        if not taken:
            await leases.give_back([_TRIAL])
            return None
        chosen = self.person = next(one for one in people if prefix + one in taken)
        self.has_begun = False
        self._latest_s = self._clock.elapsed_s() + _QUIET_S
        return chosen

    def may_begin(self, others_at_work: int) -> bool:
        """Tell whether nothing else is at work, or has been for too long."""
        return not others_at_work or self._clock.elapsed_s() >= self._latest_s

    async def end(self, leases: Leases) -> None:
        """Let another one be tried; the person stays held."""
        self.forget()
        await leases.give_back([_TRIAL])

    def forget(self) -> None:
        """Note that nothing is held any more."""
        self.person, self.has_begun = None, False
