"""The example sentences in `data/`: what they are labelled with, and their places in angle brackets filled in."""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Final

FOLLOWUP: Final = "followup"
NO_CATEGORY: Final = "none"
WISHES: Final = frozenset({"act", "look", "talk"})
_SLOTS: Final = "slots.toml"
_TALK_FILES: Final = frozenset({"talk", "cannot"})
_MIXED: Final = "mixed"
_SLOT: Final = re.compile(r"<(\w+)>")
_CHOICE: Final = re.compile(r"\{([^{}]*)\}")
_FILLED: Final = 4
_TALK_FILLED: Final = 10
"""So often is a sentence with places filled in; talk more often, as it is the larger part of what people write."""


@dataclass(frozen=True, slots=True)
class Label:
    """`categories` is sorted, () for plain talk; `tells_fact` is None where that is nobody's business."""

    categories: tuple[str, ...]
    wish: str
    tells_fact: bool | None = False


@dataclass(frozen=True, slots=True)
class Example:
    """`block` names the hand and the manner: held out as a whole, never by rows."""

    text: str
    label: Label
    language: str
    block: str


def read_label(text: str) -> Label:
    """Read "notes+math/act/fact", as the keys of mixed sentences and of the held-out file are written.

    Raises:
        ValueError: the wish is unknown.
    """
    names, wish, *rest = text.split("/")
    if wish not in WISHES or rest not in ([], ["fact"]):
        raise ValueError(f"not a label: {text}")
    categories = tuple(sorted(name for name in names.split("+") if name != NO_CATEGORY))
    return Label(categories, wish, bool(rest))


def load_examples(folder: Traversable) -> list[Example]:
    """Read all sentences, filled in the same way each time."""
    slots: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads((folder / _SLOTS).read_text("utf-8"))
    examples: dict[str, Example] = {}
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".toml") and file.name != _SLOTS:
            for pattern in _patterns(file):
                times = _FILLED if pattern.label.categories else _TALK_FILLED
                for text in fill_in(pattern.text, slots[pattern.language], times):
                    example = Example(text, pattern.label, pattern.language, pattern.block)
                    examples.setdefault(text.casefold(), example)
    return list(examples.values())


def _patterns(file: Traversable) -> Iterator[Example]:
    name = file.name.removesuffix(".toml")
    for language, sections in tomllib.loads(file.read_text("utf-8")).items():
        for section, blocks in sections.items():
            label = _label_of(name, section)
            for block, sentences in blocks.items():
                for sentence in sentences:
                    yield Example(sentence, label, language, f"{name}/{language}/{section}/{block}")


def _label_of(name: str, section: str) -> Label:
    if name == _MIXED:
        return read_label(section)
    categories = () if name in _TALK_FILES else (name,)
    match section:
        case "fact":
            return Label(categories, "talk", tells_fact=True)
        case "told":
            return Label(categories, "talk", tells_fact=None)
        case _:
            # What a person calls their own in a wish to remember is kept by the tool, not in passing.
            return Label(categories, section, tells_fact=None if name == "memory" else False)


def fill_in(pattern: str, slots: Mapping[str, Sequence[str]], times: int) -> list[str]:
    """Choose among {a|b} and fill in <slot>: up to so many different texts, the same each time."""
    if not _SLOT.search(pattern) and not _CHOICE.search(pattern):
        return [pattern]
    chance = random.Random(pattern)  # noqa: S311 - the same sentences each time, no secret
    texts: dict[str, None] = {}
    for _ in range(times):
        text = _CHOICE.sub(lambda found: chance.choice(found.group(1).split("|")), pattern)
        text = _SLOT.sub(lambda found: chance.choice(slots[found.group(1)]), text)
        texts[text.strip()] = None
    return list(texts)
