"""The vectors of one model's tools, held in memory: exact, and 1 ms for 5,000 tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_FLOAT: Final = "<f4"

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class ToolVectors:
    """A row of `matrix` (float32, of length 1) and of `hubs` for each of the `names`; `rows` tells which."""

    names: tuple[str, ...]
    rows: Mapping[str, int]
    matrix: Vector
    hubs: Vector

    @classmethod
    def of(cls, vectors: Mapping[str, tuple[bytes, float]]) -> "ToolVectors":
        """Put together what is stored of each tool, at least of one: a vector, all of one size, and a hub."""
        matrix = np.frombuffer(b"".join(vector for vector, _ in vectors.values()), _FLOAT)
        return cls(
            tuple(vectors),
            {name: row for row, name in enumerate(vectors)},
            matrix.reshape(len(vectors), -1),
            np.array([hub for _, hub in vectors.values()], _FLOAT),
        )

    def closeness(self, vector: bytes) -> Vector:
        """Return each tool's cosine with a vector, less its cosine with messages about anything (its hub).

        A tool that is near to everything is not the answer to everything: on LiveMCPBench that took one
        encoder from 23 % to 46 % of the right tools within eight. All 0 for a vector of another size.
        """
        wanted = np.frombuffer(vector, _FLOAT)
        if wanted.size != self.matrix.shape[1]:
            return np.zeros(len(self.names), _FLOAT)
        # Not `@`: its BLAS uses all cores, which on busy ones takes longer than one core does.
        return np.asarray(np.einsum("ij,j->i", self.matrix, wanted) - self.hubs)


def mean_vector(vectors: Sequence[bytes]) -> Vector:
    """Return the mean of vectors, as it is."""
    matrix = np.frombuffer(b"".join(vectors), _FLOAT).reshape(len(vectors), -1)
    return np.asarray(matrix.mean(axis=0), _FLOAT)
