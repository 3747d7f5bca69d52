"""Attraction by a tree, in which far bodies pull as a group; and the choice between it and the sum over all pairs.

After Barnes and Hut ("A hierarchical O(N log N) force-calculation algorithm", Nature 324, 1986), with second moments
and one walk for a group of bodies (Barnes, "A modified tree code: don't laugh; it runs", J. Comput. Phys. 87, 1990).

The tree is binary: a node is cut across the longest edge of its box, in the middle, as nearly as whole leaves allow,
neither part having less than 1/SHARE of the leaves. So its memory and depth are bounded wherever the bodies are. With L
leaves it has 2 L - 1 nodes, numbered depth first: behind a node with l leaves the next that is not in it is 2 l - 1 on.

A node acts on a group as a whole if the box of the group is at least l/θ + δ away from the node's centre of mass, where
l is the longest edge of the node's box and δ the distance of the centre of mass from the middle of that box.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from carom.errors import Problem, SceneError
from carom.physics import lanes
from carom.physics.attraction import (
    FLOOR,
    LANES,
    ONE,
    TILE,
    TWO,
    ZERO,
    Direct,
    add_direct,
    added,
    columns,
    difference,
    dot,
    energy_direct,
    inverse,
    inverse_cube,
    of_eight,
    of_one,
    plus,
    put,
    spread,
    without,
    write,
)
from carom.physics.jit import INLINE, Index, Real, branch, kernel, law

CROSSOVER = 4000  # bodies from which on the tree is the faster one, even where they crowd around a centre
OPENING = 0.5  # θ, if nobody says
COARSEST = 2.0  # θ beyond which nothing is left of the accuracy

LEAF = np.uint64(LANES)  # bodies
GROUP = np.uint64(4)  # leaves at most whose bodies share one walk through the tree
SHARE = np.uint64(16)
ROUNDS = 64  # of a search for a median, after which any division will do
THREE, FOUR, FIVE, SIX, SEVEN = np.uint64(3), np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(7)
SPOT, MOMENTS = np.uint64(4), np.uint64(8)  # numbers in a row of these


class Tree(NamedTuple):
    """Attraction by a tree: its parameters, the bodies in columns in the order of the leaves, and the nodes."""

    constant: float  # G, N m²/kg²
    soft: float  # ε², m²
    strict: tuple[float, ...]  # of one item: strict; of none: quick
    opening: float  # θ
    x: Any
    y: Any
    z: Any
    mass: Any  # G m, m³/s²
    ax: Any
    ay: Any
    az: Any
    rows: Any  # x, y, z and number of each body, in the order of the leaves
    first: Any  # first leaf of each node
    leaves: Any  # how many leaves it has
    left: Any  # how many of them are in its left part
    low: Any  # corners of its box: four numbers, the last without meaning
    high: Any
    spot: Any  # its centre of mass, and the square of the distance from which on it acts as a whole
    moments: Any  # G m; 3 G times the second moments xx, xy, yy, xz, yz, zz; half of their trace
    far: Any  # nodes that act on a group as a whole
    near: Any  # leaves that act on it body by body


# ---------------------------------------------------------------- the tree


@law
def divide(rows: Any, axis: Index, low: Index, high: Index, pivot: Real, equal: bool) -> Any:
    """Bring rows below the pivot (or equal to it, if asked) to the front; where the others begin."""
    front = low
    for k in range(low, high):
        row, other = lanes.read(rows, FOUR * k), lanes.read(rows, FOUR * front)
        value = rows[FOUR * k + axis]
        lanes.write(rows, FOUR * front, row)
        lanes.write(rows, FOUR * k, other)
        front += np.uint64((value < pivot) | (equal & (value == pivot)))
    return front


@branch
def cut(rows: Any, axis: Index, low: Index, high: Index, middle: Index) -> None:
    """Order rows low … high - 1 so that none before `middle` is further along the axis than one from there on."""
    for _ in range(ROUNDS):
        if high - low < TWO:
            break
        a, b, c = rows[FOUR * low + axis], rows[FOUR * middle + axis], rows[FOUR * (high - ONE) + axis]
        pivot = max(min(a, b), min(max(a, b), c))
        front = divide(rows, axis, low, high, pivot, False)
        if middle < front:
            high = front
        elif front > low:
            low = front
        else:  # the pivot is the least
            front = divide(rows, axis, low, high, pivot, True)
            if middle < front or front == low:  # nothing to choose between; or not a number
                break
            low = front


@law
def enclose(dim: Any, rows: Any, low: Index, high: Index, lows: Any, highs: Any, node: Index) -> Any:
    """Write the box of rows low … high - 1; along which axis it is longest."""
    least = lanes.read(rows, FOUR * low)
    most = least
    for k in range(low + ONE, high):
        row = lanes.read(rows, FOUR * k)
        least, most = min(least, row), max(most, row)
    lanes.write(lows, FOUR * node, least)
    lanes.write(highs, FOUR * node, most)
    axis, longest = 0, -1.0
    for k in range(len(dim)):
        edge = highs[FOUR * node + np.uint64(k)] - lows[FOUR * node + np.uint64(k)]
        if edge > longest:
            axis, longest = k, edge
    return np.uint64(axis)


@branch
def plant(dim: Any, tree: Any, n: Index) -> Any:
    """Order n rows into a tree, with the boxes of its nodes; the number of nodes."""
    rows, first, leaves = tree.rows, tree.first, tree.leaves
    first[0], leaves[0] = ZERO, (n + LEAF - ONE) // LEAF
    nodes = TWO * np.uint64(leaves[0]) - ONE
    for node in range(ZERO, nodes):
        begin, count = np.uint64(first[node]), np.uint64(leaves[node])
        low, high = begin * LEAF, min((begin + count) * LEAF, n)
        axis = enclose(dim, rows, low, high, tree.low, tree.high, node)
        if count == ONE:
            continue
        a, b = tree.low[FOUR * node + axis], tree.high[FOUR * node + axis]
        front = divide(rows, axis, low, high, a + 0.5 * (b - a), False)
        least = max(count // SHARE, ONE)
        left = min(max((front - low + LEAF // TWO) // LEAF, least), count - least)
        middle = low + left * LEAF
        if middle < front:
            cut(rows, axis, low, front, middle)
        elif middle > front:
            cut(rows, axis, front, high, middle)
        tree.left[node] = left
        first[node + ONE], leaves[node + ONE] = begin, left
        first[node + TWO * left], leaves[node + TWO * left] = begin + left, count - left
    return nodes


@law
def add_moments(dim: Any, moments: Any, q: Index, m: Real, dx: Real, dy: Real, dz: Real) -> None:
    """Add three times the second moments of a mass m at a distance."""
    k = 3.0 * m
    moments[q + ONE] += k * dx * dx
    moments[q + TWO] += k * dx * dy
    moments[q + THREE] += k * dy * dy
    if len(dim) == 3:
        moments[q + FOUR] += k * dx * dz
        moments[q + FIVE] += k * dy * dz
        moments[q + SIX] += k * dz * dz


@law
def settle(dim: Any, tree: Any, node: Index, m: Real, x: Real, y: Real, z: Real) -> None:
    """Write the mass of a node, its centre of mass from the sums of m x, m y, m z, and its reach."""
    sums, edge, square = (x, y, z), 0.0, 0.0
    for k in range(len(dim)):
        low, high = tree.low[FOUR * node + np.uint64(k)], tree.high[FOUR * node + np.uint64(k)]
        middle = low + 0.5 * (high - low)
        centre = sums[k] / m if high > low and m != 0.0 else middle
        tree.spot[SPOT * node + np.uint64(k)] = centre
        edge = max(edge, high - low)
        square += (centre - middle) * (centre - middle)
    reach = edge / tree.opening + np.sqrt(square) if edge > 0.0 else 0.0
    tree.spot[SPOT * node + THREE] = reach * reach
    tree.moments[MOMENTS * node] = m
    for k in range(ONE, MOMENTS):
        tree.moments[MOMENTS * node + k] = 0.0


@branch
def weigh(dim: Any, tree: Any, nodes: Index) -> None:
    """Find the masses, moments and reaches of all nodes, from the leaves up."""
    spot, moments = tree.spot, tree.moments
    for back in range(ZERO, nodes):
        node = nodes - ONE - back
        s, q = SPOT * node, MOMENTS * node
        m, x, y, z = 0.0, 0.0, 0.0, 0.0
        if tree.leaves[node] == 1:
            begin = np.uint64(tree.first[node]) * LEAF
            for k in range(begin, begin + LEAF):
                w = tree.mass[k]
                m, x, y, z = m + w, x + w * tree.x[k], y + w * tree.y[k], z + w * tree.z[k]
            settle(dim, tree, node, m, x, y, z)
            for k in range(begin, begin + LEAF):
                dx, dy, dz = tree.x[k] - spot[s], tree.y[k] - spot[s + ONE], tree.z[k] - spot[s + TWO]
                add_moments(dim, moments, q, tree.mass[k], dx, dy, dz)
        else:
            parts = (node + ONE, node + TWO * np.uint64(tree.left[node]))
            for part in parts:
                p, w = SPOT * part, moments[MOMENTS * part]
                m, x, y, z = m + w, x + w * spot[p], y + w * spot[p + ONE], z + w * spot[p + TWO]
            settle(dim, tree, node, m, x, y, z)
            for part in parts:
                p = SPOT * part
                dx, dy, dz = spot[p] - spot[s], spot[p + ONE] - spot[s + ONE], spot[p + TWO] - spot[s + TWO]
                add_moments(dim, moments, q, moments[MOMENTS * part], dx, dy, dz)
                for k in range(ONE, SEVEN):
                    moments[q + k] += moments[MOMENTS * part + k]
        moments[q + SEVEN] = 0.5 * (moments[q + ONE] + moments[q + THREE] + moments[q + SIX])


@law
def grow(dim: Any, tree: Any, place: Any, accel: Any, n: Index) -> Any:
    """Make the tree of the first n bodies, at least one; the number of its nodes."""
    rows = tree.rows
    for i in range(ZERO, n):
        r = FOUR * i
        rows[r], rows[r + ONE] = place[i, 0], place[i, 1]
        rows[r + TWO] = place[i, 2] if len(dim) == 3 else 0.0
        rows[r + THREE] = float(i)
    nodes = plant(dim, tree, n)
    for i in range(ZERO, (n + LEAF - ONE) // LEAF * LEAF):  # behind the last body, it stands again without mass
        r = FOUR * min(i, n - ONE)
        tree.x[i], tree.y[i], tree.z[i] = rows[r], rows[r + ONE], rows[r + TWO]
        tree.mass[i] = tree.constant * accel[np.uint64(rows[r + THREE]), 3] if i < n else 0.0
    weigh(dim, tree, nodes)
    return nodes


# ---------------------------------------------------------------- the walk


@law
def outside(value: Real, low: Real, high: Real) -> Any:
    """How far a number is outside an interval."""
    return max(low - value, value - high, 0.0)


@branch
def walk(dim: Any, tree: Any, group: Index, nodes: Index) -> tuple[Any, Any]:
    """List the nodes that act on a group as a whole, and the leaves that do so body by body; how many of each.

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
        dx = outside(spot[s], low[g], high[g])
        dy = outside(spot[s + ONE], low[g + ONE], high[g + ONE])
        square = dx * dx + dy * dy
        if len(dim) == 3:
            dz = outside(spot[s + TWO], low[g + TWO], high[g + TWO])
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


