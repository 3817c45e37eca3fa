"""Words and phrases that tell a program something, in every language: one TOML file for each room and language.

No library brings them: snowballstemmer has stems and no stop words, and what is left out of a question about
notes, of a fact, or of a search for tools differs by purpose.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from app.language.catalogue import LANGUAGES
from app.language.phrases import SPELLINGS, any_of, sequence

Words = frozenset[str]
_LISTS: Final = "lists"
_TABLE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Tongue:
    """What one language says: words and phrases by topic, and the lists that its phrases name."""

    words: Mapping[str, Words]
    phrases: Mapping[str, tuple[str, ...]]
    lists: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words and phrases of one room by topic; all languages together, because one message may mix them.

    A text in a file is words, a list is phrases (see `phrases`), which may name the texts of the table `lists`; in
    those `{relations}` stands for all words of that table. Words are folded: lower case, no accents. The name of a
    topic has a point where the files have a table.
    """

    tongues: tuple[Tongue, ...]
    words: Mapping[str, Words]

    @classmethod
    def of(cls, package: str | None) -> "Lexicon":
        """Read the files `<language>.toml` that lie in a package.

        Raises:
            ValueError: a file is broken, or lacks a topic that another language has.
        """
        folder = files(package or "")
        read = {file: _read(folder / file) for file in (f"{language}.toml" for language in LANGUAGES)}
        names = dict.fromkeys(name for tongue in read.values() for name in (*tongue.words, *tongue.phrases))
        missing = [
            f"{name} in {file}"
            for name in names
            for file, one in read.items()
            if name not in {*one.words, *one.phrases}
        ]
        if missing:
            raise ValueError(f"{package}: no words for {', '.join(missing)}")
        tongues = tuple(read.values())
        topics = [name for name in names if all(name in tongue.words for tongue in tongues)]
        words = {name: frozenset[str]().union(*(tongue.words[name] for tongue in tongues)) for name in topics}
        return cls(tongues, words)

    def __getitem__(self, topic: str) -> Words:
        return self.words[topic]

    def table(self, name: str) -> Mapping[str, Words]:
        """Return the topics of a table in the order of the files, without the table's name."""
        start = f"{name}."
        return {topic.removeprefix(start): said for topic, said in self.words.items() if topic.startswith(start)}

    def phrases(self, topic: str) -> tuple[str, ...]:
        """Return the phrases of a topic as they are written, language by language."""
        return tuple(phrase for tongue in self.tongues for phrase in tongue.phrases[topic])

    def pattern(self, topic: str, *, before: str = "") -> str:
        """Return a pattern for any phrase of a topic, in any language; those of `before` may come first."""
        patterns = []
        for tongue in self.tongues:
            lead = " ".join(tongue.phrases[before]) if before else ""
            patterns.append(any_of([f"{lead} {phrase}" for phrase in tongue.phrases[topic]], tongue.lists))
        return f"(?:{'|'.join(patterns)})"

    def sequences(self, table: str, **groups: str) -> Iterator[tuple[str, str]]:
        """Yield topic and pattern of each phrase of a table, language by language; see `phrases.sequence`."""
        start = f"{table}."
        for tongue in self.tongues:
            for topic in tongue.phrases:
                for phrase in tongue.phrases[topic] if topic.startswith(start) else ():
                    yield topic.removeprefix(start), sequence(phrase, tongue.lists, groups)


def _read(file: Traversable) -> Tongue:
    try:
        entries = tomllib.loads(file.read_text("utf-8"))
        lists = {name: str(listed) for name, listed in entries.pop(_LISTS, {}).items()}
        topics = dict(_topics(entries))
    except ValueError as exc:
        raise ValueError(f"{file}: {exc}") from exc
    words = {name: _with_spellings(entry.split()) for name, entry in topics.items() if isinstance(entry, str)}
    phrases = {name: tuple(map(str, entry)) for name, entry in topics.items() if isinstance(entry, list)}
    return Tongue(words, phrases, {name: _filled(listed, words) for name, listed in lists.items()})


def _with_spellings(words: Sequence[str]) -> Words:
    return frozenset(words).union(other for word in words for other in SPELLINGS.get(word, ()) if len(other) > 1)


def _filled(listed: str, words: Mapping[str, Words]) -> str:
    """Put the words of a table in the place of its name in braces, each also with an "s"."""
    for table in _TABLE.findall(listed):
        found = sorted(word for topic in words if topic.startswith(f"{table}.") for word in words[topic])
        listed = listed.replace(f"{{{table}}}", " ".join((*found, *(f"{word}s" for word in found))))
    return listed


def _topics(entries: Mapping[str, object], table: str = "") -> Iterator[tuple[str, str | list[object]]]:
    for name, entry in entries.items():
        match entry:
            case str() | list():
                yield f"{table}{name}", entry
            case dict():
                yield from _topics(entry, f"{table}{name}.")
            case _:
                raise ValueError(f"{table}{name} is neither words, nor phrases, nor a table")


COMMON_WORDS: Final = Lexicon.of(__package__)
STOP_WORDS: Final = COMMON_WORDS["stop_words"]
"""They say nothing about what a text is about, whatever it is for."""
