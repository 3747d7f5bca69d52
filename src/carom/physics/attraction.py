"""Newton's attraction between all bodies, pair by pair, eight pairs at once.

    a_i = Σ_j G m_j (x_j - x_i) / (|x_j - x_i|² + ε²)^(3/2)

with the softening length ε. Each pair is worked out once and pulls both ways, so that momentum is kept to rounding.

The inverse cube comes in two flavours. The strict one is IEEE's square root and division. The quick one begins with a
guess from the bits of the number (Lomont, "Fast inverse square root", 2003) and refines it by two polynomials in
e = 1 - s y², with products and sums that are rounded once. Both consist of operations that IEEE defines to the last
bit, in a fixed order: both give the same bits on every machine. Both are good to a few roundings.
"""

import operator
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from carom.physics.jit import Index, Real, branch, law

LANES = 8
VECTOR = ir.VectorType(ir.DoubleType(), LANES)
WORDS = ir.VectorType(ir.IntType(64), LANES)
PLACES = ir.VectorType(ir.IntType(32), LANES)

# Unsigned, as indices are in kernels.
TILE = np.uint64(LANES)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)

# m²; added to squared distances, it changes no bit of those beyond 1e-42 m, and keeps inverse powers up to the fifth
# finite at 0 m: bodies at the same place do not attract each other.
FLOOR = 1e-100

GUESS = 0x5FE6875000000000  # less half the bits of s: s^(-1/2), e between -0.0344 and 0.0920
# The cubic that comes nearest to (1 - e)^(-1/2) over that range; relative error 6.2e-7.
C0, C1, C2, C3 = 1.000000209325894, 0.4999591646339282, 0.3746372213035068, 0.34759603194429334


# ---------------------------------------------------------------- eight numbers in a vector


class Eight(types.Type):
    """Numba's type of eight numbers side by side."""

    def __init__(self) -> None:
        super().__init__(name="Eight")


EIGHT = Eight()


@register_model(Eight)
class EightModel(models.PrimitiveModel):
    """Eight doubles in a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _wide(builder: Any, kind: Any, value: Any) -> Any:
    """Eight numbers; one number stands for all eight."""
    if kind is EIGHT:
        return value
    none = ir.Constant(VECTOR, ir.Undefined)
    one = builder.insert_element(none, value, ir.IntType(32)(0))
    return builder.shuffle_vector(one, none, ir.Constant(PLACES, [0] * LANES))


def _offer(function: Any, emit: Any) -> None:
    """Teach Numba a function of two arguments, each of them eight numbers or one that stands for all eight."""

    def types_of(_context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            fits = EIGHT in (a, b) and all(each is EIGHT or isinstance(each, types.Float) for each in (a, b))
            return EIGHT if fits else None

        return typer

    def lower(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(builder, *map(_wide, [builder] * 2, signature.args, values))

    type_callable(function)(types_of)
    for kinds in ((EIGHT, EIGHT), (EIGHT, types.Float), (types.Float, EIGHT)):
        lower_builtin(function, *kinds)(lower)


_offer(operator.add, lambda builder, a, b: builder.fadd(a, b))
_offer(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_offer(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_offer(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))


def _called(builder: Any, name: str, *values: Any) -> Any:
    """LLVM's own function of eight numbers."""
    kind = ir.FunctionType(VECTOR, [VECTOR] * len(values))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64"), values)


