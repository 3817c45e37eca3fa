"""A month's books in words."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from babel.core import Locale
from babel.dates import format_date, format_skeleton
from babel.numbers import format_decimal

from app.charts.charts import Chart, Series
from app.domain.ids import UserId
from app.language.catalogue import Language, say
from app.skills.tools.spending.bill import Bill, bill_of, forecast
from app.skills.tools.spending.books import Page
from app.skills.tools.spending.ledger import Charged, ModelUse
from app.skills.tools.spending.texts import SPENDING

_SMALL: Final = 0.1
_NAMED: Final = 5


def money(amount: Decimal, currency: str, language: Language) -> str:
    """Say an amount; small ones to a hundredth of a cent, because one message costs less than one."""
    if 0 < amount < _SMALL:
        return f"{format_decimal(amount.quantize(Decimal('0.0001')).normalize(), locale=language)} {currency}"
    return f"{format_decimal(amount, format='#,##0.00', locale=language)} {currency}"


def month_name(page: Page, zone: ZoneInfo, language: Language) -> str:
    # A day into it, so that no zone shows the month before.
    middle = page.month.start + timedelta(days=1)
    return str(format_skeleton("yMMMM", middle, tzinfo=zone, locale=language))


def tell_own(page: Page, user_id: UserId, use: ModelUse, zone: ZoneInfo, language: Language) -> list[str]:
    """What one person's messages cost; what others do is not told."""
    charged = [one for one in page.charged if one.user_id == user_id]
    lines = [_total(bill_of(charged, page.table), page, zone, language), *_unknown(page, charged, language)]
    return [*lines, *_model(use, language)]


def tell_all(
    page: Page,
    limit: Decimal,
    names: Mapping[UserId, str],
    uses: Mapping[UserId, ModelUse],
    zone: ZoneInfo,
    language: Language,
) -> list[str]:
    """The whole month: the total, what is left, the forecast, and each person's part."""
    people = _people(page, names, uses, language)
    return [*tell_month(page, limit, zone, language), *people, *tell_rest(page, uses, language)]


def tell_month(page: Page, limit: Decimal, zone: ZoneInfo, language: Language) -> list[str]:
    """The total, what is left, the forecast, and what has no price."""
    lines = [_total(page.bill, page, zone, language)]
    used = sum(one.count for one in page.charged if one.is_free)
    free = page.table.free_service_messages
    lines.append(say(SPENDING.free_left, language, count=max(0, free - used), free=free))
    if limit:
        left = max(Decimal(0), limit - page.bill.cost)
        shown = (money(amount, page.table.currency, language) for amount in (left, limit))
        lines.append(say(SPENDING.limit_left, language, **dict(zip(("left", "limit"), shown, strict=True))))
    if (expected := forecast(page.charged, page.table, page.month, page.at)) is not None:
        lines.append(say(SPENDING.forecast, language, cost=money(expected, page.table.currency, language)))
    return [*lines, *_unknown(page, page.charged, language)]


def tell_rest(page: Page, uses: Mapping[UserId, ModelUse], language: Language) -> list[str]:
    """What the model was used, and whose the prices are."""
    return [*_model(_sum(uses.values()), language), _source(page, language)]


def chart(page: Page, charged: Iterable[Charged], zone: ZoneInfo, language: Language) -> Chart:
    """How many messages were delivered on each day so far: those that were free, and all."""
    some = list(charged)
    days = (page.at - page.month.start).days + 1
    free, paid = [0.0] * days, [0.0] * days
    for one in some:
        if one.day < days:
            row = free if one.is_free or not one.is_billable else paid
            row[one.day] += one.count
    series = (
        Series(say(SPENDING.chart_free, language), tuple(free)),
        Series(say(SPENDING.chart_paid, language), tuple(paid)),
    )
    labels = tuple(str(day + 1) for day in range(days))
    return Chart(say(SPENDING.chart_title, language, month=month_name(page, zone, language)), labels, series)


def _total(bill: Bill, page: Page, zone: ZoneInfo, language: Language) -> str:
    cost = money(bill.cost, page.table.currency, language)
    month = month_name(page, zone, language)
    return say(SPENDING.total, language, count=bill.messages, month=month, free=bill.free, cost=cost)


def _unknown(page: Page, charged: Iterable[Charged], language: Language) -> list[str]:
    bill = bill_of(charged, page.table)
    if not bill.unpriced:
        return []
    named = [
        f"{_country(country, language)} ({category}, {count})"
        for (country, category), count in bill.unpriced.most_common(_NAMED)
    ]
    return [say(SPENDING.unknown, language, count=bill.unpriced.total(), list=", ".join(named))]


def known_people(page: Page, uses: Mapping[UserId, ModelUse]) -> list[UserId]:
    """Return who cost something or was answered."""
    return list(dict.fromkeys([*(one.user_id for one in page.charged if one.user_id is not None), *uses]))


def _people(
    page: Page, names: Mapping[UserId, str], uses: Mapping[UserId, ModelUse], language: Language
) -> list[str]:
    lines = []
    for user_id in known_people(page, uses):
        bill = bill_of((one for one in page.charged if one.user_id == user_id), page.table)
        cost = money(bill.cost, page.table.currency, language)
        use = uses.get(user_id, ModelUse())
        name = names.get(user_id, "?")
        lines.append(
            say(
                SPENDING.person,
                language,
                name=name,
                count=bill.messages,
                cost=cost,
                tokens=number(use.tokens, language),
            )
        )
    return lines


def _model(use: ModelUse, language: Language) -> list[str]:
    if not use.turns:
        return []
    minutes = number(round(use.seconds / 60, 1), language)
    return [say(SPENDING.model, language, count=use.turns, tokens=number(use.tokens, language), minutes=minutes)]


def _sum(uses: Iterable[ModelUse]) -> ModelUse:
    some = list(uses)
    return ModelUse(sum(u.turns for u in some), sum(u.tokens for u in some), sum(u.seconds for u in some))


def _source(page: Page, language: Language) -> str:
    table = page.table
    if not table.prices:
        return say(SPENDING.no_prices, language)
    if table.as_of is None:
        return say(SPENDING.undated, language, source=table.source or "?")
    return say(
        SPENDING.source, language, source=table.source or "?", date=format_date(table.as_of, "long", language)
    )


def _country(code: str, language: Language) -> str:
    return str(Locale(language).territories.get(code, code or "?"))


def number(value: float, language: Language) -> str:
    return str(format_decimal(value, locale=language))
