"""A lower bound of the distance from all forbidden regions, by one look into a grid, whatever their number.

A signed distance changes by no more than the distance moved. So the least one at the middle of a cell, less half the
cell's diagonal, is a bound for the whole cell. Most bodies in most steps are further from all regions than they move,
and need not be looked at any further.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.kernels.jit import Real, inline, kernel
from carom.physics.regions import OUTLINE, distance

CELLS: Final = {2: 64, 3: 20}
"""Cells along the longest side, by dimension: the table fits the fastest caches, and few bodies are near walls."""

MOST_LOOKS: Final = 50_000_000
"""Distances computed for a table, some tenths of a second; with more features than that allows, cells are larger."""


class Clearance(NamedTuple):
    """A grid over part of space: lower corner, cells per metre, per axis, per row and per layer; bounds, m."""

    low: tuple[float, float, float]
    fineness: float
    shape: tuple[float, float, float]
    stride: tuple[np.uint32, np.uint32]
    table: NDArray[np.float64]


def clearance_of(dimension: int, regions: Any, edges: Any, low: ArrayLike, high: ArrayLike) -> Clearance:
    """The grid over a box, usually that in which the bodies are at first; beyond it nothing is known."""
    corner, size = np.zeros(3), np.zeros(3)
    corner[:dimension] = np.asarray(low)[:dimension]
    size[:dimension] = np.asarray(high)[:dimension] - corner[:dimension]
    features = int(np.where(regions["kind"] == OUTLINE, regions["count"], 1).sum())
    cells = int(min(CELLS[dimension], (MOST_LOOKS / max(features, 1)) ** (1.0 / dimension)))
    longest = float(size.max())
    if not 0.0 < longest < np.inf:
        return Clearance((0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0), (np.uint32(0), np.uint32(0)), np.zeros(0))
    edge = longest / max(cells, 1)
    nx, ny, nz = (max(math.ceil(side / edge), 1) for side in size)
    x, y, z = corner.tolist()
    table = np.empty(nx * ny * nz)
    measure((0,) * dimension, regions, edges, (x, y, z), edge, (nx, ny, nz), table)
    shape = (float(nx), float(ny), float(nz))
    return Clearance((x, y, z), 1.0 / edge, shape, (np.uint32(nx), np.uint32(nx * ny)), table)


@kernel
def measure(dim: Any, regions: Any, edges: Any, low: Any, edge: Real, shape: Any, table: Any) -> None:
    """Fill the table: the least distance at the middle of each cell, less half its diagonal and some rounding."""
    (x, y, z), (nx, ny, nz) = low, shape
    half = 0.5 * edge * np.sqrt(float(len(dim))) * (1.0 + 1e-9)
    for cell in range(nx * ny * nz):
        i, j, k = cell % nx, (cell // nx) % ny, cell // (nx * ny)
        least = np.inf
        for row in range(len(regions)):
            d = distance(
                dim, regions, edges, np.uint32(row), x + (i + 0.5) * edge, y + (j + 0.5) * edge, z + (k + 0.5) * edge
            )
            least = min(least, d)
        table[cell] = least - half


@inline
def is_free(dim: Any, clearance: Any, x: Real, y: Real, z: Real, reach: Real) -> bool:
    """Is every region certainly farther away than `reach`?"""
    i = (x - clearance.low[0]) * clearance.fineness
    j = (y - clearance.low[1]) * clearance.fineness
    if not (i >= 0.0 and i < clearance.shape[0] and j >= 0.0 and j < clearance.shape[1]):
        return False
    cell = np.uint32(np.int32(j)) * clearance.stride[0] + np.uint32(np.int32(i))
    if len(dim) == 3:
        k = (z - clearance.low[2]) * clearance.fineness
        if not (k >= 0.0 and k < clearance.shape[2]):
            return False
        cell += np.uint32(np.int32(k)) * clearance.stride[1]
    return bool(clearance.table[np.uint32(cell)] > reach)
