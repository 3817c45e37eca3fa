"""What people read about connecting a number: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

CONNECT: Final = Texts.of(__package__)
