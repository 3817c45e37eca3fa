"""What people read about lists: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

LISTS: Final = Texts.of(__package__)
