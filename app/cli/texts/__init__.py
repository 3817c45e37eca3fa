"""What `connect` and `doctor` both say of Meta and of the public address: one catalogue for each language."""

from typing import Final

from app.language.catalogue import Texts

AT_META: Final = Texts.of(__package__)
