"""What people read about the weather: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

WEATHER: Final = Texts.of(__package__)
