"""The walk through a tree of bodies: which nodes act as a whole, and the pulls and potentials that follow.

A node acts on a group as a whole if the box of the group is at least l/θ + δ away from the node's centre of mass, where
l is the longest edge of the node's box and δ the distance of the centre of mass from the middle of that box.
"""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.kernels.powers import inverse, inverse_cube, plus
from carom.kernels.simd import spread_eight as spread
from carom.kernels.simd import without, write
from carom.physics.attraction import FLOOR, attraction, dot_plus, plus_times, potential
from carom.physics.vectors import difference
from carom.solvers.stepped.attraction.columns import (
    ONE,
    TILE,
    TWO,
    ZERO,
    accelerations,
    of_eight,
    of_one,
    places,
    put,
)
from carom.solvers.stepped.attraction.nodes import FIVE, FOUR, LEAF, MOMENTS, SEVEN, SIX, SPOT, THREE, build_tree

MOST_LEAVES = np.uint64(4)  # of a group, whose bodies share one walk through the tree


@inline
def distance_outside(value: Real, low: Real, high: Real) -> Any:
    """How far a number is outside an interval."""
    return max(low - value, value - high, 0.0)


@noinline
def list_partners(dim: Any, tree: Any, group: Index, nodes: Index) -> tuple[Any, Any]:
    """List the nodes that act on a group as a whole, and the leaves that act body by body; gives the number of each.

    The group itself is in neither list.
    """
    spot, leaves, low, high = tree.spot, tree.leaves, tree.low, tree.high
    g, far, near, node = FOUR * group, ZERO, ZERO, ZERO
    while node < nodes:
        count, s = np.uint64(leaves[node]), SPOT * node
        behind = node + TWO * count - ONE
        if node <= group < behind:
            node = behind if node == group else node + ONE
            continue
        dx = distance_outside(spot[s], low[g], high[g])
        dy = distance_outside(spot[s + ONE], low[g + ONE], high[g + ONE])
        square = dx * dx + dy * dy
        if len(dim) == 3:
            dz = distance_outside(spot[s + TWO], low[g + TWO], high[g + TWO])
            square += dz * dz
        if square >= spot[s + THREE]:
            tree.far[far] = node
            far += ONE
            node = behind
        elif count == ONE:
            tree.near[near] = tree.first[node]
            near += ONE
            node = behind
        else:
            node += ONE
    return far, near


@inline
def from_centre(tree: Any, node: Index, p: Any) -> Any:
    """The vectors to the centre of mass of a node from eight bodies at p."""
    t = SPOT * node
    return difference((spread(tree.spot[t]), spread(tree.spot[t + ONE]), spread(tree.spot[t + TWO])), p)


# ---------------------------------------------------------------- pull


@inline
def times_moments(dim: Any, strict: Any, moments: Any, q: Index, d: Any) -> tuple[Any, Any, Any]:
    """M d, where M is three times the matrix of second moments of a node."""
    xx, xy, yy = moments[q + ONE], moments[q + TWO], moments[q + THREE]
    x, y = plus(strict, xy, d[1], xx * d[0]), plus(strict, yy, d[1], xy * d[0])
    if len(dim) == 3:
        xz, yz, zz = moments[q + FOUR], moments[q + FIVE], moments[q + SIX]
        z = plus(strict, zz, d[2], plus(strict, yz, d[1], xz * d[0]))
        return plus(strict, xz, d[2], x), plus(strict, yz, d[2], y), z
    else:
        return x, y, d[2]


@inline
def pull_of_node(dim: Any, strict: Any, soft: Real, tree: Any, node: Index, p: Any, a: Any) -> Any:
    """a plus the pull of a node on eight bodies at p.

    (G m + (5/2 d·M d / s - tr M / 2) / s) s^(-3/2) d - s^(-5/2) M d, with s = d² + ε²: minus the gradient of the
    potential of `potential_of_node`. M is not made traceless, so this holds with softening too.
    """
    q, d = MOMENTS * node, from_centre(tree, node, p)
    s = dot_plus(dim, strict, d, d, soft)
    y2, y3 = inverse(strict, s), inverse_cube(strict, s)
    md = times_moments(dim, strict, tree.moments, q, d)
    w = plus(strict, dot_plus(dim, strict, md, d, spread(0.0)) * 2.5, y2, -tree.moments[q + SEVEN])
    a = plus_times(dim, strict, a, plus(strict, w, y2, tree.moments[q]) * y3, d)
    return plus_times(dim, strict, a, y2 * y3 * -1.0, md)


@inline
def pull_of_bodies(dim: Any, strict: Any, soft: Real, columns: Any, begin: Index, end: Index, p: Any, a: Any) -> Any:
    """a plus the pull of bodies begin … end - 1 on eight bodies at p."""
    for j in range(begin, end):
        d = difference(of_one(places(columns), j), p)
        a = plus_times(dim, strict, a, attraction(dim, strict, soft, d) * columns.mass[j], d)
    return a


