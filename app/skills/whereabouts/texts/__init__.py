"""What people are asked about where somebody is: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

WHEREABOUTS: Final = Texts.of(__package__)
