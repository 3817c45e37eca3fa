"""Vectors as `Embedder` hands them on: float32, little-endian, of length 1."""

import numpy as np
from numpy.typing import ArrayLike


def unit_vectors(rows: ArrayLike) -> list[bytes]:
    """Bring each row of a matrix to length 1 and return its bytes.

    Raises:
        ValueError: the rows differ in length, or one has no direction (zero, infinite or not a number).
    """
    matrix = np.asarray(rows, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"expected a row of numbers for each text, got an array of shape {matrix.shape}")
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    if not np.all(np.isfinite(lengths) & (lengths > 0)):
        raise ValueError("a vector without direction")
    scaled = (matrix / lengths[:, None]).astype("<f4")
    return [row.tobytes() for row in scaled]
