"""What abilities bring, found without knowing them: tests of the core run with whatever abilities there are."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from app.bootstrap.abilities import ABILITIES
from app.database.repositories.embeddings import TextSource

SHIPPED: Final = (
    "calculator", "conversation", "datetime", "files", "lists", "notes", "oversight", "projects",
    "reminders", "selfcode", "weather"
)  # fmt: skip
"""The small abilities with tools that the program comes with, for tests that pin all of them together."""


def ability_names() -> frozenset[str]:
    """The names of the abilities' folders."""
    return frozenset(ability.__name__.split(".")[-2] for ability in ABILITIES)  # type: ignore[attr-defined]  # modules


def repositories() -> list[type]:
    """The classes of all abilities that read and write rows of people."""
    modules = list(_repository_modules())
    classes = (one for module in modules for _, one in inspect.getmembers(module, inspect.isclass))
    own = tuple(f"{module.__package__}." for module in modules)
    return [
        one
        for one in classes
        if one.__module__.startswith(own) and list(inspect.signature(one).parameters) == ["db"]
    ]


def text_sources() -> list[TextSource]:
    """The texts of all abilities that are found by their meaning."""
    found = (member for module in _repository_modules() for _, member in inspect.getmembers(module))
    return [member for member in found if isinstance(member, TextSource)]


def _repository_modules() -> Iterator[ModuleType]:
    for ability in ABILITIES:
        name = ability.__name__.removesuffix("ability") + "repository"  # type: ignore[attr-defined]  # as above
        if find_spec(name) is not None:
            yield import_module(name)
