"""/spend."""

from decimal import Decimal
from zoneinfo import ZoneInfo

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.spending.books import Books
from app.skills.tools.spending.ledger import ModelUse
from app.skills.tools.spending.telling import tell_all, tell_own
from app.skills.tools.spending.texts import SPENDING


def register(
    registry: CommandRegistry, repository: Repository, books: Books, limit: Decimal, zone: ZoneInfo
) -> None:
    """Add /spend: each person sees their own part, admins that of everybody."""

    async def spend(args: str, ctx: TurnContext) -> Reply:
        page = await books.page()
        uses = await books.ledger.model_use(page.month)
        if not ctx.is_admin:
            own = uses.get(ctx.user_id, ModelUse())
            return Reply("\n".join(tell_own(page, ctx.user_id, own, zone, ctx.language)))
        known = {one.user_id for one in page.charged if one.user_id is not None} | set(uses)
        names = {user_id: (await repository.users.get(user_id)).name or "?" for user_id in known}
        lines = tell_all(page, limit, names, uses, zone, ctx.language)
        if problem := books.prices.problem():
            lines.append(say(SPENDING.unreadable, ctx.language, problem=problem))
        return Reply("\n".join(lines))

    registry.add(CommandSpec("spend", SPENDING.help_spend, spend, also=SPENDING.name_spend))
