"""How neighbour lists are made, and made anew when a ball has moved by half a skin or crossed a seam."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, kernel, noinline
from carom.kernels.simd import below, bits_set, columns, copy_words, lowest_bit, spread
from carom.physics.flight import place
from carom.solvers.exact.kinds import NONE, SEAM, axis_of, is_upper
from carom.solvers.exact.neighbours import cells
from carom.solvers.exact.neighbours.candidate import ITSELF, ball_of, image_of, mirrored, named
from carom.solvers.exact.neighbours.cells import word
from carom.solvers.exact.neighbours.lists import append, drop, entry_of, filed, list_of, shorten

MANY = 48  # balls in `found` after which those that are near are entered


@inline
def around(k: Index, n: Index) -> int:
    """A cell number that may be beyond the ends of a periodic axis, brought back."""
    if k < 0:
        return k + n
    return k - n if k >= n else k


@inline
def cell_at(lists: Any, level: Index, axis: Index, x: Real) -> int:
    """The cell of a coordinate on an axis of a level's grid; wrapped on a periodic axis, else clamped."""
    n = lists.shape[level, axis]
    k = int(np.floor((x - lists.low[axis]) / lists.edge[level, axis]))
    if lists.periodic[axis]:
        k = around(k, n)
    return int(min(max(k, 0), n - 1))


@inline
def cell_range(lists: Any, level: Index, axis: Index, x: Real, reach: Real) -> tuple[int, int]:
    """The cells within reach of a coordinate; on a periodic axis possibly beyond its ends, but never one twice."""
    n = lists.shape[level, axis]
    e = lists.edge[level, axis]
    first = int(np.floor((x - reach - lists.low[axis]) / e))
    last = int(np.floor((x + reach - lists.low[axis]) / e))
    if lists.periodic[axis]:
        return (0, int(n - 1)) if last - first + 1 >= n else (first, last)
    return int(min(max(first, 0), n - 1)), int(min(max(last, 0), n - 1))


@inline
def image_sign(d: Real, size: Real, periodic: bool) -> int:
    """The period to add to a difference of places, so that it becomes the shorter one."""
    if not periodic:
        return 0
    return int(d < -0.5 * size) - int(d > 0.5 * size)


@inline
def near_enough(dim: Any, lists: Any, one: Any, two: Any) -> bool:
    """Is the gap between two centres less than the skin?"""
    dx = one.x - two.x
    dy = one.y - two.y
    dx += image_sign(dx, lists.size[0], lists.periodic[0]) * lists.size[0]
    dy += image_sign(dy, lists.size[1], lists.periodic[1]) * lists.size[1]
    dd = dx * dx + dy * dy
    if len(dim) == 3:
        dz = one.z - two.z
        dz += image_sign(dz, lists.size[2], lists.periodic[2]) * lists.size[2]
        dd += dz * dz
    reach = one.r + two.r + lists.skin
    return bool(dd < reach * reach)


@inline
def image_between(dim: Any, lists: Any, one: Any, two: Any) -> int:
    """Which image of `two` is the one near `one`: the same for the balls as for their centres, which share seams."""
    image = ITSELF + image_sign(one.x - two.x, lists.size[0], lists.periodic[0])
    image += 3 * image_sign(one.y - two.y, lists.size[1], lists.periodic[1])
    if len(dim) == 3:
        image += 9 * image_sign(one.z - two.z, lists.size[2], lists.periodic[2])
    return image


@inline
def past_hollow(low: Real, edge: Real, k: Index, x: Real, half: Real) -> int:
    """The first cell from k on that is not wholly nearer to x than `half`, where no centre can be."""
    if low + k * edge > x - half and low + (k + 1) * edge < x + half:
        return max(k, int(np.floor((x + half - low) / edge)))
    return int(k)


