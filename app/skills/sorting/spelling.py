"""Words typed in haste, put right before a message is sorted: "anoat", "proyetco", "shoping". What is stored or
answered is always what the person wrote."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from app.language.slips import slips, sound_of
from app.skills.sorting.words import words_of

_VOWELS: Final = re.compile(r"[aeiou]")
_MOST_VOWELS: Final = 2
_MIN_CHARS: Final = 4
_SHORTEST: Final = 3
_MAX_CHARS: Final = 16
# A known word with two letters swapped, or vowels left out, of one so many times as frequent is a slip.
_SLIP: Final = 25
# What the examples have once may be a slip itself: nothing is taken for it.
_OFTEN: Final = 2
# A word of three letters is taken for a frequent one alone, and only where two of its letters are swapped.
_FREQUENT: Final = 25


class Spelling:
    """Knows the words of the examples with how often they occur.

    An unknown word that is one letter away from a known one (one too many, too few, wrong, or two swapped), or
    sounds like one in Spanish, is taken for it; else, one that a frequent one becomes where vowels are left out
    ("tme", "rmnd"). The known words are found by what is left of them without one
    letter, the method of SymSpell (https://github.com/wolfgarbe/SymSpell): the work for a message grows with its
    length only.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._near: dict[str, list[str]] = defaultdict(list)
        self._sounding: dict[str, list[str]] = defaultdict(list)
        self._without_vowels: dict[str, list[str]] = defaultdict(list)
        for word in counts:
            if _MIN_CHARS <= len(word) <= _MAX_CHARS and counts[word] >= _OFTEN:
                self._sounding[sound_of(word)].append(word)
                for key in {word, *_shorter(word)}:
                    self._near[key].append(word)
            elif len(word) == _SHORTEST and counts[word] >= _FREQUENT:
                self._near["".join(sorted(word))].append(word)
            if _MIN_CHARS <= len(word) <= _MAX_CHARS and counts[word] >= _FREQUENT:
                self._without_vowels[_VOWELS.sub("", sound_of(word))].append(word)

    def corrected(self, message: str) -> str:
        """Return the message with such words put right; names, which begin with a capital, stay as they are."""
        parts, end = [], 0
        for word in words_of(message):
            is_name = word.begin > 0 and message[word.begin].isupper()
            if is_name or not _SHORTEST <= len(word.text) <= _MAX_CHARS:
                continue
            if word.text.isalpha() and (better := self._nearest(word.text)) is not None:
                parts += [message[end : word.begin], better]
                end = word.end
        return "".join([*parts, message[end:]])

    def _nearest(self, word: str) -> str | None:
        """Return what an unknown word, or one that the examples have as a slip ("noet"), was meant to be."""
        known = self._counts.get(word, 0)
        near = self._near_to(word)
        if known:
            near = [one for one in near if self._counts[one] >= _SLIP * known]
        letters = sorted(word)
        return max(
            near, key=lambda one: (one[0] == word[0], sorted(one) == letters, self._counts[one], one), default=None
        )

    def _near_to(self, word: str) -> list[str]:
        if len(word) == _SHORTEST:
            swapped = self._near.get("".join(sorted(word)), ())
            near = [one for one in swapped if len(one) == _SHORTEST and slips(word, one) == 1]
            return near or self._longer(word)
        sounding = [one for one in self._sounding.get(sound_of(word), ()) if one != word]
        if sounding or word in self._counts:
            return sounding or self._swapped(word) or self._longer(word)
        return [one for one in self._with_letters_of(word) if slips(word, one) == 1] or self._longer(word)

    def _longer(self, word: str) -> list[str]:
        """Return the frequent words that a word becomes with more vowels, behind its first letter.

        A known one is a word of its own ("pez") unless it has no vowel within ("tme").
        """
        if len(word) < _SHORTEST or (word in self._counts and _VOWELS.search(word, 1, len(word) - 1)):
            return []
        sound = sound_of(word)
        near = self._without_vowels.get(_VOWELS.sub("", sound), ())
        begun = [one for one in near if one[0] == word[0] and 0 < len(one) - len(word) <= _MOST_VOWELS]
        return [one for one in begun if _is_within(sound, sound_of(one))]

    def _swapped(self, word: str) -> list[str]:
        near = self._with_letters_of(word)
        return [one for one in near if sorted(one) == sorted(word) and slips(word, one) == 1]

    def _with_letters_of(self, word: str) -> set[str]:
        return {one for key in (word, *_shorter(word)) for one in self._near.get(key, ()) if len(one) > _SHORTEST}


def _is_within(short: str, long: str) -> bool:
    """Tell whether the letters of one word stand in the other in their order."""
    letters = iter(long)
    return all(letter in letters for letter in short)


def _shorter(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(len(word)))
