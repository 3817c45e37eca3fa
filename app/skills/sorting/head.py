"""The fitted head: numbers of a message in, log odds of categories and wishes out."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

# A vector of length 1 in 512 dimensions beside evidence of 0 and 1: brought to the same weight.
MEANING_SCALE: Final = 8.0
# Between 0 and 0.5 it makes little difference for a single wish; two are found more often with some of it.
CLAUSE_SHARE: Final = 0.25
ACT: Final = "act"
LOOK: Final = "look"
FACT: Final = "fact"
QUALITIES: Final = (ACT, LOOK, FACT)
"""What comes out after the categories."""


@dataclass(frozen=True, slots=True)
class Layers:
    """Two layers of weights; the first ends in a rectifier."""

    hidden: Matrix
    hidden_bias: Matrix
    out: Matrix
    out_bias: Matrix

    def scores(self, features: Matrix) -> Matrix:
        """Return a row of scores for each row of features."""
        inside = np.maximum(features @ self.hidden + self.hidden_bias, 0)
        return np.asarray(inside @ self.out + self.out_bias, np.float32)


@dataclass(frozen=True, slots=True)
class Head:
    """`categories` and then `QUALITIES` name what comes out.

    `slope` and `shift` turn scores into log odds that are as right as they say. `sure_from` is the confidence
    from which on 98 of 100 sentences that the fit had not seen were sorted right. `words` are those of the
    examples, with how often they occur there. `model` made the vectors, and `digest` is of the files it was
    fitted to.
    """

    categories: tuple[str, ...]
    layers: Layers
    slope: float
    shift: float
    sure_from: float
    words: Mapping[str, int]
    model: str
    digest: str

    def log_odds(self, whole: Matrix, clauses: Matrix) -> Matrix:
        """Return the log odds of a message from its features and those of its clauses (no row: it is one)."""
        return calibrated(pooled(self.layers, whole, clauses), self.slope, self.shift)


def pooled(layers: Layers, whole: Matrix, clauses: Matrix) -> Matrix:
    """Return a message's own scores, and for a quarter the highest among its clauses."""
    own = layers.scores(whole[None, :])
    best = layers.scores(clauses).max(axis=0, keepdims=True) if len(clauses) else own
    return np.asarray((own + CLAUSE_SHARE * (best - own))[0], np.float32)


def calibrated(scores: Matrix, slope: float, shift: float) -> Matrix:
    """Turn scores into log odds."""
    return np.asarray(scores * slope + shift, np.float32)


def confidence(log_odds: Matrix) -> float:
    """Return how probable it is that every category is decided right, were they independent."""
    return float(np.prod(probability(np.abs(log_odds))))


def probability(log_odds: Matrix) -> Matrix:
    """Return the probabilities of log odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))), np.float32)


def save_head(head: Head, path: Path) -> None:
    """Write a head in half precision: about 200 kB."""
    layers = head.layers
    np.savez(
        path,
        categories=np.array(head.categories),
        hidden=layers.hidden.astype(np.float16),
        hidden_bias=layers.hidden_bias,
        out=layers.out.astype(np.float16),
        out_bias=layers.out_bias,
        words=np.frombuffer("\n".join(head.words).encode(), np.uint8),
        word_counts=np.array(list(head.words.values()), np.uint16),
        calibration=np.array([head.slope, head.shift, head.sure_from]),
        source=np.array([head.model, head.digest]),
    )


def load_head(file: Traversable) -> Head:
    """Read what `save_head` wrote."""
    with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as stored:
        layers = Layers(
            *(stored[name].astype(np.float32) for name in ("hidden", "hidden_bias", "out", "out_bias"))
        )
        slope, shift, sure_from = (float(number) for number in stored["calibration"])
        model, digest = (str(text) for text in stored["source"])
        categories = tuple(str(name) for name in stored["categories"])
        names = stored["words"].tobytes().decode().split("\n")
        words = dict(zip(names, map(int, stored["word_counts"]), strict=True))
    return Head(categories, layers, slope, shift, sure_from, words, model, digest)
