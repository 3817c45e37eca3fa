"""What people read about commands: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

COMMANDS: Final = Texts.of(__package__)
