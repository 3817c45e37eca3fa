"""Messages that mean /undo, whole and without anything else in them."""

from typing import Final

from app.language.lexicon import Lexicon

MEANS_UNDO: Final = frozenset(Lexicon.of(__package__).phrases("undo"))
