"""Contacts made from the pairs that were found, with the impulses of the last step where they go on: once a step."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.impact import parting_speed
from carom.solvers.stepped.contacts.grid import Space, shift_of
from carom.solvers.stepped.pile.cloth import foot_of
from carom.solvers.stepped.pile.contacts import dot, wall_gap, wall_material
from carom.solvers.stepped.pile.memory import (
    BOUNCE,
    CLOTH,
    COLUMN,
    COUNT,
    LOAD,
    MASS,
    NONE,
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
    SUBSTEP,
    WALL,
    Pile,
    Softness,
)

LANES = 4  # contacts that follow each other are from so many parts of the pile, and need not wait for each other
SWEPT = 0.1  # a pair that moves farther than this part of the sum of its radii in a step is met where it will be
LIKE, MUCH = 4.0, 300.0  # times its mass that the heaviest body has, where blows are limited; beyond, it would not rest
SAME = 0.5  # a contact whose normal has turned by more than 60 degrees is another one
GROWTH = 2.0  # what a contact bore when the step began, and the largest weight, may become so many times as much
HURRY, CREEP = 0.5, 0.01  # overlaps are undone with this part of what forces give in a step, and of a radius a step
TINY = 1e-300  # m/s: the speed of parting after an impact that does not bounce


@noinline
def link_old(pile: Pile, n: Index) -> None:
    """Chain the contacts of the last step by their bodies."""
    head, link, side = pile.head, pile.link, pile.tally[SIDE]
    head[:n] = np.uint32(NONE)
    for c in range(pile.tally[COUNT]):
        k = np.uint32(c)
        i = pile.names[side, k, 0]
        if i < n:
            link[k] = head[i]
            head[i] = k


@inline
def recall(dim: Any, pile: Pile, new: Any, i: Index, j: Index, learn: Real, scale: Real, firm: Real) -> None:
    """Give a contact the impulses that it had in the last step, if it was there: friction along the new tangent."""
    side = pile.tally[SIDE]
    k = pile.head[i]
    while k != NONE:
        if pile.names[side, k, 1] == j:
            old = pile.rows[side, k]
            nz, was_z = (new[NZ], old[NZ]) if len(dim) == 3 else (0.0, 0.0)
            if dot(dim, new[NX], new[NY], nz, old[NX], old[NY], was_z) > SAME:
                p, load = scale * old[PRESS], scale * old[LOAD]
                bearable = p * p / (p + firm) if p > 0.0 else 0.0
                new[PRESS], new[LOAD] = p, min(load + learn * (bearable - load), p)
                new[RUB] = scale * old[RUB]
                if len(dim) == 3:
                    along = dot(dim, new[NX], new[NY], nz, old[RUB], old[RUB_Y], old[RUB_Z])
                    new[RUB] = scale * (old[RUB] - along * new[NX])
                    new[RUB_Y] = scale * (old[RUB_Y] - along * new[NY])
                    new[RUB_Z] = scale * (old[RUB_Z] - along * nz)
                return
        k = pile.link[k]


@inline
def meeting(dim: Any, dx: Real, dy: Real, dz: Real, ux: Real, uy: Real, uz: Real, R: Real, dt: Real) -> Real:
    """When bodies that are d apart, with relative velocity u, meet within the step; or else when they are nearest."""
    u2, du = dot(dim, ux, uy, uz, ux, uy, uz), dot(dim, dx, dy, dz, ux, uy, uz)
    gap2 = dot(dim, dx, dy, dz, dx, dy, dz) - R * R
    if du >= 0.0 or gap2 <= 0.0:
        return 0.0
    beside = du * du - u2 * gap2
    t = gap2 / (np.sqrt(beside) - du) if beside > 0.0 else -du / u2
    return min(t, dt)


@inline
def normal(dim: Any, v: Any, a: Index, b: Index, dx: Real, dy: Real, dz: Real, R: Real, dt: Real) -> Any:
    """The direction from body b to body a, d apart: where they are now or, if they are fast, where they will meet."""
    ux, uy, uz = v[a, 0] - v[b, 0], v[a, 1] - v[b, 1], v[a, 2] - v[b, 2]
    if dot(dim, ux, uy, uz, ux, uy, uz) * dt * dt > SWEPT * SWEPT * R * R:
        t = meeting(dim, dx, dy, dz, ux, uy, uz, R, dt)
        dx, dy, dz = dx + ux * t, dy + uy * t, dz + uz * t
    length = np.sqrt(dot(dim, dx, dy, dz, dx, dy, dz))
    # Bodies in the very same place part along y.
    return (dx / length, dy / length, dz / length) if length > 0.0 else (0.0, 1.0, 0.0)


@inline
def impact_speed(un: Real, an: Real, gap: Real) -> Real:
    """The speed of approach when the gap is closed: u² = un² + 2 |an| gap; 0 for bodies that part."""
    square = un * un - 2.0 * an * max(gap, 0.0)
    return np.sqrt(square) if un < 0.0 and square > 0.0 else 0.0


@inline
def heaviest_of(pile: Pile, n: Index) -> Real:
    """The largest mass that can move, kg; at the beginning of a step, when `kicked` has masses."""
    heaviest = 0.0
    for k in range(n):
        a = np.uint32(k)
        if pile.v[a, 3] > 0.0:
            heaviest = max(heaviest, pile.kicked[a, 3])
    return heaviest


@inline
def make_contact(
    dim: Any,
    pile: Pile,
    space: Space,
    softness: Softness,
    n: Index,
    dt: Real,
    h: Real,
    k: Index,
    heaviest: Real,
    pair: Any,
    row: Any,
    number: Any,
    name: Any,
    material: Any,
    walls: Any,
    laws: Any,
) -> None:
    """Make contact k from a pair: its normal, gap and reduced mass, and the speed with which it will bounce."""
    x, v, accel, order = pile.x, pile.v, pile.kicked, pile.grid.order
    a, b = pair[0], pair[1]
    if b >= WALL:
        wall = np.uint32(b - np.uint32(WALL))
        i, j, b = order[a], b, np.uint32(n)
        column = wall_material(walls, wall)
        R = r = x[a, 3]
        gap, nx, ny, nz = wall_gap(dim, walls, wall, x[a, 0], x[a, 1], x[a, 2], x[a, 3])
        gap -= r
    elif b >= CLOTH:
        i, j = order[a], b
        b, column, gap, nx, ny, nz, r = foot_of(dim, pile, pile.feet, a, b, k, dt, material)
        R = r
    else:
        # The body with the lower number comes first, so that a contact is the same in each step.
        turned = order[a] > order[b]
        sign = -1.0 if turned else 1.0
        a, b = b if turned else a, a if turned else b
        i, j = order[a], order[b]
        column = np.uint32(material[j])
        R, r = x[a, 3] + x[b, 3], min(x[a, 3], x[b, 3])
        sx, sy, sz = shift_of(space, pair[2])
        dx, dy, dz = x[a, 0] - x[b, 0] - sign * sx, x[a, 1] - x[b, 1] - sign * sy, x[a, 2] - x[b, 2] - sign * sz
        nx, ny, nz = normal(dim, v, a, b, dx, dy, dz, R, dt)
        gap = dot(dim, nx, ny, nz, dx, dy, dz) - R
    ux, uy, uz = v[a, 0] - v[b, 0], v[a, 1] - v[b, 1], v[a, 2] - v[b, 2]
    ax, ay, az = accel[a, 0] - accel[b, 0], accel[a, 1] - accel[b, 1], accel[a, 2] - accel[b, 2]
    one = dot(dim, accel[a, 0], accel[a, 1], accel[a, 2], accel[a, 0], accel[a, 1], accel[a, 2])
    two = dot(dim, accel[b, 0], accel[b, 1], accel[b, 2], accel[b, 0], accel[b, 1], accel[b, 2])
    speed = impact_speed(dot(dim, nx, ny, nz, ux, uy, uz), dot(dim, nx, ny, nz, ax, ay, az), gap)
    back = parting_speed(laws[np.uint32(material[i]), column, 0], speed)
    slow = np.sqrt(max(one, two)) * dt
    if r > 0.0:
        gap = max(gap, -softness.push * r)
    w = v[a, 3] + v[b, 3]
    row[NX], row[NY], row[MASS] = nx, ny, 1.0 / w
    row[OFFSET] = gap - dot(dim, nx, ny, nz, x[a, 0] - x[b, 0], x[a, 1] - x[b, 1], x[a, 2] - x[b, 2])
    row[BOUNCE] = 0.0 if speed <= slow else (-back if back > slow else -TINY)
    pile.speeds[k] = speed
    row[PRESS], row[RUB], row[LOAD] = 0.0, 0.0, 0.0
    if len(dim) == 3:
        row[NZ], row[RUB_Y], row[RUB_Z] = nz, 0.0, 0.0
    number[ONE], number[OTHER], number[ROW], number[COLUMN] = a, b, material[i], column
    name[0], name[1] = i, j
    firm = softness.slop * r * softness.rate * (1.0 - softness.give) / (softness.give * h * w)
    recall(dim, pile, row, i, j, softness.learn * (dt / h), h / pile.limits[SUBSTEP], firm)
    if row[PRESS] > 0.0:  # it has borne something already: no impact
        row[BOUNCE] = 0.0
    light = LIKE < heaviest * max(v[a, 3], v[b, 3]) <= MUCH
    borne = GROWTH * (row[PRESS] + heaviest * slow * h / dt)
    pile.most[k] = 0.0 if row[BOUNCE] != 0.0 else (borne if light else np.inf)
    pile.parting[k] = HURRY * slow + CREEP * r / dt if light else np.inf


@noinline
def make_contacts(
    dim: Any,
    pile: Pile,
    space: Space,
    softness: Softness,
    n: Index,
    dt: Real,
    h: Real,
    count: Index,
    material: Any,
    walls: Any,
    laws: Any,
) -> None:
    """Make all contacts, on the other side than those of the last step, in lanes."""
    link_old(pile, n)
    side = 1 - pile.tally[SIDE]
    rows, numbers, names = pile.rows[side], pile.numbers[side], pile.names[side]
    heaviest = heaviest_of(pile, n)
    each, rest = count // LANES, count % LANES
    for c in range(count):
        lane, k = c % LANES, np.uint32(c)
        pair = pile.found[np.uint32(lane * each + min(lane, rest) + c // LANES)]
        make_contact(
            dim,
            pile,
            space,
            softness,
            n,
            dt,
            h,
            k,
            heaviest,
            pair,
            rows[k],
            numbers[k],
            names[k],
            material,
            walls,
            laws,
        )
    pile.tally[SIDE], pile.tally[COUNT], pile.limits[SUBSTEP] = side, count, h
