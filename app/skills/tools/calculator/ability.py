"""Exact arithmetic."""

from app.skills.kit import Kit
from app.skills.tools.calculator import calculator_tools


def register(kit: Kit) -> None:
    calculator_tools.register(kit.tools)
