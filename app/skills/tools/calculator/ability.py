"""Exact arithmetic."""

from app.skills.kit import Kit
from app.skills.tools.calculator import at_once, calculator_tools
from app.skills.tools.calculator.going_on import GoingOn
from app.skills.tools.calculator.totals import Totals


def register(kit: Kit) -> None:
    calculator_tools.register(kit.tools)
    if kit.is_small_model:
        conversations = kit.repository.conversations
        # What goes on comes first: "+ 15%" is also a calculation of its own, of no use.
        kit.tellings.extend((GoingOn(conversations).tell, at_once.tell, Totals(conversations).tell))
