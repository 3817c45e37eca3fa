"""What people read about notes: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

NOTES: Final = Texts.of(__package__)