@law
def turned(dim: Any, strict: Any, moments: Any, q: Index, d: Any) -> tuple[Any, Any, Any]:
    """M d: three times the second moments of a node, times the distance."""
    xx, xy, yy = moments[q + ONE], moments[q + TWO], moments[q + THREE]
    x, y = plus(strict, xy, d[1], xx * d[0]), plus(strict, yy, d[1], xy * d[0])
    if len(dim) == 3:
        xz, yz, zz = moments[q + FOUR], moments[q + FIVE], moments[q + SIX]
        z = plus(strict, zz, d[2], plus(strict, yz, d[1], xz * d[0]))
        return plus(strict, xz, d[2], x), plus(strict, yz, d[2], y), z
    else:
        return x, y, d[2]


@law
def by_node(dim: Any, strict: Any, soft: Real, tree: Any, node: Index, p: Any, a: Any) -> Any:
    """a and the pull of a node on eight bodies at p.

    (G m + (5/2 d·M d / s - tr M / 2) / s) s^(-3/2) d - s^(-5/2) M d, with s = d² + ε²: minus the gradient of the
    potential of `potential_of_node`. M is not made traceless, so this holds with softening too.
    """
    t, q = SPOT * node, MOMENTS * node
    d = difference((spread(tree.spot[t]), spread(tree.spot[t + ONE]), spread(tree.spot[t + TWO])), p)
    s = dot(dim, strict, d, d, soft)
    y2, y3 = inverse(strict, s), inverse_cube(strict, s)
    md = turned(dim, strict, tree.moments, q, d)
    w = plus(strict, dot(dim, strict, md, d, spread(0.0)) * 2.5, y2, -tree.moments[q + SEVEN])
    a = added(dim, strict, plus(strict, w, y2, tree.moments[q]) * y3, d, a)
    return added(dim, strict, y2 * y3 * -1.0, md, a)