@inline
def pull_tile(dim: Any, strict: Any, tree: Any, far: Index, near: Index, own: Any, tile: Index) -> None:
    """Write the accelerations of the eight bodies of a tile into the columns.

    So many nodes of `tree.far` act on them as a whole, so many leaves of `tree.near` body by body; so do the bodies
    own[0] … own[1] - 1 of their group.
    """
    columns, soft, zero = tree.columns, max(tree.soft, FLOOR), spread(0.0)
    p, a = of_eight(places(columns), tile), (zero, zero, zero)
    for k in range(far):
        a = pull_of_node(dim, strict, soft, tree, np.uint64(tree.far[k]), p, a)
    for k in range(near):
        begin = np.uint64(tree.near[k]) * LEAF
        a = pull_of_bodies(dim, strict, soft, columns, begin, begin + LEAF, p, a)
    put(dim, accelerations(columns), tile, pull_of_bodies(dim, strict, soft, columns, own[0], own[1], p, a))


# ---------------------------------------------------------------- energy


@inline
def potential_of_node(dim: Any, strict: Any, tree: Any, node: Index, p: Any, v: Any) -> Any:
    """v minus the potential of a node: G m s^(-1/2) + (d·M d / s - tr M / 3) s^(-3/2) / 2, s = d² + ε²."""
    q, d = MOMENTS * node, from_centre(tree, node, p)
    s = dot_plus(dim, strict, d, d, spread(tree.soft))
    y2, y3 = inverse(strict, s + FLOOR), inverse_cube(strict, s + FLOOR)
    w = dot_plus(dim, strict, times_moments(dim, strict, tree.moments, q, d), d, spread(0.0)) * 0.5
    w = plus(strict, w, y2, tree.moments[q + SEVEN] * (-1.0 / 3.0))
    return plus(strict, plus(strict, s, spread(tree.moments[q]), w), y3, v)


@inline
def potential_of_bodies(dim: Any, strict: Any, tree: Any, begin: Index, end: Index, tile: Index, p: Any, v: Any) -> Any:
    """v minus the potential of bodies begin … end - 1 at the eight of a tile, but of none at itself."""
    for j in range(begin, end):
        d, m = difference(of_one(places(tree.columns), j), p), spread(tree.columns.mass[j])
        if tile <= j < tile + TILE:
            m = without(m, j - tile)
        v = plus(strict, potential(dim, strict, tree.soft, d), m, v)
    return v


@inline
def potential_of_tile(dim: Any, strict: Any, tree: Any, far: Index, near: Index, own: Any, tile: Index) -> None:
    """Write minus the potential at the eight bodies of a tile into the column ax."""
    p, v = of_eight(places(tree.columns), tile), spread(0.0)
    for k in range(far):
        v = potential_of_node(dim, strict, tree, np.uint64(tree.far[k]), p, v)
    for k in range(near):
        begin = np.uint64(tree.near[k]) * LEAF
        v = potential_of_bodies(dim, strict, tree, begin, begin + LEAF, tile, p, v)
    write(tree.columns.ax, tile, potential_of_bodies(dim, strict, tree, own[0], own[1], tile, p, v))


# ---------------------------------------------------------------- all bodies


@noinline
def each_tile(dim: Any, strict: Any, tree: Any, nodes: Index, potentials: Any) -> None:
    """Write the pulls on all bodies into the columns; or the potentials, if `potentials` is a tuple of one item.

    Group by group, whose bodies share one walk through the tree; eight bodies at a time.
    """
    group = ZERO
    while group < nodes and tree.halted[0] == 0:
        count = np.uint64(tree.leaves[group])
        if count > MOST_LEAVES:
            group += ONE
            continue
        far, near = list_partners(dim, tree, group, nodes)
        begin = np.uint64(tree.first[group]) * LEAF
        own = (begin, begin + count * LEAF)
        for tile in range(own[0], own[1], TILE):
            if len(potentials) == 1:
                potential_of_tile(dim, strict, tree, far, near, own, tile)
            else:
                pull_tile(dim, strict, tree, far, near, own, tile)
        group += TWO * count - ONE


@inline
def add_tree(dim: Any, tree: Any, place: Any, accel: Any, n: Index) -> None:
    """Add to `accel` the attraction between the first n bodies, by the tree."""
    if n > 0:
        each_tile(dim, tree.strict, tree, build_tree(dim, tree, place, accel, np.uint64(n)), ())
        for k in range(ZERO, np.uint64(n)):
            i = np.uint64(tree.rows[FOUR * k + THREE])
            accel[i, 0] += tree.columns.ax[k]
            accel[i, 1] += tree.columns.ay[k]
            if len(dim) == 3:
                accel[i, 2] += tree.columns.az[k]


@inline
def energy_tree(dim: Any, tree: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J, by the tree."""
    energy = 0.0
    if n > 0:
        each_tile(dim, tree.strict, tree, build_tree(dim, tree, place, accel, np.uint64(n)), (1.0,))
        for k in range(ZERO, np.uint64(n)):
            energy -= 0.5 * accel[np.uint64(tree.rows[FOUR * k + THREE]), 3] * tree.columns.ax[k]
    return energy
