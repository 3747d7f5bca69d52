"""Neighbours by cells: who could a ball touch before it leaves its cell?

Cells are a little larger than the largest contact distance, so that a partner is always in the same or an adjacent
cell. A cell is four words: three balls, and the next block of a crowded cell.
"""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, prefetch, select
from carom.kernels.simd import bits_set, copy_words
from carom.solvers.exact.kinds import ALL_AROUND, LEAVES_LIST, NONE, SEAM, axis_of, is_upper
from carom.solvers.exact.neighbours.candidate import BITS, ITSELF, named
from carom.solvers.exact.neighbours.expiry import flight_exit

ROOM = 3
NEXT = 3
WORDS = 4


@inline
def word(block: Index, k: Index) -> int:
    """Where word k of a block stands in the flat array."""
    return np.uint64(block) * np.uint64(WORDS) + np.uint64(k)  # type: ignore[return-value]  # unsigned spares a test


class Cells(NamedTuple):
    """A grid of cells over the region; the outermost cells of an axis that is not periodic reach to infinity."""

    slots: Any  # cells and spare blocks, four words each, uint32
    first: Any  # where the list of the walls near each cell begins; empty when there are no walls
    near: Any  # those lists, each ended by NONE
    shape: tuple[int, int, int]
    low: tuple[float, float, float]
    edge: tuple[float, float, float]
    size: tuple[float, float, float]
    periodic: tuple[bool, bool, bool]
    periods: Any


@inline
def cell_of(cells: Any, ball: Any) -> int:
    """The number of the cell that the ball is filed in."""
    return int(ball.cx + cells.shape[0] * (ball.cy + cells.shape[1] * ball.cz))


@inline
def enter(cells: Any, clock: Any, c: Index, i: Index) -> bool:
    """File ball i in cell c; False when a crowded cell finds no spare block."""
    if cells.slots[word(c, ROOM - 1)] != NONE:
        return enter_crowded(cells, clock, c, i)
    n = np.uint32(cells.slots[word(c, 0)] != NONE) + np.uint32(cells.slots[word(c, 1)] != NONE)
    cells.slots[word(c, n)] = i
    return True


@noinline
def enter_crowded(cells: Any, clock: Any, c: Index, i: Index) -> bool:
    """File ball i in a cell whose first block is full."""
    block = np.uint32(c)
    while True:
        for k in range(ROOM):
            if cells.slots[word(block, k)] == NONE:
                cells.slots[word(block, k)] = i
                return True
        following = cells.slots[word(block, NEXT)]
        if following == NONE:
            break
        block = following
    spare = clock.free_cell
    if spare == NONE:
        return False
    clock.free_cell = cells.slots[word(spare, NEXT)]
    cells.slots[word(spare, NEXT)] = NONE
    cells.slots[word(block, NEXT)] = spare
    cells.slots[word(spare, 0)] = i
    return True


@inline
def leave(cells: Any, clock: Any, c: Index, i: Index) -> None:
    """Take ball i out of cell c: the last ball of the cell takes its slot, and a block that empties is freed."""
    if cells.slots[word(c, NEXT)] != NONE:
        leave_crowded(cells, clock, c, i)
        return
    second, third = cells.slots[word(c, 1)], cells.slots[word(c, 2)]
    here = np.uint32(second == i) + np.uint32(2) * np.uint32(third == i)
    last = np.uint32(second != NONE) + np.uint32(third != NONE)
    cells.slots[word(c, here)] = cells.slots[word(c, last)]
    cells.slots[word(c, last)] = NONE


@noinline
def leave_crowded(cells: Any, clock: Any, c: Index, i: Index) -> None:
    """Take ball i out of a cell of several blocks."""
    here = np.uint32(NONE)
    slot = 0
    block = np.uint32(c)
    before = block
    while True:
        last = -1
        for k in range(ROOM):
            j = cells.slots[word(block, k)]
            if j == NONE:
                break
            last = k
            if j == i:
                here = block
                slot = k
        following = cells.slots[word(block, NEXT)]
        if following == NONE:
            break
        before = block
        block = following
    cells.slots[word(here, slot)] = cells.slots[word(block, last)]
    cells.slots[word(block, last)] = NONE
    if last == 0 and block != np.uint32(c):
        cells.slots[word(before, NEXT)] = NONE
        cells.slots[word(block, NEXT)] = clock.free_cell
        clock.free_cell = block


@inline
def wrapped(k: Index, n: Index, periodic: bool) -> tuple[int, int]:
    """The cell that stands at k on an axis of n cells, and the period to add (-1, 0, 1); cell -1 when there is none."""
    if k < 0:
        return (k + n, 1) if periodic else (-1, 0)
    if k >= n:
        return (k - n, -1) if periodic else (-1, 0)
    return k, 0


@inline
def gather(cells: Any, block: Index, image: Index, found: Any, n: Index) -> int:
    """Append the balls of a cell to the candidates: all its words at once, of which those that are free do not count.

    Up to three words behind the last candidate are overwritten.
    """
    mark = np.uint32(image) << np.uint32(BITS)
    while True:
        full = copy_words(cells.slots, word(block, 0), mark, found, n)
        n += np.int64(bits_set(full & np.uint64(7)))
        if full & np.uint64(8) == np.uint64(0):
            return n
        block = cells.slots[word(block, NEXT)]


