"""The kinds of facts, and which one a text is of: by its words, Spanish and English."""

from typing import Final

from app.memory.lexicon import CATEGORY_WORDS, RELATIONS
from app.memory.similarity import content_words, stem_of

GENERAL: Final = "general"
CATEGORIES: Final = ("personal", "family", "health", "work", "home", "tastes", "plans", GENERAL)
"""In the order in which they are shown."""


def category_of(text: str) -> str:
    """Return the category of a fact: the people and animals around come first, then the first that fits."""
    words = set(content_words(text))
    found = [name for name, known in CATEGORY_WORDS.items() if not words.isdisjoint(map(stem_of, known))]
    if not RELATIONS.keys().isdisjoint(words):
        return "work" if "work" in found else "family"
    return found[0] if found else GENERAL


def known_category(name: str | None) -> str | None:
    """Return the category of that name, upper and lower case alike; None for any other."""
    return next((one for one in CATEGORIES if name is not None and one == name.strip().lower()), None)
