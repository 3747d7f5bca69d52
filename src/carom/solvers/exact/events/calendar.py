"""The calendar: which ball has the next event?

Each ball has one event, at `te`, and at least one entry. Time is divided into buckets of equal width. The entries of
later buckets lie unordered in blocks of six; only the current bucket is a heap. An entry whose time is no longer its
ball's `te` is stale, and is dropped when it comes up. Events beyond the last bucket are not filed: they go into a block
that is never read, which saves a branch. When the buckets are used up, the calendar turns and files all events anew.
Nothing here changes the order of events, only the time that it takes to find it.

In large systems a bucket is seldom in the cache. There an entry waits until 16 others have come, while its bucket is
fetched. Waiting entries stand in the last blocks, and are all filed before the first of their buckets is opened.
"""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, prefetch, scalar_kernel
from carom.solvers.exact.events.prefetch import fetch_both, partner_of
from carom.solvers.exact.kinds import BALL, CONTACT, EDGE, NONE, SEAM, partner_kind

ROOM = 6  # entries in a block; word 6 counts them, word 7 names the next block
COUNT = 6
NEXT = 7
LOAD = 1.6  # aim for events per bucket: with fewer, many are empty; with more, what they read is fetched all at once
WAITING = 16  # entries that wait for their bucket to come from memory; a power of two; two words each
TIES = 16384  # events at one instant that are put in order among themselves


class Calendar(NamedTuple):
    """Where the events of all balls are filed."""

    times: Any  # the heap of the current bucket: times of events
    balls: Any  # and their balls
    blocks: Any  # entries of later buckets: blocks of eight words
    ahead: tuple[int, ...]  # its length says how early memory is fetched (`Index`)


@inline
def word(block: Index, k: Index) -> int:
    """Where word k of a block of eight stands in the flat array."""
    return np.uint64(block) * np.uint64(8) + np.uint64(k)  # type: ignore[return-value]  # unsigned spares a test


@inline
def push(calendar: Any, clock: Any, t: Real, i: Index) -> None:
    """Put an entry into the heap."""
    times, balls = calendar.times, calendar.balls
    k = clock.heap
    clock.heap = k + 1
    while k > 0:
        up = (k - 1) >> 1
        above = times[np.uint64(up)]
        if above <= t:
            break
        times[np.uint64(k)] = above
        balls[np.uint64(k)] = balls[np.uint64(up)]
        k = up
    times[np.uint64(k)] = t
    balls[np.uint64(k)] = i


@inline
def pop(calendar: Any, clock: Any) -> None:
    """Drop the first entry of the heap."""
    times, balls = calendar.times, calendar.balls
    n = clock.heap - 1
    clock.heap = n
    t = times[np.uint64(n)]
    i = balls[np.uint64(n)]
    k = 0
    while True:
        down = 2 * k + 1
        if down >= n:
            break
        if down + 1 < n and times[np.uint64(down + 1)] < times[np.uint64(down)]:
            down += 1
        if times[np.uint64(down)] >= t:
            break
        times[np.uint64(k)] = times[np.uint64(down)]
        balls[np.uint64(k)] = balls[np.uint64(down)]
        k = down
    times[np.uint64(k)] = t
    balls[np.uint64(k)] = i


@inline
def bucket_of(clock: Any, t: Real) -> int:
    """The bucket that the time t belongs to, at most the number of buckets."""
    return int(min((t - clock.base) * clock.rate, clock.span))


@noinline
def compact(records: Any, calendar: Any, clock: Any) -> None:
    """Drop stale and double entries of a full heap; at most one entry per ball is left."""
    times, balls = calendar.times, calendar.balls
    n = clock.heap
    clock.heap = 0
    for k in range(n):
        t = times[np.uint64(k)]
        i = balls[np.uint64(k)]
        ball = records[np.uint32(i)]
        if t == ball.te:
            ball.te = -np.inf  # seen: further entries of this ball now look stale
            push(calendar, clock, t, i)
    for k in range(clock.heap):
        records[np.uint32(balls[np.uint64(k)])].te = times[np.uint64(k)]


@inline
def file(records: Any, calendar: Any, clock: Any, ahead: Any, i: Index) -> bool:
    """Enter ball i at its `te`; False if there is no free block left (then all events must be filed anew).

    Where memory is fetched several buckets ahead, the entry waits, and the one that has waited longest is filed.
    """
    blocks = calendar.blocks
    t = records[np.uint32(i)].te
    b = bucket_of(clock, t)
    if b <= clock.bucket:
        if clock.heap == calendar.times.size:
            compact(records, calendar, clock)
        push(calendar, clock, t, i)
        return True
    if len(ahead) == 2:
        prefetch(blocks, word(b, 0), 0)
        clock.soonest = min(clock.soonest, b)
        place = seat(blocks, clock.waiting)
        clock.waiting += 1
        before, other = np.int64(blocks[place]), blocks[place + np.uint64(1)]
        blocks[place], blocks[place + np.uint64(1)] = b, i
        return put(blocks, clock, before, other)
    return put(blocks, clock, b, i)


@inline
def put(blocks: Any, clock: Any, b: Index, i: Index) -> bool:
    """Write ball i into bucket b; False if there is no free block left."""
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
    blocks[word(b, COUNT)] = (n + 1) * (b < clock.buckets)  # the block beyond the last bucket never fills
    return True


