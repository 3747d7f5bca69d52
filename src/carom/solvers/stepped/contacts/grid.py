"""Cells for pairs (M-15): bodies sorted into cells each step, and a walk over all pairs that could be near.

The n bodies are filed by a counting sort into cells of a given edge, rows of cells along x. Bodies of a row stand side
by side, so that the half stencil of a cell is one stretch of bodies to the right and one for each row above: two
stretches in 2D, five in 3D, walked in the order of memory. All pairs nearer than the edge are visited, each once (and
once for each image, on a periodic axis). The cost is O(n) for sorting and O(n k) for walking, where k is the number of
bodies in nine (27) cells. The edge must be at least the largest distance that matters: where radii differ, twice the
largest one. Small bodies among a few large ones are then many in a cell, and k grows as (R/r)^d.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, Real, inline, noinline

CELLS_PER_BODY = 4  # more cells than this, and walking the empty ones costs more than their emptiness saves
FEWEST_CELLS = 64
ITSELF = 13  # the image code of a body that stands where it is: 1 + 3 · 1 + 9 · 1


class Space(NamedTuple):
    """Where space begins along each axis and how long it is, if that is known (else its size is 0), and is it periodic?

    Positions of bodies on a periodic axis are in [low, low + size]. Along an axis of one or two cells a pair can be
    visited in more than one image; only the nearest images are (the period must be longer than the reach).
    """

    low: tuple[float, float, float]
    size: tuple[float, float, float]
    periodic: tuple[bool, bool, bool]


class Grid(NamedTuple):
    """Memory of the cells. `order` holds the bodies cell by cell (a place in it is a slot), in a cell by their number.

    The bodies of cell c = x + nx (y + ny z) are in the slots first[c] … first[c + 1] - 1.
    """

    first: NDArray[np.uint32]
    order: NDArray[np.uint32]
    cell: NDArray[np.uint32]  # of each body
    shape: NDArray[np.int64]  # nx, ny, nz
    frame: NDArray[np.float64]  # where the grid begins (3), and cells per metre (3)


def grid_memory(bodies: int) -> Grid:
    """Memory for a number of bodies at most."""
    return Grid(
        first=np.zeros(max(CELLS_PER_BODY * bodies, FEWEST_CELLS) + 2, np.uint32),
        order=np.zeros(bodies, np.uint32),
        cell=np.zeros(bodies, np.uint32),
        shape=np.ones(3, np.int64),
        frame=np.zeros(6),
    )


@inline
def wrapped(x: Real, low: Real, size: Real) -> Real:
    """The place in [low, low + size] of a body at x on a periodic axis."""
    return x - size * np.floor((x - low) / size)


@inline
def bounds(place: Any, n: Index, axis: Index) -> tuple[float, float]:
    """The least and the greatest coordinate of the bodies along an axis."""
    low, high = np.inf, -np.inf
    for i in range(n):
        x = place[np.uint32(i), axis]
        low, high = min(low, x), max(high, x)
    return low, high


@inline
def cells_along(extent: Real, edge: Real, periodic: bool) -> Real:
    """How many cells of at least this edge an axis has; a period holds a whole number of them."""
    if periodic:
        return max(np.floor(extent / edge), 1.0)
    return np.floor(extent / edge) + 1.0


@noinline
def lay_out(dim: Any, grid: Grid, space: Space, place: Any, n: Index, edge: Real) -> None:
    """Shape the grid: where space is open, over all bodies; with edges enlarged where there would be too many cells."""
    shape, frame = grid.shape, grid.frame
    lx, hx = (space.low[0], space.low[0] + space.size[0]) if space.size[0] > 0.0 else bounds(place, n, 0)
    ly, hy = (space.low[1], space.low[1] + space.size[1]) if space.size[1] > 0.0 else bounds(place, n, 1)
    lz, hz = 0.0, 0.0
    if len(dim) == 3:
        lz, hz = (space.low[2], space.low[2] + space.size[2]) if space.size[2] > 0.0 else bounds(place, n, 2)
    most = float(max(CELLS_PER_BODY * n, FEWEST_CELLS))
    extent = (hx - lx) + (hy - ly) + (hz - lz)
    if not extent < np.inf or not edge > 0.0:  # a body that is nowhere: one cell holds them all
        edge = np.inf
    while True:
        nx = cells_along(hx - lx, edge, space.periodic[0])
        ny = cells_along(hy - ly, edge, space.periodic[1])
        nz = cells_along(hz - lz, edge, space.periodic[2]) if len(dim) == 3 else 1.0
        if not nx * ny * nz > most:
            break
        edge *= 1.25
    if edge == np.inf:
        nx, ny, nz = 1.0, 1.0, 1.0
    shape[0], shape[1], shape[2] = np.int64(nx), np.int64(ny), np.int64(nz)
    frame[0], frame[1], frame[2] = lx, ly, lz
    frame[3] = nx / (hx - lx) if space.periodic[0] else 1.0 / edge
    frame[4] = ny / (hy - ly) if space.periodic[1] else 1.0 / edge
    frame[5] = (nz / (hz - lz) if space.periodic[2] else 1.0 / edge) if len(dim) == 3 else 0.0


@inline
def index_along(x: Real, low: Real, per_metre: Real, cells: Index) -> Index:
    """The number of the cell at x on an axis; what is beyond the grid, or nowhere, is in the outermost cell."""
    f = min((x - low) * per_metre, np.float64(cells - 1))
    return np.int64(f) if f > 0.0 else np.int64(0)


@inline
def file_bodies(dim: Any, grid: Grid, space: Space, place: Any, n: Index, edge: Real) -> None:
    """Sort the first n bodies into cells of at least this edge."""
    lay_out(dim, grid, space, place, n, edge)
    first, order, cell, frame = grid.first, grid.order, grid.cell, grid.frame
    nx, ny, nz = grid.shape[0], grid.shape[1], grid.shape[2]
    cells = nx * ny * nz
    first[: cells + 2] = 0
    for i in range(n):
        k = np.uint32(i)
        c = index_along(place[k, 0], frame[0], frame[3], nx)
        c += nx * index_along(place[k, 1], frame[1], frame[4], ny)
        if len(dim) == 3:
            c += nx * ny * index_along(place[k, 2], frame[2], frame[5], nz)
        cell[k] = c
        first[np.uint32(c + 2)] += np.uint32(1)
    total = np.uint32(0)
    for c in range(cells + 2):
        total += first[np.uint32(c)]
        first[np.uint32(c)] = total
    # Here first[c + 1] is where cell c begins; after the filling, where it ends and the next begins.
    for i in range(n):
        k = np.uint32(i)
        here = np.uint32(cell[k] + np.uint32(1))
        order[first[here]] = k
        first[here] += np.uint32(1)


@inline
def neighbour(k: Index, n: Index, periodic: bool) -> tuple[int, int]:
    """The number of the cell at k on an axis of n cells, and the period to add to it; -1 when there is none."""
    if k < 0:
        return (k + n, -1) if periodic else (-1, 0)
    if k >= n:
        return (k - n, 1) if periodic else (-1, 0)
    return k, 0


class NearRow(NamedTuple):
    """A cell, and a row of cells beside it."""

    own: Any  # is it the row of the cell itself?
    begin: Any  # slots of the cell's bodies
    end: Any
    x: Any  # number of the cell in its row
    first: Any  # the first cell of the other row
    period_y: Any  # periods to be added to the bodies of the other row
    period_z: Any


@inline
def walk(dim: Any, grid: Grid, space: Space, visit: Any, count: Any, parts: Any) -> Any:
    """Visit all pairs of slots in the same or adjacent cells: count = visit(dim, count, a, b, image, shift, parts).

    The partner of slot a is the body of slot b, moved by shift (sx, sy, sz). `visit` is a law, and what it returns is
    handed to the next visit, and returned at last. Along a periodic axis of one cell a body meets its own image too.
    """
    first = grid.first
    nx, ny, nz = grid.shape[0], grid.shape[1], grid.shape[2]
    rows = 2 if len(dim) == 2 else 5
    for cz in range(nz):
        for cy in range(ny):
            row = nx * (cy + ny * cz)
            for cx in range(nx):
                begin, end = first[np.uint32(row + cx)], first[np.uint32(row + cx + 1)]
                if begin == end:
                    continue
                for r in range(rows):
                    # The row itself, the one above; in the next layer below, beside and above.
                    y, iy = neighbour(cy + (r if r < 2 else r - 3), ny, space.periodic[1])
                    z, iz = neighbour(cz + (1 if r > 1 else 0), nz, space.periodic[2])
                    if y < 0 or z < 0:
                        continue
                    near = NearRow(r == 0, begin, end, cx, nx * (y + ny * z), iy, iz)
                    count = walk_row(dim, grid, space, visit, count, parts, near)
    return count


@inline
def walk_row(dim: Any, grid: Grid, space: Space, visit: Any, count: Any, parts: Any, near: NearRow) -> Any:
    """Visit the pairs of a cell with the cells near it in one row: those there, and those beyond the seam."""
    nx, cx = grid.shape[0], near.x
    seam = space.periodic[0] and (cx == 0 or cx == nx - 1)
    for ix in range(-1 if seam else 0, 2 if seam else 1):
        if ix == 0:
            left = cx if near.own else max(cx - 1, 0)
            right = min(cx + 1, nx - 1)
        elif ix < 0:
            if cx > 0 or near.own:
                continue
            left = right = nx - 1
        else:
            if cx < nx - 1:
                continue
            left = right = 0
        from_b, to_b = grid.first[np.uint32(near.first + left)], grid.first[np.uint32(near.first + right + 1)]
        if from_b == to_b:
            continue
        image = (ix + 1) + 3 * (near.period_y + 1) + 9 * (near.period_z + 1)
        shift = (ix * space.size[0], near.period_y * space.size[1], near.period_z * space.size[2])
        for a in range(near.begin, near.end):
            start = np.uint32(a + 1) if near.own and ix == 0 else from_b
            for b in range(start, to_b):
                count = visit(dim, count, np.uint32(a), np.uint32(b), image, shift, parts)
    return count


@inline
def shift_of(space: Space, image: Index) -> tuple[float, float, float]:
    """The shift that an image code stands for."""
    i = np.int64(image)
    return (
        (i % 3 - 1) * space.size[0],
        (i // 3 % 3 - 1) * space.size[1],
        (i // 9 - 1) * space.size[2],
    )
