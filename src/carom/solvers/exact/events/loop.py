"""The main loop: take the next event, do it, predict what comes after it.

Only collisions, seams and rests move anchors. All other entries of the calendar (a neighbourhood that has expired, a
partner that has collided with another ball meanwhile) are bookkeeping.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, kernel, own_page, scalar_kernel
from carom.physics.flight import place
from carom.solvers.exact.events import calendar as filing
from carom.solvers.exact.events.calendar import COUNT, NEXT, Calendar, word
from carom.solvers.exact.events.log import Log
from carom.solvers.exact.events.predict import Moment, predict, pull
from carom.solvers.exact.events.prefetch import fetch
from carom.solvers.exact.events.resolve import cross_seam, touch
from carom.solvers.exact.history.notes import note
from carom.solvers.exact.kinds import ALL_AROUND, BALL, CONTACT, NONE, SEAM, is_collision, partner_kind
from carom.solvers.exact.neighbours import interface
from carom.solvers.exact.origin import last_moment, moved_origin
from carom.solvers.exact.tables import hood_of, open_bodies, open_calendar, open_sight, open_state, rules_of

# Why the loop stopped; of two reasons, the larger number counts.
GO: Final = -1  # it goes on
LIMIT: Final = 0  # no event up to the time limit is left
READY: Final = 1  # the next event is a collision (or a seam), and the quota of collisions is used up
CROWDED: Final = 2  # the neighbourhood needs more memory: build it anew
EPOCH: Final = 3  # an epoch is over
IDLE: Final = 4  # balls cross seams again and again, and no collision is in sight
STACK: Final = 5  # a ball rests on another, or on a round wall
ENDLESS: Final = 6  # time does not advance
FULL: Final = 7  # there is no room to write down another event
PAUSE: Final = 8  # `clock.left` entries are done; the run can go on from here

CROSSINGS: Final = 64  # an epoch is over, too, in the time in which the fastest ball crosses the region so often
NEVER: Final = 1.7976931348623157e308  # s
MAX_SEAMS: Final = 1_000_000  # crossed in a row, after which a run without a time limit expects no collision
MAX_STILL: Final = 10_000_000  # events in a row without advance of time; more count as endless


@inline
def prefetch_bucket(bodies: Any, rules: Any, hood: Any, calendar: Any, clock: Any, bucket: Index, step: Index) -> None:
    """Fetch what the events of a coming bucket will read, in steps of which each needs what the one before fetched.

    First the records of its balls; then their neighbourhoods and partners; then the candidates of these; then what is
    one step farther (`interface.steps`). Stale entries are left out.
    """
    balls, blocks = bodies.balls, calendar.blocks
    block = np.uint32(bucket)
    while block != NONE:
        for k in range(blocks[word(block, COUNT)]):
            i = blocks[word(block, k)]
            if step == 0:
                fetch(bodies, rules, hood, i)
                continue
            ball = balls[np.uint32(i)]
            if filing.bucket_of(clock, ball.te) != bucket:
                continue
            if step < 3:
                interface.warm(hood, balls, i, step, False)
            if ball.exit == CONTACT and partner_kind(ball) == BALL:
                if step == 1:
                    fetch(bodies, rules, hood, ball.partner)
                else:
                    interface.warm(hood, balls, ball.partner, step - 1, True)
        block = blocks[word(block, NEXT)]


@inline
def prefetch_ahead(bodies: Any, rules: Any, hood: Any, calendar: Any, clock: Any, bucket: Index) -> None:
    """Fetch from memory what events will read, step by step, some buckets ahead.

    Just early enough: what comes sooner is driven out of the nearest cache again. Inlined although it is long: it is
    called at each bucket, and `hood` alone would be a hundred arguments.
    """
    if bucket + 4 < clock.buckets:
        prefetch_bucket(bodies, rules, hood, calendar, clock, bucket + 4, 0)
        prefetch_bucket(bodies, rules, hood, calendar, clock, bucket + 3, 1)
        prefetch_bucket(bodies, rules, hood, calendar, clock, bucket + 2, 2)
        if interface.steps(rules.dim, hood) == 4:
            prefetch_bucket(bodies, rules, hood, calendar, clock, bucket + 1, 3)


@inline
def find_next(bodies: Any, rules: Any, hood: Any, calendar: Any, clock: Any, ahead: Any) -> bool:
    """Bring the next entry that is not stale to the top of the heap; False if there is none up to the time limit."""
    balls, blocks = bodies.balls, calendar.blocks
    while True:
        if clock.heap > 0:
            if calendar.times[0] == balls[np.uint32(calendar.balls[0])].te:
                return bool(calendar.times[0] <= clock.limit)
            filing.pop(calendar, clock)
            continue
        bucket, buckets = clock.bucket + 1, clock.buckets
        if len(ahead) < 2:
            while bucket < buckets and blocks[word(bucket, COUNT)] == 0:
                bucket += 1
        elif bucket < buckets:
            if clock.soonest <= bucket and not filing.catch_up(blocks, clock):
                filing.turn(balls, calendar, clock)
                continue
            prefetch_ahead(bodies, rules, hood, calendar, clock, bucket)
        if bucket < buckets:
            clock.bucket = bucket
            filing.open_bucket(bodies, rules, hood, calendar, clock, ahead)
            continue
        clock.bucket = buckets - 1  # empty buckets at the end count too, or too narrow a width would remain
        filing.turn(balls, calendar, clock)
        if clock.bucket == buckets:
            return False


@inline
def tick(clock: Any, t: Real, idle: bool) -> int:
    """Count an event that moved an anchor at time t, `idle` if it is a seam; gives the reason to stop, or GO."""
    clock.still = clock.still + 1 if t == clock.now else 0
    clock.idle = clock.idle + 1 if idle else 0
    clock.now = t
    clock.events += 1
    if clock.still > MAX_STILL:
        return ENDLESS
    if clock.idle > MAX_SEAMS and clock.limit == np.inf:
        return IDLE
    return EPOCH if is_over(clock) else GO


@inline
def is_over(clock: Any) -> bool:
    """Is the epoch over: by its events, or by time once it has had a 64th of them?

    A new epoch predicts the events of all balls anew: one event per ball (and 64 in all) pays for that.
    """
    return bool(clock.events >= clock.epoch or (clock.now >= clock.epoch_end and clock.events >= clock.epoch >> 6))


@inline
def count_renewal(clock: Any, t: Real, balls: Index) -> int:
    """Count a renewal of a neighbourhood at time t. It is no event, but without end of them the run would hang."""
    clock.chores = clock.chores + 1 if t == clock.chore else 0
    clock.chore = t
    return ENDLESS if clock.chores > MAX_STILL and clock.chores > 64 * balls else GO


class Done(NamedTuple):
    """What became of an entry of the calendar, and so what is to be predicted."""

    reason: Any  # to stop, or GO
    partner: Any  # the other ball that moved, or NONE
    face: Any  # of its cell that the ball has crossed, or ALL_AROUND
    again: Any  # True if the ball has not moved, but its partner has


@inline
def leave_neighbourhood(bodies: Any, rules: Any, hood: Any, clock: Any, i: Index, t: Real) -> Any:
    """Ball i leaves its neighbourhood, and perhaps crosses a seam: renew the neighbourhood."""
    ball = bodies.balls[np.uint32(i)]
    face = np.int64(ball.exit)
    if face >= SEAM:
        if clock.quota == 0:
            return Done(np.int64(READY), np.uint32(NONE), face, False)
        cross_seam(bodies, rules, hood, i, face, t)
        clock.seams += 1
        reason = tick(clock, t, True)
        ball.moved = clock.events
    else:
        reason = count_renewal(clock, t, bodies.balls.size)
    a = pull(bodies, rules, rules.gravity, i)
    if not interface.renew(rules.dim, hood, clock, bodies.balls, i, face, t, a):
        clock.crowded = 1
        reason = max(reason, CROWDED)
    return Done(np.int64(reason), np.uint32(NONE), np.int64(min(int(face), ALL_AROUND)), False)


@inline
def make_contact(bodies: Any, rules: Any, hood: Any, clock: Any, log: Any, i: Index, t: Real) -> Any:
    """Ball i touches its partner, unless that is a ball that has moved since the contact was predicted."""
    ball = bodies.balls[np.uint32(i)]
    kind = partner_kind(ball)
    around = np.int64(ALL_AROUND)
    if kind == BALL and bodies.balls[np.uint32(ball.partner)].moved > ball.planned:
        return Done(np.int64(GO), np.uint32(NONE), around, True)
    if clock.quota == 0 or (clock.quota < 0 and is_collision(kind)):
        return Done(np.int64(READY), np.uint32(NONE), around, False)
    j = np.uint32(ball.partner) if kind == BALL else np.uint32(NONE)
    fine = touch(bodies, rules, hood, clock, log, i, kind, t)
    reason = tick(clock, t, False)
    ball.moved = clock.events
    if j != NONE:
        bodies.balls[np.uint32(j)].moved = clock.events
    if not fine:
        clock.culprit_a = ball.id
        clock.culprit_b = bodies.balls[np.uint32(j)].id if j != NONE else NONE
        reason = STACK
    return Done(np.int64(reason), j, around, False)


@inline
def do_entry(bodies: Any, rules: Any, hood: Any, clock: Any, log: Any, i: Index, t: Real) -> Any:
    """Do what comes first for ball i, at time t; write it down for a history first, if there is one."""
    clock.looked += 1
    if clock.noted >= 0 and not note(log.notes, clock, bodies.balls, i, t):
        return Done(np.int64(FULL), np.uint32(NONE), np.int64(ALL_AROUND), False)
    if bodies.balls[np.uint32(i)].exit != CONTACT:
        return leave_neighbourhood(bodies, rules, hood, clock, i, t)
    return make_contact(bodies, rules, hood, clock, log, i, t)


@inline
def first_ball(balls: Any, calendar: Any, clock: Any) -> Index:
    """The ball whose event is next: at the top of the heap, or of several at one instant the first in order."""
    times = calendar.times
    if clock.heap > 1 and (times[1] == times[0] or (clock.heap > 2 and times[2] == times[0])):
        return filing.first_of_ties(balls, calendar, clock)
    return calendar.balls[0]


@inline
def file_both(balls: Any, calendar: Any, clock: Any, ahead: Any, i: Index, j: Index) -> None:
    """File the next event of ball i, and of ball j if there is one.

    After both are predicted: the bucket depends on the times, and no processor can guess it.
    """
    for k in range(1 if j == NONE else 2):
        if not filing.file(balls, calendar, clock, ahead, i if k == 0 else j):
            filing.turn(balls, calendar, clock)


@inline
def guess_width(balls: Any, calendar: Any, clock: Any) -> None:
    """Guess the width of a bucket from the first events, a power of two; each turn of the calendar will mend it."""
    clock.heap, clock.width = 0, 1.0
    for i in range(balls.size):
        if balls[i].te < np.inf:
            filing.push(calendar, clock, balls[i].te, np.uint32(i))
    if clock.heap == 0:
        return
    ahead = min(clock.heap - 1, clock.heap // 5 + 1)
    for _ in range(ahead):
        filing.pop(calendar, clock)
    wait = 2.0 * (calendar.times[0] - clock.now) / (ahead + 1)
    clock.width = power_of_two(wait) if wait > 0.0 else 2.0**-30


@inline
def power_of_two(x: Real) -> float:
    """A power of two near a positive number, but neither very large nor very small."""
    width = 1.0
    while 1.4 * width < x and width < 2.0**900:
        width *= 2.0
    while width > 1.4 * x and width > 2.0**-900:
        width *= 0.5
    return width


@inline
def file_all(balls: Any, calendar: Any, clock: Any) -> None:
    """File the events of all balls in an empty calendar."""
    if clock.width == 0.0:
        guess_width(balls, calendar, clock)
    clock.afresh, clock.looked, clock.bucket = 0, 0, -1
    filing.turn(balls, calendar, clock)


@inline
def begin_epoch(bodies: Any, rules: Any, state: Any, log: Any, until: Real) -> bool:
    """Move the origin of time to the last event, and say when the epoch that begins now ends at the latest.

    True: the run can go on at once. Else the caller is wanted: for memory, the order of the balls, or a history.
    """
    clock, space = state.clock[0], state.space[0]
    tell_times(clock, space, log)
    shift = clock.now
    for i in range(bodies.balls.size):
        ball = bodies.balls[i]
        ball.t -= shift
        ball.hit -= shift
        ball.moved = 0
    clock.now, clock.events = 0.0, 0
    space.origin, space.lost = moved_origin(space.origin, space.lost, shift)
    space.epochs += 1
    clock.epoch_end = end_of_epoch(bodies, rules, space, clock.now)
    clock.limit, clock.afresh = last_moment(space.origin, space.lost, until), 1
    return bool(clock.crowded == 0 and clock.noted < 0 and not is_disordered(space))


@inline
def is_disordered(space: Any) -> bool:
    """Are the balls to be put in order along a curve again, so that neighbours lie side by side?"""
    return bool(space.reorder > 0 and space.epochs % space.reorder == 0)


@inline
def fall_squared(g: Any, height: Real) -> float:
    """The square of the speed that a fall from some height gives."""
    if len(g) == 0:
        return 0.0
    return 2.0 * np.sqrt((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]) * height


@inline
def end_of_epoch(bodies: Any, rules: Any, space: Any, now: Real) -> float:
    """When an epoch that begins now ends at the latest: when the fastest ball could have crossed the region so often.

    It follows from the scene and the anchors alone, so that no way to find neighbours changes a bit.
    """
    balls, extent, fastest = bodies.balls, space.extent, 0.0
    low, high = (np.inf, np.inf, np.inf), (-np.inf, -np.inf, -np.inf)
    for i in range(balls.size):
        ball = balls[i]
        fastest = max(fastest, (ball.vx * ball.vx + ball.vy * ball.vy) + ball.vz * ball.vz)
        if space.extent == 0.0:
            a, s = pull(bodies, rules, rules.gravity, i), now - ball.t
            x, y, z = place(ball.x, ball.vx, a[0], s), place(ball.y, ball.vy, a[1], s), place(ball.z, ball.vz, a[2], s)
            low = min(low[0], x), min(low[1], y), min(low[2], z)
            high = max(high[0], x), max(high[1], y), max(high[2], z)
    if space.extent == 0.0:
        extent = max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
    fastest += fall_squared(rules.gravity, extent)
    crossing = extent / np.sqrt(fastest) if fastest > 0.0 else NEVER
    return min(now + CROSSINGS * crossing, NEVER)


@inline
def tell_times(clock: Any, space: Any, log: Any) -> None:
    """Make the times of the collisions that were written down last absolute."""
    while clock.told < clock.logged:
        row = log.collisions[np.uint64(clock.told)]
        row.time = space.origin + (space.lost + row.time)
        clock.told += 1


@inline
def stop(clock: Any, space: Any, log: Any, reason: Index, amid: bool) -> int:
    """Come back with a reason; `amid` an event, after which its balls are still to be predicted."""
    clock.afresh = max(clock.afresh, np.int64(amid))
    tell_times(clock, space, log)
    return int(reason)


@inline
def pair_from(first: Index, balls: Any) -> tuple[Index, Index]:
    """Ball `first` and the one behind it; NONE if there is none."""
    return np.uint32(first), np.uint32(first + 1) if first + 1 < balls.size else np.uint32(NONE)


@scalar_kernel
def advance(state_block: Any, index_block: Any, collisions: Any, notes: Any, until: Real, variant: Any) -> int:
    """Go on up to a time (included), or until `clock.quota` collisions are done; gives why it stopped.

    It pauses after `clock.left` entries of the calendar, whatever they are: the caller can listen for Ctrl-C, and let
    it go on to the same bits. A quota of zero moves no anchor at all; a negative one lets seams pass, and stops before
    the next collision.

    The lengths of four tuples in `variant` say what the kernel is compiled for: the dimension, gravity, lists instead
    of cells, and how early memory is fetched.
    """
    own_page()
    dim, pulled, listed, ahead = variant
    bodies, state = open_bodies(state_block), open_state(state_block)
    rules, hood = rules_of(dim, pulled, state), hood_of(listed, state, index_block)
    sight, filed = open_sight(index_block), open_calendar(index_block)
    calendar = Calendar(filed.heap_times, filed.heap_balls, filed.blocks, ahead)
    log, clock, space, balls = Log(collisions, notes), state.clock[0], state.space[0], bodies.balls
    clock.limit = last_moment(space.origin, space.lost, until)
    afresh = clock.afresh != 0
    while True:
        i: Index = np.uint32(0)
        t = clock.now
        done = Done(np.int64(GO), np.uint32(NONE), np.int64(ALL_AROUND), False)
        if not afresh:
            clock.left -= 1
            if clock.left < 0:
                return stop(clock, space, log, PAUSE, False)
            if not find_next(bodies, rules, hood, calendar, clock, calendar.ahead):
                return stop(clock, space, log, LIMIT, False)
            t, i = calendar.times[0], first_ball(balls, calendar, clock)
            done = do_entry(bodies, rules, hood, clock, log, i, t)
            if done.reason == EPOCH and begin_epoch(bodies, rules, state, log, until):
                afresh = True
                continue
            if done.reason != GO:
                return stop(clock, space, log, done.reason, done.reason != READY and done.reason != FULL)
            if i == calendar.balls[0]:
                filing.pop(calendar, clock)
        j = done.partner
        for first in range(0, balls.size if afresh else 1, 2):
            i, j = pair_from(first, balls) if afresh else (i, j)
            predict(bodies, rules, hood, sight, i, j, Moment(t, clock.events, done.face), done.again)
        if afresh:
            afresh = False
            file_all(balls, calendar, clock)
        else:
            file_both(balls, calendar, clock, calendar.ahead, i, j)


@kernel
def measure_epoch(state_block: Any, dim: Any, pulled: Any) -> None:
    """Say when the epoch that begins now ends at the latest."""
    bodies, state = open_bodies(state_block), open_state(state_block)
    clock = state.clock[0]
    clock.epoch_end = end_of_epoch(bodies, rules_of(dim, pulled, state), state.space[0], clock.now)
