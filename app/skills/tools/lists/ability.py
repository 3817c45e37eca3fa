"""Lists: what a household buys, packs or has to do, by name."""

from app.skills.kit import Kit
from app.skills.tools.lists import lists_tools
from app.skills.tools.lists.repository import UNDOABLE, Lists


def register(kit: Kit) -> None:
    lists_tools.register(kit.tools, Lists(kit.db), kit.clock, kit.repository.acts)
    kit.repository.acts.add(*UNDOABLE)
