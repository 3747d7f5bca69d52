"""A tree of bodies, in which far ones pull as a group: how it is built, and the masses and moments of its nodes.

The tree is binary: a node is cut across the longest edge of its box, in the middle, as nearly as whole leaves allow,
neither part having less than 1/SHARE of the leaves. So its memory and depth are bounded wherever the bodies are. With L
leaves it has 2 L - 1 nodes, numbered depth first: behind a node with l leaves the next that is not in it is 2 l - 1 on.
"""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels import simd
from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.stepped.attraction.columns import ONE, TILE, TWO, ZERO, Columns

LEAF = TILE  # bodies
SHARE = np.uint64(16)
MOST_ROUNDS = 64  # of a search for a median, after which any division will do
THREE, FOUR, FIVE, SIX, SEVEN = np.uint64(3), np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(7)
SPOT, MOMENTS = np.uint64(4), np.uint64(8)  # numbers in a row of these


class Tree(NamedTuple):
    """Attraction by a tree: its parameters, the bodies in the order of the leaves, and the nodes."""

    constant: float  # G, N m²/kg²
    soft: float  # ε², m²
    strict: tuple[float, ...]  # of one item: strict; of none: quick
    opening: float  # θ
    columns: Columns
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
    halted: Any  # of one number: 1 breaks sums off, as in `Direct`


# ---------------------------------------------------------------- shape


@inline
def partition(rows: Any, axis: Index, low: Index, high: Index, pivot: Real, equal: bool) -> Any:
    """Move rows below the pivot (or equal to it, if `equal`) to the front; gives where the others begin."""
    front = low
    for k in range(low, high):
        row, other = simd.read(rows, FOUR * k), simd.read(rows, FOUR * front)
        value = rows[FOUR * k + axis]
        simd.write(rows, FOUR * front, row)
        simd.write(rows, FOUR * k, other)
        front += np.uint64((value < pivot) | (equal & (value == pivot)))
    return front


@noinline
def select(rows: Any, axis: Index, low: Index, high: Index, middle: Index) -> None:
    """Order rows low … high - 1 so that none before `middle` is farther along the axis than any from there on."""
    for _ in range(MOST_ROUNDS):
        if high - low < TWO:
            break
        a, b, c = rows[FOUR * low + axis], rows[FOUR * middle + axis], rows[FOUR * (high - ONE) + axis]
        pivot = max(min(a, b), min(max(a, b), c))
        front = partition(rows, axis, low, high, pivot, False)
        if middle < front:
            high = front
        elif front > low:
            low = front
        else:  # the pivot is the least
            front = partition(rows, axis, low, high, pivot, True)
            if middle < front or front == low:  # nothing to choose between; or not a number
                break
            low = front


@inline
def write_box(dim: Any, rows: Any, low: Index, high: Index, lows: Any, highs: Any, node: Index) -> Any:
    """Write the box of rows low … high - 1; gives its longest axis."""
    least = simd.read(rows, FOUR * low)
    most = least
    for k in range(low + ONE, high):
        row = simd.read(rows, FOUR * k)
        least, most = min(least, row), max(most, row)
    simd.write(lows, FOUR * node, least)
    simd.write(highs, FOUR * node, most)
    axis, longest = 0, -1.0
    for k in range(len(dim)):
        edge = highs[FOUR * node + np.uint64(k)] - lows[FOUR * node + np.uint64(k)]
        if edge > longest:
            axis, longest = k, edge
    return np.uint64(axis)


