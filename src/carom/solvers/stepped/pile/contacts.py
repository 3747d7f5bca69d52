"""Who could touch whom within the step: once a step.

Every pair that could meet within the step is found, whether it touches or not. All bodies reach as far as twice the
mean way of a step (one that stands still may be hit), and are found in adjacent cells. The few that come farther look
into all cells within their reach (see `fast`).
"""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.regions import OUTLINE, edge_front, probe
from carom.physics.vectors import difference, dot
from carom.physics.vectors import row as vector
from carom.solvers.stepped.contacts.grid import ITSELF, Space, file_bodies, walk, wrapped
from carom.solvers.stepped.contacts.impacts import may_collide
from carom.solvers.stepped.pile.memory import FAST, LEAST, SLOW, WALL, WIDEST, Pile

CALM = 0.1  # a pile is calm if its bodies come no farther in a step than this part of the smallest radius
ROUNDS = 2  # of hits that go on from body to body within a step
NEARLY = 1e-9  # part of a radius that is nothing
FEW = 4.0  # all pairs of fast bodies are fewer than FEW² / 2 for each body


@inline
def wall_gap(dim: Any, walls: Any, k: Index, x: Any, r: Real) -> tuple[float, Any]:
    """The distance of a ball's centre x from wall k, and the normal: a half-space n·x >= offset, or part of a region.

    A ball that is in the wall, but not with its centre deeper than its radius, is in front of it.

    The only place that knows the shape of walls.
    """
    planes = walls.planes
    if k < planes.shape[0]:
        n = vector(planes, k)
        return dot(dim, n, x) - planes[k, 3], n
    part = walls.parts[k - np.uint32(planes.shape[0])]
    if walls.regions[part[0]].kind == OUTLINE:
        d, nx, ny, _ = edge_front(walls.edges[part[1]], x[0], x[1], NEARLY * r, r)
        return d, (nx, ny, 0.0)
    d, nx, ny, nz, _ = probe(dim, walls.regions, walls.edges, part[0], part[1], x, r)
    return d, (nx, ny, nz)


@inline
def wall_material(walls: Any, k: Index) -> Index:
    """What wall k is made of."""
    planes = walls.planes
    return np.uint32(planes[k, 4]) if k < planes.shape[0] else walls.parts[k - np.uint32(planes.shape[0]), 2]


@inline
def fall_of(dim: Any, accel: Any, i: Index, dt: Real) -> Real:
    """How far a body comes from rest in a step: |a| dt²/2."""
    a = vector(accel, i)
    return 0.5 * np.sqrt(dot(dim, a, a)) * dt * dt


@inline
def way_of(dim: Any, velocity: Any, accel: Any, i: Index, dt: Real) -> Real:
    """How far a body can come in a step."""
    v = vector(velocity, i)
    return np.sqrt(dot(dim, v, v)) * dt + fall_of(dim, accel, i, dt)


@noinline
def slow_reach(far: Any, n: Index) -> Real:
    """The reach up to which bodies are found in adjacent cells: such that only few are fast."""
    total = 0.0
    for i in range(n):
        total += far[np.uint32(i)]
    limit = 2.0 * total / n
    while limit < np.inf:
        many = 0.0
        for i in range(n):
            many += 1.0 if far[np.uint32(i)] > limit else 0.0
        if many * many <= FEW * FEW * n:
            break
        limit *= 2.0
    return limit


@noinline
def gather(dim: Any, heap: Any, bodies: Any, n: Index, dt: Real) -> None:
    """Sort the bodies into cells, and copy them slot by slot; list those that are too fast for cells."""
    pile, space, margin = heap.pile, heap.space, heap.softness.margin
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    x, v, kicked, reach, far, order = pile.x, pile.v, pile.kicked, pile.reach, pile.far, pile.grid.order
    largest, least = 0.0, np.inf
    for k in range(n):
        i = np.uint32(k)
        for axis in range(len(dim)):
            if space.periodic[axis]:
                place[i, axis] = wrapped(place[i, axis], space.low[axis], space.size[axis])
        largest, least = max(largest, place[i, 3]), min(least, place[i, 3])
        far[i] = way_of(dim, velocity, accel, i, dt)
    limit = slow_reach(far, n)
    widest = (1.0 + margin) * largest + limit
    pile.limits[SLOW], pile.limits[WIDEST], pile.limits[LEAST] = limit, widest, least
    file_bodies(dim, pile.grid, space, place, n, 2.0 * widest)
    many = 0
    for k in range(n):
        a = np.uint32(k)
        i = order[a]
        for axis in range(4):
            x[a, axis] = place[i, axis]
            v[a, axis] = velocity[i, axis]
            kicked[a, axis] = accel[i, axis]
            reach[a, axis] = place[i, axis]
        reach[a, 3] = (1.0 + margin) * place[i, 3] + limit
        pile.lent[a] = fall_of(dim, accel, i, dt)
        if far[i] > limit:
            pile.fast[np.uint32(many)] = a
            many += 1
    for axis in range(4):
        x[np.uint32(n), axis], v[np.uint32(n), axis], kicked[np.uint32(n), axis] = 0.0, 0.0, 0.0
    pile.tally[FAST] = many


@inline
def separation(dim: Any, reach: Any, a: Index, b: Index, shift: Any) -> Real:
    """The square of the distance between the bodies of two slots, the second one moved."""
    d = difference(difference(vector(reach, a), vector(reach, b)), shift)
    return dot(dim, d, d)


