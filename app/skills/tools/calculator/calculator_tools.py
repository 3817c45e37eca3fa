"""The tool that computes: forgiving in what it reads, exact in what it answers."""

import re
from typing import Annotated, Final

from pydantic import Field

from app.domain.tools import ToolResult, Words
from app.domain.turn import TurnContext
from app.language.written_numbers import as_written, group_sign, locale_at
from app.skills.registry import SkillRegistry
from app.skills.tools.calculator.arithmetic import evaluate, show, show_briefly
from app.skills.tools.calculator.expressions import Expression as Understood
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.lexicon import parts_said

_SKILL: Final = "calculator"
# For models whose answer is bound to it; what others write is read without it.
Expression = Annotated[str, Field(json_schema_extra={"pattern": '^[^"{}:;<>]+$'}), Words(is_sum=True)]
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

    Returns the calculation as it was understood with its result, `≈` where that is rounded: for the model, which
    may go on from it, to 12 digits, for the person to two decimals. In a Spanish conversation, where 1.560 may
    mean 1560, the answer says how such a number was read.

    Args:
        expression: like 12% of 950 or 3^15

    Raises:
        ToolFault: it cannot be read, is not defined, or is too large.
    """
    meant = _with_parts(expression, ctx)
    is_grouped = group_sign(locale_at(ctx.language, ctx.timezone)) == "."
    plain = _without_groups(meant, ctx) if is_grouped else meant
    understood = read_expression(plain)
    value = evaluate(understood.source)
    told = _told(understood, show_briefly(value))
    if understood.doubts and ctx.language == "es":
        return ToolResult.ok(f"{told} ({'; '.join(understood.doubts)})")
    return ToolResult.ok(_told(understood, show(value)), in_words(told, ctx, is_local=plain != meant))


def computed(understood: Understood) -> str:
    """Return a calculation with its result, `≈` between them where that is rounded, as a person reads it.

    Raises:
        ToolFault: it is not defined, or too large.
    """
    return _told(understood, show_briefly(evaluate(understood.source)))


def _told(understood: Understood, result: tuple[str, bool]) -> str:
    text, is_exact = result
    return f"{understood.shown} {'=' if is_exact else '≈'} {text}"


def in_words(told: str, ctx: TurnContext, *, is_local: bool) -> str:
    """Return what was computed as people read it; `is_local`: with numbers as they are written where they live."""
    reply = (as_written(told, locale_at(ctx.language, ctx.timezone)) if is_local else told).replace("*", "×")
    return reply.replace(" of ", " de ") if ctx.language == "es" else reply


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
