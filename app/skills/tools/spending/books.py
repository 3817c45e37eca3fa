"""The month's books: what was delivered, what it costs, and on whose clock a month ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from app.domain.ports import Clock
from app.skills.tools.spending.bill import Bill, bill_of, month_of
from app.skills.tools.spending.ledger import Charged, Ledger, Month
from app.skills.tools.spending.prices import Prices, PriceTable


@dataclass(frozen=True, slots=True)
class Page:
    """One month, as it stands `at` a moment."""

    at: datetime
    month: Month
    charged: Sequence[Charged]
    table: PriceTable

    @property
    def bill(self) -> Bill:
        return bill_of(self.charged, self.table)


class Books:
    """`zone` is where the service runs: its months are calendar months there."""

    def __init__(self, ledger: Ledger, prices: Prices, zone: ZoneInfo, clock: Clock) -> None:
        self.ledger = ledger
        self.prices = prices
        self._zone = zone
        self._clock = clock

    async def page(self) -> Page:
        """Return this month."""
        now, table = self._clock.now(), self.prices.table()
        month = month_of(now, self._zone)
        return Page(now, month, await self.ledger.charged(month, table.free_service_messages), table)
