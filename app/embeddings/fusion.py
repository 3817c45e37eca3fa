"""One ranking out of two: what shares words with the question, and what is near it in meaning."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

EVEN: Final = 0.5


@dataclass(frozen=True, slots=True)
class Fused(Generic[K]):
    """An item and why it stands where it does: what its words and its meaning add to the score (0 to 1).

    `keyword` and `similarity` are what came in; None where that search did not find it.
    """

    key: K
    keyword_part: float
    meaning_part: float
    keyword: float | None
    similarity: float | None

    @property
    def score(self) -> float:
        return self.keyword_part + self.meaning_part


def fuse(
    keywords: Mapping[K, float],
    similarities: Mapping[K, float],
    *,
    coverage: Mapping[K, float] | None = None,
    weight: float = EVEN,
    baseline: float = 0.0,
) -> list[Fused[K]]:
    """Rank the items of both searches, best first; of equals, in the order in which they came.

    `keywords` are scores of which more is better (FTS5's `rank` with its sign turned), `similarities` are
    cosines. `coverage` is the share of the question's words that an item holds (0 to 1, 1 where it is not
    told): the best of all matches may still be only a name that many items share. `weight` is the share of
    meaning, from 0 to 1. `baseline` is the cosine of texts that have nothing to do with each other: it counts
    as none. Where one search found nothing, the other decides alone.

    The parts are scaled by the best of each and added (convex combination): over six sets of questions that
    found 4 % more within the first eight than adding reciprocal ranks, as only the size of a lead tells a
    lucky guess from a certain one. What coverage and weight do is measured in tests/bench/memory_quality.py.
    """
    covered = {} if coverage is None else coverage
    above = {key: max(0.0, value - baseline) for key, value in similarities.items()}
    words = {key: max(0.0, value) for key, value in keywords.items()}
    best_above, best_words = max(above.values(), default=0.0), max(words.values(), default=0.0)
    share = _share(weight, has_meaning=best_above > 0, has_words=best_words > 0)
    fused = [
        Fused(
            key,
            keyword_part=(1 - share) * covered.get(key, 1.0) * _ratio(words.get(key, 0.0), best_words),
            meaning_part=share * _ratio(above.get(key, 0.0), best_above),
            keyword=keywords.get(key),
            similarity=similarities.get(key),
        )
        for key in dict.fromkeys([*keywords, *similarities])
    ]
    return sorted(fused, key=lambda item: -item.score)


def _share(weight: float, *, has_meaning: bool, has_words: bool) -> float:
    if has_meaning and has_words:
        return weight
    return 1.0 if has_meaning else 0.0


def _ratio(value: float, best: float) -> float:
    return value / best if best > 0 else 0.0
