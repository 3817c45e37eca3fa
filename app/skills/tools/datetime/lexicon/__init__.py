"""What else than the clock a question may be for, in every language."""

from types import MappingProxyType
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, Lexicon
from app.when.lexicon import WORDS as TIMES

QUESTIONS: Final = Lexicon.of(__package__)
DAY_WISHES: Final = QUESTIONS["days.wishes"]
DAY_UNITS: Final = MappingProxyType({name: QUESTIONS[f"days.unit_{name}"] for name in ("days", "weeks", "months")})
BESIDE_A_DAY: Final = QUESTIONS["days.what_else"]
NOW: Final = LatePattern(QUESTIONS.pattern("now"))
AROUND_NOW: Final = QUESTIONS["around"] | COMMON_WORDS["address"]
ASKS_CLOCK: Final = LatePattern(QUESTIONS.pattern("asks_clock"))
TO_PLACE: Final = LatePattern(rf"{QUESTIONS.pattern('to_place')} ")
PLACE_TOLD: Final = LatePattern(rf"{QUESTIONS.pattern('place_told')} \Z")


def _quiet() -> str:
    return rf"(?:{'|'.join(sorted(AROUND_NOW, reverse=True))})(?!\w)"


# "And here in Leeds", at the beginning.
HERE_IN: Final = LatePattern(
    rf"(?:(?:{_quiet()}|{QUESTIONS.pattern('here_opens')}|{COMMON_WORDS.pattern('leading_on')})[ ,]+){{0,4}}"
    rf"{QUESTIONS.pattern('here_in')} "
)
# What stands before the place whose clock is asked for.
NAMES_PLACE: Final = LatePattern(
    rf"(?:{QUESTIONS.pattern('here_in')}|{QUESTIONS.pattern('asks_clock')} {QUESTIONS.pattern('to_place')}) "
)
PLACE_THERE: Final = LatePattern(QUESTIONS.pattern("place_there"))
PLACE_NOW: Final = LatePattern(QUESTIONS.pattern("place_now"))
PLACE_WHY: Final = LatePattern(QUESTIONS.pattern("place_why"))
# In a reason, or a story: nobody is to be woken; we are; more is asked; somebody else asks; what is so here.
LEAVES_ASLEEP: Final = LatePattern(QUESTIONS.pattern("why.leaves_asleep"))
WAKES_US: Final = LatePattern(QUESTIONS.pattern("why.wakes_us"))
ASKS_MORE: Final = LatePattern(QUESTIONS.pattern("why.asks_more"))
REPORTS: Final = LatePattern(QUESTIONS.pattern("why.reports"))
IF_HERE: Final = QUESTIONS["why.if_here"]
# "N in Leeds?": its first word goes on from the clock that was told.
ONWARD: Final = LatePattern(rf"{QUESTIONS.pattern('slipped.onward')} ")
# What a message asks of the calendar.
DAYS: Final = MappingProxyType(
    {
        topic: LatePattern(QUESTIONS.pattern(f"days.{topic}"))
        for topic in (
            *("weekday", "is_weekday", "until", "since", "between", "date_of", "nth_of", "age", "born", "is_in"),
            *("working", "after", "before", "ago", "past", "from_day", "to_day"),
        )
    }
)


def _a_month() -> str:
    return f"(?:{'|'.join(TIMES.pattern(f'month.{number}') for number in range(1, 13))})(?!\\w)"


def _to_a_day() -> str:
    return rf"(?P<to>(?: {QUESTIONS.pattern('days.to')}| ?-) ?)"


# A month said once for two of its days; they have it, both days, and what joins those.
_MONTH: Final = _a_month()
_TO: Final = _to_a_day()
_DAY: Final = r"\d{1,2}(?!\d)(?:st|nd|rd|th|ro)?"
MONTH: Final = LatePattern(_MONTH)
MONTH_BEHIND: Final = LatePattern(
    rf"(?<![\w.,:/])(?P<first>{_DAY}){_TO}(?P<last>{_DAY}) (?P<month>(?:(?:de|of) )?{_MONTH})"
)
MONTH_BEFORE: Final = LatePattern(
    rf"(?<!\w)(?P<month>{_MONTH}) (?:the )?(?P<first>{_DAY}){_TO}(?P<last>{_DAY})"
    rf"(?![\w.,:/]*\d)(?! (?:(?:de|of) )?{_MONTH})"
)
IN_A_UNIT: Final = QUESTIONS["days.in_a_unit"]
DAY_GOES_ON: Final = LatePattern(rf"{QUESTIONS.pattern('days.goes_on')} ?\Z")
# A question for the date that was told, without its name.
POINTS_TO_DAY: Final = LatePattern(QUESTIONS.pattern("days.points"))
# What a message asks of two clocks.
APART: Final = LatePattern(QUESTIONS.pattern("apart.apart"))
AT_HOUR: Final = LatePattern(QUESTIONS.pattern("apart.at_hour"))
TO_CALL: Final = LatePattern(QUESTIONS.pattern("apart.to_call"))
SO_THAT_THERE: Final = LatePattern(QUESTIONS.pattern("apart.so_that"))
APART_WISHES: Final = QUESTIONS["apart.wishes"]
TRAVEL: Final = QUESTIONS["apart.travel"]
PER_PERSON: Final = LatePattern(rf"{QUESTIONS.pattern('apart.apart')}|[?¿!¡,.]")

MONTHS: Final = tuple((number, LatePattern(TIMES.pattern(f"month.{number}"))) for number in range(1, 13))
BORN_IN_MONTH: Final = LatePattern(
    rf"{QUESTIONS.pattern('days.born')} (?:(?:en|in|back in|el|por|around) )?(?P<month>{_MONTH})"
    rf",? (?:(?:de|del|of|in) )?'?(?P<year>(?:1[89]|20)\d\d|\d\d)(?![\w/.-])"
)
NEXT_MONTH: Final = LatePattern(QUESTIONS.pattern("ages.next_time"))
# Feasts by how many days after Easter they are.
MOVABLE: Final = tuple(
    (int(days), LatePattern(QUESTIONS.pattern(f"movable.{name}")))
    for name, days in (
        *(("easter", 0), ("monday", 1), ("friday", -2), ("thursday", -3), ("palm", -7)),
        *(("ash", -46), ("shrove", -47), ("carnival", -48)),
    )
)
NEXT_YEAR: Final = LatePattern(QUESTIONS.pattern("movable.next_year"))
THIS_YEAR: Final = LatePattern(QUESTIONS.pattern("movable.this_year"))
