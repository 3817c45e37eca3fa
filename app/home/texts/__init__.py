"""What people read around the parts of the home: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

AT_HOME: Final = Texts.of(__package__)