@inline
def make_list(dim: Any, lists: Any, clock: Any, balls: Any, i: Index, both: bool) -> bool:
    """Find the neighbours of ball i's centre; if `both`, enter each in the other's list too. False: no room."""
    head = lists.heads[np.uint32(i)]
    head.mark = i  # not its own neighbour
    x, y, z = head.x, head.y, 0.0
    if len(dim) == 3:
        z = head.z
    n: Index = 0
    # A centre may be beyond a seam that its ball has crossed since, by half a skin.
    far = head.r + lists.reach[lists.reach.size - 1] + 2.0 * lists.skin
    inner = far_from_seams(lists, x, 0, far) and far_from_seams(lists, y, 1, far) and far_from_seams(lists, z, 2, far)
    for level in range(lists.offset.size):
        reach = head.r + lists.reach[level] + lists.skin
        hollow = head.r - lists.skin  # no centre can be nearer
        nx, ny, nz = lists.shape[level, 0], lists.shape[level, 1], lists.shape[level, 2]
        ex, ey, ez = lists.edge[level, 0], lists.edge[level, 1], lists.edge[level, 2]
        x0, x1 = cell_range(lists, level, 0, x, reach)
        y0, y1 = cell_range(lists, level, 1, y, reach)
        z0, z1 = cell_range(lists, level, 2, z, reach)
        flat = nz == 1
        for kz in range(z0, z1 + 1):
            far_z = 0.0 if flat else max(abs(lists.low[2] + kz * ez - z), abs(lists.low[2] + (kz + 1) * ez - z))
            for ky in range(y0, y1 + 1):
                far_y = max(abs(lists.low[1] + ky * ey - y), abs(lists.low[1] + (ky + 1) * ey - y))
                chord = hollow * hollow - far_y * far_y - far_z * far_z
                skip = np.sqrt(chord) if hollow > 0.0 and chord > 0.0 else -1.0
                row = lists.offset[level] + nx * (around(ky, ny) + ny * around(kz, nz))
                kx = x0
                while kx <= x1:
                    kx = past_hollow(lists.low[0], ex, kx, x, skip)
                    if kx > x1:
                        break
                    block = np.uint32(row + around(kx, nx))
                    while block != NONE:
                        full = copy_words(lists.slots, word(block, 0), 0, lists.found, n)
                        n += np.int64(bits_set(full & np.uint64(7)))
                        block = lists.slots[word(block, cells.NEXT)]
                        if n > MANY:
                            if not enter_near(dim, lists, clock, i, n, inner, both):
                                return False
                            n = 0
                    kx += 1
    return enter_near(dim, lists, clock, i, n, inner, both)


@inline
def enter_near(dim: Any, lists: Any, clock: Any, i: Index, n: Index, inner: bool, both: bool) -> bool:
    """Enter in ball i's list those of n balls in `found` that are near it and not marked. False: no room.

    Four at a time and without a branch for each: those that are near are marked, but for a new one now and then.
    """
    head, found = lists.heads[np.uint32(i)], lists.found
    for k in range(3):
        found[np.uint64(n + k)] = i
    for k in range(0, n, 4):
        fresh = near_ones(dim, lists, i, k, inner)
        while fresh != 0:
            j = found[np.uint64(k) + lowest_bit(fresh)]
            fresh &= fresh - np.uint64(1)
            image = image_between(dim, lists, head, lists.heads[np.uint32(j)])
            if not append(lists, clock, i, j, image):
                return False
            if both and not append(lists, clock, j, i, mirrored(image)):
                return False
    return True


@inline
def near_ones(dim: Any, lists: Any, i: Index, k: Index, inner: bool) -> Any:
    """A bit for each of the four balls from `found[k]` on that is near ball i's centre and not marked.

    With `inner` no seam is as near as they are. Rounded as in `near_enough`, and so the same for both
    of a pair.
    """
    heads, found = lists.heads, lists.found
    head = heads[np.uint32(i)]
    a, b, c, d = found[np.uint64(k)], found[np.uint64(k + 1)], found[np.uint64(k + 2)], found[np.uint64(k + 3)]
    unmarked = np.uint64(heads[np.uint32(a)].mark != i) | (np.uint64(heads[np.uint32(b)].mark != i) << np.uint64(1))
    unmarked |= np.uint64(heads[np.uint32(c)].mark != i) << np.uint64(2)
    unmarked |= np.uint64(heads[np.uint32(d)].mark != i) << np.uint64(3)
    if inner:
        column = columns(heads, a, b, c, d)
        dx, dy = spread(head.x) - column[0], spread(head.y) - column[1]
        dd = dx * dx + dy * dy
        if len(dim) == 3:
            dz = spread(head.z) - column[7]
            dd = dd + dz * dz
        reach = head.r + column[2] + lists.skin
        return unmarked & below(dd, reach * reach)
    near = np.uint64(near_enough(dim, lists, head, heads[np.uint32(a)]))
    near |= np.uint64(near_enough(dim, lists, head, heads[np.uint32(b)])) << np.uint64(1)
    near |= np.uint64(near_enough(dim, lists, head, heads[np.uint32(c)])) << np.uint64(2)
    near |= np.uint64(near_enough(dim, lists, head, heads[np.uint32(d)])) << np.uint64(3)
    return unmarked & near


