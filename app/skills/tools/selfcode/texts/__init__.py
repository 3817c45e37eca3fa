"""What people read about the running program: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

SELFCODE: Final = Texts.of(__package__)
