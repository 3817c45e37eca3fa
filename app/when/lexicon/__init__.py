"""The words of time: phrases by what they stand for, in each language."""

from typing import Final

from app.language.lexicon import Lexicon

WORDS: Final = Lexicon.of(__package__)
