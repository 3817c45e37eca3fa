"""Which facts matter for a text: found by words and by meaning, joined into one ranking with its reasons."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.embeddings.fusion import fuse
from app.memory.repository import Memory
from app.memory.similarity import content_words

_BASELINE: Final = 0.1
"""Three of four facts of tests/data/memory_retrieval are no nearer than this to a question (local model)."""

# With the local model 0.20 keeps 95 % of the right memories, with about seven wrong ones for each question; 0.30
# was chosen because a wrong fact misleads a small model (tests/bench/memory_quality.py).
_NEAR: Final = 0.30


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

    @property
    def is_near(self) -> bool:
        """It shares a word with the text, or means something like it: worth being shown."""
        return bool(self.why.words) or (self.why.similarity or 0.0) >= _NEAR


def rank(
    stems: Sequence[str],
    by_words: Sequence[tuple[Memory, float]],
    by_meaning: Sequence[Memory],
    similarities: Mapping[int, float],
) -> list[Recalled]:
    """Return all that was found, best first; of equals, those found by words, then the newest.

    `stems` are the words of the text, `by_words` facts with their keyword scores, `similarities` has a cosine for
    the id of each of `by_meaning`. A fact that holds few of the words counts less than one that holds them all.
    """
    newest_first = sorted(by_meaning, key=lambda memory: -memory.number)
    found = {memory.id: memory for memory in (*(memory for memory, _ in by_words), *newest_first)}
    shared = {memory.id: _shared(stems, memory.text) for memory in found.values()}
    fused = fuse(
        {memory.id: score for memory, score in by_words},
        {memory.id: similarities[memory.id] for memory in newest_first},
        coverage={memory.id: len(shared[memory.id]) / len(stems) for memory, _ in by_words},
        baseline=_BASELINE,
    )
    return [Recalled(found[one.key], Why(shared[one.key], one.similarity), one.score) for one in fused]


def _shared(stems: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the stems with which words of the text begin: of the sorted words, only the next one can."""
    present = [*sorted(content_words(text)), ""]
    return tuple(
        stem for stem in stems if present[bisect_left(present, stem, hi=len(present) - 1)].startswith(stem)
    )
