"""Days from Monday to Friday, counted from one."""

from datetime import date, timedelta
from typing import Final

_WORKDAYS: Final = 5
_MOST: Final = 1000


def workday(first: date, sign: int, count: int) -> date | None:
    """Return the day so many working days behind the first, or before it where `sign` is -1; None for too many."""
    if count > _MOST:
        return None
    day = first
    while count:
        day += timedelta(days=sign)
        count -= day.weekday() < _WORKDAYS
    return day
