"""Sentences in every language: one gettext catalogue for each room and language, read with Babel."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from gettext import c2py
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final, TypeAlias

from babel.core import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

Language: TypeAlias = str
"""An ISO 639-1 code that has a catalogue."""

LANGUAGES: Final[tuple[Language, ...]] = tuple(
    entry.name.removesuffix(".po")
    for entry in sorted((files("app.language") / "texts").iterdir(), key=lambda entry: entry.name)
    if entry.name.endswith(".po")
)
"""The languages that we speak: those of our own catalogue. A new one is a `.po` file in each room."""
LANGUAGE_NAMES: Final[Mapping[Language, str]] = MappingProxyType(
    {language: Locale(language).get_language_name("en") or language for language in LANGUAGES}
)
"""The names by which a model is told which language to write in."""
OF_LOGS: Final[Language] = "en"
"""The language of logs, of programs, and of whoever speaks none of ours."""
InEachLanguage: TypeAlias = Mapping[Language, str]


@dataclass(frozen=True, slots=True)
class Forms:
    """The wordings of a sentence in one language, singular first; `choose` tells which one a number takes."""

    texts: tuple[str, ...]
    choose: Callable[[int], int]


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """One thing that can be said: its name, for messages of errors, and its forms in each language.

    A language has several forms where the wording depends on `count`: singular first.
    """

    name: str
    forms: Mapping[Language, Forms]

    def in_language(self, language: Language, count: object) -> str:
        """Return the form for this many things.

        Raises:
            KeyError: there is no such sentence in this language, or a count is needed and none was given.
        """
        forms = self.forms.get(language)
        if forms is None:
            raise KeyError(f"{self.name} is missing in {language}.po")
        if len(forms.texts) == 1:
            return forms.texts[0]
        if not isinstance(count, int):
            raise KeyError("count")
        return forms.texts[forms.choose(count)]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The sentences of one room; each is an attribute."""

    sentences: Mapping[str, Sentence]

    @classmethod
    def of(cls, package: str | None) -> "Texts":
        """Read the catalogues `<language>.po` that lie in a package.

        Raises:
            ValueError: a catalogue is broken.
        """
        folder = files(package or "")
        catalogues = {language: _read(folder / f"{language}.po") for language in LANGUAGES}
        sentences = {name: Sentence(f"{package}: {name}", _forms(name, catalogues)) for name in _names(catalogues)}
        return cls(MappingProxyType(sentences))

    def __getattr__(self, name: str) -> Sentence:
        try:
            return self.sentences[name]
        except KeyError:
            raise AttributeError(f"no catalogue has a sentence {name!r}") from None

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences.values())


def _read(file: Traversable) -> Catalog:
    with file.open("rb") as lines:
        return read_po(lines, abort_invalid=True)


def _names(catalogues: Mapping[Language, Catalog]) -> tuple[str, ...]:
    every = (_name(message) for catalogue in catalogues.values() for message in catalogue if message.id)
    return tuple(dict.fromkeys(every))


def _name(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _forms(name: str, catalogues: Mapping[Language, Catalog]) -> Mapping[Language, Forms]:
    forms: dict[Language, Forms] = {}
    for language, catalogue in catalogues.items():
        message = catalogue.get(name)
        if message is not None and message.string:
            texts = (message.string,) if isinstance(message.string, str) else tuple(message.string)
            forms[language] = Forms(texts, _plural_rule(catalogue.plural_expr))
    return MappingProxyType(forms)


@cache
def _plural_rule(expression: str) -> Callable[[int], int]:
    return c2py(expression)


def say(sentence: Sentence, language: Language, **values: object) -> str:
    """Return the sentence in that language with its placeholders filled; `count` decides between its forms.

    Raises:
        KeyError: a placeholder of the sentence was not given.
    """
    return sentence.in_language(language, values.get("count")).format_map(values)


def openings(*sentences: Sentence) -> tuple[str, ...]:
    """Return how these sentences begin, up to the first placeholder, in each language."""
    return tuple(one.in_language(language, 1).partition("{")[0] for one in sentences for language in LANGUAGES)


class LazyText(str):
    """A text that can be said in each language, and reads in English where nobody asks for another.

    What is made of it by other means than `lazy` and `joined` is English alone.
    """

    __slots__ = ("in_language",)

    def __new__(cls, in_language: Callable[[Language], str]) -> "LazyText":
        text = super().__new__(cls, in_language(OF_LOGS))
        text.in_language = in_language
        return text

    in_language: Callable[[Language], str]


def lazy(sentence: Sentence, **values: object) -> LazyText:
    """Return the sentence with its values, which may be lazy, too."""

    def in_language(language: Language) -> str:
        said = {
            name: value.in_language(language) if isinstance(value, LazyText) else value
            for name, value in values.items()
        }
        return say(sentence, language, **said)

    return LazyText(in_language)


def joined(separator: str, texts: Sequence[str]) -> LazyText:
    """Return the texts one after the other."""
    return LazyText(lambda language: separator.join(worded(one, language) for one in texts))


def worded(text: str, language: Language) -> str:
    """Return a text as it is said in that language; a plain one, such as another's words, stays as it is."""
    return text.in_language(language) if isinstance(text, LazyText) else text


def in_each_language(text: str) -> InEachLanguage:
    """Return a text as it is said in each language that we speak."""
    return MappingProxyType({language: worded(text, language) for language in LANGUAGES})
