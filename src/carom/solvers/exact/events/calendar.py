"""The calendar: which ball has the next event?

Each ball has one event, at `te`, and at least one entry. Time is cut into buckets of equal width; entries of later
buckets lie unordered in blocks of a few, and only the current bucket is a heap. An entry whose time is no longer its
ball's `te` is stale and is dropped when it is met. Events beyond the last bucket are not filed; when the buckets run
out the calendar turns and files everything anew (what they would be filed in is a block beyond the last bucket that is
never read: a branch less). Nothing here can change the order of events, only the time it takes
to find it.

In large systems a bucket is seldom in the cache. There an entry waits until some others have come: its bucket is asked
for meanwhile. Those that wait stand in the last blocks, and are all filed before the soonest of them can come up.
"""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, prefetch, scalar_kernel
from carom.solvers.exact.events.prefetch import fetch_both, partner_of
from carom.solvers.exact.kinds import BALL, CONTACT, EDGE, NONE, SEAM, partner_kind

ROOM = 6  # entries in a block; word 6 counts them, word 7 names the next block
COUNT = 6
NEXT = 7
LOAD = 1.6  # events that a bucket is to have: fewer, and many are empty; more, and what they need comes all at once
WAITING = 16  # entries that wait for their bucket to come from memory, in a power of two; two words each
TIES = 16384  # events at one instant that are put in order among themselves


@inline
def word(block: Index, k: Index) -> int:
    """Where word k of a block of eight stands in the flat array."""
    return np.uint64(block) * np.uint64(8) + np.uint64(k)  # type: ignore[return-value]  # unsigned spares a test


@inline
def push(heap_t: Any, heap_i: Any, clock: Any, t: Real, i: Index) -> None:
    """Put an entry into the heap."""
    k = clock.heap
    clock.heap = k + 1
    while k > 0:
        up = (k - 1) >> 1
        above = heap_t[np.uint64(up)]
        if above <= t:
            break
        heap_t[np.uint64(k)] = above
        heap_i[np.uint64(k)] = heap_i[np.uint64(up)]
        k = up
    heap_t[np.uint64(k)] = t
    heap_i[np.uint64(k)] = i


@inline
def pop(heap_t: Any, heap_i: Any, clock: Any) -> None:
    """Drop the first entry of the heap."""
    n = clock.heap - 1
    clock.heap = n
    t = heap_t[np.uint64(n)]
    i = heap_i[np.uint64(n)]
    k = 0
    while True:
        down = 2 * k + 1
        if down >= n:
            break
        if down + 1 < n and heap_t[np.uint64(down + 1)] < heap_t[np.uint64(down)]:
            down += 1
        if heap_t[np.uint64(down)] >= t:
            break
        heap_t[np.uint64(k)] = heap_t[np.uint64(down)]
        heap_i[np.uint64(k)] = heap_i[np.uint64(down)]
        k = down
    heap_t[np.uint64(k)] = t
    heap_i[np.uint64(k)] = i


@inline
def bucket_of(clock: Any, t: Real) -> int:
    """The bucket that the time t belongs to, at most the number of buckets."""
    return int(min((t - clock.base) * clock.rate, clock.span))


@noinline
def compact(balls: Any, heap_t: Any, heap_i: Any, clock: Any) -> None:
    """Drop the stale entries of a full heap, and double ones; at most one a ball is left."""
    n = clock.heap
    clock.heap = 0
    for k in range(n):
        t = heap_t[np.uint64(k)]
        i = heap_i[np.uint64(k)]
        ball = balls[np.uint32(i)]
        if t == ball.te:
            ball.te = -np.inf  # seen: its doubles now look stale
            push(heap_t, heap_i, clock, t, i)
    for k in range(clock.heap):
        balls[np.uint32(heap_i[np.uint64(k)])].te = heap_t[np.uint64(k)]


