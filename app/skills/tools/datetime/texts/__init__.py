"""What people read about times: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

DATETIME: Final = Texts.of(__package__)
