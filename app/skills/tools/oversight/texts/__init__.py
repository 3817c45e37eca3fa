"""What people read about tools, skills, modes and the last turn: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

OVERSIGHT: Final = Texts.of(__package__)
