"""What people read about what people own here: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

PRIVACY: Final = Texts.of(__package__)
