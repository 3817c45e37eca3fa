"""What people read about questions that are put to a person: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

ASKING: Final = Texts.of(__package__)
