"""What else than the clock a question may be for, in every language."""

from typing import Final

from app.language.lexicon import Lexicon

QUESTIONS: Final = Lexicon.of(__package__)
