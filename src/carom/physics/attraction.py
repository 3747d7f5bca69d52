"""Newton's attraction between all bodies, pair by pair, eight pairs at once.

    a_i = Σ_j G m_j (x_j - x_i) / (|x_j - x_i|² + ε²)^(3/2)

with the softening length ε. Each pair is worked out once and pulls both ways, so that momentum is kept to rounding.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.kernels.powers import inverse_cube, plus
from carom.kernels.simd import EIGHT, total, without, write
from carom.kernels.simd import read_eight as read
from carom.kernels.simd import spread_eight as spread

LANES = EIGHT.width

# Unsigned, as indices are in kernels.
TILE = np.uint64(LANES)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)

# m²; added to squared distances, it changes no bit of those beyond 1e-42 m, and keeps inverse powers up to the fifth
# finite at 0 m: bodies at the same place do not attract each other.
FLOOR = 1e-100


# ---------------------------------------------------------------- vectors of eight bodies


@inline
def difference(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """a - b, three components."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def dot(dim: Any, strict: Any, a: Any, b: Any, c: Any) -> Any:
    """a·b + c."""
    s = plus(strict, a[1], b[1], plus(strict, a[0], b[0], c))
    if len(dim) == 3:
        s = plus(strict, a[2], b[2], s)
    return s


@inline
def added(dim: Any, strict: Any, k: Any, d: Any, a: Any) -> tuple[Any, Any, Any]:
    """a + k d, three components."""
    x, y = plus(strict, k, d[0], a[0]), plus(strict, k, d[1], a[1])
    if len(dim) == 3:
        return x, y, plus(strict, k, d[2], a[2])
    else:
        return x, y, a[2]


@inline
def of_eight(x: Any, y: Any, z: Any, k: Index) -> tuple[Any, Any, Any]:
    """The vectors of eight bodies from k on."""
    return read(x, k), read(y, k), read(z, k)


@inline
def of_one(x: Any, y: Any, z: Any, k: Index) -> tuple[Any, Any, Any]:
    """The vector of body k, eight times."""
    return spread(x[k]), spread(y[k]), spread(z[k])


@inline
def put(dim: Any, x: Any, y: Any, z: Any, k: Index, a: Any) -> None:
    """Write the vectors of eight bodies from k on."""
    write(x, k, a[0])
    write(y, k, a[1])
    if len(dim) == 3:
        write(z, k, a[2])


@inline
def add_total(dim: Any, x: Any, y: Any, z: Any, k: Index, a: Any) -> None:
    """Add the sum of eight vectors to that of body k."""
    x[k] += total(a[0])
    y[k] += total(a[1])
    if len(dim) == 3:
        z[k] += total(a[2])


# ---------------------------------------------------------------- all pairs


class Direct(NamedTuple):
    """Attraction pair by pair: its parameters, and memory for the bodies in columns, up to a multiple of eight."""

    constant: float  # G, N m²/kg²
    soft: float  # ε², m²
    strict: tuple[float, ...]  # of one item: strict; of none: quick
    x: Any
    y: Any
    z: Any
    mass: Any  # G m, m³/s²
    ax: Any
    ay: Any
    az: Any
    rest: Any  # three more columns, for the second part of the pairs, which another thread may do; empty for few bodies
    ready: Any  # of one number: 1 if all is summed up already
    halted: Any  # of one number: 1 breaks sums off, from another thread; what they give is of no use then


