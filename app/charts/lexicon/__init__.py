"""Words that ask for a picture of figures."""

from typing import Final

from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
CHARTS: Final = _WORDS["charts"]
