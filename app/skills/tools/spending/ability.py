"""What Meta charges for messages, and what the model is used: counted, told, and limited."""

from zoneinfo import ZoneInfo

from app.asking.admins import Admins
from app.jobs import Pruning
from app.skills.kit import Kit
from app.skills.tools.spending import commands, home
from app.skills.tools.spending.books import Books
from app.skills.tools.spending.ledger import Ledger
from app.skills.tools.spending.limit import Ceiling, Limit, LimitWatch
from app.skills.tools.spending.prices import Prices
from app.skills.tools.spending.texts import SPENDING


def register(kit: Kit) -> None:
    settings, channel = kit.settings, kit.channel
    prices = Prices(settings.data_dir)
    prices.put_template()
    zone = ZoneInfo(settings.local_timezone)
    ledger = Ledger(kit.db)
    books = Books(ledger, prices, zone, kit.clock)
    kit.prunings.append(Pruning(SPENDING.kept, settings.keep_spending_days, ledger.delete_before))
    ceiling = Ceiling(settings.spend_limit_monthly, settings.spend_limit_stops)
    limit = Limit(books, ceiling)
    if ceiling.monthly:
        kit.limits.append(limit.may_send)
    admins = Admins(kit.repository, kit.clock, channel.admins, wake_delivery=channel.wake)
    kit.jobs.add(LimitWatch(books, ceiling, limit, kit.repository, admins, channel.wake).job)
    kit.home.append(home.SpendingRoom(books, kit.repository, ceiling.monthly, zone).part())
    commands.register(kit.commands, kit.repository, books, ceiling.monthly, zone, kit.charts)
