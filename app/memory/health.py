"""Facts about health beside a message that touches them: shown as a warning, whatever a model makes of them."""

from collections.abc import Iterable
from typing import Final

from app.memory.lexicon import CATEGORY_WORDS, TOUCHES_HEALTH
from app.memory.repository import Memory
from app.memory.similarity import content_words, stem_of

MAX_WARNINGS: Final = 2
_HEALTH: Final = frozenset(map(stem_of, CATEGORY_WORDS["health"]))
_TOUCHING: Final = frozenset(map(stem_of, TOUCHES_HEALTH))


def touches_health(text: str) -> bool:
    """Tell whether a text is about eating, drinking, medicine or exertion."""
    return not _TOUCHING.isdisjoint(content_words(text))


def warnings_among(facts: Iterable[Memory]) -> list[Memory]:
    """Return the facts about somebody's health, theirs or of their people; the newest few."""
    return [fact for fact in facts if not _HEALTH.isdisjoint(content_words(fact.text))][-MAX_WARNINGS:]
