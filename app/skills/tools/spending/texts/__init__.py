"""What people read about spending: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

SPENDING: Final = Texts.of(__package__)
