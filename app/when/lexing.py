"""From a text to its pieces, each with everything that it may stand for."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, Language
from app.when.lexicon import WORDS

# An "o" beside the colon of an hour is a slip for 0: "7:3o", "1o:15".
_SLIPPED_ZERO: Final = r"(?<=\d:)(?:[0-5]o|o[0-9])(?!\w)|(?<!\w)[12]o(?=:[0-5o][0-9o](?!\w))"
_PIECE: Final = re.compile(rf"[ap]\.\s?m\.?(?!\w)|{_SLIPPED_ZERO}|\d+|[^\W\d_]+|\S", re.IGNORECASE)
_MAX_CHARS: Final = 2000
_MAX_PIECES: Final = 800
"""As many characters of prose are about 400 pieces: only a text of signs has more."""

Phrase = tuple[tuple[str, ...], str, str]


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, a number or a sign. `is_joined`: no blank before it."""

    start: int
    end: int
    key: str
    is_joined: bool


def key_of(text: str) -> str:
    """Return how a piece is compared: lower case, no accents; "p. m." is "pm"."""
    key = fold(text).replace("’", "'")
    if any(one.isdigit() for one in key) and "o" in key:
        return key.replace("o", "0")
    return re.sub(r"[.\s]", "", key) if len(key) > 1 else key


def split_pieces(text: str) -> list[Piece]:
    """Cut a text into pieces; what is very long is cut off."""
    found, end = [], -1
    for match in islice(_PIECE.finditer(text[:_MAX_CHARS]), _MAX_PIECES):
        found.append(Piece(match.start(), match.end(), key_of(match[0]), match.start() == end))
        end = match.end()
    return found


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The phrases of one language by their first piece, the longest first."""

    phrases: Mapping[str, tuple[Phrase, ...]]

    def at(self, pieces: list[Piece], place: int) -> dict[str, list[tuple[str, int]]]:
        """Return what begins at that place: kind → (value, number of pieces), the longest first."""
        found: dict[str, list[tuple[str, int]]] = {}
        for keys, kind, value in self.phrases.get(pieces[place].key, ()):
            if all(
                place + offset < len(pieces) and pieces[place + offset].key == key
                for offset, key in enumerate(keys)
            ):
                found.setdefault(kind, []).append((value, len(keys)))
        return found


def _vocabulary(language: Language) -> Vocabulary:
    tongue = WORDS.tongues[LANGUAGES.index(language)]
    by_first: dict[str, list[Phrase]] = {}
    for topic, phrases in tongue.phrases.items():
        table, _, value = topic.partition(".")
        kind = value if table == "mark" else table
        for phrase in phrases:
            keys = tuple(piece.key for piece in split_pieces(phrase))
            by_first.setdefault(keys[0], []).append((keys, kind, value))
    return Vocabulary(
        {first: tuple(sorted(some, key=lambda one: -len(one[0]))) for first, some in by_first.items()}
    )


VOCABULARIES: Final[Mapping[Language, Vocabulary]] = MappingProxyType(
    {language: _vocabulary(language) for language in LANGUAGES}
)


def clean_text(text: str) -> str:
    """Return the text with composed letters, cut to what is read at most."""
    return unicodedata.normalize("NFC", text[:_MAX_CHARS])