@intrinsic
def _root(_typing: Any, a: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return _called(builder, "sqrt", *values)

    return EIGHT(EIGHT), emit


@intrinsic
def _fused(_typing: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once."""

    def emit(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _called(builder, "fma", *map(_wide, [builder] * 3, signature.args, values))

    return EIGHT(a, b, c), emit


@intrinsic
def _short(_typing: Any, a: Any, b: Any, c: Any) -> Any:
    """c - a b, rounded once."""

    def emit(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        a, b, c = map(_wide, [builder] * 3, signature.args, values)
        return _called(builder, "fma", builder.fneg(a), b, c)

    return EIGHT(a, b, c), emit


@intrinsic
def _guess(_typing: Any, a: Any) -> Any:
    """About a^(-1/2)."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        half = builder.lshr(builder.bitcast(values[0], WORDS), ir.Constant(WORDS, [1] * LANES))
        return builder.bitcast(builder.sub(ir.Constant(WORDS, [GUESS] * LANES), half), VECTOR)

    return EIGHT(EIGHT), emit


def _block(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Where in an array (the first argument) eight numbers stand, from an index (the second) on."""
    data = context.make_array(signature.args[0])(context, builder, values[0]).data
    index = context.cast(builder, values[1], signature.args[1], types.uintp)
    return builder.bitcast(builder.gep(data, [index]), VECTOR.as_pointer())


@intrinsic
def _read(_typing: Any, array: Any, index: Any) -> Any:
    """Eight numbers of an array from an index on."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_block(context, builder, signature, values), align=8)

    return EIGHT(array, index), emit


@intrinsic
def _write(_typing: Any, array: Any, index: Any, numbers: Any) -> Any:
    """Write eight numbers into an array from an index on."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _block(context, builder, signature, values), align=8)
        return context.get_dummy_value()

    return types.void(array, index, EIGHT), emit


@intrinsic
def _spread(_typing: Any, number: Any) -> Any:
    """Eight times the same number."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return _wide(builder, types.float64, values[0])

    return EIGHT(types.float64), emit


@intrinsic
def _without(_typing: Any, numbers: Any, lane: Any) -> Any:
    """The eight numbers, but zero in one lane."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = context.cast(builder, values[1], signature.args[1], types.uint32)
        return builder.insert_element(values[0], ir.DoubleType()(0.0), place)

    return EIGHT(EIGHT, lane), emit


@intrinsic
def _total(_typing: Any, numbers: Any) -> Any:
    """The sum of the eight, halves by halves."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        (sums,) = values
        for half in (4, 2, 1):
            lanes = ir.Constant(PLACES, [k ^ half for k in range(LANES)])
            sums = builder.fadd(sums, builder.shuffle_vector(sums, sums, lanes))
        return builder.extract_element(sums, ir.IntType(32)(0))

    return types.float64(EIGHT), emit


# As kernels call them, without the typing context.
root: Any = _root
fused: Any = _fused
short: Any = _short
guess: Any = _guess
read: Any = _read
write: Any = _write
spread: Any = _spread
without: Any = _without
total: Any = _total


# ---------------------------------------------------------------- the law, for eight pairs


@law
def plus(strict: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once or, if strict, twice."""
    if len(strict) == 1:
        return a * b + c
    else:
        return fused(a, b, c)


@law
def nearly(s: Any) -> tuple[Any, Any]:
    """y = s^(-1/2) to 6e-7, and y²."""
    y = guess(s)
    e = short(s * y, y, 1.0)
    y = y * fused(fused(fused(e, C3, C2), e, C1), e, C0)
    return y, y * y


@law
def inverse_cube(strict: Any, s: Any) -> Any:
    """s^(-3/2)."""
    if len(strict) == 1:
        return 1.0 / (s * root(s))
    else:
        y, y2 = nearly(s)
        e, y3 = short(s, y2, 1.0), y * y2
        return fused(y3, e * fused(e, 1.875, 1.5), y3)


@law
def inverse(strict: Any, s: Any) -> Any:
    """1/s."""
    if len(strict) == 1:
        return 1.0 / s
    else:
        _, y2 = nearly(s)
        e = short(s, y2, 1.0)
        return fused(y2, e * (e + 1.0), y2)


@law
def difference(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """a - b, three components."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@law
def dot(dim: Any, strict: Any, a: Any, b: Any, c: Any) -> Any:
    """a·b + c."""
    s = plus(strict, a[1], b[1], plus(strict, a[0], b[0], c))
    if len(dim) == 3:
        s = plus(strict, a[2], b[2], s)
    return s


@law
def added(dim: Any, strict: Any, k: Any, d: Any, a: Any) -> tuple[Any, Any, Any]:
    """a + k d, three components."""
    x, y = plus(strict, k, d[0], a[0]), plus(strict, k, d[1], a[1])
    if len(dim) == 3:
        return x, y, plus(strict, k, d[2], a[2])
    else:
        return x, y, a[2]


@law
def of_eight(x: Any, y: Any, z: Any, k: Index) -> tuple[Any, Any, Any]:
    """The vectors of eight bodies from k on."""
    return read(x, k), read(y, k), read(z, k)


@law
def of_one(x: Any, y: Any, z: Any, k: Index) -> tuple[Any, Any, Any]:
    """The vector of body k, eight times."""
    return spread(x[k]), spread(y[k]), spread(z[k])


@law
def put(dim: Any, x: Any, y: Any, z: Any, k: Index, a: Any) -> None:
    """Write the vectors of eight bodies from k on."""
    write(x, k, a[0])
    write(y, k, a[1])
    if len(dim) == 3:
        write(z, k, a[2])


@law
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


def columns(count: int, n: int) -> list[Any]:
    """So many columns for n bodies, filled up with zeros to a multiple of eight; each begins on a cache line."""
    length = max(LANES, -(-n // LANES) * LANES)
    raw = np.zeros((count * length + LANES) * 8, np.uint8)
    first = -raw.ctypes.data % (LANES * 8)
    return list(raw[first : first + count * length * 8].view(np.float64).reshape(count, length))


@branch
def attract(
    dim: Any, strict: Any, soft: Real, xs: Any, ys: Any, zs: Any, ms: Any, ax: Any, ay: Any, az: Any, n: Index
) -> None:
    """Add to ax, ay, az the accelerations of n bodies, a multiple of eight; ms: their masses times G.

    Tile by tile: eight bodies among each other, every pair seen from both ends; then two of them at a time with all
    eights behind the tile.
    """
    zero = spread(0.0)
    soft = max(soft, FLOOR)
    for tile in range(ZERO, n, TILE):
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


@branch
def pair_energy(dim: Any, strict: Any, soft: Real, xs: Any, ys: Any, zs: Any, ms: Any, accel: Any, n: Index) -> float:
    """-½ Σ_i Σ_j≠i G m_i m_j / sqrt(d² + ε²), J, of n bodies; pairs at one place without softening count as zero."""
    energy = 0.0
    for i in range(ZERO, n):
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


@law
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
    return full


@law
def add_direct(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> None:
    """Add to `accel` what the first n bodies do to each other, pair by pair."""
    full = fill(dim, attraction, place, accel, np.uint64(n))
    x, y, z, m = attraction.x, attraction.y, attraction.z, attraction.mass
    ax, ay, az = attraction.ax, attraction.ay, attraction.az
    attract(dim, attraction.strict, attraction.soft, x, y, z, m, ax, ay, az, full)
    for i in range(ZERO, np.uint64(n)):
        accel[i, 0] += ax[i]
        accel[i, 1] += ay[i]
        if len(dim) == 3:
            accel[i, 2] += az[i]


@law
def energy_direct(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J, pair by pair."""
    fill(dim, attraction, place, accel, np.uint64(n))
    x, y, z, m = attraction.x, attraction.y, attraction.z, attraction.mass
    return pair_energy(dim, attraction.strict, attraction.soft, x, y, z, m, accel, np.uint64(n))
