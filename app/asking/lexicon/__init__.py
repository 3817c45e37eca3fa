"""What people type instead of pressing a button, in every language; the words stand in the files."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, cast

from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, Sentence, say
from app.language.lexicon import Lexicon, Words

Word = Literal["yes", "no", "stop", "cancel", "skip"]

_LEXICON: Final = Lexicon.of(__package__)
_ANSWERS: Final[Mapping[Word, Words]] = MappingProxyType(cast("Mapping[Word, Words]", _LEXICON.table("answers")))
_BETWEEN: Final = re.compile(rf"[,;\n]|\s(?:{'|'.join(sorted(_LEXICON['between']))})\s")


CHOOSING: Final = _LEXICON["choosing"]
DENYING: Final = _LEXICON["denying"]
_POLITE: Final = _LEXICON["polite"]


def bare(text: str) -> str:
    """Return a text without case, accents, and the marks around it: equal for "¡Sí!" and "si"."""
    return fold(text).strip(" \"'“”*.,;!¡…")


def says(text: str, sentence: Sentence) -> bool:
    """Tell whether a text is that sentence, such as the title of a button, in any of our languages."""
    return bare(text) in _spellings(sentence)


@lru_cache(maxsize=64)
def _spellings(sentence: Sentence) -> frozenset[str]:
    return frozenset(bare(say(sentence, language)) for language in LANGUAGES)


def read_word(text: str) -> Word | None:
    """Return what a bare word says, politely or not, in any of our languages; None for any other text."""
    plain = bare(text)
    left = "-".join(word.strip(",") for word in plain.split() if word.strip(",") not in _POLITE)
    said = {plain.replace(" ", "-"), left}
    return next((word for word, words in _ANSWERS.items() if not said.isdisjoint(words)), None)


def items_of(text: str) -> list[str]:
    """Return the parts of an enumeration: between commas, semicolons, lines, or words such as "and"."""
    return [part for part in _BETWEEN.split(text) if part.strip()]
