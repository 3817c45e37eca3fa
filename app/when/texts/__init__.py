"""How times are told back: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

WHEN: Final = Texts.of(__package__)
