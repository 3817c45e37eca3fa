"""Words that tell a program something, in every language: one TOML file for each room and language.

No library brings them: snowballstemmer has stems and no stop words, and what is left out of a question about
notes, of a fact, or of a search for tools differs by purpose.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from app.language.catalogue import LANGUAGES

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one room by topic; all languages together, because one message may mix them.

    They are folded: lower case, no accents. A topic's name has a point where the files have a table.
    """

    topics: Mapping[str, Words]

    @classmethod
    def of(cls, package: str | None) -> "Lexicon":
        """Read the files `<language>.toml` that lie in a package.

        Raises:
            ValueError: a file is broken, or lacks a topic that another language has.
        """
        folder = files(package or "")
        read = {file: _read(folder / file) for file in (f"{language}.toml" for language in LANGUAGES)}
        names = dict.fromkeys(name for topics in read.values() for name in topics)
        if missing := [f"{name} in {file}" for name in names for file in read if name not in read[file]]:
            raise ValueError(f"{package}: no words for {', '.join(missing)}")
        return cls({name: frozenset().union(*(topics[name] for topics in read.values())) for name in names})

    def __getitem__(self, topic: str) -> Words:
        return self.topics[topic]

    def table(self, name: str) -> Mapping[str, Words]:
        """Return the topics of a table in the order of the files, without the table's name."""
        start = f"{name}."
        return {
            topic.removeprefix(start): words for topic, words in self.topics.items() if topic.startswith(start)
        }


def _read(file: Traversable) -> Mapping[str, Words]:
    try:
        return dict(_topics(tomllib.loads(file.read_text("utf-8"))))
    except ValueError as exc:
        raise ValueError(f"{file}: {exc}") from exc


def _topics(entries: Mapping[str, object], table: str = "") -> Iterator[tuple[str, Words]]:
    for name, entry in entries.items():
        match entry:
            case str():
                yield f"{table}{name}", frozenset(entry.split())
            case dict():
                yield from _topics(entry, f"{table}{name}.")
            case _:
                raise ValueError(f"{table}{name} is neither a text of words nor a table")


COMMON_WORDS: Final = Lexicon.of(__package__)
STOP_WORDS: Final = COMMON_WORDS["stop_words"]
"""They say nothing about what a text is about, whatever it is for."""
