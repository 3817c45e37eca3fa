"""What people read about the state of the service: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

STATUS: Final = Texts.of(__package__)
