"""Find crossings and contacts of an outline with itself or another."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.errors import SceneError
from carom.scene.fields.base import fault
from carom.scene.fields.columns import Flags, Floats
from carom.scene.shapes.outline import Outline

Indices = NDArray[np.intp]
Point = NDArray[np.float64]

_BATCH_PAIRS = 2_000_000
MAX_PAIRS = 3_000_000
"""Largest number of pairs of edges to check, one or two seconds; most outlines have a few per edge."""
ARC_COST = 500
"""Cost of a pair with an arc, in pairs of straight edges."""
_SAME_CIRCLE = 1e-9
"""Arcs whose circles differ by less than this part of the radius lie on the same circle."""
_VERTEX_TOLERANCE = 1e-6
"""Neighbouring edges may meet within this part of their size from their common vertex, as the place of a tangent
contact is known only to the square root of the rounding error."""


def first_crossing(outline: Outline, other: Outline | None = None) -> tuple[int, int] | None:
    """The first two edges that cross or touch, if there are any.

    With one outline: of its edges, where neighbours may share their vertex. With two: an edge of each.
    """
    both = outline if other is None else _joined(outline, other)
    size = len(outline.start)
    work = 0
    for pair in box_pairs(*both.box):
        one, two, shared = _relevant(*pair, size, other is None)
        curved = int(np.count_nonzero((both.bulge[one] != 0.0) | (both.bulge[two] != 0.0)))
        work += len(one) + ARC_COST * curved
        if work > MAX_PAIRS:
            raise _entangled(size)
        crossings = _crossing_pairs(both, one, two, shared)
        if len(crossings):  # later batches are not needed
            one, two = crossings[np.lexsort(crossings.T[::-1])[0]].tolist()
            return one, two - (0 if other is None else size)
    return None


def box_pairs(lower: Floats, upper: Floats) -> Iterator[tuple[Indices, Indices]]:
    """All pairs of boxes that overlap or touch, in batches, by a sweep along the axis with fewer overlaps."""
    sweeps = [_sweep(lower[:, axis], upper[:, axis]) for axis in range(lower.shape[1])]
    order, counts = min(sweeps, key=lambda sweep: int(sweep[1].sum()))
    if counts.sum() > 2 * MAX_PAIRS:
        raise _entangled(len(order))
    batch = np.cumsum(counts) // _BATCH_PAIRS
    for rows in np.split(np.arange(len(order)), np.flatnonzero(np.diff(batch)) + 1):
        owner, member = expanded(rows + 1, counts[rows])
        one, other = order[rows[owner]], order[member]
        meet = ((lower[one] <= upper[other]) & (lower[other] <= upper[one])).all(axis=1)
        yield np.minimum(one, other)[meet], np.maximum(one, other)[meet]


def _entangled(count: int) -> SceneError:
    return fault("outline.tangled", where="vertices", count=count)


def expanded(starts: Indices, counts: Indices) -> tuple[Indices, Indices]:
    """Expand ranges [start, start + count): for each member the index of its range, and the member."""
    owner = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owner, starts[owner] + within


def _sweep(lower: Floats, upper: Floats) -> tuple[Indices, Indices]:
    """Order of intervals by their lower ends, and for each the number of later ones that it overlaps."""
    order = np.argsort(lower, kind="stable")
    counts = np.searchsorted(lower[order], upper[order], side="right") - np.arange(len(order)) - 1
    return order, counts


def _joined(one: Outline, other: Outline) -> Outline:
    return Outline(
        np.concatenate([one.start, other.start]),
        np.concatenate([one.end, other.end]),
        np.concatenate([one.bulge, other.bulge]),
    )


def _relevant(one: Indices, other: Indices, size: int, single: bool) -> tuple[Indices, Indices, Indices]:
    """The pairs to check, and their common vertices: bit 0 the end of the first edge, bit 1 its start."""
    if single:
        shared = (other == one + 1) + 2 * ((one == 0) & (other == size - 1))
        return one, other, shared.astype(np.intp)
    apart = (one < size) & (other >= size)
    return one[apart], other[apart], np.zeros(np.count_nonzero(apart), dtype=np.intp)


def _crossing_pairs(outline: Outline, one: Indices, other: Indices, shared: Indices) -> Indices:
    """The pairs of edges that meet other than at common vertices, as rows."""
    straight = (outline.bulge[one] == 0.0) & (outline.bulge[other] == 0.0)
    apart = straight & (shared == 0)
    meet = np.zeros(len(one), dtype=np.bool_)
    meet[apart] = _segments_meet(outline, one[apart], other[apart])
    beside = straight & (shared != 0)
    meet[beside] = _turn_back(outline, one[beside], other[beside])
    for index in np.flatnonzero(~straight).tolist():
        meet[index] = _curves_meet(outline, int(one[index]), int(other[index]), int(shared[index]))
    return np.stack([one[meet], other[meet]], axis=1)


def _segments_meet(outline: Outline, one: Indices, other: Indices) -> Flags:
    """Mask of straight edges that meet, given that their boxes overlap: each straddles the line of the other."""

    def astride(base: Indices, tested: Indices) -> Flags:
        chord, origin = outline.chord[base], outline.start[base]
        sides = [np.sign(_cross(chord, point[tested] - origin)) for point in (outline.start, outline.end)]
        result: Flags = sides[0] * sides[1] <= 0.0
        return result

    return astride(one, other) & astride(other, one)


def _turn_back(outline: Outline, one: Indices, other: Indices) -> Flags:
    """Mask of neighbouring straight edges that lie on each other."""
    chords = outline.chord[one], outline.chord[other]
    back: Flags = (_cross(*chords) == 0.0) & ((chords[0] * chords[1]).sum(axis=1) < 0.0)
    return back


def _cross(a: Floats, b: Floats) -> Floats:
    result: Floats = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return result


def _curves_meet(outline: Outline, i: int, j: int, shared: int) -> bool:
    """True if two edges, at least one of them an arc, meet other than at common vertices."""
    lower, upper = outline.box
    size = float((upper[[i, j]] - lower[[i, j]]).max())
    vertices = [outline.end[i]] * (shared & 1) + [outline.start[i]] * (shared >> 1)
    reach = _VERTEX_TOLERANCE * size
    points = _common_points(outline, i, j)
    return any(all(math.dist(point, vertex) > reach for vertex in vertices) for point in points)


def _common_points(outline: Outline, i: int, j: int) -> list[Point]:
    """The common points of two edges, at least one of them an arc."""
    if outline.bulge[i] == 0.0:
        i, j = j, i
    candidates = _circle_and_line(outline, i, j) if outline.bulge[j] == 0.0 else _circle_and_circle(outline, i, j)
    return [point for point in candidates if _on_arc(outline, i, point) and _on_arc(outline, j, point)]


def _on_arc(outline: Outline, k: int, point: Point) -> bool:
    """True if a point of the circle of edge k is on its arc; always true for a straight edge."""
    return outline.bulge[k] == 0.0 or bool(outline.side(k, point[None, :])[0] >= 0.0)


def _circle_and_line(outline: Outline, arc: int, edge: int) -> list[Point]:
    """Points of a straight edge on the circle of an arc: roots of |s + t d - c|² = R² with t from 0 to 1."""
    d, s = outline.chord[edge], outline.start[edge] - outline.centre[arc]
    a, b, ss = (float(numerics.product(*pair)) for pair in ((d, d), (d, s), (s, s)))
    c = ss - float(outline.radius[arc]) ** 2
    discriminant = b * b - a * c
    if discriminant < 0.0:
        return []
    roots = [(-b - math.sqrt(discriminant)) / a, (-b + math.sqrt(discriminant)) / a]
    return [outline.start[edge] + t * d for t in roots if 0.0 <= t <= 1.0]


def _circle_and_circle(outline: Outline, i: int, j: int) -> list[Point]:
    """Common points of the circles of two arcs; for equal circles, the ends and middles of the arcs."""
    between = outline.centre[j] - outline.centre[i]
    d, r, q = math.hypot(*between), float(outline.radius[i]), float(outline.radius[j])
    if d + abs(r - q) < _SAME_CIRCLE * r:
        return [point[k] for k in (i, j) for point in (outline.start, outline.end, outline.apex)]
    if not abs(r - q) <= d <= r + q:
        return []
    along = (d * d + r * r - q * q) / (2.0 * d)
    aside = math.sqrt(max(r * r - along * along, 0.0))
    unit = between / d
    normal = np.array([-unit[1], unit[0]])
    return [outline.centre[i] + along * unit + sign * aside * normal for sign in (-1.0, 1.0)]
