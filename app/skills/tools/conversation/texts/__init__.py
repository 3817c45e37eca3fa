"""What people read about beginning anew and stopping: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

CONVERSATION: Final = Texts.of(__package__)
