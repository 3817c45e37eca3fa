"""Spending in the home: the month in words and as a picture; one's own, and for admins everybody's."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from app.database.repository import Repository
from app.domain.errors import NotFound
from app.domain.ids import UserId
from app.skills.pages import Entry, Part, Section, Visit
from app.skills.pages import Page as Shown
from app.skills.tools.spending.bill import bill_of
from app.skills.tools.spending.books import Books, Page
from app.skills.tools.spending.ledger import Charged, ModelUse
from app.skills.tools.spending.telling import (
    chart,
    known_people,
    money,
    number,
    tell_month,
    tell_own,
    tell_rest,
)
from app.skills.tools.spending.texts import SPENDING

_ICON: Final = "M4 20V10M10 20V4M16 20v-8M21 20H3"


@dataclass(frozen=True, slots=True)
class SpendingRoom:
    """`limit` is what a month may cost (0: anything), `zone` is where the service runs: its months are these."""

    books: Books
    repository: Repository
    limit: Decimal
    zone: ZoneInfo

    def part(self) -> Part:
        return Part("spending", SPENDING.home_title, _ICON, self.show, summary=self.summary)

    async def show(self, visit: Visit) -> Shown:
        page = await self.books.page()
        uses = await self.books.ledger.model_use(page.month)
        if visit.item:
            return await self._one(UserId(visit.item), page, uses, visit)
        if not visit.is_admin:
            return self._own(visit.user_id, page, uses, visit)
        lines = tell_month(page, self.limit, self.zone, visit.language)
        if problem := self.books.prices.problem():
            lines.append(visit.say(SPENDING.unreadable, problem=problem))
        people = [await self._person(user_id, page, uses, visit) for user_id in known_people(page, uses)]
        *model, source = tell_rest(page, uses, visit.language)
        about = [Entry(visit.say(SPENDING.home_model), line) for line in model]
        about.append(Entry(visit.say(SPENDING.home_prices), source))
        return Shown(
            [
                self._drawn(page, page.charged, visit),
                Section(visit.say(SPENDING.home_people), people, visit.say(SPENDING.home_nobody)),
                Section(visit.say(SPENDING.home_about), about),
            ],
            "\n".join(lines),
        )

    async def summary(self, visit: Visit) -> str:
        page = await self.books.page()
        bill = bill_of(page.charged if visit.is_admin else _of(visit.user_id, page), page.table)
        return visit.say(SPENDING.home_so_far, cost=money(bill.cost, page.table.currency, visit.language))

    async def _one(self, user_id: UserId, page: Page, uses: Mapping[UserId, ModelUse], visit: Visit) -> Shown:
        """Show one person's part: to themselves, and to an admin."""
        if user_id != visit.user_id and not (visit.is_admin and user_id in known_people(page, uses)):
            raise NotFound("person_unknown")
        return self._own(user_id, page, uses, visit, title=await self._name(user_id))

    def _own(
        self, user_id: UserId, page: Page, uses: Mapping[UserId, ModelUse], visit: Visit, *, title: str = ""
    ) -> Shown:
        lines = tell_own(page, user_id, uses.get(user_id, ModelUse()), self.zone, visit.language)
        return Shown([self._drawn(page, _of(user_id, page), visit)], "\n".join(lines), title=title)

    async def _person(self, user_id: UserId, page: Page, uses: Mapping[UserId, ModelUse], visit: Visit) -> Entry:
        bill, use = bill_of(_of(user_id, page), page.table), uses.get(user_id, ModelUse())
        notes = (
            visit.say(SPENDING.home_messages, count=bill.messages),
            money(bill.cost, page.table.currency, visit.language),
            visit.say(SPENDING.home_tokens, count=use.tokens, tokens=number(use.tokens, visit.language)),
        )
        return Entry(await self._name(user_id), notes=notes, item=user_id)

    async def _name(self, user_id: UserId) -> str:
        return (await self.repository.users.get(user_id)).name or "?"

    def _drawn(self, page: Page, charged: Iterable[Charged], visit: Visit) -> Section:
        return Section(chart=chart(page, charged, self.zone, visit.language))


def _of(user_id: UserId, page: Page) -> list[Charged]:
    return [one for one in page.charged if one.user_id == user_id]
