"""How well each tool fits a message: its words, its meaning, and what is known of it beforehand."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from app.embeddings.fusion import fuse

_MEANING: Final = 0.6
"""The share of meaning: of .4 to .8, where MetaTool, LiveMCPBench and messages in Spanish all do well."""
_OWN_PRIOR: Final = 0.15
_NAMED: Final = 1.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the two searches found for one text.

    `keywords` is more for better; `closeness` is a cosine less the hub, empty without an encoder.
    `unread` tools have no vector yet. `named` are those whose very name stands in the text.
    """

    keywords: Mapping[str, float]
    closeness: Mapping[str, float]
    unread: Collection[str] = ()
    named: Collection[str] = ()


def score(evidence: Evidence, own: Collection[str]) -> dict[str, float]:
    """Score the tools found, in no order; 0 to 1, a little more for our own, 1 more for those that are named.

    A tool that no encoder has read yet is taken to be as near in meaning as it is in words: one that was
    just installed is found.
    """
    keywords, closeness = evidence.keywords, dict(evidence.closeness)
    best_words = max(keywords.values(), default=0.0)
    best_meaning = max(closeness.values(), default=0.0)
    if best_words > 0 and best_meaning > 0:
        closeness |= {n: best_meaning * keywords[n] / best_words for n in keywords if n in evidence.unread}
    scores = {one.key: one.score for one in fuse(keywords, closeness, weight=_MEANING)}
    scores = {name: value + _OWN_PRIOR * (name in own) for name, value in scores.items() if value > 0}
    return scores | {name: scores.get(name, 0.0) + _NAMED for name in evidence.named}