@law
def by_bodies(dim: Any, strict: Any, soft: Real, tree: Any, begin: Index, end: Index, p: Any, a: Any) -> Any:
    """a and the pull of bodies begin … end - 1 on eight bodies at p."""
    for j in range(begin, end):
        d = difference(of_one(tree.x, tree.y, tree.z, j), p)
        a = added(dim, strict, inverse_cube(strict, dot(dim, strict, d, d, soft)) * tree.mass[j], d, a)
    return a


@branch
def pull(dim: Any, strict: Any, tree: Any, nodes: Index) -> None:
    """Write the accelerations of all bodies into the columns."""
    soft, zero = max(tree.soft, FLOOR), spread(0.0)
    group = ZERO
    while group < nodes:
        count = np.uint64(tree.leaves[group])
        if count > GROUP:
            group += ONE
            continue
        far, near = walk(dim, tree, group, nodes)
        own = np.uint64(tree.first[group]) * LEAF
        end = own + count * LEAF
        for tile in range(own, end, TILE):
            p, a = of_eight(tree.x, tree.y, tree.z, tile), (zero, zero, zero)
            for k in range(far):
                a = by_node(dim, strict, soft, tree, np.uint64(tree.far[k]), p, a)
            for k in range(near):
                begin = np.uint64(tree.near[k]) * LEAF
                a = by_bodies(dim, strict, soft, tree, begin, begin + LEAF, p, a)
            put(dim, tree.ax, tree.ay, tree.az, tile, by_bodies(dim, strict, soft, tree, own, end, p, a))
        group += TWO * count - ONE


