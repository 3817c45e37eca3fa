"""Groups of words and phrases that are evidence of what a message wants, read from `data/lexicon`."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Final

from app.skills.sorting.words import Word

_LONGEST_PHRASE: Final = 5
_LONGEST_STEM: Final = 16
_SHORTEST_STEM: Final = 3
_MOST_FILLERS: Final = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A word or phrase of a group: `begin` and `end` count words."""

    group: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`phrases` and `stems` (beginnings of words) name their groups.

    `joiners` connect two clauses ("and"), `fillers` carry no wish ("hello", "could you"). The work for a message
    grows with its length only: a word is looked up a fixed number of times.
    """

    groups: tuple[str, ...]
    phrases: Mapping[tuple[str, ...], tuple[str, ...]]
    stems: Mapping[str, tuple[str, ...]]
    joiners: frozenset[tuple[str, ...]]
    fillers: frozenset[tuple[str, ...]]

    def find(self, words: Sequence[Word]) -> Iterator[Found]:
        """Yield what stands in the words, from left to right."""
        texts = tuple(word.text for word in words)
        for begin, text in enumerate(texts):
            for length in range(1, min(_LONGEST_PHRASE, len(texts) - begin) + 1):
                for group in self.phrases.get(texts[begin : begin + length], ()):
                    yield Found(group, begin, begin + length)
            for length in range(_SHORTEST_STEM, min(_LONGEST_STEM, len(text)) + 1):
                for group in self.stems.get(text[:length], ()):
                    yield Found(group, begin, begin + 1)

    def after_fillers(self, words: Sequence[Word], begin: int, end: int) -> int:
        """Return the place of the first word from `begin` on that is no filler, at most eight fillers on.

        `end` when there is none.
        """
        for _ in range(_MOST_FILLERS):
            length = self.length_of(self.fillers, words, begin, end)
            if not length:
                break
            begin += length
        return begin

    @staticmethod
    def length_of(phrases: frozenset[tuple[str, ...]], words: Sequence[Word], begin: int, end: int) -> int:
        """How many words the longest of the phrases takes that begins at `begin`; 0 when none does."""
        for length in range(min(_LONGEST_PHRASE, end - begin), 0, -1):
            if tuple(word.text for word in words[begin : begin + length]) in phrases:
                return length
        return 0


def load_lexicon(folder: Traversable) -> Lexicon:
    """Read the file of every language; a group that stands in several of them is one group."""
    tables = [
        tomllib.loads(file.read_text("utf-8")) for file in sorted(folder.iterdir(), key=lambda one: one.name)
    ]
    groups = sorted({name for table in tables for name in table["groups"]})
    phrases: dict[tuple[str, ...], list[str]] = {}
    stems: dict[str, list[str]] = {}
    for group in groups:
        for entry in dict.fromkeys(entry for table in tables for entry in table["groups"].get(group, ())):
            if entry.endswith("*"):
                stems.setdefault(entry[:-1], []).append(group)
            else:
                phrases.setdefault(tuple(entry.split()), []).append(group)
    return Lexicon(
        tuple(groups),
        {phrase: tuple(names) for phrase, names in phrases.items()},
        {stem: tuple(names) for stem, names in stems.items()},
        frozenset(tuple(entry.split()) for table in tables for entry in table["joiners"]),
        frozenset(tuple(entry.split()) for table in tables for entry in table["fillers"]),
    )