@inline
def gather_others(cells: Any, block: Index, image: Index, found: Any, n: Index, i: Index) -> int:
    """Append the balls of ball i's own cell, but not i: the last of them takes its place."""
    last = gather(cells, block, image, found, n) - 1
    itself = named(i, image)
    k = n + (found[np.uint64(n + 1)] == itself) + 2 * (found[np.uint64(n + 2)] == itself)
    while found[np.uint64(k)] != itself:  # in a crowded cell
        k += 1
    found[np.uint64(k)] = found[np.uint64(last)]
    return last


@inline
def around(dim: Any, cells: Any, balls: Any, i: Index, found: Any) -> int:
    """Collect all in ball i's cell and the adjacent ones."""
    ball = balls[np.uint32(i)]
    nx, ny, nz = cells.shape
    left, left_image = wrapped(ball.cx - 1, nx, cells.periodic[0])
    right, right_image = wrapped(ball.cx + 1, nx, cells.periodic[0])
    deep = len(dim) - 2
    n = 0
    for dz in range(-deep, deep + 1):
        cz, sz = wrapped(ball.cz + dz, nz, cells.periodic[2])
        if cz < 0:
            continue
        for dy in range(-1, 2):
            cy, sy = wrapped(ball.cy + dy, ny, cells.periodic[1])
            if cy < 0:
                continue
            row = nx * (cy + ny * cz)
            image = ITSELF + 3 * sy + 9 * sz
            if left >= 0:
                n = gather(cells, row + left, image + left_image, found, n)
            if dy == 0 and dz == 0:
                n = gather_others(cells, row + ball.cx, image, found, n, i)
            else:
                n = gather(cells, row + ball.cx, image, found, n)
            if right >= 0:
                n = gather(cells, row + right, image + right_image, found, n)
    return n


@inline
def ahead(dim: Any, cells: Any, balls: Any, i: Index, face: Index, found: Any) -> int:
    """Collect all in the cells that are new to ball i after it crossed a face of its cell."""
    ball = balls[np.uint32(i)]
    nx, ny, nz = cells.shape
    step = 2 * is_upper(face) - 1
    axis = axis_of(face)
    deep = len(dim) - 2
    n = 0
    for b in range(-deep, deep + 1):
        for a in range(-1, 2):
            cx, sx = wrapped(ball.cx + (step if axis == 0 else a), nx, cells.periodic[0])
            cy, sy = wrapped(ball.cy + (a if axis == 0 else (step if axis == 1 else b)), ny, cells.periodic[1])
            cz, sz = wrapped(ball.cz + (step if axis == 2 else b), nz, cells.periodic[2])
            if min(cx, cy, cz) >= 0:
                n = gather(cells, cx + nx * (cy + ny * cz), ITSELF + sx + 3 * sy + 9 * sz, found, n)
    return n


@inline
def candidates(dim: Any, cells: Any, balls: Any, i: Index, face: Index, found: Any) -> int:
    """Collect whom ball i could touch: all around, or only in the cells that are new to it after it crossed a face."""
    n = around(dim, cells, balls, i, found) if face == ALL_AROUND else ahead(dim, cells, balls, i, face, found)
    for k in range(4):
        found[np.uint64(n + k)] = named(i, ITSELF)
    return n


@inline
def where(cells: Any, i: Index, found: Any) -> tuple[Any, int]:
    """As they were collected."""
    return found, 0


@inline
def pace(cells: Any) -> int:
    """Four: few balls are in the cells around one, fewer still beyond a face."""
    return 4


@inline
def first_wall(cells: Any, balls: Any, i: Index) -> int:
    """Where the list of the walls near ball i begins in `near`; NONE when there are none."""
    if cells.first.size == 0:
        return NONE
    return int(cells.first[np.uint64(cell_of(cells, balls[np.uint32(i)]))])


class Axis(NamedTuple):
    """The grid along an axis."""

    cells: Any
    low: Any
    edge: Any
    size: Any
    periodic: Any


@inline
def exit_along(axis: Any, k: Index, x: Real, v: Real, a: Any, since: Real, now: Real) -> tuple[float, int]:
    """When a ball leaves the interval of cell k of an axis, and how: 0 downwards, 1 upwards, + SEAM through a seam."""
    low, edge, periodic = axis.low, axis.edge, axis.periodic
    if a is None:
        up = v > 0.0
        face = k + up
        at = low + face * edge
        seam = 0
        if face == 0 or face == axis.cells:
            if not periodic:
                return np.inf, 0
            at = low + axis.size if up else low
            seam = SEAM
        return since + abs((at - x) / v), seam + up
    below = low + k * edge if k > 0 else (low if periodic else -np.inf)
    above = low + (k + 1) * edge if k < axis.cells - 1 else (low + axis.size if periodic else np.inf)
    t, up = flight_exit(x, v, a, since, now, below, above)
    seam = SEAM if periodic and (k == axis.cells - 1 if up else k == 0) else 0
    return t, seam + up


