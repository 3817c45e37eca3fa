"""What a message asks to compute that tells all of it, and the answer to that."""

from collections.abc import Callable
from typing import Final

from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.skills.tools.calculator.all_parts import read_all_parts
from app.skills.tools.calculator.apiece import read_apiece, read_by_nature
from app.skills.tools.calculator.asked_apart import asking_clause, with_named_unit
from app.skills.tools.calculator.by_kind import read_by_kind
from app.skills.tools.calculator.clock_steps import answer_clock_step
from app.skills.tools.calculator.clocks import timed_ways
from app.skills.tools.calculator.conversions import answer_conversion, with_units
from app.skills.tools.calculator.dozens import answer_dozens, read_dozens
from app.skills.tools.calculator.each_gets import read_each_gets
from app.skills.tools.calculator.extra_hours import answer_extra_hours
from app.skills.tools.calculator.gains import read_daily, read_gain
from app.skills.tools.calculator.goods import read_priced
from app.skills.tools.calculator.lasting import answer_lasting
from app.skills.tools.calculator.leftovers import read_left, read_of_rest
from app.skills.tools.calculator.lexicon import INTO, MEASURE_WORDS
from app.skills.tools.calculator.markups import read_marked
from app.skills.tools.calculator.measures import measured_ways
from app.skills.tools.calculator.multiplied import read_multiplied
from app.skills.tools.calculator.offers import answer_offers
from app.skills.tools.calculator.over_time import read_over_time
from app.skills.tools.calculator.per_measure import answer_packs
from app.skills.tools.calculator.percents import (
    answer_levy,
    answer_trade,
    read_part,
    read_percentage,
    read_without_tax,
)
from app.skills.tools.calculator.rates import read_average, read_rate
from app.skills.tools.calculator.ratios import read_in_ratio
from app.skills.tools.calculator.repriced import read_paid_for
from app.skills.tools.calculator.results import Quantity, told_of, worded
from app.skills.tools.calculator.scaling import (
    answer_recipe,
    read_as_many,
    read_fuel,
    read_portions,
    read_proportion,
)
from app.skills.tools.calculator.sharers import (
    answer_pair,
    answer_unequal,
    read_shared,
    read_unequal,
    read_without_some,
    without_unequal,
)
from app.skills.tools.calculator.spoken import WORD, first_read, has_number, has_word, ways
from app.skills.tools.calculator.told import read_ordered, read_told
from app.skills.tools.calculator.travel import answer_travel, with_speeds
from app.skills.tools.calculator.work_hours import answer_hours, answer_sleep
from app.skills.tools.calculator.yields import read_yield

_MAX_CHARS: Final = 400
_CHARS_OF_ONE: Final = 90
_PAIR: Final = 2

_Answer = Callable[[str, TurnContext], str | None]


def _of(read: Callable[[str], Quantity | None]) -> _Answer:
    def answer(text: str, ctx: TurnContext) -> str | None:
        found = read(text)
        return told_of(found, ctx) if found else None

    return answer


def _parts_asked(text: str) -> tuple[str, ...]:
    """Return a conversion that is asked for in a part of a text, in the ways it can be read."""
    parts = filter(None, (with_named_unit(text), asking_clause(text)))
    return tuple(way for part in parts for way in measured_ways(with_units(part)))


# Each takes a text in one of the ways it can be read: with times of day, speeds, measures. The surest come first.
_ANSWERS: Final[tuple[tuple[Callable[[str], tuple[str, ...]], tuple[_Answer, ...]], ...]] = (
    (lambda text: (text,), (answer_dozens, answer_extra_hours)),
    (timed_ways, (answer_clock_step, answer_sleep, answer_hours)),
    (lambda text: timed_ways(with_speeds(text)), (answer_travel,)),
    (timed_ways, (answer_lasting,)),
    (
        measured_ways,
        (_of(read_percentage), answer_offers, answer_trade, answer_recipe, _of(read_as_many), _of(read_fuel)),
    ),
    (measured_ways, (_of(read_in_ratio),)),
    (lambda text: measured_ways(with_units(text)), (answer_conversion,)),
    (_parts_asked, (answer_conversion,)),
    (measured_ways, (answer_pair, answer_levy, _of(read_portions), answer_packs)),
)
_READERS: Final[tuple[Callable[[str], str | None], ...]] = (
    *(
        read_all_parts,
        read_paid_for,
        read_each_gets,
        read_gain,
        read_daily,
        read_of_rest,
        read_left,
        read_without_tax,
        read_part,
    ),
    *(read_average, read_over_time, read_rate, read_proportion, read_apiece, read_by_nature),
    *(read_priced, read_marked, read_told, read_ordered, read_dozens, read_multiplied),
)


def read_alone(text: str) -> str | None:
    """Return the calculation of a message that tells all of it; None for any other message."""
    if not _may_tell(text):
        return None
    return next(filter(None, (first_read(read, measured_ways(text)) for read in _READERS)), None)


def answer_alone(text: str, ctx: TurnContext) -> Reply | None:
    """Answer a message that tells all that is to be computed; None for any other."""
    if not _may_tell(text):
        return None
    try:
        told = _answer(text, ctx) or _unequal(text, ctx)
        if told is None and (calculation := read_without_some(text, read_alone) or read_alone(text)) is not None:
            told = worded(calculation, ctx)
        for read in (read_by_kind, read_yield):
            if told is None and (solved := first_read(read, measured_ways(text))) is not None:
                told = told_of(solved, ctx)
    except ToolFault:
        return None
    return Reply(literal=told) if told else None


def _may_tell(text: str) -> bool:
    return len(text) <= _MAX_CHARS and (has_number(ways(text)[0]) or _asks_of_one(text))


def _asks_of_one(text: str) -> bool:
    """Whether a message asks how much one of a measure is in another: "how many grams in a pound"."""
    return len(text) <= _CHARS_OF_ONE and has_word(fold(text), "told.asks_many") and _names_measures(text)


def _names_measures(text: str) -> bool:
    """Whether two measures are named, one of them as that into which it is to be put."""
    if len({MEASURE_WORDS.get(word) for word in WORD.findall(with_units(text))} - {None}) < _PAIR:
        return False
    return INTO.search(measured_ways(with_units(text))[0]) is not None


def _answer(text: str, ctx: TurnContext) -> str | None:
    """Return the answer that is more than a calculation."""
    answers = (answer(one, ctx) for read, all_ in _ANSWERS for answer in all_ for one in read(text))
    return next(filter(None, answers), None)


def _unequal(text: str, ctx: TurnContext) -> str | None:
    """Say who pays what where one pays a part of what each of the others does."""
    rest = without_unequal(text)
    calculation = read_alone(rest) if rest is not None else None
    unequal = read_unequal(text, read_shared(calculation)) if calculation else None
    return answer_unequal(unequal, ctx) if unequal else None