@inline
def note(pile: Pile, count: Index, a: Index, b: Index, image: Index, touches: bool) -> Index:
    """Write down a pair if it touches; what finds no room is counted all the same. No branch: who could guess it?"""
    found = pile.found
    k = np.uint32(min(count, found.shape[0] - 1))
    found[k, 0], found[k, 1], found[k, 2] = a, b, image
    return count + (1 if touches else 0)


@inline
def visit(dim: Any, count: Index, a: Index, b: Index, image: Index, shift: Any, pile: Pile) -> Index:
    """Write a pair down if it is within the reach of both."""
    far = pile.reach[a, 3] + pile.reach[b, 3]
    return note(pile, count, a, b, image, separation(dim, pile.reach, a, b, shift) < far * far)


@inline
def relative(dim: Any, v: Any, a: Index, b: Index) -> Real:
    """The square of the relative speed."""
    u = difference(vector(v, a), vector(v, b))
    return dot(dim, u, u)


@inline
def lend_near(dim: Any, count: Index, a: Index, b: Index, image: Index, shift: Any, parts: Any) -> Index:
    """Lend to bodies that could hit each other what the hit would give them: the share w/(w + w') of the way."""
    pile, dt = parts
    reach, x, v, lent = pile.reach, pile.x, pile.v, pile.lent
    far, d2, w = reach[a, 3] + reach[b, 3], separation(dim, reach, a, b, shift), v[a, 3] + v[b, 3]
    if d2 < far * far and w > 0.0:
        way = np.sqrt(relative(dim, v, a, b)) * dt
        one, two = lent[a], lent[b]
        near = x[a, 3] + x[b, 3] + way + one + two
        if d2 < near * near:
            lent[a], lent[b] = max(one, (way + two) * (v[a, 3] / w)), max(two, (way + one) * (v[b, 3] / w))
    return count


@inline
def visit_moving(dim: Any, count: Index, a: Index, b: Index, image: Index, shift: Any, parts: Any) -> Index:
    """Write a pair down if the gap can be closed by their relative motion and by what they were lent."""
    pile, dt = parts
    reach, v, lent = pile.reach, pile.v, pile.lent
    far, d2 = reach[a, 3] + reach[b, 3], separation(dim, reach, a, b, shift)
    if not d2 < far * far:
        return count
    near = (far - 2.0 * pile.limits[SLOW]) + np.sqrt(relative(dim, v, a, b)) * dt + lent[a] + lent[b]
    return note(pile, count, a, b, image, d2 < near * near)


@noinline
def lend_walls(dim: Any, pile: Pile, walls: Any, n: Index, dt: Real) -> None:
    """Lend to bodies that could hit a wall the way that they lose by it: others may run into them."""
    x, v, lent = pile.x, pile.v, pile.lent
    for k in range(n):
        a = np.uint32(k)
        for wall in range(walls.planes.shape[0] + walls.parts.shape[0]):
            distance, normal = wall_gap(dim, walls, np.uint32(wall), vector(x, a), x[a, 3])
            way = -dot(dim, vector(v, a), normal) * dt
            if way + lent[a] > distance - x[a, 3]:
                lent[a] = max(lent[a], way)


@noinline
def walk_near(dim: Any, pile: Pile, space: Space, walls: Any, n: Index, dt: Real) -> Index:
    """Write down the pairs that adjacent cells show.

    In a calm pile, all that are within the common reach. Where much moves, those that move towards each other, or
    could be made to by others.
    """
    if pile.limits[SLOW] <= CALM * pile.limits[LEAST]:
        return walk(dim, pile.grid, space, visit, 0, pile)
    lend_walls(dim, pile, walls, n, dt)
    for _ in range(ROUNDS):
        walk(dim, pile.grid, space, lend_near, 0, (pile, dt))
    return walk(dim, pile.grid, space, visit_moving, 0, (pile, dt))


@noinline
def sift(pile: Pile, count: int, linked: Any) -> Index:
    """Strike out the pairs of which neither can move, or both are points, or that are one body, or cannot collide."""
    x, v, found, order = pile.x, pile.v, pile.found, pile.grid.order
    kept = 0
    for c in range(count):
        k, to = np.uint32(c), np.uint32(kept)
        a, b = found[k, 0], found[k, 1]
        found[to, 0], found[to, 1], found[to, 2] = a, b, found[k, 2]
        if a != b and v[a, 3] + v[b, 3] > 0.0 and x[a, 3] + x[b, 3] > 0.0:
            kept += 1 if may_collide(linked, order[a], order[b]) else 0
    return kept


@inline
def full(pile: Pile, a: Index) -> Real:
    """How far out a body touches within the step, however fast it is."""
    return pile.reach[a, 3] + max(pile.far[pile.grid.order[a]] - pile.limits[SLOW], 0.0)


@noinline
def walk_walls(dim: Any, pile: Pile, walls: Any, n: Index, count: int) -> Index:
    """Write down each body with the walls within its reach."""
    x = pile.x
    for a in range(n):
        i = np.uint32(a)
        far = full(pile, i)
        for k in range(walls.planes.shape[0] + walls.parts.shape[0]):
            distance, _ = wall_gap(dim, walls, np.uint32(k), vector(x, i), x[i, 3])
            count = note(pile, count, i, WALL + k, ITSELF, distance < far and pile.v[i, 3] > 0.0)
    return count
