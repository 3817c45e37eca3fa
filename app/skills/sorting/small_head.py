"""A fitted head of one purpose beside the sorting: its labels' scores from meaning, evidence and hashed words."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from app.domain.ports import Embedder
from app.skills.sorting.head import Layers, Matrix, probability

_HASHED: Final = 1_024


@dataclass(frozen=True, slots=True)
class SmallHead:
    """`layers` put out a score for each label; `model` made the vectors and `digest` is of the examples that it
    was fitted to."""

    layers: Layers
    model: str
    digest: str

    def odds(self, features: Matrix) -> Matrix:
        """Return how probable each label is (0 to 1), each by itself."""
        return probability(self.layers.scores(features[None, :])[0])


def hashed_words(tokens: Sequence[str]) -> Matrix:
    """Return which words and pairs of words there are, each at a place of its own among 1,024, mostly."""
    there = np.zeros(_HASHED, np.float32)
    said = ["^", *tokens, "$"]
    for one in (*said, *(" ".join(pair) for pair in pairwise(said))):
        there[zlib.crc32(one.encode()) % _HASHED] = 1
    return there


async def meanings(texts: Sequence[str], embedder: Embedder) -> list[Matrix]:
    """Return a vector for each text.

    Raises:
        AppError: the embedder fails.
    """
    return [np.frombuffer(one, "<f4") for one in await embedder.embed(list(texts), purpose="query")]


def save_head(head: SmallHead, path: Path) -> None:
    """Write a head in half precision: about 350 kB."""
    one = head.layers
    np.savez_compressed(
        path,
        hidden=one.hidden.astype(np.float16),
        hidden_bias=one.hidden_bias,
        out=one.out.astype(np.float16),
        out_bias=one.out_bias,
        source=np.array([head.model, head.digest]),
    )


def load_head(file: Traversable) -> SmallHead:
    """Read what `save_head` wrote."""
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        names = ("hidden", "hidden_bias", "out", "out_bias")
        layers = Layers(*(stored[name].astype(np.float32) for name in names))
        model, digest = (str(text) for text in stored["source"])
    return SmallHead(layers, model, digest)
