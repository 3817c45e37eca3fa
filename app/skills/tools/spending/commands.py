"""/spend."""

from dataclasses import replace
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from app.charts.charts import Charts
from app.charts.lexicon import CHARTS
from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import cut, fold
from app.language.catalogue import say
from app.skills.tools.spending.books import Books, Page
from app.skills.tools.spending.ledger import ModelUse
from app.skills.tools.spending.telling import chart, tell_all, tell_own
from app.skills.tools.spending.texts import SPENDING

_CAPTION_CHARS: Final = 1024


def register(
    registry: CommandRegistry,
    repository: Repository,
    books: Books,
    limit: Decimal,
    zone: ZoneInfo,
    charts: Charts,
) -> None:
    """Add /spend: each person sees their own part, admins that of everybody."""

    async def spend(args: str, ctx: TurnContext) -> Reply:
        page = await books.page()
        text = await words(page, ctx)
        if CHARTS.isdisjoint(fold(args).split()):
            return Reply(text)
        own = [one for one in page.charged if ctx.is_admin or one.user_id == ctx.user_id]
        drawn = await charts.draw(chart(page, own, zone, ctx.language))
        if drawn is None:
            return Reply(text)
        # One message, because each is billed.
        return Reply(messages=(replace(drawn, caption=cut(text, _CAPTION_CHARS)),))

    async def words(page: Page, ctx: TurnContext) -> str:
        uses = await books.ledger.model_use(page.month)
        if not ctx.is_admin:
            own = uses.get(ctx.user_id, ModelUse())
            return "\n".join(tell_own(page, ctx.user_id, own, zone, ctx.language))
        known = {one.user_id for one in page.charged if one.user_id is not None} | set(uses)
        names = {user_id: (await repository.users.get(user_id)).name or "?" for user_id in known}
        lines = tell_all(page, limit, names, uses, zone, ctx.language)
        if problem := books.prices.problem():
            lines.append(say(SPENDING.unreadable, ctx.language, problem=problem))
        return "\n".join(lines)

    registry.add(CommandSpec("spend", SPENDING.help_spend, spend, also=SPENDING.name_spend))
