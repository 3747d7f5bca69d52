"""The balls that met within a step, found by cells.

Pairs are noted that come near each other, four at a time, and tried afterwards. A ball that moves so fast that cells
would have to be large looks along its whole path by itself.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels import simd
from carom.kernels.jit import Index, Real, inline, kernel, noinline, stage
from carom.solvers.stepped.contacts.grid import file_bodies
from carom.solvers.stepped.contacts.impacts import Touch, may_collide, pair_contact, resolve_pair, try_pair
from carom.solvers.stepped.contacts.order import meet_walls_first
from carom.solvers.stepped.forces.sum import between

FEW: Final = 64  # fast balls, each of which looks along its whole path; of more than so many, cells grow instead
PATIENCE: Final = 16  # collisions of one fast ball within a step
ROUND_UP: Final = 1.0 + 1e-12
FILLED, WIDER = 1.0, 1.3  # in a plane, cells grow up to so many bodies each, or so many times: empty ones cost too


# Entries of `ready`: has a search been made? how many fast balls; where the second half begins; how many pairs were
# found in the first half, and up to which body the room was enough; the same for the second.
SEARCHED, FAST, HALF, FOUND, UP_TO, FOUND_TOO, UP_TO_TOO = 0, 1, 2, 3, 4, 5, 6


class Pairs(NamedTuple):
    """Balls that can collide, and the grid to find them."""

    grid: Any
    space: Any
    lined: Any  # (4, N + 4): places in the order of cells, and how far out each touches
    close: Any  # pairs found near each other, uint64
    other: Any  # those of a second thread; empty where there is none
    ready: Any  # int64, see above
    limit: Any  # (1,): the speed above which a ball is fast, m/s
    fast: Any  # bodies that are too fast for cells, uint32
    quick: Any  # uint8: 1 for those
    linked: Any  # uint32: the part of each body, and WOVEN for corners of a cloth; empty: none is linked
    widest: float  # the largest radius, m


@inline
def line_up(dim: Any, dt: Real, bodies: Any, n: Index, pairs: Any) -> None:
    """Copy places into the order of the cells, each coordinate by itself, so that four can be read at once.

    And how far out each touches within the step: its radius, and as far as it moves (the next float up, for rounding).
    """
    place, velocity, lined = bodies.place, bodies.velocity, pairs.lined
    for k in range(n):
        at = np.uint64(k)
        i = np.uint64(pairs.grid.order[at])
        vv = 0.0
        for axis in range(len(dim)):
            lined[axis, at] = place[i, axis]
            vv += velocity[i, axis] * velocity[i, axis]
        lined[3, at] = (place[i, 3] + math.sqrt(vv) * dt) * ROUND_UP
    for k in range(n):
        bodies.since[np.uint64(k)] = dt


@inline
def note_near(dim: Any, k: Index, start: Index, stop: Index, periods: Any, pairs: Any, close: Any, found: Index) -> int:
    """Note the pairs of body k and bodies from start to stop, by their places in the order, that are near each other.

    Four at a time, and four even where there are fewer: whether two are near, and how many there are, cannot be
    guessed, and a wrong guess costs more than all else here.
    """
    lined, order = pairs.lined, pairs.grid.order
    at = np.uint64(k)
    q = np.int64(start)
    while True:
        dd = simd.spread(0.0)
        for axis in range(len(dim)):
            d = simd.read(lined[axis], np.uint64(q)) - simd.spread(lined[axis, at])
            if len(periods) > 0 and periods[axis] > 0.0:  # to the nearest image: |d| or what is left of the period
                d = max(d, simd.spread(0.0) - d)
                d = min(d, simd.spread(periods[axis]) - d)
            dd = dd + d * d
        reach = simd.read(lined[3], np.uint64(q)) + simd.spread(lined[3, at])
        bits = simd.equals(max(dd - reach * reach, simd.spread(0.0)), 0.0)
        left: Index = min(max(np.int64(stop) - q, 0), 4)
        bits &= (1 << left) - 1
        while bits != 0:
            j = np.uint64(q + simd.lowest_bit(bits))
            close[np.uint64(found)] = (np.uint64(order[at]) << np.uint64(32)) | np.uint64(order[j])
            found += 1
            bits &= bits - 1
        q += 4
        if q >= np.int64(stop):
            return int(found)


@inline
def try_all(dim: Any, step: Any, walls: Any, pairs: Any, close: Any, found: Index, fast: Index) -> None:
    """Try the pairs noted, in their order. Fast balls look for themselves."""
    quick, linked = pairs.quick, pairs.linked
    for q in range(found):
        pair = close[np.uint64(q)]
        i, j = pair >> np.uint64(32), pair & np.uint64(0xFFFFFFFF)
        if fast == 0 or quick[i] | quick[j] == 0:
            try_pair(dim, step, walls, linked, i, j)


@inline
def beyond_seam(dim: Any, shape: Any, periods: Any, c: Index, o: Index) -> Index:
    """The cell at offset o of cell c, if the seam of a periodic axis is between them; else -1."""
    nx, ny, nz = shape[0], shape[1], shape[2]
    cx, cy, cz = c % nx, c // nx % ny, c // (nx * ny)
    x, y, z = cx + o % 3 - 1, cy + o // 3 % 3 - 1, cz + (o // 9 - 1 if len(dim) == 3 else 0)
    inside = 0 <= x < nx and 0 <= y < ny and 0 <= z < nz
    closed = (
        ((x < 0 or x >= nx) and (periods[0] == 0.0 or nx < 3))
        or ((y < 0 or y >= ny) and (periods[1] == 0.0 or ny < 3))
        or ((z < 0 or z >= nz) and (periods[2] == 0.0 or nz < 3))
    )
    return -1 if inside or closed else (x + nx) % nx + nx * ((y + ny) % ny + ny * ((z + nz) % nz))


@inline
def is_edgy(dim: Any, shape: Any, c: Index) -> bool:
    """Is cell c one of the outermost?"""
    nx, ny, nz = shape[0], shape[1], shape[2]
    cx, cy, cz = c % nx, c // nx % ny, c // (nx * ny)
    return bool(cx == 0 or cx == nx - 1 or cy == 0 or cy == ny - 1 or (len(dim) == 3 and (cz == 0 or cz == nz - 1)))


@inline
def try_cells(dim: Any, step: Any, walls: Any, pairs: Any, c: Index, other: Index, fast: Index) -> None:
    """Try all pairs of bodies of two cells."""
    first, order, quick, linked = pairs.grid.first, pairs.grid.order, pairs.quick, pairs.linked
    for k in range(first[np.uint64(c)], first[np.uint64(c + 1)]):
        i = np.uint64(order[np.uint64(k)])
        for q in range(first[np.uint64(other)], first[np.uint64(other + 1)]):
            j = np.uint64(order[np.uint64(q)])
            if fast == 0 or quick[i] | quick[j] == 0:
                try_pair(dim, step, walls, linked, i, j)


@noinline
def across_seams(dim: Any, step: Any, walls: Any, pairs: Any, fast: Index) -> None:
    """Pairs of cells that are side by side only across the seam of a periodic axis; each pair of cells once."""
    first, shape = pairs.grid.first, pairs.grid.shape
    for c in range(shape[0] * shape[1] * shape[2]):
        if first[np.uint64(c)] == first[np.uint64(c + 1)] or not is_edgy(dim, shape, c):
            continue
        for o in range(27 if len(dim) == 3 else 9):
            other = beyond_seam(dim, shape, step.periods, c, o)
            if other >= c:
                try_cells(dim, step, walls, pairs, c, other, fast)


@inline
def try_seams(dim: Any, step: Any, periods: Any, walls: Any, pairs: Any, fast: Index) -> None:
    """Try the pairs across seams, if space is periodic."""
    if len(periods) > 0:
        across_seams(dim, step, walls, pairs, fast)


@inline
def path_contact(dim: Any, step: Any, linked: Any, dt: Real, i: Index, j: Index) -> float:
    """How long before the end of the step balls i and j touched, s; -1 if not within dt on their present paths."""
    if not may_collide(linked, i, j):
        return -1.0
    bodies = step.bodies
    apart = between(dim, step.periods, bodies.place, i, j)
    return pair_contact(dim, min(dt, abs(bodies.since[j])), i, j, apart, bodies)


@inline
def earliest_in_row(dim: Any, step: Any, pairs: Any, dt: Real, i: Index, row: Index, best: Any) -> tuple[int, float]:
    """Look as `earliest` does among the slow balls in a row of cells; `best` is the first (ball, time) so far."""
    partner, when = best
    first, order = pairs.grid.first, pairs.grid.order
    for cx in range(pairs.grid.shape[0]):
        if not comes_near(step, pairs.grid, dt, i, 0, cx):
            continue
        for q in range(first[np.uint64(row + cx)], first[np.uint64(row + cx + 1)]):
            j = np.uint64(order[np.uint64(q)])
            if pairs.quick[j] == 0:
                tau = path_contact(dim, step, pairs.linked, dt, i, j)
                if tau > when:
                    partner, when = int(j), tau
    return partner, when


@inline
def comes_near(step: Any, grid: Any, dt: Real, i: Index, axis: Index, cell: Index) -> bool:
    """Does the path of body i within dt come near a layer of cells across an axis? In periodic space, perhaps."""
    if len(step.periods) > 0 or grid.shape[axis] == 1:
        return True
    edge = 1.0 / grid.frame[3 + axis]
    end = step.bodies.place[i, axis]
    start = end - step.bodies.velocity[i, axis] * dt
    low = grid.frame[axis] + (cell - 1) * edge
    return bool(max(start, end) >= low and min(start, end) <= low + 3.0 * edge)


@inline
def earliest(dim: Any, step: Any, pairs: Any, dt: Real, f: Index, fast: Index) -> tuple[int, float]:
    """The ball that the fast ball number f touched first within dt, and how long before the end; -1 if none."""
    i = np.uint64(pairs.fast[np.uint64(f)])
    best, when = -1, -1.0
    for k in range(fast):
        if k != f:
            tau = path_contact(dim, step, pairs.linked, dt, i, np.uint64(pairs.fast[np.uint64(k)]))
            if tau > when:
                best, when = int(pairs.fast[np.uint64(k)]), tau
    # The cells in the box round the path, and those beside them: a ball in them may have come from half a cell away.
    count = pairs.grid.shape
    for cz in range(count[2]):
        if len(dim) < 3 or comes_near(step, pairs.grid, dt, i, 2, cz):
            for cy in range(count[1]):
                if comes_near(step, pairs.grid, dt, i, 1, cy):
                    row = count[0] * (cy + count[1] * cz)
                    best, when = earliest_in_row(dim, step, pairs, dt, i, row, (best, when))
    return best, when


@inline
def is_fast(dim: Any, velocity: Any, i: Index, limit: Real) -> bool:
    """Is body i faster than a limit?"""
    vv = 0.0
    for axis in range(len(dim)):
        vv += velocity[i, axis] * velocity[i, axis]
    return bool(vv > limit * limit)


@inline
def follow_fast(dim: Any, step: Any, walls: Any, pairs: Any, f: Index, fast: Index) -> int:
    """The collisions of a fast ball, one after the other along its path; gives how many fast ones there are now.

    A ball that it makes fast is chased after it.
    """
    bodies, limit = step.bodies, pairs.limit[0]
    i = np.uint64(pairs.fast[np.uint64(f)])
    left = abs(bodies.since[i])
    for _ in range(PATIENCE):
        partner, tau = earliest(dim, step, pairs, left, f, fast)
        if len(walls) > 0 and meet_walls_first(dim, step, walls, i, tau):
            left = abs(bodies.since[i])
            continue
        if partner < 0:
            break
        j = np.uint64(partner)
        if len(walls) > 0 and meet_walls_first(dim, step, walls, j, tau):
            continue
        resolve_pair(dim, step, Touch(i, j, between(dim, step.periods, bodies.place, i, j), tau))
        left = tau * (1.0 - 1e-9)
        if pairs.quick[j] == 0 and is_fast(dim, bodies.velocity, j, limit):
            pairs.quick[j] = 1
            pairs.fast[np.uint64(fast)] = np.uint32(j)
            fast += 1
    return int(fast)


@noinline
def list_fast(dim: Any, pairs: Any, velocity: Any, n: Index, limit: Real) -> int:
    """List the bodies that are faster than a limit; gives how many."""
    fast = 0
    for k in range(n):
        quick = is_fast(dim, velocity, np.uint64(k), limit)
        pairs.quick[np.uint64(k)] = quick
        if quick:
            pairs.fast[np.uint64(fast)] = np.uint32(k)
            fast += 1
    return fast


@inline
def cell_edge(dim: Any, space: Any, n: Index, least: Real) -> float:
    """The edge of the cells for n bodies: a little more than needed where most cells would be empty."""
    area = space.size[0] * space.size[1]
    if len(dim) == 3 or not area > 0.0:
        return float(least)
    return float(max(least, min(math.sqrt(FILLED * area / n), WIDER * least)))


@kernel
def sort_bodies(dim: Any, dt: Real, clock: Any, bodies: Any, pairs: Any) -> None:
    """Sort the bodies into cells, list the fast ones, and line all up for the search."""
    n, grid = clock.bodies, pairs.grid
    sigma = 2.0 * pairs.widest
    sweep = 2.0 * math.sqrt(clock.fastest) * dt
    room = min(sweep, sigma)
    while True:
        file_bodies(dim, grid, pairs.space, bodies.place, n, cell_edge(dim, pairs.space, n, sigma + room))
        edge = 1.0 / max(grid.frame[3], grid.frame[4], grid.frame[5])
        limit = 0.5 * (edge - sigma) / dt
        fast = list_fast(dim, pairs, bodies.velocity, n, limit) if sweep > edge - sigma else 0
        if fast <= FEW:
            break
        if grid.shape[0] * grid.shape[1] * grid.shape[2] == 1:  # all are near each other
            fast = 0
            break
        room = 2.0 * max(room, edge - sigma, sigma)  # many fast ones: let the cells grow instead
    pairs.ready[FAST], pairs.limit[0] = fast, limit
    line_up(dim, dt, bodies, n, pairs)


@kernel
def search(dim: Any, begin: Index, end: Index, periods: Any, pairs: Any, close: Any) -> tuple[int, int]:
    """Note the pairs of bodies from begin to end, in the order of cells, that come near a later one.

    Gives how many there are, and up to which body the room for them was enough.
    """
    grid = pairs.grid
    first = grid.first
    nx: Index = grid.shape[0]
    ny: Index = grid.shape[1]
    cells = nx * ny * grid.shape[2]
    found: Index = 0
    row, cy = np.int64(-nx), np.int64(-1)  # the first cell of the body's row; the number of the row in its layer
    for k in range(begin, end):
        if found > close.size // 2:
            return int(found), int(k)
        c: Index = np.int64(grid.cell[np.uint64(grid.order[np.uint64(k)])])
        if c >= row + nx:
            row = c // nx * nx
            cy = c // nx % ny
        low, high = max(c - 1, row), min(c + 1, row + nx - 1)
        found = note_near(dim, k, k + 1, first[np.uint64(high + 1)], periods, pairs, close, found)
        if cy + 1 < ny:
            start, stop = first[np.uint64(low + nx)], first[np.uint64(high + nx + 1)]
            found = note_near(dim, k, start, stop, periods, pairs, close, found)
        if len(dim) == 3 and row + nx * ny < cells:
            for y in range(-1 if cy > 0 else 0, 2 if cy + 1 < ny else 1):
                up = nx * (ny + y)
                start, stop = first[np.uint64(low + up)], first[np.uint64(high + up + 1)]
                found = note_near(dim, k, start, stop, periods, pairs, close, found)
    return int(found), int(end)


@inline
def try_shared(dim: Any, step: Any, walls: Any, pairs: Any, fast: Index) -> Index:
    """Try the pairs that two threads have found, and those of the first half that they had no room for.

    Gives up to which body all is tried.
    """
    ready = pairs.ready
    try_all(dim, step, walls, pairs, pairs.close, ready[FOUND], fast)
    k = ready[UP_TO]
    while k < ready[HALF]:
        found, k = search(dim, k, ready[HALF], step.periods, pairs, pairs.close)
        try_all(dim, step, walls, pairs, pairs.close, found, fast)
    try_all(dim, step, walls, pairs, pairs.other, ready[FOUND_TOO], fast)
    ready[SEARCHED] = 0
    return ready[UP_TO_TOO]


@stage
def collide(dim: Any, step: Any, walls: Any, pairs: Any) -> None:
    """All collisions of balls within a step.

    Two threads may have searched beforehand, each for half of the bodies; the order of pairs is the same.
    """
    n, ready = step.clock.bodies, pairs.ready
    k: Index = np.int64(0)
    if n < 2:
        return
    if ready[SEARCHED] == 0:
        sort_bodies(dim, step.dt, step.clock, step.bodies, pairs)
    fast = ready[FAST]
    if ready[SEARCHED] == 1:
        k = try_shared(dim, step, walls, pairs, fast)
    while k < n:
        found, k = search(dim, k, n, step.periods, pairs, pairs.close)
        try_all(dim, step, walls, pairs, pairs.close, found, fast)
    try_seams(dim, step, step.periods, walls, pairs, fast)
    chased = 0
    while chased < fast:
        fast = follow_fast(dim, step, walls, pairs, chased, fast)
        chased += 1
