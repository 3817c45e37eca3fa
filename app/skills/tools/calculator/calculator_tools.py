"""The tool that computes: forgiving in what it reads, exact in what it answers."""

from typing import Final

from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.skills.registry import SkillRegistry
from app.skills.tools.calculator.arithmetic import evaluate, show
from app.skills.tools.calculator.expressions import read_expression

_SKILL: Final = "calculator"


def register(registry: SkillRegistry) -> None:
    """Add the tool of the skill `calculator`."""
    registry.add(
        calculate,
        _SKILL,
        read_only=True,
        timeout_s=5.0,
    )


def calculate(expression: str, *, ctx: TurnContext) -> ToolResult:
    """Compute arithmetic exactly: percentages, powers, roots, functions.

    Returns the calculation as it was understood with its result, `≈` where that is rounded. In a Spanish
    conversation, where 1.560 may mean 1560, the answer says how such a number was read.

    Args:
        expression: like 12% of 950 or 3^15

    Raises:
        ToolFault: it cannot be read, is not defined, or is too large.
    """
    understood = read_expression(expression)
    text, is_exact = show(evaluate(understood.source))
    told = f"{understood.shown} {'=' if is_exact else '≈'} {text}"
    if understood.doubts and ctx.language == "es":
        return ToolResult.ok(f"{told} ({'; '.join(understood.doubts)})")
    reply = told.replace("*", "×")
    return ToolResult.ok(told, reply.replace(" of ", " de ") if ctx.language == "es" else reply)
