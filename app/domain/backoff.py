"""What failed is tried again later, and later each time."""

from datetime import datetime, timedelta
from typing import Final

from app.domain.ports import Clock

_FIRST_S: Final = 30.0
_LONGEST_S: Final = 3600.0


class Backoff:
    """Remembers per key when the next attempt is due; what succeeds is forgotten."""

    def __init__(self, clock: Clock, *, first_s: float = _FIRST_S, longest_s: float = _LONGEST_S) -> None:
        self._clock = clock
        self._first_s = first_s
        self._longest_s = longest_s
        self._failed: dict[object, tuple[int, datetime]] = {}

    def is_due(self, key: object) -> bool:
        return key not in self._failed or self._failed[key][1] <= self._clock.now()

    def failed(self, key: object) -> float:
        """Note a failure, and return the seconds until the next attempt: twice as many each time."""
        count = self._failed[key][0] + 1 if key in self._failed else 1
        delay_s = min(self._longest_s, self._first_s * 2.0 ** min(count - 1, 30))
        self._failed[key] = (count, self._clock.now() + timedelta(seconds=delay_s))
        return delay_s

    def succeeded(self, key: object) -> None:
        self._failed.pop(key, None)
