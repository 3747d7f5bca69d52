"""Vectors of three components, as kernels pass them: tuples. In 2D the third one is not looked at."""

from typing import Any

from carom.kernels.jit import Index, Real, inline


@inline
def row(rows: Any, k: Index) -> Any:
    """The vector in the first three columns of row k of a table."""
    return rows[k, 0], rows[k, 1], rows[k, 2]


@inline
def difference(a: Any, b: Any) -> Any:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def dot(dim: Any, a: Any, b: Any) -> Real:
    """The scalar product a·b."""
    if len(dim) == 3:
        return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
    return a[0] * b[0] + a[1] * b[1]
