"""Narrow phase of a pile: contacts made from pairs, with the impulses that they had in the last step; once per step."""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.impact import parting_speed
from carom.physics.vectors import difference, dot
from carom.physics.vectors import row as vector
from carom.solvers.stepped.contacts.grid import shift_of
from carom.solvers.stepped.pile.broad_phase import wall_gap, wall_material
from carom.solvers.stepped.pile.cloth import foot_of
from carom.solvers.stepped.pile.memory import (
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
    PARTING,
    PRESS,
    ROW,
    RUB,
    RUB_Y,
    RUB_Z,
    SIDE,
    SUBSTEP,
    WALL,
    Pile,
)
from carom.solvers.stepped.pile.solve import normal_of

LANES = 4  # successive contacts come from so many parts of the pile, so that a processor can overlap them
SWEPT = 0.1  # of the sum of radii: a pair that moves farther in a step has the normal of where it will meet
LIGHT, LIGHTEST = 4.0, 300.0  # times lighter than the heaviest body: between these, impulses are limited
SAME_NORMAL = 0.5  # least cosine: a contact whose normal has turned by more than 60 degrees is a new one
GROWTH = 2.0  # of a limited impulse in a step: times what the contact bore before and the largest weight
BY_FORCES, BY_RADII = 0.5, 0.01  # overlaps are undone at this part of what forces give, and of a radius, per step
TINY = 1e-300  # m/s: the speed of parting after an impact that does not bounce


@noinline
def chain_old_contacts(pile: Pile, n: Index) -> None:
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
def recall_impulses(dim: Any, pile: Pile, new: Any, i: Index, j: Index, learn: Real, scale: Real, firm: Real) -> None:
    """Copy the impulses of a contact from the last step, if it existed then; friction is turned to the new tangent."""
    side, n = pile.tally[SIDE], normal_of(dim, new)
    k = pile.head[i]
    while k != NONE:
        if pile.names[side, k, 1] == j:
            old = pile.rows[side, k]
            if dot(dim, n, normal_of(dim, old)) > SAME_NORMAL:
                p, load = scale * old[PRESS], scale * old[LOAD]
                bearable = p * p / (p + firm) if p > 0.0 else 0.0
                new[PRESS], new[LOAD] = p, min(load + learn * (bearable - load), p)
                new[RUB] = scale * old[RUB]
                if len(dim) == 3:
                    along = dot(dim, n, (old[RUB], old[RUB_Y], old[RUB_Z]))
                    new[RUB] = scale * (old[RUB] - along * n[0])
                    new[RUB_Y] = scale * (old[RUB_Y] - along * n[1])
                    new[RUB_Z] = scale * (old[RUB_Z] - along * n[2])
                return
        k = pile.link[k]


@inline
def meeting_time(dim: Any, d: Any, u: Any, R: Real, dt: Real) -> Real:
    """When bodies meet that are d apart, with relative velocity u; if never, when they are nearest; at most dt."""
    du, gap2 = dot(dim, d, u), dot(dim, d, d) - R * R
    if du >= 0.0 or gap2 <= 0.0:
        return 0.0
    u2 = dot(dim, u, u)
    beside = du * du - u2 * gap2
    t = gap2 / (np.sqrt(beside) - du) if beside > 0.0 else -du / u2
    return min(t, dt)


@inline
def direction_between(dim: Any, d: Any, u: Any, R: Real, dt: Real) -> Any:
    """The unit vector along d, from body to body: now or, if they are fast, when they will meet."""
    dx, dy, dz = d
    if dot(dim, u, u) * dt * dt > SWEPT * SWEPT * R * R:
        t = meeting_time(dim, d, u, R, dt)
        dx, dy, dz = dx + u[0] * t, dy + u[1] * t, dz + u[2] * t
    length = np.sqrt(dot(dim, (dx, dy, dz), (dx, dy, dz)))
    # Bodies in the very same place part along y.
    return (dx / length, dy / length, dz / length) if length > 0.0 else (0.0, 1.0, 0.0)


@inline
def impact_speed(un: Real, an: Real, gap: Real) -> Real:
    """The speed of approach when the gap has closed: u² = un² + 2 |an| gap; 0 for bodies that part."""
    square = un * un - 2.0 * an * max(gap, 0.0)
    return np.sqrt(square) if un < 0.0 and square > 0.0 else 0.0


@inline
def heaviest_of(pile: Pile, n: Index) -> Real:
    """The largest mass of a body that is not fixed, kg; when a step begins, for `kicked` has masses then."""
    heaviest = 0.0
    for k in range(n):
        a = np.uint32(k)
        if pile.v[a, 3] > 0.0:
            heaviest = max(heaviest, pile.kicked[a, 3])
    return heaviest


class PileTouch(NamedTuple):
    """A body of a pile and its partner, which could touch within the step."""

    a: Any  # slot of the body
    b: Any  # slot of the partner: another body, the ground, or a foot
    i: Any  # number of the body
    j: Any  # number of the partner; WALL + k, or CLOTH + m
    column: Any  # of the partner's material in the table of laws
    gap: Any  # m
    normal: Any  # from the partner to the body
    size: Any  # the radius by which overlaps are measured, m


class Making(NamedTuple):
    """What all contacts that are made in a step have in common."""

    n: Any  # number of bodies, and slot of the ground
    dt: Any  # the step, s
    h: Any  # its substeps, s
    side: Any  # on which they are written
    heaviest: Any  # kg


