"""Words that tell which of several things is meant, and what is to become of it."""

from typing import Final

from app.language.lexicon import Lexicon

PICKING: Final = Lexicon.of(__package__)
