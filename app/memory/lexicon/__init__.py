"""Words that the comparison of facts knows, in every language; what they are for stands in the files."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from babel.dates import get_month_names

from app.domain.wording import fold
from app.language.lexicon import STOP_WORDS, Lexicon, Words

_LEXICON: Final = Lexicon.of(__package__)

NEGATIONS: Final = _LEXICON["negations"]
FILLER: Final = STOP_WORDS | _LEXICON["filler"]
SHIFTS: Final = _LEXICON["shifts"]
STATES: Final = _LEXICON["states"]
FRAME: Final = STOP_WORDS | _LEXICON["frame"]
ARTICLES: Final = _LEXICON["articles"]
CATEGORY_WORDS: Final[Mapping[str, Words]] = MappingProxyType(_LEXICON.table("categories"))
RELATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {word: relation for relation, words in _LEXICON.table("relations").items() for word in words}
)
CONDITIONS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        word: (group, meaning)
        for group in ("diet", "marital")
        for meaning, words in _LEXICON.table(group).items()
        for word in words
    }
)
"""Word -> what it tells about, and its meaning whatever the language and the gender."""
MONTHS: Final = frozenset(
    # In Uruguay and Peru September is "setiembre".
    fold(name)
    for locale in ("es", "es_UY", "en")
    for name in get_month_names("wide", locale=locale).values()
)
