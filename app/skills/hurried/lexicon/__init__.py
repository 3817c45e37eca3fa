"""Words of short questions for the clock, the calendar, the weather and a sum, in every language."""

from typing import Final

from app.language.lexicon import Lexicon

WORDS: Final = Lexicon.of(__package__)