@law
def add_tree(dim: Any, tree: Any, place: Any, accel: Any, n: Index) -> None:
    """Add to `accel` what the first n bodies do to each other, by the tree."""
    if n > 0:
        pull(dim, tree.strict, tree, grow(dim, tree, place, accel, np.uint64(n)))
        for k in range(ZERO, np.uint64(n)):
            i = np.uint64(tree.rows[FOUR * k + THREE])
            accel[i, 0] += tree.ax[k]
            accel[i, 1] += tree.ay[k]
            if len(dim) == 3:
                accel[i, 2] += tree.az[k]


# ---------------------------------------------------------------- energy


@law
def potential_of_node(dim: Any, strict: Any, soft: Real, tree: Any, node: Index, p: Any, v: Any) -> Any:
    """v and minus the potential of a node: G m s^(-1/2) + (d·M d / s - tr M / 3) s^(-3/2) / 2, s = d² + ε²."""
    t, q = SPOT * node, MOMENTS * node
    d = difference((spread(tree.spot[t]), spread(tree.spot[t + ONE]), spread(tree.spot[t + TWO])), p)
    s = dot(dim, strict, d, d, spread(soft))
    y2, y3 = inverse(strict, s + FLOOR), inverse_cube(strict, s + FLOOR)
    w = dot(dim, strict, turned(dim, strict, tree.moments, q, d), d, spread(0.0)) * 0.5
    w = plus(strict, w, y2, tree.moments[q + SEVEN] * (-1.0 / 3.0))
    return plus(strict, plus(strict, s, spread(tree.moments[q]), w), y3, v)


@law
def potential_of_bodies(
    dim: Any, strict: Any, soft: Real, tree: Any, begin: Index, end: Index, tile: Index, p: Any, v: Any
) -> Any:
    """v and minus the potential of bodies begin … end - 1 at the eight of a tile, but of none at itself."""
    for j in range(begin, end):
        d, m = difference(of_one(tree.x, tree.y, tree.z, j), p), spread(tree.mass[j])
        if tile <= j < tile + TILE:
            m = without(m, j - tile)
        s = dot(dim, strict, d, d, spread(soft))
        v = plus(strict, s * inverse_cube(strict, s + FLOOR), m, v)
    return v


