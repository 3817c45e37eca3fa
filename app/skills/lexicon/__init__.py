"""What small models say when they have nothing to say, in every language."""

from typing import Final

from app.language.lexicon import Lexicon

STOCK_PHRASES: Final = Lexicon.of(__package__).pattern("stock_phrases")
