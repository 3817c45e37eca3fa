"""The words of a message in plain letters, each with its place."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is in small letters without accents; `begin` and `end` are its place in the message."""

    text: str
    begin: int
    end: int


def words_of(message: str) -> list[Word]:
    """Split a message at everything but letters and digits: "Anotá: it's" is anota, it, s."""
    return [Word(plain(found.group()), found.start(), found.end()) for found in _WORD.finditer(message)]


def plain(text: str) -> str:
    """Return small letters without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))
