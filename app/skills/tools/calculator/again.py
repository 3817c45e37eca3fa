"""Says the newest result once more where it is doubted, said back or to be rounded: "sure?", "so that's 21"."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.skills.tools.calculator.arithmetic import evaluate
from app.skills.tools.calculator.calculator_tools import in_words
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES
from app.skills.tools.calculator.math_functions import Number
from app.skills.tools.calculator.results import Told
from app.skills.tools.calculator.spoken import NUMBER, ways, with_plain_numbers
from app.skills.tools.calculator.story import find_sum
from app.skills.tools.calculator.texts import CALCULATOR

_MOST_OF_A_CHECK: Final = 60
_EDGES: Final = " .,;:!?¡¿"
_ROUNDED: Final[Mapping[str, Callable[[Number], int]]] = MappingProxyType({"up": math.ceil, "down": math.floor})


def once_more(asked: str, told: Told | None, newest: str, before: str, ctx: TurnContext) -> Reply | None:
    """Say the newest sum again where it is doubted, or without what is behind the point."""
    plain = fold(asked).strip(_EDGES)
    if PHRASES["again.sure"].fullmatch(plain):
        is_ours = told is not None or is_answer_to(before, newest, ctx)
        return Reply(literal=say(CALCULATOR.again, ctx.language, sum=newest)) if is_ours else None
    if told is not None and (is_right := _says_result(asked, told, ctx)) is not None:
        return Reply(literal=say(CALCULATOR.again, ctx.language, sum=newest) if is_right else newest)
    if told is None or PHRASES["again.rounded"].fullmatch(plain) is None:
        return None
    value = evaluate(read_expression(told.value).source)
    whole = next(
        (round_to(value) for topic, round_to in _ROUNDED.items() if PHRASES[f"again.{topic}"].search(plain)), None
    )
    whole = math.floor(value + Fraction(1, 2)) if whole is None else whole
    said = f"{told.sum} {'=' if whole == value else '≈'} {whole}"
    return Reply(literal=in_words(said, ctx, is_local=told.is_local))


def _says_result(asked: str, told: Told, ctx: TurnContext) -> bool | None:
    """Whether "so that's 21, right?" says the result just told; None where a message says anything else.

    Another number is a question only with what asks for a yes: "so that's 20" may be of something else.
    """
    for text in ways(asked) if len(asked) <= _MOST_OF_A_CHECK else ():
        number = NUMBER.search(text)
        if number is None or BEFORE["again.so"].fullmatch(text[: number.start()].lstrip(_EDGES)) is None:
            continue
        tail = text[number.end() :].strip(_EDGES)
        plain = with_plain_numbers(number["number"], ctx)
        if plain is None or not (not tail or PHRASES["again.tag"].fullmatch(tail)):
            continue
        if Fraction(plain) == evaluate(read_expression(told.value).source):
            return True
        return False if tail and "?" in asked else None
    return None


def is_answer_to(said: str, newest: str, ctx: TurnContext) -> bool:
    found = find_sum(said, ctx)
    return found is not None and found[1].literal in (newest, newest.rpartition("\n")[2])
