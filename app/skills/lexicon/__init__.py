"""What small models say when they have nothing to say, in every language."""

from typing import Final

from app.language.lexicon import Lexicon

ANSWERS: Final = Lexicon.of(__package__)
"""Stock phrases, denials, and the thanks that may be answered with a stock phrase."""
