"""What people read about countries: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

OF_COUNTRIES: Final = Texts.of(__package__)
