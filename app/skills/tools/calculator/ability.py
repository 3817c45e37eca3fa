"""Exact arithmetic."""

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.skills.amending import CALL_ID
from app.skills.kit import Kit
from app.skills.tools.calculator import calculator_tools
from app.skills.tools.calculator.alone import read_alone
from app.skills.tools.calculator.at_once import read_calculation
from app.skills.tools.calculator.sums import Sums


def register(kit: Kit) -> None:
    calculator_tools.register(kit.tools)
    if kit.is_small_model:
        kit.tellings.append(Sums(kit.repository.conversations).tell)
        kit.certain.append(_sum_told)


async def _sum_told(text: str, _: TurnContext) -> ToolCall | None:
    """See `Certain`: one wish of several tells all that is to be computed; alone, it was answered before."""
    calculation = read_calculation(text) or read_alone(text)
    return None if calculation is None else ToolCall(CALL_ID, "calculate", {"expression": calculation})
