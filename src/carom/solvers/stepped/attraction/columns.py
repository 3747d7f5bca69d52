"""Bodies that attract each other, in columns: eight that follow each other are calculated with at once."""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, inline
from carom.kernels.simd import EIGHT, total, write
from carom.kernels.simd import read_eight as read
from carom.kernels.simd import spread_eight as spread

LANES = EIGHT.width

# Unsigned, as indices are in kernels.
TILE = np.uint64(LANES)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class Columns(NamedTuple):
    """Places, masses and accelerations of bodies, filled up with bodies without mass to a multiple of eight."""

    x: Any
    y: Any
    z: Any
    mass: Any  # G m, m³/s²
    ax: Any
    ay: Any
    az: Any


def zeros(count: int, n: int) -> list[Any]:
    """So many columns for n bodies, filled up with zeros to a multiple of eight; each begins on a cache line."""
    length = max(LANES, -(-n // LANES) * LANES)
    raw = np.zeros((count * length + LANES) * 8, np.uint8)
    first = -raw.ctypes.data % (LANES * 8)
    return list(raw[first : first + count * length * 8].view(np.float64).reshape(count, length))


def columns_for(n: int) -> Columns:
    """Columns for at most n bodies."""
    return Columns(*zeros(len(Columns._fields), n))


@inline
def places(columns: Any) -> Any:
    """The columns of places."""
    return columns.x, columns.y, columns.z


@inline
def accelerations(columns: Any) -> Any:
    """The columns of accelerations."""
    return columns.ax, columns.ay, columns.az


@inline
def of_eight(vectors: Any, k: Index) -> tuple[Any, Any, Any]:
    """The vectors of eight bodies from k on."""
    return read(vectors[0], k), read(vectors[1], k), read(vectors[2], k)


@inline
def of_one(vectors: Any, k: Index) -> tuple[Any, Any, Any]:
    """The vector of body k, eight times."""
    return spread(vectors[0][k]), spread(vectors[1][k]), spread(vectors[2][k])


@inline
def put(dim: Any, vectors: Any, k: Index, a: Any) -> None:
    """Write the vectors of eight bodies from k on."""
    write(vectors[0], k, a[0])
    write(vectors[1], k, a[1])
    if len(dim) == 3:
        write(vectors[2], k, a[2])


@inline
def add_total(dim: Any, vectors: Any, k: Index, a: Any) -> None:
    """Add the sum of eight vectors to that of body k."""
    vectors[0][k] += total(a[0])
    vectors[1][k] += total(a[1])
    if len(dim) == 3:
        vectors[2][k] += total(a[2])