@inline
def touch_wall(dim: Any, heap: Any, a: Index, b: Index, n: Index) -> PileTouch:
    """Body a at wall b - WALL."""
    x, k = heap.pile.x, np.uint32(b - np.uint32(WALL))
    distance, towards = wall_gap(dim, heap.walls, k, vector(x, a), x[a, 3])
    column = np.uint32(wall_material(heap.walls, k))
    return PileTouch(a, np.uint32(n), heap.pile.grid.order[a], b, column, distance - x[a, 3], towards, x[a, 3])


@inline
def touch_body(dim: Any, heap: Any, material: Any, pair: Any, dt: Real) -> PileTouch:
    """Two bodies, that with the lower number first, so that a contact has the same name in each step."""
    x, v, order = heap.pile.x, heap.pile.v, heap.pile.grid.order
    turned = order[pair[0]] > order[pair[1]]
    sign = -1.0 if turned else 1.0
    a, b = pair[1] if turned else pair[0], pair[0] if turned else pair[1]
    R = x[a, 3] + x[b, 3]
    sx, sy, sz = shift_of(heap.space, pair[2])
    d = difference(difference(vector(x, a), vector(x, b)), (sign * sx, sign * sy, sign * sz))
    towards = direction_between(dim, d, difference(vector(v, a), vector(v, b)), R, dt)
    column, gap = np.uint32(material[order[b]]), dot(dim, towards, d) - R
    return PileTouch(a, b, order[a], order[b], column, gap, towards, min(x[a, 3], x[b, 3]))


@inline
def make_contact(dim: Any, heap: Any, material: Any, k: Index, pair: Any, making: Any) -> None:
    """Make contact k from a pair: its normal, gap and reduced mass, and the speed of parting after an impact."""
    pile, softness, dt, h = heap.pile, heap.softness, making.dt, making.h
    x, v, accel = pile.x, pile.v, pile.kicked
    row, numbers, names = pile.rows[making.side, k], pile.numbers[making.side, k], pile.names[making.side, k]
    if pair[1] >= WALL:
        touch = touch_wall(dim, heap, pair[0], pair[1], making.n)
    elif pair[1] >= CLOTH:
        slot, column, above, towards, size = foot_of(dim, pile, pile.feet, pair[0], pair[1], k, dt, material)
        touch = PileTouch(pair[0], slot, pile.grid.order[pair[0]], pair[1], column, above, towards, size)
    else:
        touch = touch_body(dim, heap, material, pair, dt)
    a, b, i, gap, n, r = touch.a, touch.b, touch.i, touch.gap, touch.normal, touch.size
    one, two, u = vector(accel, a), vector(accel, b), difference(vector(v, a), vector(v, b))
    speed = impact_speed(dot(dim, n, u), dot(dim, n, difference(one, two)), gap)
    back = parting_speed(heap.laws[np.uint32(material[i]), touch.column, 0], speed)
    slow = np.sqrt(max(dot(dim, one, one), dot(dim, two, two))) * dt
    if r > 0.0:
        gap = max(gap, -softness.push * r)
    w = v[a, 3] + v[b, 3]
    row[NX], row[NY], row[MASS] = n[0], n[1], 1.0 / w
    row[OFFSET] = gap - dot(dim, n, difference(vector(x, a), vector(x, b)))
    row[PARTING] = 0.0 if speed <= slow else (-back if back > slow else -TINY)
    pile.speeds[k] = speed
    row[PRESS], row[RUB], row[LOAD] = 0.0, 0.0, 0.0
    if len(dim) == 3:
        row[NZ], row[RUB_Y], row[RUB_Z] = n[2], 0.0, 0.0
    numbers[ONE], numbers[OTHER], numbers[ROW], numbers[COLUMN] = a, b, material[i], touch.column
    names[0], names[1] = i, touch.j
    firm = softness.slop * r * softness.rate * (1.0 - softness.give) / (softness.give * h * w)
    recall_impulses(dim, pile, row, i, touch.j, softness.learn * (dt / h), h / pile.limits[SUBSTEP], firm)
    if row[PRESS] > 0.0:  # the contact bore a load in the last step: no impact
        row[PARTING] = 0.0
    light = LIGHT < making.heaviest * max(v[a, 3], v[b, 3]) <= LIGHTEST
    borne = GROWTH * (row[PRESS] + making.heaviest * slow * h / dt)
    pile.most[k] = 0.0 if row[PARTING] != 0.0 else (borne if light else np.inf)
    pile.parting[k] = BY_FORCES * slow + BY_RADII * r / dt if light else np.inf


@noinline
def make_contacts(dim: Any, heap: Any, material: Any, n: Index, dt: Real, h: Real, count: Index) -> None:
    """Make all contacts, in lanes; those of the last step stay on the other side of the memory."""
    pile = heap.pile
    chain_old_contacts(pile, n)
    making = Making(n, dt, h, 1 - pile.tally[SIDE], heaviest_of(pile, n))
    each, rest = count // LANES, count % LANES
    for c in range(count):
        lane = c % LANES
        pair = pile.found[np.uint32(lane * each + min(lane, rest) + c // LANES)]
        make_contact(dim, heap, material, np.uint32(c), pair, making)
    pile.tally[SIDE], pile.tally[COUNT], pile.limits[SUBSTEP] = making.side, count, h
