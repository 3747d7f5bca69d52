"""The main loop: next event, respond, predict; and nothing else.

Only collisions, seams and rests move anchors. Everything else that comes up in the calendar (a neighbourhood that
expired, a partner that has meanwhile collided with another) is bookkeeping.
"""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, kernel, own_page, scalar_kernel
from carom.solvers.exact.events import calendar
from carom.solvers.exact.events.calendar import word
from carom.solvers.exact.events.predict import predict, pull
from carom.solvers.exact.events.prefetch import fetch
from carom.solvers.exact.events.resolve import cross_seam, touch
from carom.solvers.exact.history.notes import note
from carom.solvers.exact.kinds import ALL_AROUND, BALL, CONTACT, NONE, SEAM, is_collision, partner_kind
from carom.solvers.exact.neighbours import interface

# Why the loop came back; of two reasons, the larger number counts.
GO: Final = -1  # it need not
LIMIT: Final = 0  # no event up to the time limit is left
READY: Final = 1  # the next event is a collision (or a seam), and as many collisions as wished are done
CROWDED: Final = 2  # memory of the neighbourhood ran out: build it anew
EPOCH: Final = 3  # an epoch is over
IDLE: Final = 4  # balls go round and round, and no collision is in sight
STACK: Final = 5  # a ball rests on another, or on a round wall
ENDLESS: Final = 6  # time does not advance
FULL: Final = 7  # there is no room to write down another event
PAUSE: Final = 8  # as many entries are looked at as wished; nothing is half done

PATIENCE: Final = (
    1_000_000  # seams crossed in a row, on a run without a time limit, after which no collision is expected
)
STILL: Final = 10_000_000  # events without advance of time that count as endless


@inline
def ask_for(
    clock: Any, hood: Any, balls: Any, streak: Any, lossy: bool, blocks: Any, bucket: Index, step: Index
) -> None:
    """Fetch what the events of a coming bucket will read, in steps of which each needs what the one before fetched.

    First the records of its balls; then whom they could meet, and the records of partners; then whom these could meet;
    and what is a step farther (`interface.steps`). Not for stale entries.
    """
    block = np.uint32(bucket)
    while block != NONE:
        for k in range(blocks[word(block, calendar.COUNT)]):
            i = blocks[word(block, k)]
            if step == 0:
                fetch(hood, balls, streak, lossy, i)
                continue
            ball = balls[np.uint32(i)]
            if calendar.bucket_of(clock, ball.te) != bucket:
                continue
            if step < 3:
                interface.warm(hood, balls, i, step, False)
            if ball.exit == CONTACT and partner_kind(ball) == BALL:
                if step == 1:
                    fetch(hood, balls, streak, lossy, ball.partner)
                else:
                    interface.warm(hood, balls, ball.partner, step - 1, True)
        block = blocks[word(block, calendar.NEXT)]


@inline
def ask_ahead(
    dim: Any, clock: Any, hood: Any, balls: Any, streak: Any, lossy: bool, blocks: Any, bucket: Index, buckets: Index
) -> None:
    """Fetch from memory, step by step some buckets ahead, what the coming events will read.

    Just early enough: what comes sooner is driven out of the nearest cache again.

    Inlined although it is long: it is called at each bucket, and `hood` alone would be a hundred arguments.
    """
    if bucket + 4 < buckets:
        ask_for(clock, hood, balls, streak, lossy, blocks, bucket + 4, 0)
        ask_for(clock, hood, balls, streak, lossy, blocks, bucket + 3, 1)
        ask_for(clock, hood, balls, streak, lossy, blocks, bucket + 2, 2)
        if interface.steps(dim, hood) == 4:
            ask_for(clock, hood, balls, streak, lossy, blocks, bucket + 1, 3)


@inline
def next_entry(
    dim: Any, hood: Any, balls: Any, streak: Any, lossy: bool, clock: Any, heap_t: Any, heap_i: Any, blocks: Any,
    limit: Real, ahead: Any,
) -> bool:  # fmt: skip
    """Bring the next genuine entry of the calendar to the top of the heap; False when there is none up to the limit."""
    while True:
        if clock.heap > 0:
            if heap_t[0] == balls[np.uint32(heap_i[0])].te:
                return bool(heap_t[0] <= limit)
            calendar.pop(heap_t, heap_i, clock)
            continue
        bucket, buckets = clock.bucket + 1, clock.buckets
        if len(ahead) < 2:
            while bucket < buckets and blocks[word(bucket, calendar.COUNT)] == 0:
                bucket += 1
        elif bucket < buckets:
            if clock.soonest <= bucket and not calendar.catch_up(blocks, clock):
                calendar.turn(balls, heap_t, heap_i, blocks, clock)
                continue
            ask_ahead(dim, clock, hood, balls, streak, lossy, blocks, bucket, buckets)
        if bucket < buckets:
            clock.bucket = bucket
            calendar.open_bucket(balls, heap_t, heap_i, blocks, clock, hood, streak, lossy, ahead)
            continue
        clock.bucket = buckets - 1  # the empty ones at the end count too, else too narrow a width would stay so
        calendar.turn(balls, heap_t, heap_i, blocks, clock)
        if clock.bucket == buckets:
            return False


@inline
def tick(clock: Any, t: Real, idle: bool, limit: Real) -> int:
    """An anchor has moved: time is now t. Says if the run must stop to think."""
    clock.still = clock.still + 1 if t == clock.now else 0
    clock.idle = clock.idle + 1 if idle else 0
    clock.now = t
    clock.events += 1
    if clock.still > STILL:
        return ENDLESS
    if clock.idle > PATIENCE and limit == np.inf:
        return IDLE
    return EPOCH if is_over(clock) else GO


