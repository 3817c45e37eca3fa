"""What a message asks to compute that tells all of it, and the answer to that."""

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.calculator.arithmetic import evaluate, show_briefly
from app.skills.tools.calculator.calculator_tools import computed, in_words
from app.skills.tools.calculator.conversions import Conversion, read_conversion
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.goods import read_priced
from app.skills.tools.calculator.lasting import answer_lasting
from app.skills.tools.calculator.leftovers import read_left
from app.skills.tools.calculator.markups import read_marked
from app.skills.tools.calculator.offers import answer_offers
from app.skills.tools.calculator.percents import read_percentage, read_without_tax
from app.skills.tools.calculator.rates import read_average, read_proportion, read_rate
from app.skills.tools.calculator.scaling import Scaled, read_fuel, read_recipe
from app.skills.tools.calculator.sharers import Unequal, read_pair, read_shared, read_unequal, without_unequal
from app.skills.tools.calculator.spoken import is_grouped, with_plain_numbers
from app.skills.tools.calculator.stories import read_story
from app.skills.tools.calculator.texts import CALCULATOR
from app.skills.tools.calculator.told import read_told
from app.skills.tools.calculator.trade import Trade, read_trade
from app.skills.tools.calculator.travel import answer_travel
from app.skills.tools.calculator.work_hours import read_hours

_HUNDRED: Final = 100
_MOST_DECIMALS: Final = 4
# Added as a part, it makes a number that ends one that is rounded.
_NO_END: Final = 3 * 10**12


# The surest first.
_READERS: Final[tuple[Callable[[str], str | None], ...]] = (
    *(read_left, read_without_tax, read_average, read_rate, read_proportion),
    *(read_priced, read_marked, read_story, read_told),
)


def read_alone(text: str) -> str | None:
    """Return the calculation of a message that tells all of it; None for any other message."""
    return next(filter(None, (read(text) for read in _READERS)), None)


def answer_alone(text: str, ctx: TurnContext) -> Reply | None:
    """Answer a message that tells all that is to be computed; None for any other."""
    try:
        told = _special(text, ctx)
        if told is None and (calculation := read_alone(text)) is not None:
            told = worded(calculation, ctx)
    except ToolFault:
        return None
    return Reply(literal=told) if told else None


def worded(calculation: str, ctx: TurnContext) -> str | None:
    """Return a calculation with its result; None where that is less than nothing, or not sure."""
    plain = with_plain_numbers(calculation, ctx)
    if plain is None or evaluate(read_expression(plain).source) < 0:
        return None
    return in_words(computed(read_expression(plain)), ctx, is_local=is_grouped(calculation, ctx))


def answer_unequal(
    unequal: Unequal, ctx: TurnContext, *, is_local: bool = False, is_pair: bool = False
) -> str | None:
    """Say what each of the others pays, and what the one does."""
    plain = with_plain_numbers(unequal.each, ctx) if not is_local else unequal.each
    if plain is None:
        return None
    is_local = is_local or is_grouped(unequal.each, ctx)
    each, rest = (read_expression(one) for one in (plain, f"{plain} * {unequal.share}"))
    one = show_briefly(evaluate(rest.source))[0]
    said = in_words(computed(each), ctx, is_local=is_local)
    sentence = CALCULATOR.pair if is_pair else CALCULATOR.unequal
    return say(sentence, ctx.language, sum=said, rest=in_words(one, ctx, is_local=is_local))


def _special(text: str, ctx: TurnContext) -> str | None:
    """Return the answer that is more than a calculation."""
    if (hours := read_hours(text) or answer_travel(text, ctx) or answer_lasting(text, ctx)) is not None:
        return hours
    if (percentage := read_percentage(text)) is not None:
        return _scaled(percentage, ctx)
    if (offers := answer_offers(text, ctx)) is not None:
        return offers
    if (trade := read_trade(text)) is not None:
        return _traded(trade, ctx)
    if scaled := read_recipe(text):
        lines = [_scaled(one, ctx) for one in scaled]
        return None if None in lines else "\n".join(filter(None, lines))
    if (fuel := read_fuel(text)) is not None:
        return _scaled(fuel, ctx)
    if (conversion := read_conversion(text, ctx.timezone)) is not None:
        told = _converted(conversion, ctx)
        sentence = {"US": CALCULATOR.us_measure, "UK": CALCULATOR.uk_measure}.get(conversion.country)
        return say(sentence, ctx.language, sum=told) if told and sentence else told
    if (pair := read_pair(text)) is not None:
        return answer_unequal(pair, ctx, is_pair=True)
    if (rest := without_unequal(text)) is not None and (calculation := read_alone(rest)) is not None:
        unequal = read_unequal(text, read_shared(calculation))
        return answer_unequal(unequal, ctx) if unequal else None
    return None


def _converted(conversion: Conversion, ctx: TurnContext) -> str | None:
    """Word what is measured in another way, with no more digits than anybody measures."""
    plain = with_plain_numbers(conversion.sum, ctx)
    if plain is None:
        return None
    expression = read_expression(plain)
    value = evaluate(expression.source)
    text, is_exact = show_briefly(value)
    if is_exact and len(text.partition(".")[2]) > _MOST_DECIMALS:
        text, is_exact = show_briefly(Fraction(value) + Fraction(1, _NO_END))[0], False
    told = f"{expression.shown} {'=' if is_exact else '≈'} {text}"
    return f"{in_words(told, ctx, is_local=is_grouped(conversion.sum, ctx))} {conversion.unit}"


def _scaled(one: Scaled, ctx: TurnContext) -> str | None:
    """Word an amount with what it is of; degrees may be less than nothing."""
    plain = with_plain_numbers(one.sum, ctx)
    if plain is None:
        return None
    told = in_words(computed(read_expression(plain)), ctx, is_local=is_grouped(one.sum, ctx))
    return f"{told}{one.what}" if one.what == "%" else f"{told} {one.what}".rstrip()


def _traded(trade: Trade, ctx: TurnContext) -> str | None:
    cost, price = (with_plain_numbers(one, ctx) for one in (trade.cost, trade.price))
    if cost is None or price is None or not (Fraction(cost) and Fraction(price)):
        return None
    is_local = is_grouped(f"{trade.cost} {trade.price}", ctx)
    told = in_words(computed(read_expression(f"{price} - {cost}")), ctx, is_local=is_local)
    gain = Fraction(price) - Fraction(cost)
    if gain < 0:
        return say(CALCULATOR.loss, ctx.language, sum=told)
    of_cost, of_price = (show_briefly(gain * _HUNDRED / Fraction(one))[0] for one in (cost, price))
    return say(CALCULATOR.margin, ctx.language, sum=told, of_cost=of_cost, of_price=of_price)
