"""What `wasap doctor` says, in a terminal and in the home: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

DOCTOR: Final = Texts.of(__package__)
