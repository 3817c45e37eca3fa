"""The kinds of facts: their order, their headings, and which one a text is of by its words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.language.catalogue import Sentence
from app.memory.lexicon import CATEGORY_WORDS, RELATIONS
from app.memory.similarity import content_words, stem_of
from app.memory.texts import MEMORY

GENERAL: Final = "general"
CATEGORY_TITLES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "personal": MEMORY.category_personal,
        "family": MEMORY.category_family,
        "health": MEMORY.category_health,
        "work": MEMORY.category_work,
        "home": MEMORY.category_home,
        "tastes": MEMORY.category_tastes,
        "plans": MEMORY.category_plans,
        GENERAL: MEMORY.category_general,
    }
)
CATEGORIES: Final = tuple(CATEGORY_TITLES)
"""In the order in which they are shown."""
_WORDS: Final = MappingProxyType({name: frozenset(map(stem_of, words)) for name, words in CATEGORY_WORDS.items()})


def category_of(text: str) -> str:
    """Return the category of a fact: the people and animals around come first, then the first that fits."""
    words = set(content_words(text))
    found = [name for name, known in _WORDS.items() if not words.isdisjoint(known)]
    if not RELATIONS.keys().isdisjoint(words):
        return "work" if "work" in found else "family"
    return found[0] if found else GENERAL


def known_category(name: str | None) -> str | None:
    """Return the category of that name, upper and lower case alike; None for any other."""
    return next((one for one in CATEGORIES if name is not None and one == name.strip().lower()), None)
