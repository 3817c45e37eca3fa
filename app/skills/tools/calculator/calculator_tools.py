"""The tool that computes: forgiving in what it reads, exact in what it answers."""

import re
from typing import Annotated, Final

from pydantic import Field

from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.language.written_numbers import as_written, group_sign, locale_at
from app.skills.registry import SkillRegistry
from app.skills.tools.calculator.arithmetic import evaluate, show
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.lexicon import parts_said

_SKILL: Final = "calculator"
# For models whose answer is bound to it; what others write is read without it.
Expression = Annotated[str, Field(json_schema_extra={"pattern": '^[^"{}:;<>]+$'})]
_GROUPED: Final = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3}){1,4}+(?!\d|[.,]\d)")
_INTEGER: Final = r"(?<![\d.,]){}(?!\d|[.,]\d)"


def register(registry: SkillRegistry) -> None:
    """Add the tool of the skill `calculator`."""
    registry.add(
        calculate,
        _SKILL,
        read_only=True,
        timeout_s=5.0,
    )


def calculate(expression: Expression, *, ctx: TurnContext) -> ToolResult:
    """Compute arithmetic exactly: percentages, powers, roots, functions.

    Returns the calculation as it was understood with its result, `≈` where that is rounded. In a Spanish
    conversation, where 1.560 may mean 1560, the answer says how such a number was read.

    Args:
        expression: like 12% of 950 or 3^15

    Raises:
        ToolFault: it cannot be read, is not defined, or is too large.
    """
    locale = locale_at(ctx.language, ctx.timezone)
    meant = _with_parts(expression, ctx)
    plain = _without_groups(meant, ctx) if group_sign(locale) == "." else meant
    understood = read_expression(plain)
    text, is_exact = show(evaluate(understood.source))
    told = f"{understood.shown} {'=' if is_exact else '≈'} {text}"
    if understood.doubts and ctx.language == "es":
        return ToolResult.ok(f"{told} ({'; '.join(understood.doubts)})")
    reply = (told if plain == meant else as_written(told, locale)).replace("*", "×")
    return ToolResult.ok(told, reply.replace(" of ", " de ") if ctx.language == "es" else reply)


def _without_groups(expression: str, ctx: TurnContext) -> str:
    """Write the numbers that the person wrote with a point between thousands ("8.450") without it."""
    written = set(_GROUPED.findall("\n".join((*ctx.said.now, *ctx.said.before))))
    return _GROUPED.sub(lambda one: one[0].replace(".", "") if one[0] in written else one[0], expression)


def _with_parts(expression: str, ctx: TurnContext) -> str:
    """Add the halves that were said behind a number ("4 kilos y medio"), where a model left them out."""
    for whole, exact in parts_said("\n".join(ctx.said.now)):
        if exact not in expression:
            expression = re.sub(_INTEGER.format(whole), exact, expression, count=1)
    return expression
