"""Feasts that Easter moves, as the date that they have: "how long till good friday" asks for a day of April."""

import re
from datetime import date, timedelta
from types import MappingProxyType
from typing import Final

from babel.dates import format_date
from dateutil.easter import easter

from app.language.catalogue import Language
from app.language.folding import fold
from app.skills.tools.datetime.lexicon import MOVABLE, NEXT_YEAR, THIS_YEAR

_YEAR: Final = re.compile(r"(?:(?:in|of|en|de|del) )?(20\d\d)(?!\d)")
_MAX_CHARS: Final = 120
_YEARS: Final = 2
_WRITTEN: Final = MappingProxyType({"en": "d MMMM y", "es": "d 'de' MMMM 'de' y"})


def with_date(text: str, today: date, language: Language) -> str:
    """Return a question with the date in the place of the only such feast that it names; others as they are."""
    plain = fold(text)
    found = (
        [(days, one) for days, each in MOVABLE for one in each.finditer(plain)] if len(text) <= _MAX_CHARS else []
    )
    if not found:
        return text
    days, feast = max(found, key=lambda one: len(one[1][0]))
    year = _year(plain, today)
    each = (
        easter(one) + timedelta(days=days) for one in ((year,) if year else range(today.year, today.year + _YEARS))
    )
    day = next((one for one in each if year or one >= today), None)
    if day is None:
        return text
    rest = (
        plain[: feast.start()]
        + format_date(day, _WRITTEN[language], locale=language)
        + _YEAR.sub("", plain[feast.end() :])
    )
    return THIS_YEAR.sub("", NEXT_YEAR.sub("", rest))


def _year(plain: str, today: date) -> int:
    if (told := _YEAR.search(plain)) is not None:
        return int(told[1])
    return today.year + 1 if NEXT_YEAR.search(plain) else today.year if THIS_YEAR.search(plain) else 0
