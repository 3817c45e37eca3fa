"""The spending limit: a warning at 80 %, and at 100 % an end of what is not an answer to somebody."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Final, Literal

import structlog

from app.asking.admins import Admins
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.outbound import Occasion
from app.jobs import Job
from app.language.catalogue import Language, say
from app.skills.tools.spending.books import Books, Page
from app.skills.tools.spending.telling import money
from app.skills.tools.spending.texts import SPENDING

log = structlog.get_logger(__name__)

WARNED_AT: Final = 80
REACHED: Final = 100
_OCCASIONS: Final[tuple[Occasion, ...]] = ("answer", "unasked", "warning")


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a month may cost, in the currency of the price table (0: anything), and what stops there."""

    monthly: Decimal
    stops: Literal["unasked", "all"]

    def percent(self, page: Page) -> int:
        """Return how much of it is spent; 0 where there is no limit."""
        return int(page.bill.cost * 100 / self.monthly) if self.monthly else 0


class Limit:
    """Asked before a message goes out."""

    def __init__(self, books: Books, ceiling: Ceiling) -> None:
        self._books = books
        self._ceiling = ceiling

    async def may_send(self, occasion: Occasion) -> bool:
        """Tell whether the month's limit lets a message of that occasion go; warnings always go."""
        return not self._is_limited(occasion) or self.lets_go(occasion, await self._books.page())

    def lets_go(self, occasion: Occasion, page: Page) -> bool:
        """As `may_send`, by a page that was read already."""
        return not self._is_limited(occasion) or self._ceiling.percent(page) < REACHED

    def _is_limited(self, occasion: Occasion) -> bool:
        return occasion == "unasked" or (occasion == "answer" and self._ceiling.stops == "all")


class LimitWatch:
    """Warns the admins, once a month for each level, and lets go on what was stopped once the limit allows it."""

    def __init__(
        self,
        books: Books,
        ceiling: Ceiling,
        limit: Limit,
        repository: Repository,
        admins: Admins,
        wake_delivery: Callable[[frozenset[UserId]], None],
    ) -> None:
        self._books = books
        self._ceiling = ceiling
        self._limit = limit
        self._repository = repository
        self._admins = admins
        self._wake_delivery = wake_delivery

    @property
    def job(self) -> Job:
        return Job("spending", self.run)

    async def run(self) -> int:
        """Warn if it is time; returns how many warnings were given and messages let go."""
        page = await self._books.page()
        free = [one for one in _OCCASIONS if self._limit.lets_go(one, page)]
        released = await self._repository.outbox_queue.release_stopped(free)
        self._wake_delivery(released)
        return await self._warn(page) + len(released)

    async def _warn(self, page: Page) -> int:
        percent = self._ceiling.percent(page)
        level = REACHED if percent >= REACHED else WARNED_AT
        if percent < WARNED_AT:
            return 0
        text_in = partial(self._describe, page, level)
        async with self._repository.transaction() as tx:
            limited = str(self._ceiling.monthly)
            if not await self._books.ledger.note_warning(page.month, level, limited, tx=tx):
                return 0
            told = await self._admins.tell_in(tx, text_in, is_warning=True)
        log.warning("spending.warned", percent=percent, admins=len(told))
        self._admins.wake(told)
        return 1

    def _describe(self, page: Page, level: int, language: Language) -> str:
        is_all = self._ceiling.stops == "all"
        reached = SPENDING.reached_all if is_all else SPENDING.reached
        return say(
            reached if level == REACHED else SPENDING.near,
            language,
            cost=money(page.bill.cost, page.table.currency, language),
            limit=money(self._ceiling.monthly, page.table.currency, language),
        )
