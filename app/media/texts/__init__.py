"""What people read about files: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

MEDIA: Final = Texts.of(__package__)
