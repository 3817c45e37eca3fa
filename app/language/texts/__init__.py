"""What people read in lists, whatever is listed."""

from typing import Final

from app.language.catalogue import Texts

COMMON: Final = Texts.of(__package__)
