"""The impulses of contacts: soft constraints, Coulomb friction, restitution."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.vectors import difference, dot
from carom.physics.vectors import row as vector
from carom.solvers.stepped.pile.cloth import follow, hand_on
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
def normal_of(dim: Any, contact: Any) -> Any:
    """The normal of a contact, from the partner to the body."""
    return contact[NX], contact[NY], contact[NZ] if len(dim) == 3 else 0.0


@inline
def impulse_of(dim: Any, contact: Any, part: Real) -> Any:
    """A part of the impulse that a contact has given, along its normal and by friction."""
    p, t = part * contact[PRESS], part * contact[RUB]
    if len(dim) == 3:
        ty, tz = part * contact[RUB_Y], part * contact[RUB_Z]
        return p * contact[NX] + t, p * contact[NY] + ty, p * contact[NZ] + tz
    return p * contact[NX] - t * contact[NY], p * contact[NY] + t * contact[NX], 0.0


@inline
def give_impulse(dim: Any, pile: Pile, v: Any, a: Index, b: Index, j: Any) -> None:
    """An impulse J on the first body, and -J on the second: both change the velocities v by their 1/m."""
    one, two = pile.v[a, 3], pile.v[b, 3]
    v[a, 0] += one * j[0]
    v[a, 1] += one * j[1]
    v[b, 0] -= two * j[0]
    v[b, 1] -= two * j[1]
    if len(dim) == 3:
        v[a, 2] += one * j[2]
        v[b, 2] -= two * j[2]
    hand_on(pile, pile.feet, v, b, j)


@noinline
def warm_start(dim: Any, pile: Pile) -> None:
    """Give all contacts the impulses that they remember."""
    side, v = pile.tally[SIDE], pile.v
    rows, numbers = pile.rows[side], pile.numbers[side]
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        give_impulse(dim, pile, v, numbers[k, ONE], numbers[k, OTHER], impulse_of(dim, rows[k], 1.0))


@inline
def rub(dim: Any, row: Any, u: Any, un: Real, most: Real, slip: Real) -> tuple[Any, Any, Any]:
    """The change of the friction impulse that stops sliding, or the dynamic one when static friction is not enough."""
    m, (nx, ny, nz), (ux, uy, uz) = row[MASS], normal_of(dim, row), u
    if len(dim) == 2:
        t = row[RUB] - m * (uy * nx - ux * ny)
        if abs(t) > most:
            t = slip if t > 0.0 else -slip
        change = t - row[RUB]
        row[RUB] = t
        return -change * ny, change * nx, 0.0
    tx, ty, tz = row[RUB] - m * (ux - un * nx), row[RUB_Y] - m * (uy - un * ny), row[RUB_Z] - m * (uz - un * nz)
    square = dot(dim, (tx, ty, tz), (tx, ty, tz))
    if square > most * most:
        scale = slip / np.sqrt(square)
        tx, ty, tz = scale * tx, scale * ty, scale * tz
    jx, jy, jz = tx - row[RUB], ty - row[RUB_Y], tz - row[RUB_Z]
    row[RUB], row[RUB_Y], row[RUB_Z] = tx, ty, tz
    return jx, jy, jz


@inline
def press(dim: Any, pile: Pile, laws: Any, row: Any, numbers: Any, u: Any, new: Real) -> None:
    """Give a contact a new impulse along its normal, with the friction that this bears at the relative velocity u."""
    nx, ny, nz = normal_of(dim, row)
    jn, un = new - row[PRESS], dot(dim, (nx, ny, nz), u)
    row[PRESS] = new
    law = laws[numbers[ROW], numbers[COLUMN]]
    jx, jy, jz = rub(dim, row, u, un, law[1] * new, law[2] * new)
    j = jn * nx + jx, jn * ny + jy, jn * nz + jz
    give_impulse(dim, pile, pile.v, numbers[ONE], numbers[OTHER], j)


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
        n, p = normal_of(dim, row), row[PRESS]
        follow(dim, pile, pile.feet, x, b)
        follow(dim, pile, pile.feet, v, b)
        s = dot(dim, n, difference(vector(x, a), vector(x, b))) + row[OFFSET]
        u = difference(vector(v, a), vector(v, b))
        un = dot(dim, n, u)
        deep |= un * h + max(s, 0.0) < -DEEP * (x[a, 3] + x[b, 3])
        if s > 0.0 and (p == 0.0 or row[BOUNCE] != 0.0):
            new = p - row[MASS] * (un + s * back)
        else:
            new = keep * (p - row[MASS] * (un + max(rate * s * back, -pile.parting[k]))) + give * row[LOAD]
        new = max(new, 0.0)
        if new > 0.0 and row[BOUNCE] < 0.0:
            row[BOUNCE] = -row[BOUNCE]
        press(dim, pile, laws, row, numbers[k], u, new)
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
        follow(dim, pile, pile.feet, v, b)
        u = difference(vector(v, a), vector(v, b))
        new = max(p - row[MASS] * dot(dim, normal_of(dim, row), u), 0.0)
        press(dim, pile, laws, row, numbers[k], u, new)
        if new > most[k]:
            forget(dim, pile, row, a, b, most[k])


@noinline
def forget(dim: Any, pile: Pile, row: Any, a: Index, b: Index, most: Real) -> None:
    """A blow is over in a substep, and not to be given once more in the next: beyond `most` it belongs to the kick."""
    kept = most / row[PRESS]
    give_impulse(dim, pile, pile.kicked, a, b, impulse_of(dim, row, 1.0 - kept))
    row[PRESS], row[RUB] = kept * row[PRESS], kept * row[RUB]
    if len(dim) == 3:
        row[RUB_Y], row[RUB_Z] = kept * row[RUB_Y], kept * row[RUB_Z]


@noinline
def rebound(dim: Any, pile: Pile) -> None:
    """Let contacts part that met with an impact: u·n = e u₀, where u₀ was the speed of approach."""
    side, v = pile.tally[SIDE], pile.v
    rows, numbers = pile.rows[side], pile.numbers[side]
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        if not rows[k, BOUNCE] > 0.0:
            continue
        a, b, n = numbers[k, ONE], numbers[k, OTHER], normal_of(dim, rows[k])
        follow(dim, pile, pile.feet, v, b)
        un = dot(dim, n, difference(vector(v, a), vector(v, b)))
        p = max(rows[k, MASS] * (rows[k, BOUNCE] - un), 0.0)
        give_impulse(dim, pile, v, a, b, (p * n[0], p * n[1], p * n[2]))
