"""Lattices that fit a box: sites for balls that do not touch each other.

Rows are parallel to the sides of the box, and the cell may be stretched a little along each side, so that there is a
lattice for any number of sites and any box. Triangular and square lattices are tried in two dimensions; face-centred,
body-centred and simple cubic ones in three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from carom import numerics

__all__ = ["DENSEST", "Lattice", "densest_count", "widest"]

FloatArray = NDArray[np.float64]

DENSEST = {2: math.pi / math.sqrt(12.0), 3: math.pi / math.sqrt(18.0)}
"""The densest packing fraction of equal balls: triangular (2D), face-centred cubic (3D)."""

_WINDOW, _NARROW_WINDOW = 4, 2  # cells around the ideal number that are tried along each side of the box
_MIN_NARROW = 64  # sites in space from which the narrow window is used, as the wide search would be slow


@dataclass(frozen=True)
class _Shape:
    """A lattice in units of its cell: sites of one cell, and steps from a site to its neighbours."""

    basis: FloatArray
    steps: FloatArray
    proportions: tuple[float, ...]


def _shape(basis: Sequence[tuple[float, ...]], near: tuple[float, ...], proportions: tuple[float, ...]) -> _Shape:
    axes = np.eye(len(near))
    steps = np.concatenate([np.array(sorted(set(permutations(near)))), axes])
    return _Shape(np.array(basis), steps, proportions)


_CENTRED = [(0.0, 0.0), (0.5, 0.5)]
_FACE_CENTRED = [(0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)]
_BODY_CENTRED = [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5)]
_SHAPES = {
    2: (
        _shape(_CENTRED, (0.5, 0.5), (1.0, math.sqrt(3.0))),
        _shape(_CENTRED, (0.5, 0.5), (math.sqrt(3.0), 1.0)),
        _shape([(0.0, 0.0)], (1.0, 0.0), (1.0, 1.0)),
    ),
    3: (
        _shape(_FACE_CENTRED, (0.5, 0.5, 0.0), (1.0, 1.0, 1.0)),
        _shape(_BODY_CENTRED, (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)),
        _shape([(0.0, 0.0, 0.0)], (1.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
    ),
}


@dataclass(frozen=True)
class Lattice:
    """The sites of a lattice in a box.

    `spacing` is the least distance between two sites, periodic images included; a hard wall is at least half of it
    away. `extent` is the reach of the sites along each side in cells: the number of cells in a periodic box, the
    distance from the first site to the last one in a box with walls.
    """

    size: tuple[float, ...]
    periodic: bool
    basis: FloatArray
    extent: FloatArray
    spacing: float

    def sites(self) -> FloatArray:
        """The places of all sites, (M, d)."""
        return np.concatenate([self._sublattice(offset) for offset in self.basis])

    def _sublattice(self, offset: FloatArray) -> FloatArray:
        axes = [self._axis(axis, offset[axis]) for axis in range(len(self.size))]
        grids = np.meshgrid(*axes, indexing="ij")
        return np.stack([grid.ravel() for grid in grids], axis=1)

    def _axis(self, axis: int, offset: float) -> FloatArray:
        size, extent = self.size[axis], float(self.extent[axis])
        if self.periodic:
            return np.asarray((np.arange(round(extent)) + offset + 0.25) * (size / extent))
        steps = np.arange(math.floor(extent - offset) + 1) + offset
        if extent == 0.0:
            return np.full(len(steps), size / 2)
        return np.asarray(self.spacing / 2 + steps * ((size - self.spacing) / extent))


def densest_count(size: tuple[float, ...], spacing: float) -> int:
    """The number of sites `spacing` apart that the densest lattice would have in the volume of the box."""
    dimension = len(size)
    ball = math.pi * spacing**2 / 4 if dimension == 2 else math.pi * spacing**3 / 6
    return int(DENSEST[dimension] * math.prod(size) / ball)


def widest(size: tuple[float, ...], periodic: bool, count: int) -> Lattice | None:
    """The lattice with at least `count` sites in the box whose sites are furthest apart, or None."""
    best: Lattice | None = None
    for shape in _SHAPES[len(size)]:
        extents = _candidates(size, periodic, count, shape)
        if not len(extents):
            continue
        spacing = _spacing(size, periodic, extents, shape.steps)
        k = int(np.argmax(spacing))
        if best is None or spacing[k] > best.spacing:
            best = Lattice(size, periodic, shape.basis, extents[k], float(spacing[k]))
    return best


def _candidates(size: tuple[float, ...], periodic: bool, count: int, shape: _Shape) -> FloatArray:
    """Extents near the undistorted lattice of `count` sites that have at least `count` sites, (K, d)."""
    dimension = len(size)
    window = _NARROW_WINDOW if dimension == 3 and count > _MIN_NARROW else _WINDOW
    cell_volume = len(shape.basis) * math.prod(size) / count
    edge = (cell_volume / math.prod(shape.proportions)) ** (1.0 / dimension)
    step, least = (1.0, 1.0) if periodic else (0.5, 0.0)
    axes = []
    for length, proportion in zip(size, shape.proportions, strict=True):
        middle = round(length / (edge * proportion))
        around = np.arange(middle - window, middle + window + step / 2, step)
        axes.append(around[around >= least])
    extents = np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)
    return np.asarray(extents[_site_counts(extents, periodic, shape.basis) >= count])


def _site_counts(extents: FloatArray, periodic: bool, basis: FloatArray) -> FloatArray:
    if periodic:
        return np.asarray(len(basis) * extents.prod(axis=1))
    along = np.floor(extents[:, None, :] - basis[None, :, :]) + 1.0
    return np.asarray(along.clip(min=0.0).prod(axis=2).sum(axis=1))


def _spacing(size: tuple[float, ...], periodic: bool, extents: FloatArray, steps: FloatArray) -> FloatArray:
    """The least distance of sites for each extent, (K,)."""
    lengths = np.array(size)
    if periodic:
        edges = lengths / extents
        return np.asarray(np.min([np.sqrt(((edges * step) ** 2).sum(axis=1)) for step in steps], axis=0))
    widest_of_steps = [_walled_spacing(lengths, extents, step) for step in steps]
    return np.asarray(np.minimum(np.min(widest_of_steps, axis=0), lengths.min()))


def _walled_spacing(lengths: FloatArray, extents: FloatArray, step: FloatArray) -> FloatArray:
    """The distance s of two sites one step apart, if the sites begin and end s/2 from the walls, (K,).

    The cell has edges (L - s)/e, so s is the smaller root of sum c²(L - s)² = s² with c = step/e.
    """
    exists = (step <= extents).all(axis=1)
    ratio = (step / np.where(extents > 0.0, extents, 1.0)) ** 2
    a, b, c = ratio.sum(axis=1) - 1.0, numerics.product(ratio, lengths), numerics.product(ratio, lengths**2)
    discriminant = b**2 - a * c
    with np.errstate(invalid="ignore"):
        root = c / (b + np.sqrt(discriminant))
    return np.where(exists & (discriminant >= 0.0), root, np.inf)
