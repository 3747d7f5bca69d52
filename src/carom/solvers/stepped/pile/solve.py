"""The impulses of contacts: soft constraints, Coulomb friction, restitution."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.stepped.pile.cloth import follow, hand_on
from carom.solvers.stepped.pile.contacts import dot
from carom.solvers.stepped.pile.memory import (
    BOUNCE,
    COLUMN,
    COUNT,
    LOAD,
    MASS,
    NX,
    NY,
    NZ,
    OFFSET,
    ONE,
    OTHER,
    PRESS,
    ROW,
    RUB,
    RUB_Y,
    RUB_Z,
    SIDE,
    Pile,
    Softness,
)

DEEP = (
    0.05  # an overlap of this part of the sum of the radii is one that a single sweep over the contacts may not leave
)


@inline
def give_impulse(dim: Any, pile: Pile, v: Any, a: Index, b: Index, jx: Real, jy: Real, jz: Real) -> None:
    """An impulse J on the first body, and -J on the second: both change the velocities v by their 1/m."""
    one, two = pile.v[a, 3], pile.v[b, 3]
    v[a, 0] += one * jx
    v[a, 1] += one * jy
    v[b, 0] -= two * jx
    v[b, 1] -= two * jy
    if len(dim) == 3:
        v[a, 2] += one * jz
        v[b, 2] -= two * jz
    hand_on(pile, pile.feet, v, b, jx, jy, jz)


@noinline
def warm_start(dim: Any, pile: Pile) -> None:
    """Give all contacts the impulses that they remember."""
    side, v = pile.tally[SIDE], pile.v
    rows, numbers = pile.rows[side], pile.numbers[side]
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        nx, ny, p, t = rows[k, NX], rows[k, NY], rows[k, PRESS], rows[k, RUB]
        a, b = numbers[k, ONE], numbers[k, OTHER]
        if len(dim) == 3:
            jx, jy, jz = p * nx + t, p * ny + rows[k, RUB_Y], p * rows[k, NZ] + rows[k, RUB_Z]
            give_impulse(dim, pile, v, a, b, jx, jy, jz)
        else:
            give_impulse(dim, pile, v, a, b, p * nx - t * ny, p * ny + t * nx, 0.0)


@inline
def rub(dim: Any, row: Any, ux: Real, uy: Real, uz: Real, un: Real, most: Real, slip: Real) -> tuple[Any, Any, Any]:
    """The change of the friction impulse that stops sliding, or the dynamic one when static friction is not enough."""
    m, nx, ny = row[MASS], row[NX], row[NY]
    if len(dim) == 2:
        t = row[RUB] - m * (uy * nx - ux * ny)
        if abs(t) > most:
            t = slip if t > 0.0 else -slip
        change = t - row[RUB]
        row[RUB] = t
        return -change * ny, change * nx, 0.0
    nz = row[NZ]
    tx, ty, tz = row[RUB] - m * (ux - un * nx), row[RUB_Y] - m * (uy - un * ny), row[RUB_Z] - m * (uz - un * nz)
    square = dot(dim, tx, ty, tz, tx, ty, tz)
    if square > most * most:
        scale = slip / np.sqrt(square)
        tx, ty, tz = scale * tx, scale * ty, scale * tz
    jx, jy, jz = tx - row[RUB], ty - row[RUB_Y], tz - row[RUB_Z]
    row[RUB], row[RUB_Y], row[RUB_Z] = tx, ty, tz
    return jx, jy, jz


@noinline
def solve(dim: Any, pile: Pile, softness: Softness, h: Real, laws: Any) -> bool:
    """Bring all contacts one by one to the velocity at which they neither overlap nor rub more than they can.

    A gap s > 0 may close within the substep, u·n >= -s/h, also where a sweep before has begun to stop an impact. A
    contact that presses otherwise, or overlaps, is a soft one; no overlap is undone faster than `parting`, or what a
    heavy body has pressed together would throw it back.
    True if one was on the way to a deep overlap when its turn came: then others may be, because of it.
    """
    side, x, v = pile.tally[SIDE], pile.x, pile.v
    rows, numbers = pile.rows[side], pile.numbers[side]
    deep = False
    back, keep, give, rate = 1.0 / h, 1.0 - softness.give, softness.give, softness.rate
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        row = rows[k]
        a, b = numbers[k, ONE], numbers[k, OTHER]
        nx, ny, p = row[NX], row[NY], row[PRESS]
        nz = row[NZ] if len(dim) == 3 else 0.0
        follow(dim, pile, pile.feet, x, b)
        follow(dim, pile, pile.feet, v, b)
        s = dot(dim, nx, ny, nz, x[a, 0] - x[b, 0], x[a, 1] - x[b, 1], x[a, 2] - x[b, 2]) + row[OFFSET]
        ux, uy, uz = v[a, 0] - v[b, 0], v[a, 1] - v[b, 1], v[a, 2] - v[b, 2]
        un = dot(dim, nx, ny, nz, ux, uy, uz)
        deep |= un * h + max(s, 0.0) < -DEEP * (x[a, 3] + x[b, 3])
        if s > 0.0 and (p == 0.0 or row[BOUNCE] != 0.0):
            new = p - row[MASS] * (un + s * back)
        else:
            new = keep * (p - row[MASS] * (un + max(rate * s * back, -pile.parting[k]))) + give * row[LOAD]
        new = max(new, 0.0)
        jn = new - p
        row[PRESS] = new
        if new > 0.0 and row[BOUNCE] < 0.0:
            row[BOUNCE] = -row[BOUNCE]
        i, j = numbers[k, ROW], numbers[k, COLUMN]
        jx, jy, jz = rub(dim, row, ux, uy, uz, un, laws[i, j, 1] * new, laws[i, j, 2] * new)
        give_impulse(dim, pile, v, a, b, jn * nx + jx, jn * ny + jy, jn * nz + jz)
    return deep


@noinline
def relax(dim: Any, pile: Pile, laws: Any) -> None:
    """Take back the velocity with which overlaps were undone: contacts that press neither approach nor part."""
    side, v, most = pile.tally[SIDE], pile.v, pile.most
    rows, numbers = pile.rows[side], pile.numbers[side]
    last = pile.tally[COUNT] - 1
    for c in range(pile.tally[COUNT]):
        k = np.uint32(last - c)
        row = rows[k]
        p = row[PRESS]
        if p == 0.0:
            continue
        a, b = numbers[k, ONE], numbers[k, OTHER]
        nx, ny = row[NX], row[NY]
        nz = row[NZ] if len(dim) == 3 else 0.0
        follow(dim, pile, pile.feet, v, b)
        ux, uy, uz = v[a, 0] - v[b, 0], v[a, 1] - v[b, 1], v[a, 2] - v[b, 2]
        un = dot(dim, nx, ny, nz, ux, uy, uz)
        new = max(p - row[MASS] * un, 0.0)
        jn = new - p
        row[PRESS] = new
        i, j = numbers[k, ROW], numbers[k, COLUMN]
        jx, jy, jz = rub(dim, row, ux, uy, uz, un, laws[i, j, 1] * new, laws[i, j, 2] * new)
        give_impulse(dim, pile, v, a, b, jn * nx + jx, jn * ny + jy, jn * nz + jz)
        if new > most[k]:
            forget(dim, pile, row, a, b, most[k])


@noinline
def forget(dim: Any, pile: Pile, row: Any, a: Index, b: Index, most: Real) -> None:
    """A blow is over in a substep, and not to be given once more in the next: beyond `most` it belongs to the kick."""
    kept = most / row[PRESS]
    p, t = (1.0 - kept) * row[PRESS], (1.0 - kept) * row[RUB]
    if len(dim) == 3:
        ty, tz = (1.0 - kept) * row[RUB_Y], (1.0 - kept) * row[RUB_Z]
        give_impulse(dim, pile, pile.kicked, a, b, p * row[NX] + t, p * row[NY] + ty, p * row[NZ] + tz)
        row[RUB_Y], row[RUB_Z] = kept * row[RUB_Y], kept * row[RUB_Z]
    else:
        jx, jy = p * row[NX] - t * row[NY], p * row[NY] + t * row[NX]
        give_impulse(dim, pile, pile.kicked, a, b, jx, jy, 0.0)
    row[PRESS], row[RUB] = kept * row[PRESS], kept * row[RUB]


@noinline
def rebound(dim: Any, pile: Pile) -> None:
    """Let contacts part that met with an impact: u·n = e u₀, where u₀ was the speed of approach."""
    side, v = pile.tally[SIDE], pile.v
    rows, numbers = pile.rows[side], pile.numbers[side]
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        if not rows[k, BOUNCE] > 0.0:
            continue
        a, b = numbers[k, ONE], numbers[k, OTHER]
        nx, ny = rows[k, NX], rows[k, NY]
        nz = rows[k, NZ] if len(dim) == 3 else 0.0
        follow(dim, pile, pile.feet, v, b)
        un = dot(dim, nx, ny, nz, v[a, 0] - v[b, 0], v[a, 1] - v[b, 1], v[a, 2] - v[b, 2])
        p = max(rows[k, MASS] * (rows[k, BOUNCE] - un), 0.0)
        give_impulse(dim, pile, v, a, b, p * nx, p * ny, p * nz)
