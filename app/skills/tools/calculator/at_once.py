"""Answers a message that is nothing but a calculation, without a model, which may copy or compute it wrong."""

import re
from dataclasses import replace
from typing import Final

from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import Said, TurnContext
from app.language.catalogue import LANGUAGES, say
from app.language.folding import fold
from app.language.slips import slips
from app.language.written_numbers import group_sign, in_digits, locale_at
from app.skills.tools.calculator.arithmetic import evaluate
from app.skills.tools.calculator.calculator_tools import calculate, computed, in_words
from app.skills.tools.calculator.expressions import MAX_CHARS, read_expression
from app.skills.tools.calculator.lexicon import CLOSING, MONEY, OPENING, PERCENT, SURELY, THOUSAND, WORDS
from app.skills.tools.calculator.measures import unit_named
from app.skills.tools.calculator.texts import CALCULATOR

_BETWEEN: Final = re.compile(r"(?<=\d )[^\W\d_]{4,12}(?= (?:[^\W\d_]{2,5} )?\d)")
_OPERATORS: Final = tuple(sorted(WORDS["operators"]))
_EDGES: Final = " \n\t.,;:!?¡¿=\"'«»“”"
_DIGIT: Final = re.compile(r"\d")
# Without a word of asking, "10/10" and "3 - 1" are no calculations, and "3 over 4" may be none.
_SURE: Final = re.compile(
    r"[*×·÷^√²³%+]|\d\s+[xX]\s+\d|\A(?:\d[\d.,]*\s+(?:por|times)|\d[\d.,]{2,}\s+(?:menos|minus))\s+\d[\d.,]*\Z|"
    + SURELY.pattern,
    re.IGNORECASE,
)
_THOUSANDS: Final = re.compile(r"(?<![\d.,])[1-9]\d{0,2},\d{3}(?![\d.,])")
_DECIMAL_COMMA: Final = re.compile(r"\d,\d{1,2}(?!\d)")
_DECIMAL_POINT: Final = re.compile(r"\d\.\d{1,2}(?!\d)")
_OF_THOUSANDS: Final = re.compile(r"\d,\d{3}(?:\.\d{1,2})? ?[-/] ?\d|\d ?[-/] ?\d{1,3},\d{3}(?!\d)")
_MOST_OPENINGS: Final = 3
_COMPUTES: Final = frozenset({"operator", "function", "of"})


def answer_at_once(asked: str, ctx: TurnContext, *, is_asked: bool = False) -> Reply | None:
    """Return the result of a calculation that is the whole message; None for every other message.

    `is_asked`: what stands before it says that something is to be computed.
    """
    if (expression := read_calculation(asked, is_asked=is_asked)) is None:
        return None
    try:
        result = calculate(expression, ctx=replace(ctx, said=Said(now=(expression,))))
    except ToolFault:
        return None
    told = result.reply or _as_read(expression, ctx)
    return Reply(literal=told) if told else None


def _as_read(expression: str, ctx: TurnContext) -> str:
    """Word a sum with "85,600" in it, which counts thousands.

    Where the person lives in a country that writes it otherwise, the answer says how it was read.
    """
    told = in_words(computed(read_expression(expression)), ctx, is_local=False)
    written = _THOUSANDS.search(expression)
    if (
        written is None
        or _DECIMAL_POINT.search(expression)
        or group_sign(locale_at(ctx.language, ctx.timezone)) == ","
    ):
        return told
    return say(CALCULATOR.read_as, ctx.language, sum=told, written=written[0], read=written[0].replace(",", ""))


def read_calculation(text: str, *, is_asked: bool = False) -> str | None:
    """Return what a message asks to compute, without the words around it; None where it says anything else.

    Numbers that are written in words come in digits.
    """
    if len(text) > MAX_CHARS:
        return None
    spoken = THOUSAND.sub(r"\g<1>000", PERCENT.sub(" %", _BETWEEN.sub(_as_meant, text)))
    spoken = _without_money(spoken)
    ways = dict.fromkeys((text, *(in_digits(spoken, language) for language in LANGUAGES)))
    return next(filter(None, (_read(one, is_asked=is_asked) for one in ways)), None)


def _as_meant(between: re.Match[str]) -> str:
    """Write the word between two numbers as one that computes, of which it is a slip: "12 tmies 4"."""
    said = fold(between[0])
    is_of_sum = said in WORDS["operators"] or unit_named(said)
    return between[0] if is_of_sum else next((one for one in _OPERATORS if slips(said, one) == 1), between[0])


def _without_money(text: str) -> str:
    """Return a sum without what its numbers are paid in, where that is the same for all: "15% of 84 dollars"."""
    paid_in = {fold(one[1]) for one in MONEY.finditer(text)}
    return MONEY.sub("", text) if len(paid_in) == 1 else text


def _read(text: str, *, is_asked: bool) -> str | None:
    if not _DIGIT.search(text):
        return None
    bare = " ".join(text.split()).strip(_EDGES)
    left, openings = bare, 0
    while openings < _MOST_OPENINGS and (opening := OPENING.match(left)):
        left, openings = left[opening.end() :].lstrip(_EDGES), openings + 1
    closed = CLOSING.search(left)
    left = (left[: closed.start()] if closed else left).strip(_EDGES)
    if _THOUSANDS.search(left) and _DECIMAL_COMMA.search(left):
        return None  # "1,5 + 2,250": of both readings, neither is plain.
    is_sure = is_asked or left != bare or _SURE.search(left) is not None
    if not is_sure and not _OF_THOUSANDS.search(left):
        return None
    try:
        understood = read_expression(left)
        if not is_sure and evaluate(understood.source) < 0:
            return None  # "12,000 - 15,000" is from one to the other.
    except ToolFault:
        return None
    return left if understood.kinds & _COMPUTES else None
