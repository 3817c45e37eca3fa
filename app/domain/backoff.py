"""What failed is tried again later, and later each time."""

import random
from typing import Final

from app.domain.ports import Clock

_FIRST_S: Final = 30.0
_LONGEST_S: Final = 3600.0


def growing_delay_s(
    failures: int, *, first_s: float, longest_s: float, factor: float = 2.0, spread: float = 0.0
) -> float:
    """Return the seconds to wait after so many failures in a row: `factor` times as many after each.

    A `spread` of 0.2 adds or takes away up to a fifth, so that not everybody tries at the same moment.
    """
    plain = min(longest_s, first_s * factor ** min(failures - 1, 30))
    return plain * random.uniform(1 - spread, 1 + spread)  # noqa: S311 - guards no secret


class Backoff:
    """Remembers per key when the next attempt is due; what succeeds is forgotten."""

    def __init__(self, clock: Clock, *, first_s: float = _FIRST_S, longest_s: float = _LONGEST_S) -> None:
        self._clock = clock
        self._first_s = first_s
        self._longest_s = longest_s
        self._failed: dict[object, tuple[int, float]] = {}

    def is_due(self, key: object) -> bool:
        return key not in self._failed or self._failed[key][1] <= self._clock.elapsed_s()

    def failed(self, key: object) -> float:
        """Note a failure, and return the seconds until the next attempt: twice as many each time."""
        count = self._failed[key][0] + 1 if key in self._failed else 1
        delay_s = growing_delay_s(count, first_s=self._first_s, longest_s=self._longest_s)
        self._failed[key] = (count, self._clock.elapsed_s() + delay_s)
        return delay_s

    def succeeded(self, key: object) -> None:
        self._failed.pop(key, None)