@inline
def file(balls: Any, heap_t: Any, heap_i: Any, blocks: Any, clock: Any, i: Index, ahead: Any) -> bool:
    """Enter ball i at its `te`; False when there is no free block left (then everything is to be filed anew).

    Where `ahead` has two items, it waits first, and the one that has waited longest is filed.
    """
    t = balls[np.uint32(i)].te
    b = bucket_of(clock, t)
    if b <= clock.bucket:
        if clock.heap == heap_t.size:
            compact(balls, heap_t, heap_i, clock)
        push(heap_t, heap_i, clock, t, i)
        return True
    if len(ahead) == 2:
        prefetch(blocks, word(b, 0), 0)
        clock.soonest = min(clock.soonest, b)
        place = seat(blocks, clock.waiting)
        clock.waiting += 1
        before, who = np.int64(blocks[place]), blocks[place + np.uint64(1)]
        blocks[place], blocks[place + np.uint64(1)] = b, i
        return put(blocks, clock, before, who)
    return put(blocks, clock, b, i)


@inline
def put(blocks: Any, clock: Any, b: Index, i: Index) -> bool:
    """Write ball i into bucket b; False when there is no free block left."""
    n = blocks[word(b, COUNT)]
    if n == ROOM:
        spare = clock.free
        if spare == NONE:
            return False
        clock.free = blocks[word(spare, NEXT)]
        for k in range(8):
            blocks[word(spare, k)] = blocks[word(b, k)]
        blocks[word(b, NEXT)] = spare
        n = np.uint32(0)
    blocks[word(b, n)] = i
    blocks[word(b, COUNT)] = (n + 1) * (b < clock.buckets)  # beyond the last is a block that never fills
    return True


@inline
def seat(blocks: Any, k: Index) -> int:
    """Where in the flat array the k-th entry waits: its bucket, and behind it its ball."""
    return np.uint64(blocks.size) - np.uint64(2) * (np.uint64(1) + (np.uint64(k) & np.uint64(WAITING - 1)))  # type: ignore[return-value]  # unsigned spares a test


@noinline
def catch_up(blocks: Any, clock: Any) -> bool:
    """File all that wait; False when there is no free block left."""
    fine = True
    for k in range(WAITING):
        fine &= put(blocks, clock, np.int64(blocks[seat(blocks, k)]), blocks[seat(blocks, k) + np.uint64(1)])
    nobody_waits(blocks, clock)
    return fine


@inline
def nobody_waits(blocks: Any, clock: Any) -> None:
    """Let none wait: all seats are taken by what would be filed beyond the last bucket."""
    for k in range(WAITING):
        blocks[seat(blocks, k)] = clock.buckets
    clock.soonest = clock.buckets


@inline
def open_bucket(
    balls: Any, heap_t: Any, heap_i: Any, blocks: Any, clock: Any, hood: Any, streak: Any, lossy: bool, ahead: Any
) -> None:
    """Move the entries of the current bucket into the heap, leaving stale ones out, and free its blocks.

    Where `ahead` has one item, fetch from memory what their events read first. Where it has two, that was done before,
    and where it has none it is not worth the while; but for what an event asks first, whether the partner has moved,
    which is seldom in the nearest cache.
    """
    head = clock.bucket
    block = np.uint32(head)
    while True:
        n = blocks[word(block, COUNT)]
        for k in range(n):
            i = blocks[word(block, k)]
            ball = balls[np.uint32(i)]
            t = ball.te
            if bucket_of(clock, t) == head:
                if len(ahead) == 1:
                    fetch_both(hood, balls, streak, lossy, i, ball)
                else:
                    prefetch(balls, partner_of(ball, i), 64)
                if clock.heap == heap_t.size:
                    compact(balls, heap_t, heap_i, clock)
                push(heap_t, heap_i, clock, t, i)
        following = blocks[word(block, NEXT)]
        if block == head:
            blocks[word(block, COUNT)] = 0
            blocks[word(block, NEXT)] = NONE
        else:
            blocks[word(block, NEXT)] = clock.free
            clock.free = block
        if following == NONE:
            break
        block = following


