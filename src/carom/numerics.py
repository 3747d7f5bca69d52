"""Arithmetic with the same bits on every processor.

NumPy leaves products of matrices and lengths of vectors to BLAS, which sums in an order that suits the processor, and
has vector code of its own for exponentials, powers and arc functions where a processor has 512-bit vectors. What
becomes part of a scene or of a run is computed by these functions instead. NumPy's own sums, squares and roots are the
same everywhere; so are lengths of rows, `np.linalg.norm(…, axis=1)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["each", "length", "power", "product"]

Floats = NDArray[np.float64]


def product(a: ArrayLike, b: ArrayLike) -> Any:
    """a @ b, where b has one or two axes; NumPy's sums are pairwise, so that long ones stay precise."""
    a, b = np.asarray(a), np.asarray(b)
    if b.ndim == 1:
        return (a * b).sum(axis=-1)
    return np.stack([(a * column).sum(axis=-1) for column in b.T], axis=-1)


def length(vector: ArrayLike) -> float:
    """The length of a vector."""
    return float(np.sqrt(product(vector, vector)))


def power(values: ArrayLike, exponent: int) -> Floats:
    """Values to a whole power, multiplied out."""
    values = np.asarray(values, dtype=np.float64)
    result = np.ones_like(values)
    for _ in range(exponent):
        result = result * values
    return result


def each(function: Callable[..., float], *values: ArrayLike) -> Floats:
    """A function of the module `math`, of each number; of several arrays of one shape, of the numbers side by side."""
    columns = [np.asarray(some, dtype=np.float64) for some in values]
    found = [*map(function, *(column.ravel().tolist() for column in columns))]
    return np.array(found, dtype=np.float64).reshape(columns[0].shape)
