"""What else than the clock a question may be for, in every language."""

from types import MappingProxyType
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, Lexicon

QUESTIONS: Final = Lexicon.of(__package__)
DAY_WISHES: Final = QUESTIONS["days.wishes"]
DAY_UNITS: Final = MappingProxyType({name: QUESTIONS[f"days.unit_{name}"] for name in ("days", "weeks", "months")})
BESIDE_A_DAY: Final = QUESTIONS["days.what_else"]
NOW: Final = LatePattern(QUESTIONS.pattern("now"))
AROUND_NOW: Final = QUESTIONS["around"] | COMMON_WORDS["address"]
# What a message asks of the calendar.
DAYS: Final = MappingProxyType(
    {
        topic: LatePattern(QUESTIONS.pattern(f"days.{topic}"))
        for topic in (
            *("weekday", "is_weekday", "until", "since", "between", "date_of", "nth_of", "age", "born", "is_in"),
            *("working", "after", "before", "ago", "past"),
        )
    }
)
DAY_GOES_ON: Final = LatePattern(rf"{QUESTIONS.pattern('days.goes_on')} ?\Z")
# What a message asks of two clocks.
APART: Final = LatePattern(QUESTIONS.pattern("apart.apart"))
AT_HOUR: Final = LatePattern(QUESTIONS.pattern("apart.at_hour"))
TO_CALL: Final = LatePattern(QUESTIONS.pattern("apart.to_call"))
SO_THAT_THERE: Final = LatePattern(QUESTIONS.pattern("apart.so_that"))
APART_WISHES: Final = QUESTIONS["apart.wishes"]
TRAVEL: Final = QUESTIONS["apart.travel"]
PER_PERSON: Final = LatePattern(rf"{QUESTIONS.pattern('apart.apart')}|[?¿!¡,.]")
