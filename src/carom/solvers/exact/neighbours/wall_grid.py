"""Which walls are near which cell?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.walls import BOWL, DOME, PLANE, SEGMENT
from carom.solvers.exact.kinds import NONE

COUNT_ALL, COUNT_EACH, LIST = range(3)  # what `visit` does with a cell that a wall is near to


class WallGrid(NamedTuple):
    """Cells over a region."""

    low: Any  # where they begin, m
    edge: Any  # m
    shape: Any  # how many there are along each axis


@inline
def size_of_grid(grid: Any) -> int:
    """How many cells there are."""
    return int(grid.shape[0] * grid.shape[1] * grid.shape[2])


@noinline
def distance(wall: Any, x: float, y: float, z: float) -> float:
    """The distance of a point from a wall; for an arc, from its whole circle."""
    dx, dy, dz = x - wall.px, y - wall.py, z - wall.pz
    if wall.kind == PLANE:
        return abs(dx * wall.nx + dy * wall.ny + dz * wall.nz)
    if wall.kind == SEGMENT:
        along = min(max(dx * wall.tx + dy * wall.ty, 0.0), wall.length)
        ex, ey = dx - along * wall.tx, dy - along * wall.ty
        return np.sqrt(ex * ex + ey * ey)
    far = np.sqrt(dx * dx + dy * dy + dz * dz)
    return abs(far - wall.r) if wall.kind == BOWL or wall.kind == DOME else max(far - wall.r, 0.0)


@noinline
def span(wall: Any, axis: int, reach: float, low: float, edge: float, n: int) -> tuple[int, int]:
    """The range of cells on an axis that a wall may come near to."""
    place = wall.px if axis == 0 else (wall.py if axis == 1 else wall.pz)
    first, last = place - wall.r, place + wall.r
    if wall.kind == PLANE:
        across = wall.nx if axis == 0 else (wall.ny if axis == 1 else wall.nz)
        if across == 0.0:
            return 0, n - 1
    if wall.kind == SEGMENT and axis < 2:
        end = place + wall.length * (wall.tx if axis == 0 else wall.ty)
        first, last = min(place, end), max(place, end)
    a = np.floor((first - reach - low) / edge)
    b = np.floor((last + reach - low) / edge)
    return int(min(max(a, 0.0), n - 1.0)), int(min(max(b, 0.0), n - 1.0))


@inline
def farthest(walls: Any, reach: Real) -> float:
    """How near a wall must be to a cell to be listed there: the reach, and more than rounding can take away."""
    slack = 0.0
    for w in range(walls.size):
        slack = max(slack, walls[w].slack)
    return float(reach * (1.0 + 1e-9) + slack)


@noinline
def visit(walls: Any, w: Index, grid: Any, reach: Real, first: Any, near: Any, what: Index) -> int:
    """Find the cells that a wall is near to, and do with each what is wanted; gives their number.

    `first` is of the cells of the grid. A wall is listed in front of what was listed last.
    """
    wall, (low, edge, shape) = walls[w], grid
    half = 0.5 * np.sqrt(edge[0] ** 2 + edge[1] ** 2 + (edge[2] ** 2 if shape[2] > 1 else 0.0))
    x0, x1 = span(wall, 0, reach, low[0], edge[0], shape[0])
    y0, y1 = span(wall, 1, reach, low[1], edge[1], shape[1])
    z0, z1 = span(wall, 2, reach, low[2], edge[2], shape[2])
    found = 0
    for kz in range(z0, z1 + 1):
        z = low[2] + (kz + 0.5) * edge[2] if shape[2] > 1 else wall.pz
        for ky in range(y0, y1 + 1):
            y = low[1] + (ky + 0.5) * edge[1]
            for kx in range(x0, x1 + 1):
                x = low[0] + (kx + 0.5) * edge[0]
                if distance(wall, x, y, z) > half + reach:
                    continue
                found += 1
                c = kx + shape[0] * (ky + shape[1] * kz)
                if what == COUNT_EACH:
                    first[c] += 1
                elif what == LIST:
                    first[c] -= 1
                    near[first[c]] = w
    return found


@inline
def count_near(walls: Any, grid: Any, reach: Real, index: Any) -> int:
    """How many pairs there are of a wall and a cell near it."""
    reach, found = farthest(walls, reach), 0
    for w in range(walls.size):
        found += visit(walls, w, grid, reach, index.first, index.near, COUNT_ALL)
    return found


@inline
def list_near(walls: Any, grid: Any, reach: Real, index: Any, cell: Index, begin: Index) -> int:
    """List the walls near each cell of a grid, whose cells begin at `cell`: in `near` from `begin` on.

    Each list is ended by NONE, and begins where `first` says; NONE: there is none. Gives where the next may begin.
    """
    reach, count, near = farthest(walls, reach), size_of_grid(grid), index.near
    first = index.first[cell : cell + count]
    for c in range(count):
        first[c] = 0
    for w in range(walls.size):
        visit(walls, w, grid, reach, first, near, COUNT_EACH)
    for c in range(count):
        length = np.int64(first[c])
        first[c] = begin + length if length > 0 else NONE
        if length > 0:
            near[begin + length] = NONE
            begin += length + 1
    for w in range(walls.size):
        k = walls.size - 1 - w
        visit(walls, k, grid, reach, first, near, LIST)
    return begin
