"""How long a stored row has to wait, whatever is done to the system's clock meanwhile."""

from datetime import datetime
from typing import Final

from app.domain.ids import UserId
from app.domain.ports import Clock

LONGEST_S: Final = 900.0
"""What nobody has waited for in this process waits no longer: its time may be from before a clock was set back."""


class Waits:
    """Remembers, for the first row of each user, when it is due by a clock that nobody can set."""

    def __init__(self, clock: Clock, *, longest_s: float = LONGEST_S) -> None:
        self._clock = clock
        self._longest_s = longest_s
        self._due: dict[UserId, tuple[int, datetime, float]] = {}

    def left_s(self, user_id: UserId, row_id: int, *, since: datetime, until: datetime) -> float:
        """Return the seconds until the row, which was stored at `since`, is due; 0 when it is."""
        left_s = (until - self._clock.now()).total_seconds()
        known = self._due.get(user_id)
        if known is not None and known[:2] == (row_id, until):
            left_s = min(left_s, known[2] - self._clock.elapsed_s())
        elif since > self._clock.now():
            left_s = 0  # the clock was set back
        if left_s <= 0:
            self._due.pop(user_id, None)
            return 0.0
        left_s = min(left_s, self._longest_s)
        self._due[user_id] = (row_id, until, self._clock.elapsed_s() + left_s)
        return left_s
