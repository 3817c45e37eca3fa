"""The days of the week by name, in every language of CLDR: what a translation must keep."""

import functools
import re
from collections.abc import Mapping
from typing import Final

from babel.core import Locale, UnknownLocaleError

from app.language.folding import fold

_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")


def has_weekdays(language: str) -> bool:
    """Tell whether the days of a language are known."""
    return bool(_names(language))


def weekdays_in(text: str, language: str) -> set[int]:
    """Return which days (0 is Monday) a text names in a language, by its code; none of a language nobody knows."""
    return {day for word in _WORD.findall(text) if (day := _day(word, language)) is not None}


def with_weekday(text: str, language: str, wrong: int, right: int) -> str:
    """Return a text that names one day where it named another."""
    name = next(name for name, day in _names(language).items() if day == right)

    def put(found: re.Match[str]) -> str:
        return name if _day(found[0], language) == wrong else found[0]

    return _WORD.sub(put, text)


def _day(word: str, language: str) -> int | None:
    known, said = _folded(language), fold(word)
    return known.get(said, known.get(said.removesuffix("s")))


@functools.cache
def _folded(language: str) -> Mapping[str, int]:
    return {fold(name): day for name, day in _names(language).items()}


@functools.cache
def _names(language: str) -> Mapping[str, int]:
    try:
        locale = Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return {}
    return {name: day for day, name in locale.days["format"]["wide"].items()}
