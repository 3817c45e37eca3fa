"""Answers a message that is nothing but a calculation, without a model, which may copy or compute it wrong."""

import re
from dataclasses import replace
from typing import Final

from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import Said, TurnContext
from app.language.catalogue import LANGUAGES
from app.language.written_numbers import in_digits
from app.skills.tools.calculator.calculator_tools import calculate
from app.skills.tools.calculator.expressions import MAX_CHARS, read_expression
from app.skills.tools.calculator.lexicon import CLOSING, OPENING, PERCENT, SURELY

_EDGES: Final = " \n\t.,;:!?¡¿=\"'«»“”"
_DIGIT: Final = re.compile(r"\d")
# Without a word of asking, "10/10" and "3 - 1" are no calculations, and "3 over 4" may be none.
_SURE: Final = re.compile(rf"[*×·÷^√²³%+]|\d\s+[xX]\s+\d|{SURELY.pattern}", re.IGNORECASE)
_MOST_OPENINGS: Final = 3
_COMPUTES: Final = frozenset({"operator", "function", "of"})


def answer_at_once(asked: str, ctx: TurnContext) -> Reply | None:
    """Return the result of a calculation that is the whole message; None for every other message."""
    if (expression := read_calculation(asked)) is None:
        return None
    try:
        result = calculate(expression, ctx=replace(ctx, said=Said(now=(expression,))))
    except ToolFault:
        return None
    return Reply(literal=result.reply) if result.reply else None


def read_calculation(text: str) -> str | None:
    """Return what a message asks to compute, without the words around it; None where it says anything else.

    Numbers that are written in words come in digits.
    """
    if len(text) > MAX_CHARS:
        return None
    spoken = PERCENT.sub(" %", text)
    ways = dict.fromkeys((text, *(in_digits(spoken, language) for language in LANGUAGES)))
    return next(filter(None, map(_read, ways)), None)


def _read(text: str) -> str | None:
    if not _DIGIT.search(text):
        return None
    bare = " ".join(text.split()).strip(_EDGES)
    left, openings = bare, 0
    while openings < _MOST_OPENINGS and (opening := OPENING.match(left)):
        left, openings = left[opening.end() :].lstrip(_EDGES), openings + 1
    closed = CLOSING.search(left)
    left = (left[: closed.start()] if closed else left).strip(_EDGES)
    if left == bare and not _SURE.search(left):
        return None
    try:
        kinds = read_expression(left).kinds
    except ToolFault:
        return None
    return left if kinds & _COMPUTES else None
