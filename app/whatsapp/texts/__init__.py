"""What whoever runs the service reads where Meta cannot be reached: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

WHATSAPP: Final = Texts.of(__package__)
