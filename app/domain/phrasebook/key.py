"""What names a sentence of the catalogue."""

from enum import StrEnum


class PhraseKey(StrEnum):
    """The base of every family of sentences; values are unique across families."""
