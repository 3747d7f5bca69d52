"""Find overlapping balls by sorted cells, with one size of cells per size of balls, without a loop over balls.

Balls are put in classes by powers of two of their radius. Each class has cells as wide as its largest ball, and the
balls of its own and of all smaller classes are searched in them, so that a few large balls among many small ones cost
little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from carom.scene.fields.columns import Flags, Floats
from carom.scene.shapes.crossings import expanded

Indices = NDArray[np.int64]

TOLERANCE = 1e-9
"""Accepted overlap, as a part of the contact distance: balls that touch may overlap by rounding."""
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Rounding error of a coordinate, as a part of it."""
MAX_OVERLAPS = 100_000
"""Number of overlaps after which the search stops."""

_BATCH_CANDIDATES = 250_000
_MAX_GRID = 2**20


@dataclass(frozen=True, eq=False)
class BallImages:
    """Balls, or periodic images of balls: position, radius, whether fixed, and the number of the ball."""

    position: Floats
    radius: Floats
    fixed: Flags
    number: Indices

    def __len__(self) -> int:
        return len(self.number)

    def __getitem__(self, which: NDArray[np.bool_ | np.int64]) -> BallImages:
        return BallImages(self.position[which], self.radius[which], self.fixed[which], self.number[which])


def overlapping_pairs(bodies: BallImages, periods: Sequence[float]) -> tuple[Indices, bool]:
    """Pairs of overlapping balls of which at least one moves, as sorted rows, and whether these are all.

    `periods` has the period of each axis, infinite if it is not periodic.
    """
    batches, found = [np.empty((0, 2), dtype=np.int64)], 0
    for pairs in _overlaps(bodies, np.asarray(periods, dtype=np.float64)):
        batches.append(pairs)
        found += len(pairs)
        if found >= MAX_OVERLAPS:
            break
    pairs = np.sort(np.concatenate(batches), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0), found < MAX_OVERLAPS


def _overlaps(bodies: BallImages, periods: Floats) -> Iterator[Indices]:
    """Overlapping pairs, class by class; across a seam a pair may come twice."""
    sizes = np.where(bodies.radius > 0.0, np.frexp(bodies.radius)[1], np.iinfo(np.int32).min)
    for size in np.unique(sizes[bodies.radius > 0.0]):
        own, smaller = sizes == size, sizes < size
        cell = 2.0 * float(bodies.radius[own].max())
        moving, held = bodies[own & ~bodies.fixed], bodies[own & bodies.fixed]
        at_seams = moving[_at_seams(moving, periods, cell)]
        yield from _within(moving, cell)
        yield from _between(at_seams, _images(at_seams, periods, cell), cell)
        if smaller.any() and len(moving):
            yield from _between(bodies[smaller], _with_images(moving, periods, cell), cell)
        if len(held):
            yield from _between(bodies[(own | smaller) & ~bodies.fixed], _with_images(held, periods, cell), cell)


def _within(bodies: BallImages, cell: float) -> Iterator[Indices]:
    """Overlaps within one class: for each ball, the cells after its own are searched."""
    if len(bodies) < 2:
        return
    keys, steps = _keys(bodies.position, cell)
    order = np.argsort(keys)
    keys, ordered = keys[order], bodies[order]
    behind = np.arange(1, len(keys) + 1)
    yield from _overlaps_in_ranges(ordered, ordered, behind, np.searchsorted(keys, keys + 1, side="right"))
    for step in _row_steps(steps):
        if step > 0:
            yield from _overlaps_in_ranges(ordered, ordered, *_row(keys, keys + step))


def _between(queries: BallImages, targets: BallImages, cell: float) -> Iterator[Indices]:
    """Overlaps of queries with targets: for each query, all cells around its own are searched."""
    if len(targets) == 0:
        return
    lower, upper = targets.position.min(axis=0) - cell, targets.position.max(axis=0) + cell
    queries = queries[((queries.position >= lower) & (queries.position <= upper)).all(axis=1)]
    if len(queries) == 0:
        return
    keys, steps = _keys(np.concatenate([targets.position, queries.position]), cell)
    own, asked = keys[: len(targets)], keys[len(targets) :]
    by_key, by_asked = np.argsort(own), np.argsort(asked)
    own, asked, queries, targets = own[by_key], asked[by_asked], queries[by_asked], targets[by_key]
    for step in _row_steps(steps):
        yield from _overlaps_in_ranges(queries, targets, *_row(own, asked + step))


def _row(sorted_keys: Indices, centre: Indices) -> tuple[Indices, Indices]:
    """First and last index of the balls in three consecutive cells around each centre."""
    return (
        np.searchsorted(sorted_keys, centre - 1, side="left").astype(np.int64),
        np.searchsorted(sorted_keys, centre + 1, side="right").astype(np.int64),
    )


