"""What people read about facts that are remembered: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

MEMORY: Final = Texts.of(__package__)
