"""How numbers are written where a person lives, from CLDR through Babel; and those that are written in words."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from babel.core import Locale, UnknownLocaleError, get_global
from babel.numbers import format_decimal
from text_to_num import alpha2digit

from app.language.catalogue import Language

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_EXACT: Final = "#,##0.############"


@lru_cache(maxsize=64)
def locale_at(language: Language, timezone: str) -> Locale:
    """Return the locale of a language in a time zone (IANA name); that of the language where CLDR has none."""
    territory = get_global("zone_territories").get(timezone)
    try:
        return Locale(language, territory)
    except UnknownLocaleError:
        return Locale(language)


def group_sign(locale: Locale) -> str:
    """Return what stands between thousands: "." in Argentina, "," in Mexico."""
    return str(locale.number_symbols["latn"]["group"])


def as_written(text: str, locale: Locale) -> str:
    """Write the numbers of a text, which have a decimal point and no groups, as it is done there."""
    return _NUMBER.sub(lambda found: format_decimal(Decimal(found[0]), format=_EXACT, locale=locale), text)


def in_digits(text: str, language: Language) -> str:
    """Write the numbers of a text in digits that are said in words: "trescientos veinte" becomes "320"."""
    return str(alpha2digit(text, language, threshold=0))
