"""How much a test tries: a little at each check, a lot at night (`make nightly`)."""

import os
from typing import Final

from hypothesis import settings

IS_NIGHT: Final = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def some(share: float) -> settings:
    """A share of the examples of other property tests: less than 1 where one costs much, more where little."""
    return settings(max_examples=max(5, round(settings().max_examples * share)))