def columns(count: int, n: int) -> list[Any]:
    """So many columns for n bodies, filled up with zeros to a multiple of eight; each begins on a cache line."""
    length = max(LANES, -(-n // LANES) * LANES)
    raw = np.zeros((count * length + LANES) * 8, np.uint8)
    first = -raw.ctypes.data % (LANES * 8)
    return list(raw[first : first + count * length * 8].view(np.float64).reshape(count, length))


def direct(constant: float, soft: float, strict: tuple[float, ...], n: int, *, parted: bool = False) -> Direct:
    """Attraction pair by pair between at most n bodies, with its memory; `parted`: summed in two parts."""
    rest = np.array(columns(3, n)) if parted else np.zeros((3, 0))
    x, y, z, mass, ax, ay, az = columns(7, n)
    return Direct(constant, soft, strict, x, y, z, mass, ax, ay, az, rest, np.zeros(1, np.int64), np.zeros(1, np.int64))


@noinline
def attract(
    dim: Any, strict: Any, soft: Real, xs: Any, ys: Any, zs: Any, ms: Any, ax: Any, ay: Any, az: Any,
    first: Index, last: Index, n: Index, halted: Any,
) -> None:  # fmt: skip
    """Add to ax, ay, az the accelerations of n bodies by pairs whose first is between `first` and `last`.

    All three are multiples of eight; ms: masses times G. Tile by tile: eight bodies among each other, every pair seen
    from both ends; then two of them at a time with all eights behind the tile.
    """
    zero = spread(0.0)
    soft = max(soft, FLOOR)
    for tile in range(first, last, TILE):
        if halted[0] != 0:
            break
        p, a = of_eight(xs, ys, zs, tile), of_eight(ax, ay, az, tile)
        for i in range(tile, tile + TILE):
            d = difference(of_one(xs, ys, zs, i), p)
            a = added(dim, strict, ms[i] * inverse_cube(strict, dot(dim, strict, d, d, soft)), d, a)
        put(dim, ax, ay, az, tile, a)
        for i in range(tile, tile + TILE, TWO):
            p, q = of_one(xs, ys, zs, i), of_one(xs, ys, zs, i + ONE)
            mp, mq = spread(-ms[i]), spread(-ms[i + ONE])
            a = zero, zero, zero
            b = zero, zero, zero
            for j in range(tile + TILE, n, TILE):
                r, c, m = of_eight(xs, ys, zs, j), of_eight(ax, ay, az, j), read(ms, j)
                d = difference(r, p)
                k = inverse_cube(strict, dot(dim, strict, d, d, soft))
                a, c = added(dim, strict, k * m, d, a), added(dim, strict, k * mp, d, c)
                d = difference(r, q)
                k = inverse_cube(strict, dot(dim, strict, d, d, soft))
                b, c = added(dim, strict, k * m, d, b), added(dim, strict, k * mq, d, c)
                put(dim, ax, ay, az, j, c)
            add_total(dim, ax, ay, az, i, a)
            add_total(dim, ax, ay, az, i + ONE, b)


@noinline
def pair_energy(
    dim: Any, strict: Any, soft: Real, xs: Any, ys: Any, zs: Any, ms: Any, accel: Any, n: Index, halted: Any
) -> float:
    """-½ Σ_i Σ_j≠i G m_i m_j / sqrt(d² + ε²), J, of n bodies; pairs at one place without softening count as zero."""
    energy = 0.0
    for i in range(ZERO, n):
        if halted[0] != 0:
            break
        p, sums = of_one(xs, ys, zs, i), spread(0.0)
        for j in range(i // TILE * TILE, n, TILE):
            d, m = difference(of_eight(xs, ys, zs, j), p), read(ms, j)
            if j <= i:
                for k in range(ZERO, i - j + ONE):
                    m = without(m, k)
            s = dot(dim, strict, d, d, spread(soft))
            sums = plus(strict, s * inverse_cube(strict, s + FLOOR), m, sums)
        energy -= accel[i, 3] * total(sums)
    return energy


@inline
def fill(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> Any:
    """Write n bodies into the columns, behind them bodies without mass; their number with these."""
    full = (n + TILE - ONE) // TILE * TILE
    for i in range(ZERO, full):
        k = min(i, n - ONE)
        attraction.x[i] = place[k, 0]
        attraction.y[i] = place[k, 1]
        if len(dim) == 3:
            attraction.z[i] = place[k, 2]
        attraction.mass[i] = attraction.constant * accel[k, 3] if i < n else 0.0
        attraction.ax[i] = 0.0
        attraction.ay[i] = 0.0
        attraction.az[i] = 0.0
        if attraction.rest.size > 0:
            for axis in range(3):
                attraction.rest[np.uint64(axis), i] = 0.0
    return full


@inline
def parted(attraction: Any, full: Index) -> Any:
    """Where the second part of the pairs begins, as first bodies: h n - h²/2 = n²/4 leaves both the same work."""
    if attraction.rest.size == 0:
        return full
    return np.uint64(full * (1.0 - math.sqrt(0.5))) // TILE * TILE


@inline
def attract_first(dim: Any, attraction: Any, full: Index) -> None:
    """The first part of the pairs; all of them, where there is no other."""
    a = attraction
    attract(dim, a.strict, a.soft, a.x, a.y, a.z, a.mass, a.ax, a.ay, a.az, ZERO, parted(a, full), full, a.halted)


@inline
def attract_rest(dim: Any, attraction: Any, full: Index) -> None:
    """The second part of the pairs, into columns of its own, so that it does not matter who comes first."""
    a = attraction
    if a.rest.size > 0:
        bx, by, bz = a.rest[ZERO], a.rest[ONE], a.rest[TWO]
        attract(dim, a.strict, a.soft, a.x, a.y, a.z, a.mass, bx, by, bz, parted(a, full), full, full, a.halted)


@inline
def add_direct(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> None:
    """Add to `accel` what the first n bodies do to each other, pair by pair."""
    if attraction.ready[0] == 0:
        full = fill(dim, attraction, place, accel, np.uint64(n))
        attract_first(dim, attraction, full)
        attract_rest(dim, attraction, full)
    attraction.ready[0] = 0
    ax, ay, az, rest = attraction.ax, attraction.ay, attraction.az, attraction.rest
    for i in range(ZERO, np.uint64(n)):
        both = rest.size > 0
        accel[i, 0] += ax[i] + rest[ZERO, i] if both else ax[i]
        accel[i, 1] += ay[i] + rest[ONE, i] if both else ay[i]
        if len(dim) == 3:
            accel[i, 2] += az[i] + rest[TWO, i] if both else az[i]


@inline
def energy_direct(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J, pair by pair."""
    fill(dim, attraction, place, accel, np.uint64(n))
    a = attraction
    return pair_energy(dim, a.strict, a.soft, a.x, a.y, a.z, a.mass, accel, np.uint64(n), a.halted)
