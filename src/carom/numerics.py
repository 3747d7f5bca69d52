"""Arithmetic that gives equal bits on every processor.

NumPy computes products of matrices and lengths of vectors by BLAS, whose order of summation depends on the processor,
and has different code for exponentials, powers and arc functions on processors with 512-bit vectors. Values that become
part of a scene or a run are computed by these functions instead. NumPy's sums, squares and roots do not depend on the
processor, nor do lengths of rows, `np.linalg.norm(…, axis=1)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["each", "length", "power", "product"]

Floats = NDArray[np.float64]


def product(a: ArrayLike, b: ArrayLike) -> Any:
    """a @ b, where b has one or two axes; by NumPy's pairwise sums, which are accurate."""
    a, b = np.asarray(a), np.asarray(b)
    if b.ndim == 1:
        return (a * b).sum(axis=-1)
    return np.stack([(a * column).sum(axis=-1) for column in b.T], axis=-1)


def length(vector: ArrayLike) -> float:
    """Length of a vector."""
    return float(np.sqrt(product(vector, vector)))


def power(values: ArrayLike, exponent: int) -> Floats:
    """Values to a whole power, by multiplications."""
    values = np.asarray(values, dtype=np.float64)
    result = np.ones_like(values)
    for _ in range(exponent):
        result = result * values
    return result


def each(function: Callable[..., float], *values: ArrayLike) -> Floats:
    """Apply a function of the module `math` to the elements of one or several arrays of equal shape."""
    columns = [np.asarray(some, dtype=np.float64) for some in values]
    found = [*map(function, *(column.ravel().tolist() for column in columns))]
    return np.array(found, dtype=np.float64).reshape(columns[0].shape)
