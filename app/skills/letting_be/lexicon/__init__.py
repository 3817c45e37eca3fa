"""What is said of what is to stay as it is, in every language."""

from typing import Final

from app.language.lexicon import Lexicon

WORDS: Final = Lexicon.of(__package__)
