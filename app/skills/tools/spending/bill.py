"""What a month costs: the messages that Meta delivered, times the owner's prices."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from app.skills.tools.spending.ledger import SERVICE, Charged, Month
from app.skills.tools.spending.prices import PriceTable
from app.when.rules import to_local, to_utc

_DECEMBER: Final = 12
_EARLY: Final = 0.03
"""So much of a month must be over (a day) before it tells anything of the rest."""


@dataclass(frozen=True, slots=True)
class Bill:
    """`unpriced` counts messages that cost something nobody knows, by country and category."""

    cost: Decimal = Decimal(0)
    messages: int = 0
    free: int = 0
    unpriced: Counter[tuple[str, str]] = field(default_factory=Counter)


def month_of(now: datetime, zone: ZoneInfo) -> Month:
    """Return the calendar month of a moment, on the clock of where the service runs."""
    start = to_local(now, zone).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    is_last = start.month == _DECEMBER
    end = start.replace(year=start.year + is_last, month=1 if is_last else start.month + 1)
    return Month(to_utc(start, zone), to_utc(end, zone))


def bill_of(charged: Iterable[Charged], table: PriceTable) -> Bill:
    """Add up what these messages cost."""
    cost, messages, free = Decimal(0), 0, 0
    unpriced: Counter[tuple[str, str]] = Counter()
    for one in charged:
        messages += one.count
        if one.is_free or not one.is_billable:
            free += one.count
        elif (price := table.price(one.country, one.category)) is None:
            unpriced[one.country, one.category] += one.count
        else:
            cost += price * one.count
    return Bill(cost, messages, free, unpriced)


def forecast(charged: Iterable[Charged], table: PriceTable, month: Month, now: datetime) -> Decimal | None:
    """Return what the month costs if it goes on like this; None while it is too early, or a price is not known.

    The free messages are used up once, and those beyond them go to the same countries as all.
    """
    share = Decimal(str(month.share(now)))
    some = list(charged)
    service = [one for one in some if one.category == SERVICE and (one.is_free or one.is_billable)]
    others = [one for one in some if one.category != SERVICE and one.is_billable]
    if share < Decimal(str(_EARLY)):
        return None
    sent = sum(one.count for one in service)
    beyond = max(Decimal(0), sent / share - table.free_service_messages)
    costs = [(one, beyond * one.count / sent) for one in service if beyond]
    costs += [(one, one.count / share) for one in others]
    total = Decimal(0)
    for one, count in costs:
        price = table.price(one.country, one.category)
        if price is None:
            return None
        total += price * count
    return total
