"""Exact arithmetic."""

from app.skills.kit import Kit
from app.skills.tools.calculator import at_once, calculator_tools
from app.skills.tools.calculator.totals import Totals


def register(kit: Kit) -> None:
    calculator_tools.register(kit.tools)
    if kit.is_small_model:
        kit.tellings.extend((at_once.tell, Totals(kit.repository.conversations).tell))
