"""What a small model is shown before it writes a text in somebody's name, changes one, or answers news: examples.

It writes as its examples do; told in words alone, it gives the wish back, or says that it cannot help.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict

from app.domain.chat import ChatMessage, exchanges
from app.language.catalogue import LANGUAGES, Language
from app.pipeline.lexicon.moods import Mood
from app.skills.drafted import Change

_DRAFTS: Final = "drafts.toml"
_NEWS: Final = "news.toml"

_Examples = TypeVar("_Examples", bound=BaseModel)


class _Drafts(BaseModel):
    """What is shown in one language: texts written or `spoken`, as (wish, text), and changes of them, by kind.

    A change is (number of the written text, what was wanted of it, the text with that change); of a text that a
    person brought, (what was wanted, that text, the text with that change).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    write: str
    rewrite: str
    text: str
    change: str
    written: tuple[tuple[str, str], ...]
    speak: str
    spoken: tuple[tuple[str, str], ...]
    improve: str
    translate: str
    changed: Mapping[Change, tuple[tuple[int, str, str], ...]]
    brought: Mapping[Change, tuple[tuple[str, str, str], ...]]


class _News(BaseModel):
    """Answers, as (what was told, the answer), and the words that an answer should rather not have; `moods`: how
    to speak to who mourns, or is full of joy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    told: tuple[tuple[str, str], ...]
    avoided: tuple[str, ...]
    moods: Mapping[Mood, str]


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown, by language: of texts (`prompts/drafts.toml`), and of news (`prompts/news.toml`)."""

    drafts: Mapping[Language, _Drafts]
    news: Mapping[Language, _News]

    @classmethod
    def load(cls, package: str) -> "Shown":
        """Read the files in the folder `prompts/` of a package; call at start.

        Raises:
            ValueError: one is broken, or lacks a language.
        """
        return cls(_read(package, _DRAFTS, _Drafts), _read(package, _NEWS, _News))

    def written(self, language: Language, *, is_spoken: bool = False) -> Sequence[ChatMessage]:
        """Return what stands before a wish for a new text, or for a speech."""
        shown = self.drafts[language]
        if is_spoken:
            return (ChatMessage("system", shown.speak), *exchanges(shown.spoken))
        return (ChatMessage("system", shown.write), *exchanges(shown.written))

    def changed(self, text: str, change: Change, wanted: str, language: Language) -> tuple[ChatMessage, ...]:
        """Return the prompt for a text that is to be changed; `wanted` is "" for what the examples want."""
        shown = self.drafts[language]
        changed = shown.changed.get(change, ())
        examples = [(_asked(shown, shown.written[n][1], said), result) for n, said, result in changed]
        wanted = wanted or next((said for _, said, _ in changed), "")
        asked = ChatMessage("user", _asked(shown, text, wanted))
        return (ChatMessage("system", shown.rewrite), *exchanges(examples), asked)

    def brought(self, text: str, change: Change, wish: str, language: Language) -> tuple[ChatMessage, ...]:
        """Return the prompt for a text that a person brought; where no such change is shown, as `changed`."""
        shown = self.drafts[language]
        examples = [(f"{said}: {before}", result) for said, before, result in shown.brought.get(change, ())]
        if not examples:
            return self.changed(text, change, wish, language)
        asked = ChatMessage("user", f"{wish}: {text}")
        task = shown.translate if change == "language" else shown.improve
        return (ChatMessage("system", task), *exchanges(examples), asked)

    def answered(self, language: Language, note: str) -> tuple[ChatMessage, ...]:
        """Return news that were answered, each with the `note` that follows what a person writes."""
        return exchanges((f"{told}\n\n{note}", answer) for told, answer in self.news[language].told)

    def guidance(self, mood: Mood | None, language: Language) -> str:
        """Return how to speak to somebody in such a mood; "" where nothing is known of it."""
        return "" if mood is None else self.news[language].moods[mood]

    def avoided(self, language: Language) -> tuple[str, ...]:
        """Return the words that lead it to say that it cannot help."""
        return self.news[language].avoided


def _asked(shown: _Drafts, text: str, wanted: str) -> str:
    return f"{shown.text}: {text}\n\n{shown.change}: {wanted}"


def _read(package: str, file: str, model: type[_Examples]) -> dict[Language, _Examples]:
    read = tomllib.loads(resources.files(package).joinpath("prompts", file).read_text("utf-8"))
    return {language: model.model_validate(read.get(language, {})) for language in LANGUAGES}