@branch
def fathom(dim: Any, strict: Any, tree: Any, nodes: Index) -> None:
    """Write minus the potential at all bodies into the column ax."""
    soft, group = tree.soft, ZERO
    while group < nodes:
        count = np.uint64(tree.leaves[group])
        if count > GROUP:
            group += ONE
            continue
        far, near = walk(dim, tree, group, nodes)
        own = np.uint64(tree.first[group]) * LEAF
        end = own + count * LEAF
        for tile in range(own, end, TILE):
            p, v = of_eight(tree.x, tree.y, tree.z, tile), spread(0.0)
            for k in range(far):
                v = potential_of_node(dim, strict, soft, tree, np.uint64(tree.far[k]), p, v)
            for k in range(near):
                begin = np.uint64(tree.near[k]) * LEAF
                v = potential_of_bodies(dim, strict, soft, tree, begin, begin + LEAF, tile, p, v)
            write(tree.ax, tile, potential_of_bodies(dim, strict, soft, tree, own, end, tile, p, v))
        group += TWO * count - ONE


@law
def energy_tree(dim: Any, tree: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J, by the tree."""
    energy = 0.0
    if n > 0:
        fathom(dim, tree.strict, tree, grow(dim, tree, place, accel, np.uint64(n)))
        for k in range(ZERO, np.uint64(n)):
            energy -= 0.5 * accel[np.uint64(tree.rows[FOUR * k + THREE]), 3] * tree.ax[k]
    return energy


# ---------------------------------------------------------------- the choice


def attraction_of(
    n: int, G: float, softening: float = 0.0, opening: float | None = None, strict: bool = False
) -> Direct | Tree:
    """Attraction between at most n bodies: parameters, and the memory that the kernels need.

    `opening` is θ of the tree; 0 takes all pairs, None the faster of the two (with θ = OPENING). `strict` takes IEEE's
    square root and division instead of the quick inverse cube. Either gives the same bits on every machine.
    """
    problems = []
    if not math.isfinite(G):
        problems.append(Problem("attraction.G", f"{G} is not a finite number", "Give a constant in N m²/kg²."))
    if not 0.0 <= softening < 1e75:
        problems.append(Problem("attraction.softening", f"{softening} m is no length", "Give 0 or more, below 1e75 m."))
    if opening is not None and not 0.0 <= opening <= COARSEST:
        remedy = f"Give a number up to {COARSEST:g} (0.5 is usual; the smaller, the more accurate), or 0 for no tree."
        problems.append(Problem("attraction.opening", f"{opening} is not between 0 and {COARSEST:g}", remedy))
    if problems:
        raise SceneError(problems)
    if opening is None:
        opening = OPENING if n >= CROSSOVER else 0.0
    soft, flavour = softening * softening, (1.0,) if strict else ()
    if opening == 0.0:
        return Direct(G, soft, flavour, *columns(7, n))
    leaves = max(1, -(-n // int(LEAF)))
    nodes = 2 * leaves - 1
    first, of_leaves, left, far, near = (np.zeros(nodes, np.uint32) for _ in range(5))
    low, high, spot, moments = (np.zeros(width * nodes) for width in (4, 4, int(SPOT), int(MOMENTS)))
    x, y, z, mass, ax, ay, az = columns(7, n)
    rows = np.zeros(4 * leaves * int(LEAF))
    return Tree(
        *(G, soft, flavour, opening),
        *(x, y, z, mass, ax, ay, az),
        *(rows, first, of_leaves, left, low, high, spot, moments, far, near),
    )


def add_attraction(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> None:
    """Add to the accelerations of the first n bodies what they do to each other; for kernels."""
    raise NotImplementedError


def attraction_energy(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J; for kernels."""
    raise NotImplementedError


def _offer(stub: Any, direct: Any, by_tree: Any) -> None:
    """Let Numba choose between the two by the type of the attraction."""

    def choose(dim: Any, attraction: Any, place: Any, accel: Any, n: Any) -> Any:
        return (direct if attraction.instance_class is Direct else by_tree).py_func

    options: Any = INLINE
    overload(stub, jit_options=options, strict=False)(choose)


_offer(add_attraction, add_direct, add_tree)
_offer(attraction_energy, energy_direct, energy_tree)


@kernel
def potential_energy(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J; for Python."""
    return attraction_energy(dim, attraction, place, accel, n)
