"""How much a test tries: a little at each check, a lot at night (`make nightly`)."""

import os
from typing import Final

from hypothesis import settings

IS_NIGHT: Final = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def some(share: float, *, by_day: float | None = None) -> settings:
    """A share of the examples of other property tests: less than 1 where one costs much, more where little.

    `by_day` is the share at each check where that of the night would take seconds.
    """
    chosen = share if IS_NIGHT or by_day is None else by_day
    return settings(max_examples=max(5, round(settings().max_examples * chosen)))