@noinline
def build_nodes(dim: Any, tree: Any, n: Index) -> Any:
    """Order n rows into a tree, and write the boxes of its nodes; gives their number."""
    rows, first, leaves = tree.rows, tree.first, tree.leaves
    first[0], leaves[0] = ZERO, (n + LEAF - ONE) // LEAF
    nodes = TWO * np.uint64(leaves[0]) - ONE
    for node in range(ZERO, nodes):
        begin, count = np.uint64(first[node]), np.uint64(leaves[node])
        low, high = begin * LEAF, min((begin + count) * LEAF, n)
        axis = write_box(dim, rows, low, high, tree.low, tree.high, node)
        if count == ONE:
            continue
        a, b = tree.low[FOUR * node + axis], tree.high[FOUR * node + axis]
        front = partition(rows, axis, low, high, a + 0.5 * (b - a), False)
        least = max(count // SHARE, ONE)
        left = min(max((front - low + LEAF // TWO) // LEAF, least), count - least)
        middle = low + left * LEAF
        if middle < front:
            select(rows, axis, low, front, middle)
        elif middle > front:
            select(rows, axis, front, high, middle)
        tree.left[node] = left
        first[node + ONE], leaves[node + ONE] = begin, left
        first[node + TWO * left], leaves[node + TWO * left] = begin + left, count - left
    return nodes


# ---------------------------------------------------------------- masses and moments


@inline
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


@inline
def write_node(dim: Any, tree: Any, node: Index, m: Real, x: Real, y: Real, z: Real) -> None:
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


@noinline
def add_up_nodes(dim: Any, tree: Any, nodes: Index) -> None:
    """Write the masses, moments and reaches of all nodes, from the leaves up."""
    spot, moments, columns = tree.spot, tree.moments, tree.columns
    for back in range(ZERO, nodes):
        node = nodes - ONE - back
        s, q = SPOT * node, MOMENTS * node
        m, x, y, z = 0.0, 0.0, 0.0, 0.0
        if tree.leaves[node] == 1:
            begin = np.uint64(tree.first[node]) * LEAF
            for k in range(begin, begin + LEAF):
                w = columns.mass[k]
                m, x, y, z = m + w, x + w * columns.x[k], y + w * columns.y[k], z + w * columns.z[k]
            write_node(dim, tree, node, m, x, y, z)
            for k in range(begin, begin + LEAF):
                dx, dy, dz = columns.x[k] - spot[s], columns.y[k] - spot[s + ONE], columns.z[k] - spot[s + TWO]
                add_moments(dim, moments, q, columns.mass[k], dx, dy, dz)
        else:
            parts = (node + ONE, node + TWO * np.uint64(tree.left[node]))
            for part in parts:
                p, w = SPOT * part, moments[MOMENTS * part]
                m, x, y, z = m + w, x + w * spot[p], y + w * spot[p + ONE], z + w * spot[p + TWO]
            write_node(dim, tree, node, m, x, y, z)
            for part in parts:
                p = SPOT * part
                dx, dy, dz = spot[p] - spot[s], spot[p + ONE] - spot[s + ONE], spot[p + TWO] - spot[s + TWO]
                add_moments(dim, moments, q, moments[MOMENTS * part], dx, dy, dz)
                for k in range(ONE, SEVEN):
                    moments[q + k] += moments[MOMENTS * part + k]
        moments[q + SEVEN] = 0.5 * (moments[q + ONE] + moments[q + THREE] + moments[q + SIX])


@inline
def build_tree(dim: Any, tree: Any, place: Any, accel: Any, n: Index) -> Any:
    """Build the tree of the first n bodies, at least one; gives the number of its nodes."""
    rows, columns = tree.rows, tree.columns
    for i in range(ZERO, n):
        r = FOUR * i
        rows[r], rows[r + ONE] = place[i, 0], place[i, 1]
        rows[r + TWO] = place[i, 2] if len(dim) == 3 else 0.0
        rows[r + THREE] = float(i)
    nodes = build_nodes(dim, tree, n)
    for i in range(ZERO, (n + LEAF - ONE) // LEAF * LEAF):  # behind the last body, it stands again without mass
        r = FOUR * min(i, n - ONE)
        columns.x[i], columns.y[i], columns.z[i] = rows[r], rows[r + ONE], rows[r + TWO]
        columns.mass[i] = tree.constant * accel[np.uint64(rows[r + THREE]), 3] if i < n else 0.0
    add_up_nodes(dim, tree, nodes)
    return nodes