@inline
def expiry(dim: Any, cells: Any, balls: Any, i: Index, now: Real, a: Any) -> tuple[float, int]:
    """When and through which face ball i leaves its cell."""
    ball = balls[np.uint32(i)]
    n, low, edge, size, around = cells.shape, cells.low, cells.edge, cells.size, cells.periodic
    x_axis = Axis(n[0], low[0], edge[0], size[0], around[0])
    te, way = exit_along(x_axis, ball.cx, ball.x, ball.vx, a[0], ball.t, now)
    te, way = sooner(te, way, np.inf, 0)
    y_axis = Axis(n[1], low[1], edge[1], size[1], around[1])
    t, face = exit_along(y_axis, ball.cy, ball.y, ball.vy, a[1], ball.t, now)
    te, way = sooner(t, face + 2, te, way)
    if len(dim) == 3:
        z_axis = Axis(n[2], low[2], edge[2], size[2], around[2])
        t, face = exit_along(z_axis, ball.cz, ball.z, ball.vz, a[2], ball.t, now)
        te, way = sooner(t, face + 4, te, way)
    return te, way


@inline
def sooner(t: Real, face: Index, te: Real, way: Index) -> tuple[float, int]:
    """The sooner of two exits, without a branch. "Not a number" (a ball stands still on a face) counts as never."""
    return select(t < te, t, te), select(t < te, face, way)


@inline
def renew(dim: Any, cells: Any, clock: Any, balls: Any, i: Index, face: Index, now: Real, a: Any) -> bool:
    """Ball i has crossed a face of its cell: file it in the next one; False if there is no room."""
    ball = balls[np.uint32(i)]
    leave(cells, clock, cell_of(cells, ball), i)
    step = 2 * is_upper(face) - 1
    axis = axis_of(face)
    if axis == 0:
        ball.cx = wrapped(ball.cx + step, cells.shape[0], True)[0]
    elif axis == 1:
        ball.cy = wrapped(ball.cy + step, cells.shape[1], True)[0]
    else:
        ball.cz = wrapped(ball.cz + step, cells.shape[2], True)[0]
    return enter(cells, clock, cell_of(cells, ball), i)


@inline
def fetch(cells: Any, balls: Any, k: Index, i: Index, stage: Index) -> None:
    """Ask for cell k (stage 1), or for the balls in it (2): two, seldom are there more."""
    if np.uint64(k) < np.uint64(cells.slots.size) // np.uint64(WORDS):
        if stage == 1:
            prefetch(cells.slots, word(k, 0), 0)
        else:
            for slot in range(2):
                j = cells.slots[word(k, slot)]
                prefetch(balls, select(j == NONE, np.uint32(i), j), 0)


@inline
def fetch_walls(cells: Any, k: Index) -> None:
    """Ask where the list of the walls near cell k begins."""
    if cells.first.size != 0:
        prefetch(cells.first, k, 0)


@inline
def warm(cells: Any, balls: Any, i: Index, stage: Index, second: bool) -> None:
    """Ask for the memory that ball i's next event will read: its cells (stage 1), the balls in them (2).

    Those around it; when it is about to leave its cell (and is not to be hit before, as the second of a pair), only
    those that will be new to it, and the cells that it leaves and enters.
    """
    if stage == 0:
        return
    ball = balls[np.uint32(i)]
    row, layer = cells.shape[0], cells.shape[0] * cells.shape[1]
    deep = 1 if cells.shape[2] > 1 else 0
    c: Index = cell_of(cells, ball)
    if ball.exit < LEAVES_LIST and not second:
        axis = axis_of(ball.exit)
        step = (2 * np.int64(is_upper(ball.exit)) - 1) * (1 if axis == 0 else (row if axis == 1 else layer))
        if stage == 1:
            fetch(cells, balls, c, i, stage)
            fetch(cells, balls, c + step, i, stage)
            fetch_walls(cells, c + step)
        c += 2 * step
        one = row if axis == 0 else 1
        other = row if axis == 2 else layer
        for b in range(-deep, deep + 1):
            for a in range(-1, 2):
                fetch(cells, balls, c + b * other + a * one, i, stage)
    else:
        if stage == 1:
            fetch_walls(cells, c)
        for b in range(-deep, deep + 1):
            for a in range(-1, 2):
                for column in range(-1, 2):
                    fetch(cells, balls, c + b * layer + a * row + column, i, stage)


@inline
def lasting(cells: Any) -> bool:
    """A ball of a gas leaves its cell as often as it collides."""
    return False


@inline
def outlasts(dim: Any, cells: Any, balls: Any, i: Index, t: Real, ax: Any) -> bool:
    """Nobody asks: `expiry` is needed anyway."""
    return False


@inline
def keep(cells: Any, i: Index, low: Any, high: Any) -> None:
    """Nothing: who is around changes too often."""


@inline
def recall(cells: Any, balls: Any, i: Index, sight: Any) -> bool:
    """It remembers nothing."""
    return False


@inline
def steps(dim: Any, cells: Any) -> int:
    """Four: the record of a ball, of its partner, the partner's cells, the balls in them."""
    return 4
