"""Lists: what a household buys, packs or has to do, by name."""

from functools import partial
from typing import Final

from app.domain.turn import TurnContext
from app.skills.kit import Kit
from app.skills.named_things import names_one, tells_done
from app.skills.tools.lists import home, lists_tools
from app.skills.tools.lists.repository import UNDOABLE, Lists

_CATEGORY: Final = ("lists",)


def register(kit: Kit) -> None:
    lists = Lists(kit.db)
    lists_tools.register(kit.tools, lists, kit.clock, kit.repository.acts)
    kit.needs.append(partial(_done_on, lists))
    kit.named.append(partial(_named, lists))
    kit.home.append(home.part(lists))
    kit.repository.acts.add(*UNDOABLE)


async def _done_on(lists: Lists, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: something that stands on a list was got."""
    if not tells_done(text):
        return ()
    known = await lists.list_all(ctx.user_id)
    return _CATEGORY if names_one(text, (item.text for one in known for item in one.open_items)) else ()


async def _named(lists: Lists, text: str, ctx: TurnContext) -> tuple[str, ...]:
    """See `Needs`: a list is called by its name."""
    known = await lists.list_all(ctx.user_id)
    return _CATEGORY if names_one(text, (one.name for one in known)) else ()
