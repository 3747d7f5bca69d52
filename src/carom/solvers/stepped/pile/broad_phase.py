"""Broad phase of a pile: the pairs of bodies, and of bodies and walls, that could touch within a step; once per step.

Every pair that could meet within the step is found, whether it touches or not. Each body is given a reach of twice the
mean path of a step (one at rest may be hit), and pairs within reach are found in adjacent cells. The few bodies that
move farther search all cells within their reach (see `fast`).
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

CALM = 0.1  # of the smallest radius: a pile is calm if no body moves farther in a step
HITS_IN_A_ROW = 2  # passed on from body to body within a step, and looked for
ROUNDING = 1e-9  # of a radius: as near as this to a corner is on it
FAST_PER_ROOT = 4.0  # at most so many fast bodies per √n: their pairs are at most 8 for each body


@inline
def wall_gap(dim: Any, walls: Any, k: Index, x: Any, r: Real) -> tuple[float, Any]:
    """The distance of a ball's centre x from wall k, and the normal: a half-space n·x >= offset, or part of a region.

    A ball that is in the wall, but not with its centre deeper than its radius, is in front of it.

    No other function knows the shape of walls.
    """
    planes = walls.planes
    if k < planes.shape[0]:
        n = vector(planes, k)
        return dot(dim, n, x) - planes[k, 3], n
    part = walls.parts[k - np.uint32(planes.shape[0])]
    if walls.regions[part[0]].kind == OUTLINE:
        d, nx, ny, _ = edge_front(walls.edges[part[1]], x[0], x[1], ROUNDING * r, r)
        return d, (nx, ny, 0.0)
    d, nx, ny, nz, _ = probe(dim, walls.regions, walls.edges, part[0], part[1], x, r)
    return d, (nx, ny, nz)


@inline
def wall_material(walls: Any, k: Index) -> Index:
    """The number of the material of wall k."""
    planes = walls.planes
    return np.uint32(planes[k, 4]) if k < planes.shape[0] else walls.parts[k - np.uint32(planes.shape[0]), 2]


@inline
def fall_length(dim: Any, accel: Any, i: Index, dt: Real) -> Real:
    """How far a body moves in a step that begins at rest: |a| dt²/2."""
    a = vector(accel, i)
    return 0.5 * np.sqrt(dot(dim, a, a)) * dt * dt


@inline
def path_length(dim: Any, velocity: Any, accel: Any, i: Index, dt: Real) -> Real:
    """How far a body can move in a step: |v| dt + |a| dt²/2."""
    v = vector(velocity, i)
    return np.sqrt(dot(dim, v, v)) * dt + fall_length(dim, accel, i, dt)


@noinline
def slow_reach(far: Any, n: Index) -> Real:
    """The path length up to which a body is slow, and found in adjacent cells; only a few bodies are fast."""
    total = 0.0
    for i in range(n):
        total += far[np.uint32(i)]
    limit = 2.0 * total / n
    while limit < np.inf:
        many = 0.0
        for i in range(n):
            many += 1.0 if far[np.uint32(i)] > limit else 0.0
        if many * many <= FAST_PER_ROOT * FAST_PER_ROOT * n:
            break
        limit *= 2.0
    return limit


@noinline
def sort_bodies(dim: Any, heap: Any, bodies: Any, n: Index, dt: Real) -> None:
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
        far[i] = path_length(dim, velocity, accel, i, dt)
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
        pile.pushed[a] = fall_length(dim, accel, i, dt)
        if far[i] > limit:
            pile.fast[np.uint32(many)] = a
            many += 1
    for axis in range(4):
        x[np.uint32(n), axis], v[np.uint32(n), axis], kicked[np.uint32(n), axis] = 0.0, 0.0, 0.0
    pile.tally[FAST] = many


@inline
def square_of_distance(dim: Any, reach: Any, a: Index, b: Index, shift: Any) -> Real:
    """The square of the distance between the bodies of two slots, the second one shifted."""
    d = difference(difference(vector(reach, a), vector(reach, b)), shift)
    return dot(dim, d, d)


@inline
def add_pair(pile: Pile, count: Index, a: Index, b: Index, image: Index, touches: bool) -> Index:
    """Add a pair to the list if it touches; beyond its end, only count it. No branch: none could be predicted."""
    found = pile.found
    k = np.uint32(min(count, found.shape[0] - 1))
    found[k, 0], found[k, 1], found[k, 2] = a, b, image
    return count + (1 if touches else 0)


@inline
def add_if_near(dim: Any, count: Index, a: Index, b: Index, image: Index, shift: Any, pile: Pile) -> Index:
    """Add a pair if each is within reach of the other."""
    far = pile.reach[a, 3] + pile.reach[b, 3]
    return add_pair(pile, count, a, b, image, square_of_distance(dim, pile.reach, a, b, shift) < far * far)


@inline
def square_of_relative_speed(dim: Any, v: Any, a: Index, b: Index) -> Real:
    """The square of the relative speed."""
    u = difference(vector(v, a), vector(v, b))
    return dot(dim, u, u)


@inline
def add_hit_near(dim: Any, count: Index, a: Index, b: Index, image: Index, shift: Any, parts: Any) -> Index:
    """Extend how far two bodies can be pushed by the hit that could come: the share w/(w + w') of the relative path."""
    pile, dt = parts
    reach, x, v, pushed = pile.reach, pile.x, pile.v, pile.pushed
    far, d2, w = reach[a, 3] + reach[b, 3], square_of_distance(dim, reach, a, b, shift), v[a, 3] + v[b, 3]
    if d2 < far * far and w > 0.0:
        way = np.sqrt(square_of_relative_speed(dim, v, a, b)) * dt
        one, two = pushed[a], pushed[b]
        near = x[a, 3] + x[b, 3] + way + one + two
        if d2 < near * near:
            pushed[a], pushed[b] = max(one, (way + two) * (v[a, 3] / w)), max(two, (way + one) * (v[b, 3] / w))
    return count


@inline
def add_if_meeting(dim: Any, count: Index, a: Index, b: Index, image: Index, shift: Any, parts: Any) -> Index:
    """Add a pair if relative motion and the pushes of others can close the gap."""
    pile, dt = parts
    reach, v, pushed = pile.reach, pile.v, pile.pushed
    far, d2 = reach[a, 3] + reach[b, 3], square_of_distance(dim, reach, a, b, shift)
    if not d2 < far * far:
        return count
    near = (
        (far - 2.0 * pile.limits[SLOW]) + np.sqrt(square_of_relative_speed(dim, v, a, b)) * dt + pushed[a] + pushed[b]
    )
    return add_pair(pile, count, a, b, image, d2 < near * near)


@noinline
def add_hits_by_walls(dim: Any, pile: Pile, walls: Any, n: Index, dt: Real) -> None:
    """Extend the pushes of bodies that could hit a wall by the path that they lose: others may run into them."""
    x, v, pushed = pile.x, pile.v, pile.pushed
    for k in range(n):
        a = np.uint32(k)
        for wall in range(walls.planes.shape[0] + walls.parts.shape[0]):
            distance, normal = wall_gap(dim, walls, np.uint32(wall), vector(x, a), x[a, 3])
            way = -dot(dim, vector(v, a), normal) * dt
            if way + pushed[a] > distance - x[a, 3]:
                pushed[a] = max(pushed[a], way)


@noinline
def find_near_pairs(dim: Any, pile: Pile, space: Space, walls: Any, n: Index, dt: Real) -> Index:
    """List the pairs of bodies in adjacent cells.

    In a calm pile, all pairs within reach. In others, those that approach each other, or could be pushed to by a hit.
    """
    if pile.limits[SLOW] <= CALM * pile.limits[LEAST]:
        return walk(dim, pile.grid, space, add_if_near, 0, pile)
    add_hits_by_walls(dim, pile, walls, n, dt)
    for _ in range(HITS_IN_A_ROW):
        walk(dim, pile.grid, space, add_hit_near, 0, (pile, dt))
    return walk(dim, pile.grid, space, add_if_meeting, 0, (pile, dt))


@noinline
def drop_impossible(pile: Pile, count: int, linked: Any) -> Index:
    """Drop pairs of two fixed bodies, of two points, of a body and itself, and of bodies that pass each other."""
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
def reach_of(pile: Pile, a: Index) -> Real:
    """The distance from its centre at which a body can touch within the step, however fast it is."""
    return pile.reach[a, 3] + max(pile.far[pile.grid.order[a]] - pile.limits[SLOW], 0.0)


@noinline
def find_wall_pairs(dim: Any, pile: Pile, walls: Any, n: Index, count: int) -> Index:
    """List each body with the walls within its reach."""
    x = pile.x
    for a in range(n):
        i = np.uint32(a)
        far = reach_of(pile, i)
        for k in range(walls.planes.shape[0] + walls.parts.shape[0]):
            distance, _ = wall_gap(dim, walls, np.uint32(k), vector(x, i), x[i, 3])
            count = add_pair(pile, count, i, WALL + k, ITSELF, distance < far and pile.v[i, 3] > 0.0)
    return count
