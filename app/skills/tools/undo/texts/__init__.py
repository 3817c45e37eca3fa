"""What people read when something is taken back: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

UNDO: Final = Texts.of(__package__)
