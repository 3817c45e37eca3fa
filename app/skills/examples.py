"""What people say to each tool: the `examples.toml` of every ability, read once.

A file is about one category of tools. `[tools.NAME]`, in the order in which a small budget takes them, has
sentences by language that want the tool, and a description in other languages than English: for the tool search.
`[[classifier]]` and `[[constrained]]` are examples in the prompt that sorts messages and in that of small models;
`[[brief]]` are further ones for a small model that is asked about these tools alone (`BriefProtocol`).
`order` is the place of the category among all, `place` that of an example among its like, because small models go
by the last ones most. What has none comes last. With `is_default` a category may be offered when nobody could say
what is wanted: its tools change nothing outside the person's own data.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from app.language.catalogue import Language
from app.llm.brief import CallExample

_APP: Final = Path(__file__).resolve().parents[1]
_FILE: Final = "examples.toml"
_LAST: Final = 1_000


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Classified(_Part):
    """A message and the categories it needs: the file's own, and `also` others."""

    says: str
    also: tuple[str, ...] = ()
    place: int = _LAST


class _Called(_Part):
    """A message and the calls it wants; without any, the category is to be loaded.

    `before` is what was said and done before it: '"12% of 50" = 6'.
    """

    says: str
    calls: tuple[dict[str, dict[str, object]], ...] = ()
    before: str = ""
    place: int = _LAST


class _Tool(BaseModel):
    """Sentences stand under the language they are in."""

    model_config = ConfigDict(extra="allow", frozen=True)

    description: dict[str, str] = {}
    __pydantic_extra__: dict[str, tuple[str, ...]]


class _File(_Part):
    category: str
    order: int = _LAST
    is_default: bool = False
    tools: dict[str, _Tool]
    classifier: Annotated[tuple[_Classified, ...], Field(default=())]
    constrained: Annotated[tuple[_Called, ...], Field(default=())]
    brief: Annotated[tuple[_Called, ...], Field(default=())]


@dataclass(frozen=True, slots=True)
class OtherWords:
    """How people say what a tool does: descriptions in other languages, and messages that want it."""

    description: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Examples:
    """`categories` maps each category to its tools, in the order in which a small budget takes them.

    `defaults` are those that may be offered when nobody could say what is wanted. `classifier` and `constrained`
    are lines of those prompts, `calls` all examples of calls, each for itself. `said` has the
    sentences that want a tool by their language.
    """

    categories: Mapping[str, tuple[str, ...]]
    defaults: tuple[str, ...]
    words: Mapping[str, OtherWords]
    classifier: str
    constrained: str
    calls: tuple[CallExample, ...]
    said: Mapping[str, Mapping[Language, tuple[str, ...]]]

    def one_of(self, category: str, language: Language) -> str:
        """Return a sentence that wants one of the tools of a category; empty when there is none."""
        spoken = (self.said[name].get(language, ()) for name in self.categories.get(category, ()))
        return next(chain.from_iterable(spoken), "")


def load_examples() -> Examples:
    """Read the files of all abilities.

    Raises:
        ValueError: one of them is not as it should be.
    """
    files = sorted(map(_read, sorted(_APP.rglob(_FILE))), key=lambda file: file.order)
    categories = {file.category: tuple(file.tools) for file in files}
    tools = frozenset(chain.from_iterable(categories.values()))
    words = {name: _words(tool) for file in files for name, tool in file.tools.items()}
    classified = [(one, (file.category, *one.also)) for file in files for one in file.classifier]
    called = [(one, file.category) for file in files for one in file.constrained if _names(one) <= tools]
    return Examples(
        MappingProxyType(categories),
        tuple(file.category for file in files if file.is_default),
        MappingProxyType(words),
        "\n".join(f"{one.says} -> {', '.join(names)}" for one, names in sorted(classified, key=_place)),
        "\n".join(_call_line(one, category) for one, category in sorted(called, key=_place)),
        tuple(
            CallExample(_call_line(one, file.category), frozenset(_names(one)))
            for file in files
            for one in (*file.constrained, *file.brief)
            if one.calls
        ),
        MappingProxyType({name: tool.model_extra or {} for file in files for name, tool in file.tools.items()}),
    )


def _read(path: Path) -> _File:
    try:
        return _File.model_validate(tomllib.loads(path.read_text("utf-8")))
    except ValueError as exc:
        raise ValueError(f"{path.relative_to(_APP.parent)}: {exc}") from exc


def _words(tool: _Tool) -> OtherWords:
    return OtherWords(
        " ".join(tool.description.values()), tuple(chain.from_iterable((tool.model_extra or {}).values()))
    )


def _names(example: _Called) -> set[str]:
    return {name for call in example.calls for name in call}


def _place(entry: tuple[_Classified | _Called, object]) -> int:
    return entry[0].place


def _call_line(example: _Called, category: str) -> str:
    if not example.calls:
        return (
            f'No listed tool fits "{example.says}" -> {{"request_more_tools": {{"categories": ["{category}"]}}}}'
        )
    wanted: Mapping[str, object] = example.calls[0] if len(example.calls) == 1 else {"calls": example.calls}
    before = f"Before: {example.before}\n" if example.before else ""
    return f'{before}"{example.says}" -> {json.dumps(wanted, ensure_ascii=False)}'


NO_WORDS: Final = OtherWords()
EXAMPLES: Final = load_examples()
