"""What people read about projects: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

PROJECTS: Final = Texts.of(__package__)
