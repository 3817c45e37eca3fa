"""What people read of calculations: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

CALCULATOR: Final = Texts.of(__package__)
