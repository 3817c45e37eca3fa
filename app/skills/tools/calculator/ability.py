"""Exact arithmetic."""

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.skills.amending import CALL_ID
from app.skills.kit import Kit
from app.skills.tools.calculator import calculator_tools
from app.skills.tools.calculator.alone import read_alone
from app.skills.tools.calculator.at_once import read_calculation
from app.skills.tools.calculator.spoken import has_number, ways
from app.skills.tools.calculator.story import find_sum
from app.skills.tools.calculator.sums import Sums
from app.skills.tools.calculator.two_asked import asks_elsewhere


def register(kit: Kit) -> None:
    calculator_tools.register(kit.tools)
    if kit.is_small_model:
        kit.tellings.append(Sums(kit.repository.conversations).tell)
        kit.certain.append(_sum_told)


async def _sum_told(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: one wish of several tells all that is to be computed; alone, it was answered before."""
    if asks_elsewhere(text):
        return None
    calculation = read_calculation(text) or read_alone(text)
    if calculation is None and has_number(ways(text)[0]) and (found := find_sum(text, ctx)) is not None:
        asked, _ = found
        calculation = read_calculation(asked) or read_alone(asked)
    return None if calculation is None else ToolCall(CALL_ID, "calculate", {"expression": calculation})
