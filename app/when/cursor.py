"""A place in a text that moves on: what stands there is taken, or the place stays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeVar

from app.language.catalogue import Language
from app.when.lexing import VOCABULARIES, Piece, split_pieces
from app.when.phones import without_phones
from app.when.slips import as_meant

T = TypeVar("T")

_LONGEST: Final = 5
"""Words in a phrase that is looked for behind one."""
_ONLY_JOINS: Final = frozenset({"filler", "plus"})


@dataclass(frozen=True, slots=True)
class _Words:
    """The pieces of a text, what may begin at each, and the kinds of all of that."""

    pieces: Sequence[Piece]
    meanings: Sequence[Mapping[str, Sequence[tuple[str, int]]]]
    mentioned: frozenset[str]


@lru_cache(maxsize=32)
def _words(text: str, language: Language) -> _Words:
    """Look the words of a text up. It is kept for a while: many look for a time in the same message."""
    pieces = [replace(one, key=as_meant(one.key, language)) for one in split_pieces(text)]
    vocabulary = VOCABULARIES[language]
    if any(one.key.isdecimal() and other.key.isdecimal() for one, other in pairwise(pieces)):
        behind = {
            place + size for place in range(len(pieces)) for _, size in vocabulary.at(pieces, place).get("at", ())
        }
        pieces = without_phones(pieces, frozenset(behind))
    meanings = [vocabulary.at(pieces, place) for place in range(len(pieces))]
    return _Words(pieces, meanings, frozenset(kind for one in meanings for kind in one))


class Cursor:
    """Reads one text in one language, word by word.

    A method that reads moves the place behind what it took and returns it, or returns None and may have moved:
    `_try` brings it back.
    """

    def __init__(self, text: str, language: Language) -> None:
        words = _words(text, language)
        self.pieces, self._meanings, self._mentioned = words.pieces, words.meanings, words.mentioned
        self._reads_month_first = language == "en"
        self.place = 0

    def mentions(self, kind: str) -> bool:
        """Tell whether a phrase of that kind is anywhere in the text."""
        return kind in self._mentioned

    def is_filler(self, place: int) -> bool:
        """Tell whether a piece only joins: punctuation, "at", "the"."""
        kinds = ("filler", "on", "at", "near", "plus", "the", "of", "in", "this", "since", "during")
        return any(kind in self._meanings[place] for kind in kinds)

    def _is_behind(self, *kinds: str) -> bool:
        """Tell whether the words just before are of one of those kinds."""
        return any(
            begin + size == self.place
            for begin in range(max(0, self.place - _LONGEST), self.place)
            for kind in kinds
            for _, size in self._meanings[begin].get(kind, ())
        )

    # Taking.

    def _take(self, *kinds: str, value: str | None = None) -> str | None:
        if self.place >= len(self.pieces) or (meanings := self._meanings[self.place]).keys().isdisjoint(kinds):
            return None
        options = [
            (size, found)
            for kind in kinds
            for found, size in meanings.get(kind, ())
            if value is None or found == value
        ]
        if not options:
            return None
        size, found = max(options)
        self.place += size
        return found

    def _can(self, *kinds: str) -> bool:
        return self.place < len(self.pieces) and any(kind in self._meanings[self.place] for kind in kinds)

    def _may_begin(self) -> bool:
        """Tell whether anything can be taken here first: a word that does not only join, or a number."""
        return not self._meanings[self.place].keys() <= _ONLY_JOINS or self._key().isdecimal()

    def _try(self, *readers: Callable[[], T]) -> T | None:
        """Return what the first reader finds that finds something."""
        for reader in readers:
            place = self.place
            if (found := reader()) is not None:
                return found
            self.place = place
        return None

    def _key(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.pieces[place].key if place < len(self.pieces) else ""

    def _joined(self, ahead: int = 0) -> bool:
        place = self.place + ahead
        return place < len(self.pieces) and self.pieces[place].is_joined

    # Numbers.

    def _digits(self, most: int = 4) -> int | None:
        key = self._key()
        if not key.isdecimal() or len(key) > most:
            return None
        self.place += 1
        return int(key)

    def _number(self) -> int | None:
        if (digits := self._digits()) is not None:
            return digits
        word = self._take("number")
        if word is None:
            return None
        number = int(word)
        if number in {30, 40, 50} and (added := self._try(self._rest_of_tens)) is not None:
            number += added
        return number

    def _rest_of_tens(self) -> int | None:
        self._take("plus")
        if self._key() == "-":
            self.place += 1
        word = self._take("number")
        return int(word) if word is not None and 1 <= int(word) <= 9 else None

    def _small(self) -> int | None:
        """A number that no other number follows at once, as in "2.5" or "1/2"."""
        number = self._number()
        if number is None or (self._joined() and self._key() in {".", ",", "/", ":"} and self._key(1).isdecimal()):
            return None
        return number
