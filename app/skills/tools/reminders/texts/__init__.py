"""What people read about reminders: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

REMINDERS: Final = Texts.of(__package__)
