"""Which facts matter for a text: found by words and by meaning, joined into one ranking with its reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.database.repositories.memories import Memory
from app.memory.similarity import content_words

_KEYWORD_SHARE: Final = 0.4
"""Of the score, where both searches found something: the convex fusion that was measured best for tools."""


@dataclass(frozen=True, slots=True)
class Why:
    """`words` are the stems of the text that the fact holds; `similarity` is None without a vector hit."""

    words: tuple[str, ...]
    similarity: float | None

    @property
    def kind(self) -> Literal["words", "meaning", "both"]:
        if self.similarity is None:
            return "words"
        return "both" if self.words else "meaning"


@dataclass(frozen=True, slots=True)
class Recalled:
    """`score` is between 0 and 1 and orders the facts of one search; it does not compare searches."""

    memory: Memory
    why: Why
    score: float


def fuse(
    stems: Sequence[str],
    by_words: Sequence[tuple[Memory, float]],
    by_meaning: Sequence[Memory],
    similarities: Mapping[int, float],
) -> list[Recalled]:
    """Return all that was found, best first: keyword scores (divided by the best) and similarities, convex.

    Where one of the searches found nothing at all, the other one decides alone.
    """
    best = max((score for _, score in by_words), default=0.0)
    keyword = {memory.id: score / best if best > 0 else 0.0 for memory, score in by_words}
    share = _KEYWORD_SHARE if by_words and by_meaning else 1.0 if by_words else 0.0
    found = {memory.id: memory for memory in (*(memory for memory, _ in by_words), *by_meaning)}
    recalled = []
    for memory in found.values():
        similarity = similarities.get(memory.id)
        near = min(1.0, max(0.0, similarity or 0.0))
        score = share * keyword.get(memory.id, 0.0) + (1 - share) * near
        recalled.append(Recalled(memory, Why(_shared(stems, memory.text), similarity), score))
    return sorted(recalled, key=lambda one: (-one.score, -one.memory.number))


def _shared(stems: Sequence[str], text: str) -> tuple[str, ...]:
    present = content_words(text)
    return tuple(stem for stem in stems if any(word.startswith(stem) for word in present))