@inline
def seat(blocks: Any, k: Index) -> int:
    """Where in the flat array the k-th entry waits: its bucket, followed by its ball."""
    return np.uint64(blocks.size) - np.uint64(2) * (np.uint64(1) + (np.uint64(k) & np.uint64(WAITING - 1)))  # type: ignore[return-value]  # unsigned spares a test


@noinline
def catch_up(blocks: Any, clock: Any) -> bool:
    """File all waiting entries; False if there is no free block left."""
    fine = True
    for k in range(WAITING):
        fine &= put(blocks, clock, np.int64(blocks[seat(blocks, k)]), blocks[seat(blocks, k) + np.uint64(1)])
    empty_seats(blocks, clock)
    return fine


@inline
def empty_seats(blocks: Any, clock: Any) -> None:
    """Leave no entry waiting: each seat holds an entry beyond the last bucket, which is never read."""
    for k in range(WAITING):
        blocks[seat(blocks, k)] = clock.buckets
    clock.soonest = clock.buckets


@inline
def open_bucket(bodies: Any, rules: Any, hood: Any, calendar: Any, clock: Any, ahead: Any) -> None:
    """Move the entries of the current bucket into the heap, without stale ones, and free its blocks.

    Where `ahead` has one item, fetch what their events read. Where it has two, that was done before; where it has none,
    it is not worth it, except for the first question of an event, whether the partner has moved: that is seldom in the
    nearest cache.
    """
    records, blocks = bodies.balls, calendar.blocks
    head = clock.bucket
    block = np.uint32(head)
    while True:
        n = blocks[word(block, COUNT)]
        for k in range(n):
            i = blocks[word(block, k)]
            ball = records[np.uint32(i)]
            t = ball.te
            if bucket_of(clock, t) == head:
                if len(ahead) == 1:
                    fetch_both(bodies, rules, hood, i, ball)
                else:
                    prefetch(records, partner_of(ball, i), 64)
                if clock.heap == calendar.times.size:
                    compact(records, calendar, clock)
                push(calendar, clock, t, i)
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
    empty_seats(blocks, clock)


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


@inline
def turn(records: Any, calendar: Any, clock: Any) -> None:
    """File all events anew, in a new year. It is compiled once, for all ways to fetch memory ahead."""
    turn_year(records, Calendar(calendar.times, calendar.balls, calendar.blocks, (0, 0)), clock)


@scalar_kernel
def turn_year(records: Any, calendar: Any, clock: Any) -> None:
    """Begin a new year now, or at the earliest event if that is far, with a bucket width that fits the last year.

    Entries wait here (`ahead` has two items): which events come after the end of the year cannot be guessed.
    """
    if clock.looked > 0:
        load = clock.looked / (clock.bucket + 1)
        clock.width = max(clock.width * min(max(LOAD / load, 0.5), 2.0), 1e-300)  # never 0, or no year would end
    clock.looked = 0
    clock.turned += 1
    start = clock.now
    while True:
        end = begin_year(calendar.blocks, clock, start)
        first = np.inf
        for i in range(records.size):
            prefetch(records, min(i + 24, records.size - 1), 64)
            first = min(first, records[np.uint64(i)].te)
            file(records, calendar, clock, calendar.ahead, np.uint32(i))
        catch_up(calendar.blocks, clock)
        if first < end:
            return
        if first == np.inf:
            clock.bucket = clock.buckets
            return
        start = first


@inline
def rank(records: Any, i: Index) -> int:
    """0: bookkeeping (to be dealt with first), else the number of the kind; a seam is as late as the end of a wall."""
    ball = records[np.uint32(i)]
    if ball.exit != CONTACT:
        return EDGE if ball.exit >= SEAM else 0
    kind = partner_kind(ball)
    if kind == BALL:
        return BALL if records[np.uint32(ball.partner)].moved <= ball.planned else 0
    return kind


@inline
def earlier(records: Any, i: Index, j: Index) -> bool:
    """Of two events at one instant: is that of ball i before that of ball j? By kind, then by the balls' numbers."""
    a, b = rank(records, i), rank(records, j)
    if a != b:
        return a < b
    one, two = records[np.uint32(i)], records[np.uint32(j)]
    i_low, j_low = one.id, two.id
    i_high, j_high = one.partner, two.partner
    if a == BALL:
        mate, other = records[np.uint32(one.partner)].id, records[np.uint32(two.partner)].id
        i_low, i_high = min(one.id, mate), max(one.id, mate)
        j_low, j_high = min(two.id, other), max(two.id, other)
    if i_low != j_low:
        return i_low < j_low
    return i_high < j_high


@noinline
def first_of_ties(records: Any, calendar: Any, clock: Any) -> int:
    """The first in order of the events that share the time of the heap's first entry."""
    times, balls = calendar.times, calendar.balls
    t = times[0]
    best = balls[0]
    seen = 0
    k = 0
    # Entries of equal time are connected at the top of the heap: walk that part, left branch first.
    while seen < TIES:
        seen += 1
        i = balls[np.uint64(k)]
        if i != best and records[np.uint32(i)].te == t and earlier(records, i, best):
            best = i
        left = 2 * k + 1
        if left < clock.heap and times[np.uint64(left)] == t:
            k = left
        elif left + 1 < clock.heap and times[np.uint64(left + 1)] == t:
            k = left + 1
        else:
            while k > 0 and (k % 2 == 0 or k + 1 >= clock.heap or times[np.uint64(k + 1)] != t):
                k = (k - 1) >> 1
            if k == 0:
                break
            k += 1
    return best
