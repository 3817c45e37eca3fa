"""Exact arithmetic."""

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.skills.amending import CALL_ID
from app.skills.kit import Kit
from app.skills.tools.calculator import at_once, calculator_tools
from app.skills.tools.calculator.alone import read_alone
from app.skills.tools.calculator.going_on import GoingOn
from app.skills.tools.calculator.totals import Totals


def register(kit: Kit) -> None:
    calculator_tools.register(kit.tools)
    if kit.is_small_model:
        conversations = kit.repository.conversations
        # What goes on comes first: "+ 15%" is also a calculation of its own, of no use.
        kit.tellings.extend((GoingOn(conversations).tell, at_once.tell, Totals(conversations).tell))
        kit.certain.append(_sum_told)


async def _sum_told(text: str, _: TurnContext) -> ToolCall | None:
    """See `Certain`: one wish of several tells all that is to be computed; alone, it was answered before."""
    calculation = at_once.read_calculation(text) or read_alone(text)
    return None if calculation is None else ToolCall(CALL_ID, "calculate", {"expression": calculation})
