"""Which balls met within a step, found by cells.

Pairs are noted that come near each other, four at a time, and tried afterwards. A ball that moves so fast that cells
would have to be large looks along its whole path by itself.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels import simd
from carom.kernels.jit import Index, Real, inline, kernel, noinline, stage
from carom.solvers.stepped.contacts.grid import file_bodies
from carom.solvers.stepped.contacts.impacts import may_collide, met, part, test
from carom.solvers.stepped.contacts.order import walls_first
from carom.solvers.stepped.forces.sum import between

FEW: Final = 64  # fast balls, each of which looks along its whole path; of more than so many, cells grow instead
PATIENCE: Final = 16  # collisions of one fast ball within a step
ROUND_UP: Final = 1.0 + 1e-12
FILLED, WIDER = 1.0, 1.3  # in a plane, cells grow up to so many bodies each, or so many times: empty ones cost too


# Entries of `ready`: has a search been made? how many fast balls; where the second half begins; how many pairs were
# found in the first half, and up to which body the room was enough; the same for the second.
SEARCHED, FAST, HALF, FOUND, UP_TO, FOUND_TOO, UP_TO_TOO = 0, 1, 2, 3, 4, 5, 6


class Pairs(NamedTuple):
    """Who can collide, and the grid to find them."""

    grid: Any
    space: Any
    lined: Any  # (4, N + 4): places in the order of cells, and how far out each touches
    close: Any  # pairs found near each other, uint64
    other: Any  # those of a second thread; empty where there is none
    ready: Any  # int64, see above
    limit: Any  # (1,): the speed above which a ball is fast, m/s
    fast: Any  # bodies that are too fast for cells, uint32
    quick: Any  # uint8: 1 for those
    linked: Any  # uint32: the part of each body, and WOVEN for corners of a cloth; empty: nobody is linked
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
def near(dim: Any, k: Index, start: Index, stop: Index, periods: Any, pairs: Any, close: Any, found: Index) -> int:
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
def try_all(
    dim: Any, t: Real, dt: Real, close: Any, found: Index, fast: Index, clock: Any, bodies: Any, periods: Any,
    setting: Any, walls: Any, pairs: Any, logs: Any,
) -> None:  # fmt: skip
    """Try the pairs noted, in their order. Fast ones look for themselves."""
    for q in range(found):
        pair = close[np.uint64(q)]
        i, j = pair >> np.uint64(32), pair & np.uint64(0xFFFFFFFF)
        if fast == 0 or pairs.quick[i] | pairs.quick[j] == 0:
            test(dim, t, dt, i, j, clock, bodies, periods, setting, walls, pairs.linked, logs)


@noinline
def across_seams(
    dim: Any, t: Real, dt: Real, fast: Index, clock: Any, bodies: Any, periods: Any, setting: Any, walls: Any,
    pairs: Any, logs: Any,
) -> None:  # fmt: skip
    """Pairs of cells that are side by side only across the seam of a periodic axis; each pair of cells once."""
    first, order, shape = pairs.grid.first, pairs.grid.order, pairs.grid.shape
    nx, ny, nz = shape[0], shape[1], shape[2]
    for c in range(nx * ny * nz):
        begin, end = first[np.uint64(c)], first[np.uint64(c + 1)]
        cx, cy, cz = c % nx, c // nx % ny, c // (nx * ny)
        edgy = cx == 0 or cx == nx - 1 or cy == 0 or cy == ny - 1 or (len(dim) == 3 and (cz == 0 or cz == nz - 1))
        if begin == end or not edgy:
            continue
        for o in range(27 if len(dim) == 3 else 9):
            x, y, z = cx + o % 3 - 1, cy + o // 3 % 3 - 1, cz + (o // 9 - 1 if len(dim) == 3 else 0)
            inside = 0 <= x < nx and 0 <= y < ny and 0 <= z < nz
            closed = (
                ((x < 0 or x >= nx) and (periods[0] == 0.0 or nx < 3))
                or ((y < 0 or y >= ny) and (periods[1] == 0.0 or ny < 3))
                or ((z < 0 or z >= nz) and (periods[2] == 0.0 or nz < 3))
            )
            other = (x + nx) % nx + nx * ((y + ny) % ny + ny * ((z + nz) % nz))
            if inside or closed or other < c:
                continue
            for k in range(begin, end):
                i = np.uint64(order[np.uint64(k)])
                for q in range(first[np.uint64(other)], first[np.uint64(other + 1)]):
                    j = np.uint64(order[np.uint64(q)])
                    if fast == 0 or pairs.quick[i] | pairs.quick[j] == 0:
                        test(dim, t, dt, i, j, clock, bodies, periods, setting, walls, pairs.linked, logs)


@inline
def touched(dim: Any, dt: Real, i: Index, j: Index, bodies: Any, periods: Any, linked: Any) -> float:
    """How long before the end of the step balls i and j touched, s; -1 if not within dt on their present paths."""
    if not may_collide(linked, i, j):
        return -1.0
    dx, dy, dz = between(dim, periods, bodies.place, i, j)
    return met(dim, min(dt, abs(bodies.since[j])), i, j, dx, dy, dz, bodies)


@noinline
def earliest(dim: Any, dt: Real, f: Index, fast: Index, bodies: Any, periods: Any, pairs: Any) -> tuple[int, float]:
    """Whom the fast ball number f met first, and how long before the end of the step; -1 if nobody."""
    place, velocity = bodies.place, bodies.velocity
    grid, linked = pairs.grid, pairs.linked
    first, order, count = grid.first, grid.order, grid.shape
    i = np.uint64(pairs.fast[np.uint64(f)])
    best, when = -1, -1.0
    for k in range(fast):
        if k != f:
            tau = touched(dim, dt, i, np.uint64(pairs.fast[np.uint64(k)]), bodies, periods, linked)
            if tau > when:
                best, when = int(pairs.fast[np.uint64(k)]), tau
    # The cells in the box round the path, and those beside them: who is there may have come from half a cell away.
    wraps = len(periods) > 0
    for cz in range(count[2]):
        if not crosses(place, velocity, grid, i, 2, cz, dt, wraps, len(dim) == 3):
            continue
        for cy in range(count[1]):
            if not crosses(place, velocity, grid, i, 1, cy, dt, wraps, True):
                continue
            for cx in range(count[0]):
                if not crosses(place, velocity, grid, i, 0, cx, dt, wraps, True):
                    continue
                c = cx + count[0] * (cy + count[1] * cz)
                for q in range(first[np.uint64(c)], first[np.uint64(c + 1)]):
                    j = np.uint64(order[np.uint64(q)])
                    if pairs.quick[j] != 0:
                        continue
                    tau = touched(dim, dt, i, j, bodies, periods, linked)
                    if tau > when:
                        best, when = int(j), tau
    return best, when


@inline
def crosses(
    place: Any, velocity: Any, grid: Any, i: Index, axis: Index, cell: Index, dt: Real, wraps: bool, wanted: bool
) -> bool:
    """Does the path of body i within the step come near a layer of cells across an axis?"""
    if not wanted or wraps or grid.shape[axis] == 1:
        return True
    edge = 1.0 / grid.frame[3 + axis]
    end = place[i, axis]
    start = end - velocity[i, axis] * dt
    low = grid.frame[axis] + (cell - 1) * edge
    return bool(max(start, end) >= low and min(start, end) <= low + 3.0 * edge)


@inline
def is_fast(dim: Any, velocity: Any, i: Index, limit: Real) -> bool:
    """Is body i faster than a limit?"""
    vv = 0.0
    for axis in range(len(dim)):
        vv += velocity[i, axis] * velocity[i, axis]
    return bool(vv > limit * limit)


@noinline
def chase(
    dim: Any, t: Real, dt: Real, f: Index, fast: Index, limit: Real, clock: Any, bodies: Any, periods: Any,
    setting: Any, walls: Any, pairs: Any, logs: Any,
) -> int:  # fmt: skip
    """The collisions of a fast ball, one after the other along its path; gives how many fast ones there are now.

    Whom it makes fast is chased after it.
    """
    i = np.uint64(pairs.fast[np.uint64(f)])
    left = abs(bodies.since[i])
    for _ in range(PATIENCE):
        partner, tau = earliest(dim, left, f, fast, bodies, periods, pairs)
        if len(walls) > 0 and walls_first(dim, t, dt, i, tau, clock, bodies, setting, walls, logs):
            left = abs(bodies.since[i])
            continue
        if partner < 0:
            break
        j = np.uint64(partner)
        if len(walls) > 0 and walls_first(dim, t, dt, j, tau, clock, bodies, setting, walls, logs):
            continue
        dx, dy, dz = between(dim, periods, bodies.place, i, j)
        part(dim, t, dt, i, j, dx, dy, dz, tau, clock, bodies, setting, logs)
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
def look_round(dim: Any, dt: Real, clock: Any, bodies: Any, pairs: Any) -> None:
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
        found = near(dim, k, k + 1, first[np.uint64(high + 1)], periods, pairs, close, found)
        if cy + 1 < ny:
            start, stop = first[np.uint64(low + nx)], first[np.uint64(high + nx + 1)]
            found = near(dim, k, start, stop, periods, pairs, close, found)
        if len(dim) == 3 and row + nx * ny < cells:
            for y in range(-1 if cy > 0 else 0, 2 if cy + 1 < ny else 1):
                up = nx * (ny + y)
                start, stop = first[np.uint64(low + up)], first[np.uint64(high + up + 1)]
                found = near(dim, k, start, stop, periods, pairs, close, found)
    return int(found), int(end)


@stage
def collide(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, periods: Any, setting: Any, walls: Any, pairs: Any, logs: Any
) -> None:
    """All collisions of balls within a step that begins at t.

    Two threads may have searched beforehand, each for half of the bodies; the order of pairs is the same.
    """
    n, ready = clock.bodies, pairs.ready
    if n < 2:
        return
    k: Index = 0
    if ready[SEARCHED] == 0:
        look_round(dim, dt, clock, bodies, pairs)
    fast = ready[FAST]
    if ready[SEARCHED] == 1:
        try_all(dim, t, dt, pairs.close, ready[FOUND], fast, clock, bodies, periods, setting, walls, pairs, logs)
        k = ready[UP_TO]
        while k < ready[HALF]:
            found, k = search(dim, k, ready[HALF], periods, pairs, pairs.close)
            try_all(dim, t, dt, pairs.close, found, fast, clock, bodies, periods, setting, walls, pairs, logs)
        try_all(dim, t, dt, pairs.other, ready[FOUND_TOO], fast, clock, bodies, periods, setting, walls, pairs, logs)
        k = ready[UP_TO_TOO]
        ready[SEARCHED] = 0
    while k < n:
        found, k = search(dim, k, n, periods, pairs, pairs.close)
        try_all(dim, t, dt, pairs.close, found, fast, clock, bodies, periods, setting, walls, pairs, logs)
    if len(periods) > 0:
        across_seams(dim, t, dt, fast, clock, bodies, periods, setting, walls, pairs, logs)
    chased = 0
    while chased < fast:
        fast = chase(dim, t, dt, chased, fast, pairs.limit[0], clock, bodies, periods, setting, walls, pairs, logs)
        chased += 1
