"""How old somebody is in a year that is named, or who was born in a month: "born in 1938, how old in 2030?"."""

import re
from datetime import date
from typing import Final

from app.language.catalogue import Language, say
from app.language.folding import fold
from app.skills.tools.datetime.lexicon import BORN_IN_MONTH, DAY_WISHES, DAYS, MONTHS, NEXT_MONTH
from app.skills.tools.datetime.texts import DATETIME

_YEAR: Final = re.compile(r"(?<![\d/.-])(1[89]\d\d|20\d\d)(?![\d/-])")
_WORD: Final = re.compile(r"\w+")
_MAX_CHARS: Final = 160
_CENTURY: Final = 100
_PAIR: Final = 2
_DAY: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th)? (?:de |of )?\Z")


def tell_age(text: str, today: date, language: Language) -> str | None:
    """Return how old who was born in a year is in one to come, or who was born in a month is now or next turns;
    None for every other message."""
    plain = fold(text)
    asking, born = DAYS["age"].search(plain), DAYS["born"].search(plain)
    if len(text) > _MAX_CHARS or asking is None or born is None or not DAY_WISHES.isdisjoint(_WORD.findall(plain)):
        return None
    years = sorted({int(one) for one in _YEAR.findall(plain)})
    month, year = _birth(plain, today)
    year = year or (years[0] if years else 0)
    others = [one for one in years if one != year]
    if not year or year > today.year or len(others) > 1:
        return None
    if others and others[0] >= today.year > year:
        return say(DATETIME.age_in_year, language, count=others[0] - year, year=others[0])
    if others or not month:
        return None
    if NEXT_MONTH.search(plain, asking.end()):
        then = today.year + (month <= today.month)
        return say(DATETIME.age_in_year, language, count=then - year, year=then)
    count = today.year - year
    if month == today.month:
        return say(DATETIME.age_of_year, language, count=count, less=count - 1)
    return say(DATETIME.age_of_month, language, count=count - (today.month < month))


def _birth(plain: str, today: date) -> tuple[int, int]:
    """Return the month and the year of "born in march of 41"; 0 where they are not told, or a day is, too."""
    found = BORN_IN_MONTH.search(plain)
    if found is None or _DAY.search(plain[: found.start("month")]):
        return 0, 0
    year = int(found["year"])
    if year < _CENTURY:
        year += today.year - today.year % _CENTURY
        year -= _CENTURY * (year > today.year)
    return next(number for number, one in MONTHS if one.fullmatch(found["month"])), year
