"""The head as the first who sorts a message, before any model is asked."""

from typing import Final

import structlog

from app.domain.errors import AppError
from app.skills.router import NO_CATEGORY, TOOL_CATEGORIES, Intent, SortingFacts
from app.skills.sorting.sorter import MAX_CATEGORIES, Sorted, Sorter

# Measured on 473 messages of a hand that the fit had not seen: where there is a wish, a likely category is right
# more often than none.
_LIKELY: Final = 0.35
_WISHED: Final = 0.7

log = structlog.get_logger(__name__)


class HeadSorter:
    """A `QuickSorter`. With `decides_alone` it also decides what it is unsure of: the model is a small one, which
    sorts worse. It is asked all the same where a wish may be for the tools of a server, of which the head
    knows nothing."""

    def __init__(self, sorter: Sorter, *, decides_alone: bool) -> None:
        self._sorter = sorter
        self._decides_alone = decides_alone

    async def sort(self, user_message: str, facts: SortingFacts) -> Intent | None:
        """See `QuickSorter`. An encoder that fails leaves it to the model."""
        try:
            found = await self._sorter.sort(user_message, previous=facts.sticky)
        except AppError as exc:
            log.warning("intent.head_failed", reason=exc.code)
            return None
        wanted = self._wanted(found)
        is_foreign = not (self._sorter.categories | TOOL_CATEGORIES.keys()).issuperset(facts.categories)
        needs_model = not wanted and found.wish != "talk" and is_foreign
        if needs_model or not (found.is_sure or self._decides_alone):
            return None
        known = tuple(name for name in wanted if name in facts.categories)
        return Intent(
            known or (NO_CATEGORY,),
            by="head",
            confidence=found.confidence,
            wish=found.wish,
            wish_confidence=found.wish_probability,
            refers_back=found.refers_back,
            names_place=found.names_place,
            is_story=found.is_story,
            parts=found.parts,
            is_elsewhere=found.is_elsewhere,
            is_live=found.is_live,
            unmet=tuple(name for name in wanted if name not in facts.categories),
        )

    def _wanted(self, found: Sorted) -> tuple[str, ...]:
        wanted = tuple(name for name in found.categories if name != NO_CATEGORY)
        is_guessed = not (found.is_sure or found.is_elsewhere) and found.wish_probability >= _WISHED
        if wanted or not is_guessed or found.wish == "talk":
            return wanted
        odds = {
            name: odds for name, odds in found.probabilities.items() if name != NO_CATEGORY and odds >= _LIKELY
        }
        return tuple(sorted(odds, key=lambda name: -odds[name])[:MAX_CATEGORIES])
