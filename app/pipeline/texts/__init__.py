"""What people read about turns: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

PIPELINE: Final = Texts.of(__package__)
