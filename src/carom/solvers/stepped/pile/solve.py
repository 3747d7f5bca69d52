"""The impulses of contacts: soft constraints, Coulomb friction, restitution."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.vectors import difference, dot
from carom.physics.vectors import row as vector
from carom.solvers.stepped.pile.cloth import push_corners, update_foot
from carom.solvers.stepped.pile.memory import (
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
    PARTING,
    PRESS,
    ROW,
    RUB,
    RUB_Y,
    RUB_Z,
    SIDE,
    Pile,
    Softness,
)

DEEP = 0.05  # of the sum of radii: where an overlap could be deeper after a sweep, there is another sweep


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
def add_impulse(dim: Any, pile: Pile, v: Any, a: Index, b: Index, j: Any) -> None:
    """Change the velocities v of two bodies by an impulse J on the first and -J on the second: v += J/m, v' -= J/m'."""
    one, two = pile.v[a, 3], pile.v[b, 3]
    v[a, 0] += one * j[0]
    v[a, 1] += one * j[1]
    v[b, 0] -= two * j[0]
    v[b, 1] -= two * j[1]
    if len(dim) == 3:
        v[a, 2] += one * j[2]
        v[b, 2] -= two * j[2]
    push_corners(pile, pile.feet, v, b, j)


@noinline
def warm_start(dim: Any, pile: Pile) -> None:
    """Apply the impulses of the last substep to the bodies of all contacts."""
    side, v = pile.tally[SIDE], pile.v
    rows, numbers = pile.rows[side], pile.numbers[side]
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        add_impulse(dim, pile, v, numbers[k, ONE], numbers[k, OTHER], impulse_of(dim, rows[k], 1.0))


@inline
def friction_change(dim: Any, row: Any, u: Any, un: Real, most: Real, slip: Real) -> tuple[Any, Any, Any]:
    """The change of the impulse of Coulomb friction, which ends sliding if `most` is enough for that, or is `slip`."""
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
def set_impulse(dim: Any, pile: Pile, laws: Any, row: Any, numbers: Any, u: Any, new: Real) -> None:
    """Set the normal impulse of a contact, with the friction that it allows at the relative velocity u."""
    nx, ny, nz = normal_of(dim, row)
    jn, un = new - row[PRESS], dot(dim, (nx, ny, nz), u)
    row[PRESS] = new
    law = laws[numbers[ROW], numbers[COLUMN]]
    jx, jy, jz = friction_change(dim, row, u, un, law[1] * new, law[2] * new)
    j = jn * nx + jx, jn * ny + jy, jn * nz + jz
    add_impulse(dim, pile, pile.v, numbers[ONE], numbers[OTHER], j)


@noinline
def solve(dim: Any, pile: Pile, softness: Softness, h: Real, laws: Any) -> bool:
    """One sweep of Gauss and Seidel: solve each contact in turn for its normal and friction impulses.

    With the gap s, the reduced mass m and the rate and part of `Softness`,

        open:  P' = max(P - m (u·n + s/h), 0)
        soft:  P' = max((1 - give) (P - m (u·n + max(rate s/h, -parting))) + give load, 0)

    A contact is open if s > 0 and it bears nothing yet or is an impact: its gap may close, but no more. No overlap is
    undone faster than `parting`: bodies that a heavy one has pressed together would throw it back.
    True if a contact was about to overlap deeply when its turn came: then others may be, because of it.
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
        update_foot(dim, pile, pile.feet, x, b)
        update_foot(dim, pile, pile.feet, v, b)
        s = dot(dim, n, difference(vector(x, a), vector(x, b))) + row[OFFSET]
        u = difference(vector(v, a), vector(v, b))
        un = dot(dim, n, u)
        deep |= un * h + max(s, 0.0) < -DEEP * (x[a, 3] + x[b, 3])
        if s > 0.0 and (p == 0.0 or row[PARTING] != 0.0):
            new = p - row[MASS] * (un + s * back)
        else:
            new = keep * (p - row[MASS] * (un + max(rate * s * back, -pile.parting[k]))) + give * row[LOAD]
        new = max(new, 0.0)
        if new > 0.0 and row[PARTING] < 0.0:
            row[PARTING] = -row[PARTING]
        set_impulse(dim, pile, laws, row, numbers[k], u, new)
    return deep


@noinline
def relax(dim: Any, pile: Pile, laws: Any) -> None:
    """Remove the velocity by which overlaps were undone: u·n = 0 at contacts that bear a load."""
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
        update_foot(dim, pile, pile.feet, v, b)
        u = difference(vector(v, a), vector(v, b))
        new = max(p - row[MASS] * dot(dim, normal_of(dim, row), u), 0.0)
        set_impulse(dim, pile, laws, row, numbers[k], u, new)
        if new > most[k]:
            limit_memory(dim, pile, row, a, b, most[k])


@noinline
def limit_memory(dim: Any, pile: Pile, row: Any, a: Index, b: Index, most: Real) -> None:
    """Limit the impulse that a contact repeats in the next substep to `most`: what is more is booked with the kick."""
    kept = most / row[PRESS]
    add_impulse(dim, pile, pile.kicked, a, b, impulse_of(dim, row, 1.0 - kept))
    row[PRESS], row[RUB] = kept * row[PRESS], kept * row[RUB]
    if len(dim) == 3:
        row[RUB_Y], row[RUB_Z] = kept * row[RUB_Y], kept * row[RUB_Z]


@noinline
def apply_restitution(dim: Any, pile: Pile) -> None:
    """Let contacts part that were impacts: u·n = e u₀, with the speed of approach u₀."""
    side, v = pile.tally[SIDE], pile.v
    rows, numbers = pile.rows[side], pile.numbers[side]
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        if not rows[k, PARTING] > 0.0:
            continue
        a, b, n = numbers[k, ONE], numbers[k, OTHER], normal_of(dim, rows[k])
        update_foot(dim, pile, pile.feet, v, b)
        un = dot(dim, n, difference(vector(v, a), vector(v, b)))
        p = max(rows[k, MASS] * (rows[k, PARTING] - un), 0.0)
        add_impulse(dim, pile, v, a, b, (p * n[0], p * n[1], p * n[2]))