@inline
def clear(blocks: Any, clock: Any) -> None:
    """Empty the calendar: no entries, all spare blocks free."""
    clock.heap = 0
    clock.bucket = -1
    count = blocks.size // 8 - WAITING // 4
    for b in range(count):
        blocks[word(b, COUNT)] = 0
        blocks[word(b, NEXT)] = NONE if b <= clock.buckets or b + 1 == count else b + 1
    clock.free = clock.buckets + 1
    nobody_waits(blocks, clock)


@inline
def begin_year(blocks: Any, clock: Any, start: Real) -> float:
    """Start an empty calendar at a time; gives the time up to which it reaches."""
    # A width below the spacing of floats would put everything into one bucket, or into none.
    while start + clock.width * clock.buckets == start:
        clock.width *= 2.0
    clock.base = start
    clock.rate = 1.0 / clock.width
    clock.span = float(clock.buckets)
    clear(blocks, clock)
    return float(start + clock.width * clock.buckets)


@scalar_kernel
def turn(balls: Any, heap_t: Any, heap_i: Any, blocks: Any, clock: Any) -> None:
    """Begin a new year now, or at the earliest event if that is far, with a bucket width that fits the last year.

    What comes after its end is filed beyond the last bucket: which events do cannot be guessed.
    """
    if clock.looked > 0:
        load = clock.looked / (clock.bucket + 1)
        clock.width = max(clock.width * min(max(LOAD / load, 0.5), 2.0), 1e-300)  # never 0, else no year would end
    clock.looked = 0
    clock.turned += 1
    start = clock.now
    while True:
        end = begin_year(blocks, clock, start)
        first = np.inf
        for i in range(balls.size):
            prefetch(balls, min(i + 24, balls.size - 1), 64)
            first = min(first, balls[np.uint64(i)].te)
            file(balls, heap_t, heap_i, blocks, clock, np.uint32(i), (0, 0))
        catch_up(blocks, clock)
        if first < end:
            return
        if first == np.inf:
            clock.bucket = clock.buckets
            return
        start = first


@inline
def rank(balls: Any, i: Index) -> int:
    """0: bookkeeping (to be dealt with first), else the number of the kind; a seam is as late as the end of a wall."""
    ball = balls[np.uint32(i)]
    if ball.exit != CONTACT:
        return EDGE if ball.exit >= SEAM else 0
    kind = partner_kind(ball)
    if kind == BALL:
        return BALL if balls[np.uint32(ball.partner)].moved <= ball.planned else 0
    return kind


@inline
def earlier(balls: Any, i: Index, j: Index) -> bool:
    """Of two events at one instant: is that of ball i before that of ball j? By kind, then by the balls' numbers."""
    a, b = rank(balls, i), rank(balls, j)
    if a != b:
        return a < b
    one, two = balls[np.uint32(i)], balls[np.uint32(j)]
    i_low, j_low = one.id, two.id
    i_high, j_high = one.partner, two.partner
    if a == BALL:
        mate, other = balls[np.uint32(one.partner)].id, balls[np.uint32(two.partner)].id
        i_low, i_high = min(one.id, mate), max(one.id, mate)
        j_low, j_high = min(two.id, other), max(two.id, other)
    if i_low != j_low:
        return i_low < j_low
    return i_high < j_high


@noinline
def first_of_ties(balls: Any, heap_t: Any, heap_i: Any, clock: Any) -> int:
    """The first in order of the events that share the time of the heap's first entry."""
    t = heap_t[0]
    best = heap_i[0]
    seen = 0
    k = 0
    # Entries of equal time hang together at the top of the heap: walk that part, left branch first.
    while seen < TIES:
        seen += 1
        i = heap_i[np.uint64(k)]
        if i != best and balls[np.uint32(i)].te == t and earlier(balls, i, best):
            best = i
        left = 2 * k + 1
        if left < clock.heap and heap_t[np.uint64(left)] == t:
            k = left
        elif left + 1 < clock.heap and heap_t[np.uint64(left + 1)] == t:
            k = left + 1
        else:
            while k > 0 and (k % 2 == 0 or k + 1 >= clock.heap or heap_t[np.uint64(k + 1)] != t):
                k = (k - 1) >> 1
            if k == 0:
                break
            k += 1
    return best
