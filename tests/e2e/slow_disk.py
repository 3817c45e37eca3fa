"""`python -m app` on a disk where one file, once it is in its place, takes for ever to say so."""

import os
import time
from typing import Any, Final

from app.cli.main import main

SLOW_FILE: Final = "slow.txt"
FOR_EVER_S: Final = 3600

_replace: Final[Any] = os.replace


def slow_replace(source: Any, target: Any, **where: Any) -> None:
    _replace(source, target, **where)
    if target == SLOW_FILE:
        time.sleep(FOR_EVER_S)


if __name__ == "__main__":
    os.replace = slow_replace  # type: ignore[assignment]  # the signature of the part that is called
    main()
