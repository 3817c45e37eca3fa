"""Words by which facts are read and compared, in every language; what they are for stands in the files."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from babel.dates import get_month_names

from app.domain.wording import fold
from app.language.lexicon import STOP_WORDS, Lexicon, Words

LEXICON: Final = Lexicon.of(__package__)

NEGATIONS: Final = LEXICON["negations"]
FILLER: Final = STOP_WORDS | LEXICON["filler"]
SHIFTS: Final = LEXICON["shifts"]
STATES: Final = LEXICON["states"]
FRAME: Final = STOP_WORDS | LEXICON["frame"]
ARTICLES: Final = LEXICON["articles"]
USER: Final = LEXICON["user"]
TOUCHES_HEALTH: Final = LEXICON["touches_health"]
MEDICINE: Final = LEXICON["medicine"]
ALLERGIC_ONESELF: Final = LEXICON["allergic_oneself"]
HAS: Final[Mapping[str, Words]] = MappingProxyType(LEXICON.table("has"))
NOT_FOR: Final[Mapping[str, Words]] = MappingProxyType(LEXICON.table("not_for"))
"""A condition by the words that tell of it, and by what is not for who has it."""
KINDS: Final[Mapping[str, Words]] = MappingProxyType(LEXICON.table("kinds"))
OF_KIND: Final[Mapping[str, Words]] = MappingProxyType(LEXICON.table("of_kind"))
"""A kind of food or drink by its own names, and by what is of it."""
TITLES: Final = LEXICON["titles"]
GENDERED: Final = LEXICON["gendered"]
SEXES: Final = LEXICON["sexes"]
CATEGORY_WORDS: Final[Mapping[str, Words]] = MappingProxyType(LEXICON.table("categories"))
RELATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {word: relation for relation, words in LEXICON.table("relations").items() for word in words}
)
CONDITIONS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        word: (group, meaning)
        for group in ("diet", "marital")
        for meaning, words in LEXICON.table(group).items()
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