def _row_steps(steps: Sequence[int]) -> list[int]:
    """Steps from a row of cells to itself and to the adjacent rows, along all axes but the first."""
    return [
        sum(step * side for step, side in zip(steps[1:], sides, strict=True))
        for sides in product((-1, 0, 1), repeat=len(steps) - 1)
    ]


def _overlaps_in_ranges(queries: BallImages, targets: BallImages, first: Indices, last: Indices) -> Iterator[Indices]:
    """The overlapping pairs of each query with the targets from `first` to `last`, in batches."""
    counts = np.maximum(last - first, 0)
    some = np.flatnonzero(counts)
    batch = np.cumsum(counts[some]) // _BATCH_CANDIDATES
    for rows in np.split(some, np.flatnonzero(np.diff(batch)) + 1):
        for owner, member in _expanded_in_batches(first[rows], counts[rows]):
            query = rows[owner]
            deep = _overlap(queries, targets, query, member)
            if deep.any():
                yield np.stack([queries.number[query[deep]], targets.number[member[deep]]], axis=1)


def _expanded_in_batches(first: Indices, counts: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Expand ranges, long ones in pieces."""
    for start in range(0, int(counts.max(initial=0)), _BATCH_CANDIDATES):
        yield expanded(first + start, np.clip(counts - start, 0, _BATCH_CANDIDATES))


def _overlap(queries: BallImages, targets: BallImages, query: Indices, target: Indices) -> Flags:
    """Mask of pairs that overlap by more than the tolerance."""
    apart = np.zeros(len(query))
    for axis in range(queries.position.shape[1]):
        apart += (queries.position[query, axis] - targets.position[target, axis]) ** 2
    contact = queries.radius[query] + targets.radius[target]
    deep: Flags = apart < contact * contact
    near = np.flatnonzero(deep)
    largest = np.abs(queries.position[query[near]]).max(axis=1, initial=0.0)
    deep[near] = np.sqrt(apart[near]) < contact[near] * (1.0 - TOLERANCE) - ROUNDING * largest
    return deep


def _keys(position: Floats, cell: float) -> tuple[Indices, list[int]]:
    """A key for the cell of each position, and the step of keys between adjacent cells along each axis."""
    cells = np.floor((position - position.min(axis=0)) / cell)
    ranks = [_ranks(column) for column in cells.T]
    steps = [1]
    for rank in ranks:
        steps.append(steps[-1] * (int(rank.max()) + 2))
    if steps[-1] > np.iinfo(np.int64).max:
        return _keys(position, 2.0 * cell)
    keys = sum((rank * step for rank, step in zip(ranks, steps, strict=False)), np.zeros(len(position), dtype=np.int64))
    return keys, steps[:-1]


def _ranks(cells: Floats) -> Indices:
    """Numbers of cells along an axis, from 1; in a very wide grid, gaps are shortened."""
    if cells.max() < _MAX_GRID:
        return cells.astype(np.int64) + 1
    distinct, which = np.unique(cells, return_inverse=True)
    gaps = np.minimum(np.diff(distinct, prepend=distinct[0] - 1.0), 2.0)
    return np.cumsum(gaps).astype(np.int64)[which]


def _with_images(bodies: BallImages, periods: Floats, reach: float) -> BallImages:
    images = _images(bodies, periods, reach)
    return BallImages(
        np.concatenate([bodies.position, images.position]),
        np.concatenate([bodies.radius, images.radius]),
        np.concatenate([bodies.fixed, images.fixed]),
        np.concatenate([bodies.number, images.number]),
    )


def _at_seams(bodies: BallImages, periods: Floats, reach: float) -> Flags:
    """Mask of the balls within reach of a periodic border."""
    near = np.zeros(len(bodies), dtype=np.bool_)
    for axis in np.flatnonzero(np.isfinite(periods)):
        place = bodies.position[:, axis]
        near |= (place <= reach) | (place >= periods[axis] - reach)
    return near


def _images(bodies: BallImages, periods: Floats, reach: float) -> BallImages:
    """The images, across periodic borders, of balls that are within reach of them."""
    bodies = bodies[_at_seams(bodies, periods, reach)]
    axes = np.flatnonzero(np.isfinite(periods))
    position, which = [bodies.position[:0]], [np.empty(0, dtype=np.int64)]
    for sides in product((-1, 0, 1), repeat=len(axes)):
        if any(sides):
            moved = bodies.position.copy()
            moved[:, axes] += np.array(sides) * periods[axes]
            near = ((moved[:, axes] >= -reach) & (moved[:, axes] <= periods[axes] + reach)).all(axis=1)
            position.append(moved[near])
            which.append(np.flatnonzero(near))
    chosen = bodies[np.concatenate(which)]
    return BallImages(np.concatenate(position), chosen.radius, chosen.fixed, chosen.number)
