"""What people read about servers: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

MCP: Final = Texts.of(__package__)