@inline
def far_from_seams(lists: Any, x: Real, axis: Index, reach: Real) -> bool:
    """Is no seam of an axis within reach of a coordinate?"""
    return bool(not lists.periodic[axis] or reach < x < lists.size[axis] - reach)


@inline
def settle(dim: Any, lists: Any, balls: Any, i: Index, x: Real, y: Real, z: Real) -> None:
    """Make (x, y, z) the centre of ball i, and note its cell and whether a seam is near."""
    lists.heads[np.uint32(i)].x = x
    lists.heads[np.uint32(i)].y = y
    if len(dim) == 3:
        lists.heads[np.uint32(i)].z = z
    ball = balls[np.uint32(i)]
    level = lists.heads[np.uint32(i)].level
    ball.cx, ball.cy, ball.cz = cell_at(lists, level, 0, x), cell_at(lists, level, 1, y), cell_at(lists, level, 2, z)
    near = 0.51 * lists.skin  # half a skin, and more than rounding can take away
    lists.heads[np.uint32(i)].edgy = (
        (lists.periodic[0] and not near < x < lists.size[0] - near)
        or (lists.periodic[1] and not near < y < lists.size[1] - near)
        or (lists.periodic[2] and not near < z < lists.size[2] - near)
    )


@noinline
def recentre(dim: Any, lists: Any, clock: Any, balls: Any, i: Index, x: Real, y: Real, z: Real) -> bool:
    """Make a new list for ball i around (x, y, z); False when memory ran out."""
    before = filed(lists, balls, i)
    settle(dim, lists, balls, i, x, y, z)
    after = filed(lists, balls, i)
    if before != after:
        cells.leave(lists, clock, before, i)
        if not cells.enter(lists, clock, after, i):
            return False
    head = lists.heads[np.uint32(i)]
    start, n = list_of(lists, i)
    kept = 0
    for k in range(n):
        word = lists.pool[start + np.uint64(k)]
        other = lists.heads[ball_of(word)]
        lists.pool[start + np.uint64(k)] = named(i, ITSELF)
        if near_enough(dim, lists, head, other):
            other.mark = i
            lists.pool[start + np.uint64(kept)] = word
            kept += 1
        else:
            drop(lists, clock, ball_of(word), i)
    shorten(lists, clock, i, kept)
    done = make_list(dim, lists, clock, balls, i, True)
    start, _ = list_of(lists, i)
    for k in range(kept):
        lists.heads[ball_of(lists.pool[start + np.uint64(k)])].mark = NONE
    return done


@inline
def turn_images(lists: Any, i: Index, step: Index) -> None:
    """Ball i has crossed a seam: its partners see another image of it, and it of them."""
    start, n = list_of(lists, i)
    for k in range(n):
        at = start + np.uint64(k)
        j, image = ball_of(lists.pool[at]), np.int64(image_of(lists.pool[at])) + step
        lists.pool[at] = named(j, image)
        lists.pool[entry_of(lists, j, i)] = named(i, mirrored(image))


@inline
def renew(dim: Any, lists: Any, clock: Any, balls: Any, i: Index, face: Index, now: Real, a: Any) -> bool:
    """Ball i has moved by half a skin, or crossed a seam (then its centre moves with it). False: no memory is left."""
    ball = balls[np.uint32(i)]
    if face >= SEAM:
        axis, up = axis_of(face), is_upper(face)
        shift = -lists.size[axis] if up else lists.size[axis]
        head = lists.heads[np.uint32(i)]
        head.edgy = 1
        if axis == 0:
            head.x += shift
        elif axis == 1:
            head.y += shift
        else:
            head.z += shift
        turn_images(lists, i, (1 if up else -1) * (1 if axis == 0 else (3 if axis == 1 else 9)))
        return True
    s = now - ball.t
    x, y, z = place(ball.x, ball.vx, a[0], s), place(ball.y, ball.vy, a[1], s), place(ball.z, ball.vz, a[2], s)
    return recentre(dim, lists, clock, balls, i, x, y, z)


@kernel
def make_all(dim: Any, lists: Any, clocks: Any, balls: Any, places: Any, unfiled: bool) -> bool:
    """Settle every centre at its ball, file it if it is not yet, and make all lists; False: the pool is too small."""
    for k in range(balls.size):
        i = np.uint32(k)
        settle(dim, lists, balls, i, places[i, 0], places[i, 1], places[i, 2])
        if unfiled:
            cells.enter(lists, clocks[0], filed(lists, balls, i), i)
    for k in range(balls.size):  # noqa: SIM110  # a generator is beyond Numba here
        if not make_list(dim, lists, clocks[0], balls, np.uint32(k), False):
            return False
    return True
