"""What people read about calls of tools, whatever the tool: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

SKILLS: Final = Texts.of(__package__)
