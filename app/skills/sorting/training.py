"""Two layers fitted by gradient descent (Adam), in plain numpy."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.skills.sorting.head import Layers, Matrix

_HIDDEN: Final = 96
_ROUNDS: Final = 8
_BATCH: Final = 256
_STEP: Final = 2e-3
_LAST_STEP: Final = 1e-5
_DECAY: Final = 1e-3
_FIRST_BIAS: Final = -2.0
# Shares of features and of hidden numbers that are left out at random, so that none is relied on alone.
_DROPPED: Final = 0.1
_HIDDEN_DROPPED: Final = 0.3


@dataclass(frozen=True, slots=True)
class Targets:
    """A row for each example: what should come out (0 or 1), and whether that counts (0 or 1)."""

    wanted: Matrix
    counts: Matrix


class Weights:
    """One matrix that is being fitted, with its running means."""

    def __init__(self, value: NDArray[np.float64]) -> None:
        self.value = value.astype(np.float32)
        self._mean = np.zeros_like(self.value)
        self._square = np.zeros_like(self.value)

    def move(self, gradient: Matrix, step: float, count: int) -> None:
        """Take one step of Adam; matrices, not biases, shrink a little."""
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.001 * (gradient * gradient - self._square)
        change = self._mean / (1 - 0.9**count) / (np.sqrt(self._square / (1 - 0.999**count)) + 1e-8)
        self.value -= step * change
        if self.value.ndim > 1:
            self.value *= 1 - step * _DECAY


def train(features: Matrix, targets: Targets, seed: int, *, rounds: int = _ROUNDS) -> Layers:
    """Fit layers to the features, looking at each so many `rounds`; the same for the same seed."""
    chance = np.random.default_rng(seed)
    width, outputs = features.shape[1], targets.wanted.shape[1]
    weights = (
        Weights(chance.normal(0, (2 / width) ** 0.5, (width, _HIDDEN))),
        Weights(np.zeros(_HIDDEN)),
        Weights(chance.normal(0, (1 / _HIDDEN) ** 0.5, (_HIDDEN, outputs))),
        Weights(np.full(outputs, _FIRST_BIAS)),
    )
    steps = rounds * -(-len(features) // _BATCH)
    count = 0
    for _ in range(rounds):
        order = chance.permutation(len(features))
        for begin in range(0, len(order), _BATCH):
            rows = order[begin : begin + _BATCH]
            count += 1
            gradients = _gradients(
                weights, features[rows], Targets(targets.wanted[rows], targets.counts[rows]), chance
            )
            step = _STEP * (1 - count / steps) + _LAST_STEP
            for one, gradient in zip(weights, gradients, strict=True):
                one.move(gradient, step, count)
    return Layers(*(one.value for one in weights))


def _gradients(
    weights: tuple[Weights, Weights, Weights, Weights],
    features: Matrix,
    targets: Targets,
    chance: np.random.Generator,
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    hidden, hidden_bias, out, out_bias = (one.value for one in weights)
    given = features * _kept(features.shape, _DROPPED, chance)
    mask = _kept((len(features), _HIDDEN), _HIDDEN_DROPPED, chance)
    inside = np.maximum(given @ hidden + hidden_bias, 0) * mask
    said = 1 / (1 + np.exp(-np.clip(inside @ out + out_bias, -30, 30)))
    error = ((said - targets.wanted) * targets.counts / len(features)).astype(np.float32)
    below = (error @ out.T) * (inside > 0) * mask
    return given.T @ below, below.sum(axis=0), inside.T @ error, error.sum(axis=0)


def _kept(shape: tuple[int, ...], dropped: float, chance: np.random.Generator) -> Matrix:
    return ((chance.random(shape, dtype=np.float32) > dropped) / (1 - dropped)).astype(np.float32)
