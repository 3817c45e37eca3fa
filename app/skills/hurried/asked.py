"""A short question for the clock, the calendar, the weather or a sum, typed with slips, by ear or like a text
message: "q ora es en kito", "wheather tmrw", "cuants km son 12 miyas".

It is put right where each of its words is one of such a question, a number, or a place that it names; else a
message stays as it is written.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Final

from app.domain.places import Places
from app.domain.places_by_ear import meant_at_start, swapped_at_start, written_at_start
from app.language.catalogue import LANGUAGES
from app.language.folding import fold
from app.language.lexicon import Tongue
from app.language.slips import Change, slipped_forms, sound_of, with_changes
from app.skills.hurried.lexicon import WORDS

_MAX_CHARS: Final = 140
_MOST_WORDS: Final = 18
_LEAST_WORDS: Final = 2
_LEAST_LETTERS: Final = 4
_WORD: Final = re.compile(r"(?<![^\W_])\d{0,6}+[^\W\d_][^\W_]*+(?:['’][^\W\d_]++)?+")
_NUMBER_WITH_UNIT: Final = re.compile(r"\d++[^\W\d_]*+")
_OWN: Final = re.compile(r"[\n\"«“@#/]|:(?!\d)")
_PLACE: Final = "<place>"


@dataclass(frozen=True, slots=True)
class _Question:
    """What one language says in such a question."""

    said: Mapping[str, frozenset[str]]
    known: frozenset[str]
    slips: Mapping[str, str]
    heard: Mapping[str, str]

    def meant(self, key: str) -> str:
        """Return the word of such a question that a folded word is, or was meant to be; "" for any other."""
        if key in self.slips or key in self.known:
            return self.slips.get(key, key)
        return self.heard.get(sound_of(key), "") if len(key) >= _LEAST_LETTERS else ""

    def names_place(self, before: Sequence[str]) -> bool:
        """Tell whether a place may come behind words: "the time in", "the time", "the time in Paris"."""
        if self.said["of_place"].isdisjoint(before):
            return False
        last, ahead = before[-1], before[-2] if before[1:] else ""
        return (
            self.is_at(before)
            or last == _PLACE
            or last in self.said["of_place"]
            or (last in self.said["of"] and ahead == _PLACE)
        )

    def is_asked(self, read: Sequence[str]) -> bool:
        return not self.said["asks"].isdisjoint(read)

    def defines(self, read: Sequence[str]) -> bool:
        """Tell whether it is only asked what a word means: "what is whether", "what is a ran"."""
        before = {*read[:-1]}
        return not self.said["defining"].isdisjoint(before) and before <= self.said["asks"] | self.said["defining"]

    def fits(self, said: str, meant: str, before: Sequence[str]) -> bool:
        """Tell whether a word may be a slip of another: with an ñ only of one with an ñ, behind "in" of nothing
        that only stands beside a question ("in hell")."""
        is_beside = meant in self.said["beside"] and bool(before) and self.is_at(before)
        return not is_beside and ("ñ" not in said.casefold() or meant in self.said["with_enye"])

    def is_at(self, before: Sequence[str]) -> bool:
        at = before[-2:] if before[-1] in self.said["articles"] else before[-1:]
        return at[0] in self.said["at"]


def _question(tongue: Tongue, *, is_heard: bool) -> _Question:
    said = tongue.words
    known = said["asks"] | said["of_place"] | said["words"] | said["named"] | said["units"] | said["beside"]
    others = said["others"] | known
    long = [one for one in sorted(known) if len(one) >= _LEAST_LETTERS]
    slips = {slip: word for word in long for slip in slipped_forms(word) if slip not in others}
    written = (one.partition("=") for one in sorted(said["written"]))
    slips |= {slip: meant.replace("_", " ") for slip, _, meant in written}
    heard = {sound_of(one): one for one in long if sound_of(one) not in others} if is_heard else {}
    return _Question(
        said=said,
        known=frozenset(known),
        slips=MappingProxyType(slips),
        heard=MappingProxyType(heard),
    )


_QUESTIONS: Final = tuple(
    _question(tongue, is_heard=language == "es") for language, tongue in zip(LANGUAGES, WORDS.tongues, strict=True)
)


def as_asked(text: str, places: Places) -> str:
    """Return such a question without its slips; any other message as it is."""
    if len(text) > _MAX_CHARS or _OWN.search(text) is not None:
        return text
    words = [*islice(_WORD.finditer(text), _MOST_WORDS + 1)]
    if not _LEAST_WORDS <= len(words) <= _MOST_WORDS:
        return text
    ways = [_Reading(one, words, places).changes() for one in _QUESTIONS]
    return with_changes(text, min((way for way in ways if way is not None), key=len, default=()))


def _key(word: re.Match[str]) -> str:
    return fold(word[0]).replace("’", "'")


class _Reading:
    """Reads the words of one message in one language."""

    def __init__(self, question: _Question, words: Sequence[re.Match[str]], places: Places) -> None:
        self._question = question
        self._words = words
        self._places = places
        self._is_loud = all(one[0].isupper() for one in words)
        self._keys: list[str] = []
        self._read: list[str] = []
        self._found: list[Change] = []

    def changes(self) -> Sequence[Change] | None:
        """Return what is to be put right; None where the message is no such question."""
        if not self._word(_key(self._words[0])):
            return None
        self._keys = [_key(one) for one in self._words]
        while (at := self._size()) < len(self._keys):
            if not (self._place(at) or self._word(self._keys[at]) or self._unknown()):
                return None
        is_slip = bool(self._found) and self._found[-1].end == self._words[-1].end()
        is_asked = self._question.is_asked(self._read) and not (is_slip and self._question.defines(self._read))
        return self._found if is_asked else None

    def _size(self) -> int:
        return len(self._read)

    def _word(self, key: str) -> bool:
        meant = self._at_end(key) or self._question.meant(key) or (key if _NUMBER_WITH_UNIT.fullmatch(key) else "")
        if meant and meant != key and not self._may_slip(meant):
            return False
        if meant:
            self._take(meant, 1, "" if meant == key else meant)
        return bool(meant)

    def _may_slip(self, meant: str) -> bool:
        """Tell whether the next word may be a slip: one in capitals is a name, but for a day or a feast."""
        word = self._words[self._size()][0]
        is_name = (
            self._read and word[0].isupper() and not self._is_loud and meant not in self._question.said["named"]
        )
        return not is_name and self._question.fits(word, meant, self._read)

    def _at_end(self, key: str) -> str:
        """Return what a last word is for short behind the one before it: "new years"."""
        is_last = self._size() and self._size() == len(self._keys) - 1
        return self._question.slips.get(f"{self._read[-1]}_{key}", "") if is_last else ""

    def _place(self, at: int) -> bool:
        if not self._question.names_place(self._read):
            return False
        said, first = self._keys[at:], self._keys[at]
        words = [self._question.slips.get(one, one) if len(one) == 1 else one for one in said]
        is_at = self._question.is_at(self._read)
        is_article = first in WORDS["articles"]
        is_word = not is_article and bool(self._question.meant(first))
        if is_at and first not in self._question.known and self._is_no_place(said[is_article:]):
            return not is_article and self._take("", 1, "")
        size = written_at_start(self._places, words) if is_at or not is_word else 0
        if size > is_article:
            return self._take(_PLACE, size, "" if words[:size] == said[:size] else " ".join(words[:size]))
        if is_word or self._is_no_place(said[is_article:]):
            return False
        near = swapped_at_start if is_article else meant_at_start
        name, size = near(self._places, words, least=1 + is_article)
        return bool(name) and self._take(_PLACE, size, self._places.zone(name, default="").label)

    def _is_no_place(self, said: Sequence[str]) -> bool:
        return bool(said) and said[0] in self._question.said["no_places"]

    def _unknown(self) -> bool:
        """Take a word behind "in" for a place that nobody knows, which stays as it is."""
        return (
            self._question.names_place(self._read) and self._question.is_at(self._read) and self._take("", 1, "")
        )

    def _take(self, meant: str, size: int, written: str) -> bool:
        at = self._size()
        if written:
            self._found.append(Change(self._words[at].start(), self._words[at + size - 1].end(), written))
        self._read += [meant] * size
        return True
