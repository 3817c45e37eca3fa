"""Exact arithmetic."""

from app.skills.kit import Kit
from app.skills.tools.calculator import at_once, calculator_tools


def register(kit: Kit) -> None:
    calculator_tools.register(kit.tools)
    if kit.is_small_model:
        kit.tellings.append(at_once.tell)
