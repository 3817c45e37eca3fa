"""Prompts for texts that a small model writes in somebody's name, or changes: a few examples, then the wish."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

from pydantic import BaseModel, ConfigDict

from app.domain.chat import ChatMessage
from app.language.catalogue import LANGUAGES, Language
from app.skills.drafted import Change

_FILE: Final = "drafts.toml"


class _Shown(BaseModel):
    """What is shown in one language: texts that were written, as (wish, text), and changes of them, by kind.

    A change is (number of the written text, what was wanted of it, the text with that change).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    write: str
    rewrite: str
    text: str
    change: str
    written: tuple[tuple[str, str], ...]
    changed: Mapping[Change, tuple[tuple[int, str, str], ...]]


@dataclass(frozen=True, slots=True)
class DraftPrompts:
    """What a small model is shown of texts, by language; see `prompts/drafts.toml`."""

    shown: Mapping[Language, _Shown]

    @classmethod
    def load(cls, package: str) -> "DraftPrompts":
        """Read the file in the folder `prompts/` of a package; call at start.

        Raises:
            ValueError: it is broken, or lacks a language.
        """
        read = tomllib.loads(resources.files(package).joinpath("prompts", _FILE).read_text("utf-8"))
        return cls({language: _Shown.model_validate(read.get(language, {})) for language in LANGUAGES})

    def write(self, language: Language) -> Sequence[ChatMessage]:
        """Return what stands before a wish for a new text."""
        shown = self.shown[language]
        return (ChatMessage("system", shown.write), *_exchanges(shown.written))

    def change(self, text: str, change: Change, wanted: str, language: Language) -> tuple[ChatMessage, ...]:
        """Return the prompt for a text that is to be changed; `wanted` is "" for what the examples want."""
        shown = self.shown[language]
        changed = shown.changed.get(change, ())
        examples = [(_asked(shown, shown.written[number][1], said), result) for number, said, result in changed]
        wanted = wanted or next((said for _, said, _ in changed), "")
        asked = ChatMessage("user", _asked(shown, text, wanted))
        return (ChatMessage("system", shown.rewrite), *_exchanges(examples), asked)


def _asked(shown: _Shown, text: str, wanted: str) -> str:
    return f"{shown.text}: {text}\n\n{shown.change}: {wanted}"


def _exchanges(pairs: Sequence[tuple[str, str]]) -> tuple[ChatMessage, ...]:
    return tuple(
        message
        for asked, told in pairs
        for message in (ChatMessage("user", asked), ChatMessage("assistant", told))
    )
