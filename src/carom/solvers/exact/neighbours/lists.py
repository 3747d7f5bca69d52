"""Neighbours by lists: who could a ball touch before it has moved by half a skin?

Ball i keeps the place where its list was made (its centre) and all balls whose gap was then less than the skin; both
may move by half a skin before the list is out of date. Lists are symmetric. Centres are filed in grids, one for each
class of sizes, so that a large ball does not make the cells of small ones large. Best when dense, and when radii
differ much. How lists are made and kept up to date is in `list_update`.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, prefetch
from carom.physics.flight import place, speed
from carom.solvers.exact.kinds import LEAVES_LIST, NONE, SEAM
from carom.solvers.exact.neighbours.candidate import ITSELF, ball_of, named
from carom.solvers.exact.neighbours.cells import ROOM, WORDS, word

# A cache line for each ball: its centre and what is told below, in half of it. In the other half stands its list, if it
# has at most eight; else the first two words of it tell where in the pool the list begins and how long it is. In space
# lists are always longer, and the last two words are the third coordinate of the centre.
list_record = np.dtype(
    {
        "names": ["x", "y", "r", "mark", "length", "edgy", "level", "bits", "z"],
        "formats": ["f8", "f8", "f8", "u4", "u1", "u1", "u1", "u1", "f8"],
        "offsets": [0, 8, 16, 24, 28, 29, 30, 31, 56],
        "itemsize": 64,
    }
)
LINE: Final = 16  # words of a record
INSIDE: Final = 8  # the word from which on the list stands in the record
FOUND: Final = 64  # words of `found`
SEEN: Final = 8  # times that a ball remembers
SHORT: Final = 3  # `bits` of a list that does


class Lists(NamedTuple):
    """Neighbour lists of all balls, and the grids that their centres are filed in."""

    pool: Any  # words: the records, then longer lists; what is free of a list's room names the ball itself
    # The records: the centre and radius; whether it was met already while a list is made (`mark`); the length of a
    # short list; can it come to a seam before it leaves the list? the class of size; the room of the list is 2^bits.
    heads: Any
    slots: Any  # cells of all grids
    first: Any  # where the list of the walls near each cell begins; empty when there are no walls
    near: Any  # those lists, each ended by NONE
    shape: Any  # (levels, 3) int64
    offset: Any  # first cell of each level
    edge: Any  # (levels, 3)
    reach: Any  # largest radius of each level
    low: tuple[float, float, float]
    size: tuple[float, float, float]
    periodic: tuple[bool, bool, bool]
    periods: Any
    skin: float
    longest: int  # how many balls a list may name
    least: int  # the room of a list is at least 2^least
    left: Any  # for each number of bits, where in the pool the first room is that a list has left; it names the next
    found: Any  # words: balls of some cells, among which a list looks for those that are near
    times: Any  # eight a ball: when it touches whom its short list names, as it saw last; empty in space, and if large


@inline
def list_of(lists: Any, i: Index) -> tuple[Index, Index]:
    """Where in the pool the list of ball i begins, and how long it is."""
    head = lists.heads[np.uint32(i)]
    inside = np.uint64(i) * np.uint64(LINE) + np.uint64(INSIDE)
    if head.bits == SHORT:
        return inside, np.int64(head.length)
    return np.uint64(lists.pool[inside]), np.int64(lists.pool[inside + np.uint64(1)])


@inline
def set_length(lists: Any, i: Index, n: Index) -> None:
    """Make ball i's list so long; its words are to be set by whoever calls this."""
    head = lists.heads[np.uint32(i)]
    if head.bits == SHORT:
        head.length = n
    else:
        lists.pool[np.uint64(i) * np.uint64(LINE) + np.uint64(INSIDE + 1)] = n


@inline
def filed(lists: Any, balls: Any, i: Index) -> int:
    """The cell that ball i's centre is filed in."""
    ball = balls[np.uint32(i)]
    level = lists.heads[np.uint32(i)].level
    return int(lists.offset[level] + ball.cx + lists.shape[level, 0] * (ball.cy + lists.shape[level, 1] * ball.cz))


@inline
def first_wall(lists: Any, balls: Any, i: Index) -> int:
    """Where the list of the walls near ball i begins in `near`; NONE when there are none."""
    if lists.first.size == 0:
        return NONE
    return int(lists.first[np.uint64(filed(lists, balls, i))])


@inline
def candidates(dim: Any, lists: Any, balls: Any, i: Index, face: Index, found: Any) -> int:
    """How many balls ball i's list names."""
    _, n = list_of(lists, i)
    return n


@inline
def where(lists: Any, i: Index, found: Any) -> tuple[Any, int]:
    """The list itself."""
    start, _ = list_of(lists, i)
    return lists.pool, start


@inline
def pace(lists: Any) -> int:
    """Eight: hardly a list in the plane is longer."""
    return 8


