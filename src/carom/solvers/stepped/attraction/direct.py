"""Attraction between all bodies, pair by pair, eight pairs at once.

    a_i = Σ_j G m_j (x_j - x_i) / (|x_j - x_i|² + ε²)^(3/2)

Each pair is worked out once and pulls both ways, so that momentum is kept to rounding.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, inline, noinline
from carom.kernels.powers import plus
from carom.kernels.simd import read_eight as read
from carom.kernels.simd import spread_eight as spread
from carom.kernels.simd import total, without
from carom.physics.attraction import FLOOR, attraction, plus_times, potential
from carom.physics.vectors import difference
from carom.solvers.stepped.attraction.columns import (
    ONE,
    TILE,
    TWO,
    ZERO,
    Columns,
    accelerations,
    add_total,
    columns_for,
    of_eight,
    of_one,
    places,
    put,
    zeros,
)


class Direct(NamedTuple):
    """Attraction pair by pair: its parameters, and memory for the bodies."""

    constant: float  # G, N m²/kg²
    soft: float  # ε², m²
    strict: tuple[float, ...]  # of one item: strict; of none: quick
    columns: Columns
    rest: Any  # three more columns, for the second part of the pairs, which another thread may do; empty for few bodies
    ready: Any  # of one number: 1 if the sums are already done
    halted: Any  # of one number: 1, set by another thread, stops the sums, whose results are invalid then


def direct(constant: float, soft: float, strict: tuple[float, ...], n: int, *, parted: bool = False) -> Direct:
    """Attraction pair by pair between at most n bodies, with its memory; `parted`: summed in two parts."""
    rest = np.array(zeros(3, n)) if parted else np.zeros((3, 0))
    return Direct(constant, soft, strict, columns_for(n), rest, np.zeros(1, np.int64), np.zeros(1, np.int64))


@noinline
def attract(dim: Any, strict: Any, pairs: Any, sums: Any, first: Index, last: Index, n: Index) -> None:
    """Add to three columns the accelerations of n bodies by pairs whose first is between `first` and `last`.

    All three numbers are multiples of eight. Tile by tile: eight bodies among each other, every pair seen from both
    ends; then two of them at a time with all eights behind the tile.
    """
    xs, ms, soft, zero = places(pairs.columns), pairs.columns.mass, max(pairs.soft, FLOOR), spread(0.0)
    for tile in range(first, last, TILE):
        if pairs.halted[0] != 0:
            break
        p, a = of_eight(xs, tile), of_eight(sums, tile)
        for i in range(tile, tile + TILE):
            d = difference(of_one(xs, i), p)
            a = plus_times(dim, strict, a, ms[i] * attraction(dim, strict, soft, d), d)
        put(dim, sums, tile, a)
        for i in range(tile, tile + TILE, TWO):
            p, q = of_one(xs, i), of_one(xs, i + ONE)
            mp, mq = spread(-ms[i]), spread(-ms[i + ONE])
            a = zero, zero, zero
            b = zero, zero, zero
            for j in range(tile + TILE, n, TILE):
                r, c, m = of_eight(xs, j), of_eight(sums, j), read(ms, j)
                d = difference(r, p)
                k = attraction(dim, strict, soft, d)
                a, c = plus_times(dim, strict, a, k * m, d), plus_times(dim, strict, c, k * mp, d)
                d = difference(r, q)
                k = attraction(dim, strict, soft, d)
                b, c = plus_times(dim, strict, b, k * m, d), plus_times(dim, strict, c, k * mq, d)
                put(dim, sums, j, c)
            add_total(dim, sums, i, a)
            add_total(dim, sums, i + ONE, b)


@noinline
def pair_energy(dim: Any, strict: Any, pairs: Any, accel: Any, n: Index) -> float:
    """-½ Σ_i Σ_j≠i G m_i m_j / sqrt(d² + ε²), J, of n bodies; pairs at one place without softening count as zero."""
    xs, ms, energy = places(pairs.columns), pairs.columns.mass, 0.0
    for i in range(ZERO, n):
        if pairs.halted[0] != 0:
            break
        p, sums = of_one(xs, i), spread(0.0)
        for j in range(i // TILE * TILE, n, TILE):
            d, m = difference(of_eight(xs, j), p), read(ms, j)
            if j <= i:
                for k in range(ZERO, i - j + ONE):
                    m = without(m, k)
            sums = plus(strict, potential(dim, strict, pairs.soft, d), m, sums)
        energy -= accel[i, 3] * total(sums)
    return energy


@inline
def fill(dim: Any, pairs: Any, place: Any, accel: Any, n: Index) -> Any:
    """Write n bodies into the columns, then bodies without mass up to a multiple of eight; gives their number."""
    columns, full = pairs.columns, (n + TILE - ONE) // TILE * TILE
    for i in range(ZERO, full):
        k = min(i, n - ONE)
        columns.x[i] = place[k, 0]
        columns.y[i] = place[k, 1]
        if len(dim) == 3:
            columns.z[i] = place[k, 2]
        columns.mass[i] = pairs.constant * accel[k, 3] if i < n else 0.0
        columns.ax[i] = 0.0
        columns.ay[i] = 0.0
        columns.az[i] = 0.0
        if pairs.rest.size > 0:
            for axis in range(3):
                pairs.rest[np.uint64(axis), i] = 0.0
    return full


@inline
def parted(pairs: Any, full: Index) -> Any:
    """The first body of the second part of the pairs: with h n - h²/2 = n²/4, both parts are equally large."""
    if pairs.rest.size == 0:
        return full
    return np.uint64(full * (1.0 - math.sqrt(0.5))) // TILE * TILE


@inline
def attract_first(dim: Any, pairs: Any, full: Index) -> None:
    """The first part of the pairs; all of them, where there is no other."""
    attract(dim, pairs.strict, pairs, accelerations(pairs.columns), ZERO, parted(pairs, full), full)


@inline
def attract_rest(dim: Any, pairs: Any, full: Index) -> None:
    """The second part of the pairs, into columns of its own, so that it does not matter which comes first."""
    if pairs.rest.size > 0:
        sums = pairs.rest[ZERO], pairs.rest[ONE], pairs.rest[TWO]
        attract(dim, pairs.strict, pairs, sums, parted(pairs, full), full, full)


@inline
def add_direct(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> None:
    """Add to `accel` the attraction between the first n bodies, pair by pair."""
    if attraction.ready[0] == 0:
        full = fill(dim, attraction, place, accel, np.uint64(n))
        attract_first(dim, attraction, full)
        attract_rest(dim, attraction, full)
    attraction.ready[0] = 0
    columns, rest = attraction.columns, attraction.rest
    for i in range(ZERO, np.uint64(n)):
        both = rest.size > 0
        accel[i, 0] += columns.ax[i] + rest[ZERO, i] if both else columns.ax[i]
        accel[i, 1] += columns.ay[i] + rest[ONE, i] if both else columns.ay[i]
        if len(dim) == 3:
            accel[i, 2] += columns.az[i] + rest[TWO, i] if both else columns.az[i]


@inline
def energy_direct(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J, pair by pair."""
    fill(dim, attraction, place, accel, np.uint64(n))
    return pair_energy(dim, attraction.strict, attraction, accel, np.uint64(n))
