"""Which walls are near which cell?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import kernel, noinline
from carom.physics.walls import BOWL, DOME, PLANE, SEGMENT
from carom.solvers.exact.kinds import NONE

Vector = tuple[float, float, float]


@noinline
def distance(wall: Any, x: float, y: float, z: float) -> float:
    """The distance of a point from a wall; for an arc, from its whole circle."""
    dx, dy, dz = x - wall.px, y - wall.py, z - wall.pz
    if wall.kind == PLANE:
        return abs(dx * wall.nx + dy * wall.ny + dz * wall.nz)
    if wall.kind == SEGMENT:
        along = min(max(dx * wall.tx + dy * wall.ty, 0.0), wall.length)
        return np.hypot(dx - along * wall.tx, dy - along * wall.ty)
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


@kernel
def meet(walls: Any, shape: Any, low: Any, edge: Any, reach: float, counts: Any, start: Any, near: Any) -> None:
    """Count the walls near each cell; write them into `near` too, unless that is empty."""
    half = 0.5 * np.sqrt(edge[0] ** 2 + edge[1] ** 2 + (edge[2] ** 2 if shape[2] > 1 else 0.0))
    for w in range(walls.size):
        wall = walls[w]
        x0, x1 = span(wall, 0, reach, low[0], edge[0], shape[0])
        y0, y1 = span(wall, 1, reach, low[1], edge[1], shape[1])
        z0, z1 = span(wall, 2, reach, low[2], edge[2], shape[2])
        for kz in range(z0, z1 + 1):
            z = low[2] + (kz + 0.5) * edge[2] if shape[2] > 1 else wall.pz
            for ky in range(y0, y1 + 1):
                y = low[1] + (ky + 0.5) * edge[1]
                for kx in range(x0, x1 + 1):
                    x = low[0] + (kx + 0.5) * edge[0]
                    if distance(wall, x, y, z) <= half + reach:
                        c = kx + shape[0] * (ky + shape[1] * kz)
                        if near.size > 0:
                            near[start[c] + counts[c]] = w
                        counts[c] += 1


def walls_by_cell(
    walls: NDArray[Any], shape: tuple[int, int, int], low: Vector, edge: Vector, reach: float
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """For each cell the start of its list (NONE if it has none), and the lists, each ended by NONE."""
    if not walls.size:
        return np.zeros(0, np.uint32), np.zeros(0, np.uint32)
    cells = shape[0] * shape[1] * shape[2]
    counts = np.zeros(cells, np.int64)
    start = np.zeros(cells, np.int64)
    near = np.zeros(0, np.uint32)
    reach = reach * (1.0 + 1e-9) + float(walls["slack"].max(initial=0.0))
    meet(walls, shape, low, edge, reach, counts, start, near)
    lengths = np.where(counts > 0, counts + 1, 0)
    start = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    near = np.full(int(lengths.sum()), NONE, np.uint32)
    has = counts > 0
    counts[:] = 0
    meet(walls, shape, low, edge, reach, counts, start, near)
    return np.where(has, start, NONE).astype(np.uint32), near