@inline
def forget(lists: Any, i: Index) -> None:
    """Ball i's list has changed: what it remembers is of another."""
    if lists.times.size != 0:
        lists.times[np.uint64(i) * np.uint64(SEEN)] = np.nan


@inline
def seam_time(x: Real, v: Real, since: Real, size: Real, periodic: bool) -> tuple[float, int]:
    """When a ball crosses the seam of a periodic axis, and whether upwards."""
    if not periodic:
        return np.inf, 0
    up = v > 0.0
    return since + abs(((size if up else 0.0) - x) / v), SEAM + up


@inline
def lasting(lists: Any) -> bool:
    """A list lasts for a dozen collisions."""
    return True


@inline
def farthest(lists: Any) -> float:
    """How far a ball may go from its centre: half a skin, for the other may do so too."""
    return float(0.5 * lists.skin)


@inline
def outlasts(dim: Any, lists: Any, balls: Any, i: Index, t: Real, ax: Any) -> bool:
    """Is ball i within half a skin of its centre at a time, and no seam near? On a straight line it was so before, too.

    Without a root or a division, and as a branch that is nearly always taken, so that nothing has to wait for it.
    """
    if ax is not None:
        return False
    ball, head = balls[np.uint32(i)], lists.heads[np.uint32(i)]
    s = t - ball.t
    dx = place(ball.x, ball.vx, ax, s) - head.x
    dy = place(ball.y, ball.vy, ax, s) - head.y
    dd = dx * dx + dy * dy
    if len(dim) == 3:
        dz = place(ball.z, ball.vz, ax, s) - head.z
        dd += dz * dz
    half = farthest(lists)
    return bool(head.edgy == 0 and dd < half * half)


@inline
def time_to_cover(half: Real, dd: Real, dv: Real, vv: Real, ax: Any, ay: Any, az: Any) -> float:
    """How long a ball takes to be at the distance `half` from its centre; with an acceleration a lower bound of it.

    dd, dv and vv are the products of its displacement d from the centre and its velocity v.
    """
    if ax is None:
        root = np.sqrt(max(dv * dv + vv * (half * half - dd), 0.0))
        return (root - dv) / vv if vv > 0.0 else np.inf
    a = np.sqrt((ax * ax + ay * ay) + az * az)
    left = max(half - np.sqrt(dd), 0.0)
    v = np.sqrt(vv)
    return 2.0 * left / (v + np.sqrt(vv + 2.0 * a * left)) if v > 0.0 or a > 0.0 else np.inf


@inline
def expiry(dim: Any, lists: Any, balls: Any, i: Index, now: Real, a: Any) -> tuple[float, int]:
    """When ball i has moved by half a skin from its centre, or crosses a seam."""
    ax, ay, az = a
    ball = balls[np.uint32(i)]
    half = farthest(lists)
    s = now - ball.t
    dx = place(ball.x, ball.vx, ax, s) - lists.heads[np.uint32(i)].x
    dy = place(ball.y, ball.vy, ay, s) - lists.heads[np.uint32(i)].y
    vx, vy = speed(ball.vx, ax, s), speed(ball.vy, ay, s)
    dd = dx * dx + dy * dy
    dv = dx * vx + dy * vy
    vv = vx * vx + vy * vy
    if len(dim) == 3:
        dz = place(ball.z, ball.vz, az, s) - lists.heads[np.uint32(i)].z
        vz = speed(ball.vz, az, s)
        dd += dz * dz
        dv += dz * vz
        vv += vz * vz
    te = now + time_to_cover(half, dd, dv, vv, ax, ay, az)
    way = LEAVES_LIST
    if lists.heads[np.uint32(i)].edgy == 0:
        return te, way
    t, face = seam_time(ball.x, ball.vx, ball.t, lists.size[0], lists.periodic[0])
    if t < te:
        te, way = t, face
    t, face = seam_time(ball.y, ball.vy, ball.t, lists.size[1], lists.periodic[1])
    if t < te:
        te, way = t, face + 2
    if len(dim) == 3:
        t, face = seam_time(ball.z, ball.vz, ball.t, lists.size[2], lists.periodic[2])
        if t < te:
            te, way = t, face + 4
    return te, way


@inline
def room_for(lists: Any, clock: Any, bits: Index) -> Index:
    """Where in the pool is room for 2^bits words: what another list has left, or new; NONE when there is none."""
    left = lists.left[np.uint64(bits)]
    if left != NONE:
        lists.left[np.uint64(bits)] = lists.pool[np.uint64(left)]
        return np.uint64(left)
    start = clock.pool
    if start + (1 << bits) > lists.pool.size:
        return np.uint64(NONE)
    clock.pool = start + (1 << bits)
    return np.uint64(start)


