"""Lists: what a household buys, packs or has to do, by name."""

from app.skills.kit import Kit
from app.skills.tools.lists import home, lists_tools
from app.skills.tools.lists.repository import UNDOABLE, Lists


def register(kit: Kit) -> None:
    lists = Lists(kit.db)
    lists_tools.register(kit.tools, lists, kit.clock, kit.repository.acts)
    kit.home.append(home.part(lists))
    kit.repository.acts.add(*UNDOABLE)
