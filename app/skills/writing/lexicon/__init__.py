"""The words with which people ask for a text that they are going to send, in every language."""

from typing import Final

from app.language.lexicon import Lexicon

WRITING: Final = Lexicon.of(__package__)