@noinline
def move(lists: Any, clock: Any, i: Index, bits: Index) -> bool:
    """Move the list of i to a room of 2^bits words, which it is not too long for; False when there is none."""
    head = lists.heads[np.uint32(i)]
    inside = np.uint64(i) * np.uint64(LINE) + np.uint64(INSIDE)
    start, n = list_of(lists, i)
    target = inside if bits == SHORT else room_for(lists, clock, bits)
    if target == np.uint64(NONE):
        return False
    for k in range(1 << bits):
        lists.pool[target + np.uint64(k)] = lists.pool[start + np.uint64(k)] if k < n else named(i, ITSELF)
    if head.bits != SHORT:
        lists.pool[start] = lists.left[np.uint64(head.bits)]
        lists.left[np.uint64(head.bits)] = start
    if bits != SHORT:
        lists.pool[inside] = target
    head.bits = bits
    set_length(lists, i, n)
    return True


@noinline
def append(lists: Any, clock: Any, i: Index, j: Index, image: Index) -> bool:
    """Add j to the list of i, moving the list to a larger room if needed; False when there is none."""
    bits = lists.heads[np.uint32(i)].bits
    start, n = list_of(lists, i)
    forget(lists, i)
    if n >= lists.longest or (n == 1 << bits and not move(lists, clock, i, bits + 1)):
        return False
    start, _ = list_of(lists, i)
    lists.pool[start + np.uint64(n)] = named(j, image)
    set_length(lists, i, n + 1)
    return True


@inline
def shorten(lists: Any, clock: Any, i: Index, n: Index) -> None:
    """Make ball i's list so short, and move it to a smaller room if it leaves a word free there too.

    Most lists that are too long for their ball's record are so for a moment: until those leave that are far already.
    """
    set_length(lists, i, n)
    bits = lists.heads[np.uint32(i)].bits
    if bits > lists.least and n < 1 << (bits - 1):
        move(lists, clock, i, bits - 1)


@inline
def entry_of(lists: Any, i: Index, j: Index) -> Index:
    """Where in the pool ball i's list names ball j."""
    k, _ = list_of(lists, i)
    while ball_of(lists.pool[k]) != np.uint32(j):
        k += np.uint64(1)
    return k


@inline
def drop(lists: Any, clock: Any, i: Index, j: Index) -> None:
    """Take j out of the list of i."""
    forget(lists, i)
    start, n = list_of(lists, i)
    last = start + np.uint64(n - 1)
    lists.pool[entry_of(lists, i, j)] = lists.pool[last]
    lists.pool[last] = named(i, ITSELF)
    shorten(lists, clock, i, n - 1)


@inline
def warm(lists: Any, balls: Any, i: Index, stage: Index, second: bool) -> None:
    """Ask for the memory of ball i's next event: its record (stage 0), who is in its list (1, or 2 for a long list)."""
    if stage == 0:
        prefetch(lists.heads, i, 0)
        return
    if balls[np.uint32(i)].exit == LEAVES_LIST and not second:
        warm_search(lists, balls, i, stage)
    start, n = list_of(lists, i)
    short = lists.heads[np.uint32(i)].bits == SHORT
    if stage == 1 and not short:
        prefetch(lists.pool, start, 0)
    elif (stage == 1) == short:
        for k in range(n):
            prefetch(balls, ball_of(lists.pool[start + np.uint64(k)]), 0)


@inline
def steps(dim: Any, lists: Any) -> int:
    """Three: the record of a ball, of its partner, whom its list names; in space such a list stands elsewhere: four."""
    return len(dim) + 1


@noinline
def warm_search(lists: Any, balls: Any, i: Index, stage: Index) -> None:
    """Ask for what making a new list will read: cells around and records of the list (1), records in the cells (2)."""
    ball = balls[np.uint32(i)]
    level = lists.heads[np.uint32(i)].level
    row, rows = lists.shape[level, 0], lists.shape[level, 1]
    here = lists.offset[level] + ball.cx + row * (ball.cy + rows * ball.cz)
    deep = 1 if lists.shape[level, 2] > 1 else 0
    for b in range(-deep, deep + 1):
        for a in range(-1, 2):
            middle = here + row * (a + rows * b)
            if middle < 1 or np.uint64(WORDS * (middle + 2)) > np.uint64(lists.slots.size):
                continue
            if stage == 1:
                prefetch(lists.slots, word(middle - 1, 0), 0)
                prefetch(lists.slots, word(middle + 1, 0), 0)
            else:
                for cell in range(middle - 1, middle + 2):
                    for slot in range(ROOM):
                        j = lists.slots[word(cell, slot)]
                        prefetch(lists.heads, np.uint32(i) if j == NONE else j, 0)
    if stage == 1:
        start, n = list_of(lists, i)
        for k in range(n):
            prefetch(lists.heads, ball_of(lists.pool[start + np.uint64(k)]), 0)
