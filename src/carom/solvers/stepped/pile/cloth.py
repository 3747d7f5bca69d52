"""Piles on cloth: a ball on a triangle is in contact with a foot, the point of the cloth below it.

A foot is x' = Σ w x, with the barycentric weights w of the corners; so its velocity is Σ w v and its 1/m is Σ w²/m. An
impulse on it is one of w times as much on each corner. For the contacts of a pile it is a body like any other, in a
slot beyond those of bodies and ground.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.triangle import crossing, height_before, weights_before
from carom.solvers.stepped.contacts.grid import ITSELF
from carom.solvers.stepped.forces.sum import shortest
from carom.solvers.stepped.pile.broad_phase import add_pair, reach_of
from carom.solvers.stepped.pile.memory import CLOTH, FAST, SLOW, WIDEST
from carom.solvers.stepped.regions.cloth import EDGE, layers


class Feet(NamedTuple):
    """Triangles of cloth in a pile, and the feet of bodies on them, which are scratch of a step."""

    triangles: NDArray[np.uint32]  # (T, 3): the bodies at the corners
    woven: NDArray[np.uint8]  # of each body, is it a corner?
    slot: NDArray[np.uint32]  # of each body
    corners: NDArray[np.uint32]  # (capacity, 3): of each contact, the slots of the corners below it
    shares: NDArray[np.float64]  # (capacity, 3): and their weights
    relative: NDArray[np.float64]  # (18,): scratch of `crossing`
    periods: tuple[float, ...]
    thickness: float  # m, to each side


def feet_of(cloth: Any, periods: tuple[float, ...]) -> Feet | tuple[()]:
    """The triangles of a cloth (`Sheet`) for a pile, as yet without contacts; nothing where nobody can meet one."""
    if not cloth:
        return ()
    return Feet(
        triangles=cloth.corners,
        woven=cloth.woven,
        slot=np.zeros(len(cloth.woven), np.uint32),
        corners=np.zeros((0, 3), np.uint32),
        shares=np.zeros((0, 3)),
        relative=np.zeros(18),
        periods=periods,
        thickness=cloth.thickness,
    )


# An empty tuple of feet has nothing to be compiled; but Numba sees that only of an argument (ADR 11).


@inline
def update_foot(dim: Any, pile: Any, feet: Any, rows: Any, b: Index) -> None:
    """Set the place or velocity of a foot, if b is one, from its corners: Σ w x."""
    if len(feet) > 0 and np.int64(b) > pile.far.shape[0]:
        k = np.uint32(np.int64(b) - pile.far.shape[0] - 1)
        one, two, three = feet.corners[k, 0], feet.corners[k, 1], feet.corners[k, 2]
        wa, wb, wc = feet.shares[k, 0], feet.shares[k, 1], feet.shares[k, 2]
        for axis in range(len(dim)):
            rows[b, axis] = (wa * rows[one, axis] + wb * rows[two, axis]) + wc * rows[three, axis]


@inline
def push_corners(pile: Any, feet: Any, rows: Any, b: Index, j: Any) -> None:
    """Add the impulse -J on a foot, if b is one, to its corners, in proportion to their weights."""
    if len(feet) > 0 and np.int64(b) > pile.far.shape[0]:
        k = np.uint32(np.int64(b) - pile.far.shape[0] - 1)
        for c in range(3):
            who = feet.corners[k, np.uint32(c)]
            part = feet.shares[k, np.uint32(c)] * pile.v[who, 3]
            rows[who, 0] -= part * j[0]
            rows[who, 1] -= part * j[1]
            rows[who, 2] -= part * j[2]


@noinline
def find_foot(pile: Any, feet: Any, periods: Any, a: Index, m: Index, dt: Real) -> tuple[Any, Any, float]:
    """The foot of body a on triangle m, now or within a step of dt: the normal, the weights, the gap.

    All move on straight lines; the foot is where they meet, if they do, or else where they are now. The normal points
    to the body. Beside the triangle, the gap is infinite.
    """
    x, v = pile.x, pile.v
    one, two, three = (
        feet.slot[feet.triangles[m, 0]],
        feet.slot[feet.triangles[m, 1]],
        feet.slot[feet.triangles[m, 2]],
    )
    p = feet.relative
    for axis in range(3):
        for k, who in enumerate((a, two, three)):
            u = v[who, axis] - v[one, axis] + 0.5 * dt * (pile.kicked[who, axis] - pile.kicked[one, axis])
            d = x[who, axis] - x[one, axis]
            d = shortest(d, periods[axis]) if len(periods) > 0 else d
            p[9 + 3 * k + axis], p[3 * k + axis] = u, d + u * dt
    size = max(x[a, 3], feet.thickness)
    tau, _ = crossing(p, size, dt)
    first, _, _, _ = height_before(p, dt)
    side = 1.0 if first >= 0.0 else -1.0
    for before in (tau if tau >= 0.0 else dt, dt):
        wb, wc = weights_before(p, before)
        if min(1.0 - wb - wc, wb, wc) >= -EDGE:
            _, nx, ny, nz = height_before(p, before)
            nx, ny, nz = side * nx, side * ny, side * nz
            dx = (p[0] - p[9] * dt) - wb * (p[3] - p[12] * dt) - wc * (p[6] - p[15] * dt)
            dy = (p[1] - p[10] * dt) - wb * (p[4] - p[13] * dt) - wc * (p[7] - p[16] * dt)
            dz = (p[2] - p[11] * dt) - wb * (p[5] - p[14] * dt) - wc * (p[8] - p[17] * dt)
            return (nx, ny, nz), (1.0 - wb - wc, wb, wc), (dx * nx + dy * ny) + dz * nz - size
    return (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), np.inf


@inline
def place_foot(dim: Any, pile: Any, feet: Any, k: Index, m: Index, shares: Any) -> Index:
    """Make the foot of contact k on triangle m; its slot."""
    b = np.uint32(pile.far.shape[0] + 1 + np.int64(k))
    inverse_mass = 0.0
    for c in range(3):
        who = feet.slot[feet.triangles[m, np.uint32(c)]]
        feet.corners[k, np.uint32(c)] = who
        inverse_mass += shares[c] * shares[c] * pile.v[who, 3]
    feet.shares[k, 0], feet.shares[k, 1], feet.shares[k, 2] = shares
    update_foot(dim, pile, feet, pile.x, b)
    update_foot(dim, pile, feet, pile.v, b)
    update_foot(dim, pile, feet, pile.kicked, b)
    pile.x[b, 3], pile.v[b, 3] = feet.thickness, inverse_mass
    return b


@inline
def add_if_meets_triangle(pile: Any, feet: Any, a: Index, m: Index, moves: Real, dt: Real, count: Index) -> Index:
    """Add body a with triangle m, whose corners move at most `moves` within the step, if they can meet in it."""
    if feet.woven[pile.grid.order[a]] != 0:
        return count
    inverse_mass = pile.v[a, 3]
    for c in range(3):
        inverse_mass += pile.v[feet.slot[feet.triangles[m, np.uint32(c)]], 3]
    if inverse_mass == 0.0:
        return count
    _, _, gap = find_foot(pile, feet, feet.periods, a, m, dt)
    return add_pair(pile, count, a, CLOTH + m, ITSELF, gap < reach_of(pile, a) - pile.x[a, 3] + moves)


@noinline
def find_triangle_pairs(pile: Any, feet: Any, n: Index, dt: Real, count: int) -> Index:
    """List each body with the triangles that it can meet within the step."""
    grid, order, far = pile.grid, pile.grid.order, pile.far
    for k in range(n):
        feet.slot[order[np.uint32(k)]] = k
    for t in range(feet.triangles.shape[0]):
        m = np.uint32(t)
        i, j, k = feet.triangles[m, 0], feet.triangles[m, 1], feet.triangles[m, 2]
        if max(i, j, k) >= n:
            continue
        one, two, three = feet.slot[i], feet.slot[j], feet.slot[k]
        moves = max(far[i], far[j], far[k])
        reach = pile.limits[WIDEST] + feet.thickness + moves
        x0, x1 = layers(feet.periods, pile.x, grid, (one, two, three), 0, reach)
        y0, y1 = layers(feet.periods, pile.x, grid, (one, two, three), 1, reach)
        z0, z1 = layers(feet.periods, pile.x, grid, (one, two, three), 2, reach)
        for cz in range(z0, z1 + 1):
            for cy in range(y0, y1 + 1):
                row = grid.shape[0] * (cy + grid.shape[1] * cz)
                for q in range(grid.first[np.uint32(row + x0)], grid.first[np.uint32(row + x1 + 1)]):
                    if not far[order[np.uint32(q)]] > pile.limits[SLOW]:
                        count = add_if_meets_triangle(pile, feet, np.uint32(q), m, moves, dt, count)
        for q in range(pile.tally[FAST]):
            count = add_if_meets_triangle(pile, feet, pile.fast[np.uint32(q)], m, moves, dt, count)
    return count


@inline
def find_cloth_pairs(pile: Any, feet: Any, n: Index, dt: Real, count: int) -> Index:
    """List each body with the triangles that it can meet, where there is a cloth."""
    return find_triangle_pairs(pile, feet, n, dt, count) if len(feet) > 0 else count


@inline
def foot_of(
    dim: Any, pile: Any, feet: Any, a: Index, b: Index, k: Index, dt: Real, material: Any
) -> tuple[Index, Index, float, Any, float]:
    """The foot of contact k, of body a on triangle b - CLOTH: slot, material, gap, normal, and the size of its gap."""
    if len(feet) > 0:
        m = np.uint32(b - np.uint32(CLOTH))
        normal, shares, gap = find_foot(pile, feet, feet.periods, a, m, dt)
        slot, made_of = place_foot(dim, pile, feet, k, m, shares), np.uint32(material[feet.triangles[m, 0]])
        return slot, made_of, gap, normal, max(pile.x[a, 3], feet.thickness)
    return b, np.uint32(0), 0.0, (0.0, 0.0, 0.0), 0.0