@inline
def is_over(clock: Any) -> bool:
    """Is the epoch over: by its events, or by time once it has had a 64th of them?

    A new epoch predicts the events of all balls anew: one event per ball (and 64 in all) pays for that.
    """
    return bool(clock.events >= clock.epoch or (clock.now >= clock.epoch_end and clock.events >= clock.epoch >> 6))


@inline
def tidy(clock: Any, t: Real, balls: Index) -> int:
    """A neighbourhood is renewed at time t: no event, but without end it would be a run that hangs."""
    clock.chores = clock.chores + 1 if t == clock.chore else 0
    clock.chore = t
    return ENDLESS if clock.chores > STILL and clock.chores > 64 * balls else GO


@scalar_kernel
def advance(
    dim: Any, balls: Any, clocks: Any, heap_t: Any, heap_i: Any, blocks: Any, hood: Any, walls: Any,
    rest_on: Any, streak: Any, turns: Any, bounce: Any, wall_bounce: Any, contact: Any,
    g: Any, sight: Any, logs: Any, notes: Any, limit: Real, afresh: bool, ahead: Any,
) -> int:  # fmt: skip
    """Go on up to the time `limit` (included), or until `clock.quota` collisions are done; says why it stopped.

    It pauses once it has looked at `clock.left` entries of the calendar, whatever they are: who calls it can listen for
    Ctrl-C, and let it go on to the same bits.

    A quota of zero moves no anchor at all; a negative one lets seams pass, and stops before the next collision. With
    `afresh` it only predicts every ball's next event anew (here, so that predicting is compiled once). The length of
    `ahead` says how early memory is asked for (`Engine.ahead`).
    """
    own_page()
    clock = clocks[0]
    while True:
        i: Index = np.uint32(0)
        j: Index = np.uint32(NONE)
        t = clock.now
        face: Index = np.int64(ALL_AROUND)
        reason = GO
        again = False
        if not afresh:
            clock.left -= 1
            if clock.left < 0:
                return PAUSE
            lossy = contact.time > 0.0
            if not next_entry(dim, hood, balls, streak, lossy, clock, heap_t, heap_i, blocks, limit, ahead):
                return LIMIT
            t, i = heap_t[0], heap_i[0]
            if clock.heap > 1 and (heap_t[1] == t or (clock.heap > 2 and heap_t[2] == t)):
                i = calendar.first_of_ties(balls, heap_t, heap_i, clock)
            ball = balls[np.uint32(i)]
            kind = partner_kind(ball)
            clock.looked += 1
            if clock.noted >= 0 and not note(notes, clock, balls, i, t):
                return FULL
            if ball.exit != CONTACT:
                face = np.int64(ball.exit)
                if face >= SEAM:
                    if clock.quota == 0:
                        return READY
                    cross_seam(dim, hood, balls, i, face, t, turns, rest_on, walls, g)
                    clock.seams += 1
                    reason = tick(clock, t, True, limit)
                    ball.moved = clock.events
                else:
                    reason = tidy(clock, t, balls.size)
                ax, ay, az = pull(balls, i, rest_on, walls, g)
                if not interface.renew(dim, hood, clock, balls, i, face, t, ax, ay, az):
                    clock.crowded = 1
                    reason = max(reason, CROWDED)
                face = min(face, ALL_AROUND)
            elif kind != BALL or balls[np.uint32(ball.partner)].moved <= ball.planned:
                if clock.quota == 0 or (clock.quota < 0 and is_collision(kind)):
                    return READY
                j = np.uint32(ball.partner) if kind == BALL else np.uint32(NONE)
                fine = touch(
                    dim, hood, balls, i, kind, t, clock, walls, rest_on, streak, bounce, wall_bounce, contact,
                    g, logs,
                )  # fmt: skip
                reason = tick(clock, t, False, limit)
                ball.moved = clock.events
                if j != NONE:
                    balls[np.uint32(j)].moved = clock.events
                if not fine:
                    clock.culprit_a = ball.id
                    clock.culprit_b = balls[np.uint32(j)].id if j != NONE else NONE
                    reason = STACK
            else:
                again = True
            if reason != GO:
                return reason
            if i == heap_i[0]:
                calendar.pop(heap_t, heap_i, clock)
        for first in range(0, balls.size if afresh else 1, 2):
            if afresh:
                i = np.uint32(first)
                j = np.uint32(first + 1) if first + 1 < balls.size else np.uint32(NONE)
            predict(dim, hood, balls, i, j, face, again, t, clock.events, rest_on, walls, g, sight)
        if afresh:
            return GO
        # Filed after both are predicted: what depends on when an event is cannot be guessed ahead.
        for k in range(1 if j == NONE else 2):
            if not calendar.file(balls, heap_t, heap_i, blocks, clock, i if k == 0 else j, ahead):
                calendar.turn(balls, heap_t, heap_i, blocks, clock)


@kernel
def rebase(balls: Any, clocks: Any, shift: Real) -> None:
    """Move the origin of time forward; the caller says when the new epoch ends."""
    clock = clocks[0]
    for i in range(balls.size):
        balls[i].t -= shift
        balls[i].hit -= shift
        balls[i].moved = 0
    clock.now -= shift
    clock.events = 0
