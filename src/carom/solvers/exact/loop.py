"""The main loop: next event, respond, predict; and nothing else.

Only collisions, seams and rests move anchors. Everything else that comes up in the calendar (a neighbourhood that
expired, a partner that has meanwhile collided with another) is bookkeeping.
"""

from typing import Any, Final

import numpy as np

from carom.physics import collision, flight
from carom.physics import walls as wall_laws
from carom.physics.jit import Index, Real, kernel, law, prefetch
from carom.solvers.exact import calendar, neighbourhood
from carom.solvers.exact.calendar import word
from carom.solvers.exact.candidate import period
from carom.solvers.exact.predict import ALL_AROUND, predict, pull
from carom.solvers.exact.records import BALL, CONTACT, EDGE, NONE, SEAM, WALL

# Why the loop came back; of two reasons, the larger number counts.
GO: Final = -1  # it need not
LIMIT: Final = 0  # no event up to the time limit is left
READY: Final = 1  # the next event is a collision (or a seam), and as many collisions as wished are done
CROWDED: Final = 2  # memory of the neighbourhood ran out: build it anew
EPOCH: Final = 3  # an epoch is over
IDLE: Final = 4  # balls go round and round, and no collision is in sight
STACK: Final = 5  # a ball rests on another, or on a round wall
ENDLESS: Final = 6  # time does not advance

STREAK: Final = 20_000  # contacts in a row, each within the contact time of the last, that count as rest
PATIENCE: Final = (
    1_000_000  # seams crossed in a row, on a run without a time limit, after which no collision is expected
)
STILL: Final = 10_000_000  # events without advance of time that count as endless

collision_record = np.dtype(
    [
        ("time", "f8"),
        ("kind", "u1"), ("softened", "u1"),  # BALL or WALL; 1: within the contact time, so without loss
        ("wall", "u4"),  # the wall's number, or NONE
        ("a", "u4"), ("b", "u4"),  # the balls' numbers in the scene; b is NONE for a wall
        ("place", "f8", (3,)), ("normal", "f8", (3,)),  # where, and the unit normal towards a
        ("impulse", "f8"),  # given to a along the normal, N s
    ]
)  # fmt: skip


@law
def ask_ahead(hood: Any, balls: Any, blocks: Any, bucket: Index, buckets: Index) -> None:
    """Fetch from memory, step by step some buckets ahead, what the coming events will read."""
    if bucket + 9 >= buckets:
        return
    for k in range(blocks[word(bucket + 9, calendar.COUNT)]):
        i = blocks[word(bucket + 9, k)]
        prefetch(balls, i, 0)
        prefetch(balls, i, 64)
        neighbourhood.warm(hood, balls, i, 0, False)
    for k in range(blocks[word(bucket + 7, calendar.COUNT)]):
        i = blocks[word(bucket + 7, k)]
        neighbourhood.warm(hood, balls, i, 1, False)
        ball = balls[np.uint32(i)]
        if ball.exit == CONTACT and ball.kind & 3 == BALL:
            prefetch(balls, ball.partner, 0)
            prefetch(balls, ball.partner, 64)
            neighbourhood.warm(hood, balls, ball.partner, 0, True)
    for k in range(blocks[word(bucket + 5, calendar.COUNT)]):
        ball = balls[np.uint32(blocks[word(bucket + 5, k)])]
        if ball.exit == CONTACT and ball.kind & 3 == BALL:
            neighbourhood.warm(hood, balls, ball.partner, 1, True)
    for k in range(blocks[word(bucket + 3, calendar.COUNT)]):
        i = blocks[word(bucket + 3, k)]
        neighbourhood.warm(hood, balls, i, 2, False)
        ball = balls[np.uint32(i)]
        if ball.exit == CONTACT and ball.kind & 3 == BALL:
            neighbourhood.warm(hood, balls, ball.partner, 2, True)


@law
def note_contact(ball: Any, streak: Any, i: Index, t: Real, lossy: bool, soft: bool) -> bool:
    """Remember a collision of ball i; False when it has gone on within the contact time for too long."""
    ball.hit = t
    ball.rest = 0
    ball.count += np.uint32(1)
    if not lossy:
        return True
    k = streak[np.uint32(i)] + 1 if soft else 0
    streak[np.uint32(i)] = k
    return bool(k < STREAK)


@law
def log(
    logs: Any,
    clock: Any,
    t: Real,
    kind: Index,
    soft: bool,
    wall: Index,
    a: Index,
    b: Index,
    ball: Any,
    nx: Real,
    ny: Real,
    nz: Real,
    j: Real,
) -> None:
    """Write a collision down, if anyone listens."""
    if clock.logged < logs.size:
        entry = logs[clock.logged]
        clock.logged += 1
        swap = b < a
        s = -1.0 if swap else 1.0
        entry.time, entry.kind, entry.softened, entry.wall = t, kind, soft, wall
        entry.a, entry.b = (b, a) if swap else (a, b)
        entry.place[0], entry.place[1], entry.place[2] = (
            ball.x - nx * ball.r,
            ball.y - ny * ball.r,
            ball.z - nz * ball.r,
        )
        entry.normal[0], entry.normal[1], entry.normal[2] = s * nx, s * ny, s * nz
        entry.impulse = j


@law
def hit_ball(
    dim: Any, hood: Any, balls: Any, i: Index, t: Real, clock: Any, walls: Any, rest_on: Any, streak: Any, bounce: Any,
    contact_time: Real, gx: Any, gy: Any, gz: Any, logs: Any,
) -> bool:  # fmt: skip
    """Ball i and its partner touch: fly there, collide. False when they turn out to rest on each other."""
    j = balls[np.uint32(i)].partner
    image = np.int64(balls[np.uint32(i)].kind >> 2)
    if logs.size > 0 and balls[np.uint32(j)].id < balls[np.uint32(i)].id:
        i, j = j, np.uint32(i)  # told from the lower number, whoever held the event; the motion is the same
        image = 26 - image
    ball = balls[np.uint32(i)]
    other = balls[np.uint32(j)]
    ax, ay, az = pull(balls, i, rest_on, walls, gx, gy, gz)
    bx, by, bz = pull(balls, j, rest_on, walls, gx, gy, gz)
    flight.fly(dim, ball, t, ax, ay, az)
    flight.fly(dim, other, t, bx, by, bz)
    dx = (ball.x - other.x) + period(hood, image, 0)
    dy = (ball.y - other.y) + period(hood, image, 1)
    dz = (ball.z - other.z) + period(hood, image, 2)
    s = np.sqrt((dx * dx + dy * dy) + dz * dz)
    at_rest = (ball.rest | other.rest) != 0
    # Two points at one place, or (on a floor) but for rounding: along the line on which they came.
    if s == 0.0 or (at_rest and ball.r + other.r == 0.0):
        dx, dy, dz = other.vx - ball.vx, other.vy - ball.vy, other.vz - ball.vz
        s = np.sqrt((dx * dx + dy * dy) + dz * dz)
    nx, ny, nz = dx / s, dy / s, dz / s
    e = bounce[np.uint32(ball.material), np.uint32(other.material)]
    soft = e < 1.0 and (t - ball.hit < contact_time or t - other.hit < contact_time)
    # Along an axis the unit vector is exact, and so is the exchange; else the line of centres itself is better.
    if nx * nx == 1.0 or ny * ny == 1.0 or nz * nz == 1.0:
        dx, dy, dz, s = nx, ny, nz, 1.0
    impulse = collision.collide(ball, other, dx, dy, dz, 1.0 if soft else e) * s
    clock.ball_ball += 1
    clock.softened += soft
    log(logs, clock, t, BALL, soft, NONE, ball.id, other.id, ball, nx, ny, nz, impulse)
    fine = True
    if gx is not None and at_rest and impulse == 0.0:  # they graze each other, unless gravity presses them together
        fine = ((ax - bx) * nx + (ay - by) * ny) + (az - bz) * nz >= 0.0
    fine &= note_contact(ball, streak, i, t, contact_time > 0.0, soft)
    fine &= note_contact(other, streak, j, t, contact_time > 0.0, soft)
    return fine


@law
def hit_wall(
    dim: Any, balls: Any, i: Index, t: Real, clock: Any, walls: Any, rest_on: Any, streak: Any, bounce: Any,
    wall_bounce: Any, contact_time: Real, gx: Any, gy: Any, gz: Any, logs: Any,
) -> bool:  # fmt: skip
    """Ball i touches a wall or a fixed ball: fly there, rebound, and perhaps stay. False: it rests on a round one."""
    ball = balls[np.uint32(i)]
    w = ball.partner
    wall = walls[w]
    ax, ay, az = pull(balls, i, rest_on, walls, gx, gy, gz)
    flight.fly(dim, ball, t, ax, ay, az)
    nx, ny, nz = wall_laws.normal(ball, wall)
    if wall.kind == wall_laws.PIN:
        e = bounce[np.uint32(ball.material), np.uint32(wall.material)]
    else:
        e = wall_bounce[np.uint32(ball.material), np.uint32(wall.material)]
    soft = e < 1.0 and t - ball.hit < contact_time
    impulse = collision.rebound(ball, nx, ny, nz, 1.0 if soft else e)
    if wall.kind == wall_laws.PIN:
        clock.ball_ball += 1
        log(logs, clock, t, BALL, soft, w, ball.id, wall.ball, ball, nx, ny, nz, impulse)
    else:
        clock.ball_wall += 1
        log(logs, clock, t, WALL, soft, w, ball.id, NONE, ball, nx, ny, nz, impulse)
    clock.softened += soft
    fine = note_contact(ball, streak, i, t, contact_time > 0.0, soft)
    if gx is not None:
        g = -((gx * nx + gy * ny) + gz * nz)
        u = (ball.vx * nx + ball.vy * ny) + ball.vz * nz
        if g > 0.0 and 2.0 * u <= g * contact_time:
            if wall.kind != wall_laws.PLANE and wall.kind != wall_laws.SEGMENT:
                return bool(fine and impulse != 0.0)
            ball.vx -= u * nx
            ball.vy -= u * ny
            ball.vz -= u * nz
            ball.rest = 1
            rest_on[np.uint32(i)] = w
            clock.rests += 1
    return fine


@kernel
def cross_seam(
    dim: Any,
    hood: Any,
    balls: Any,
    i: Index,
    face: Index,
    t: Real,
    turns: Any,
    rest_on: Any,
    walls: Any,
    gx: Any,
    gy: Any,
    gz: Any,
) -> None:
    """Ball i crosses a seam: its anchor moves to the other end of the axis."""
    ball = balls[np.uint32(i)]
    ax, ay, az = pull(balls, i, rest_on, walls, gx, gy, gz)
    flight.fly(dim, ball, t, ax, ay, az)
    axis = (face & 7) >> 1
    up = face & 1
    if axis == 0:
        ball.x = 0.0 if up else hood.size[0]
    elif axis == 1:
        ball.y = 0.0 if up else hood.size[1]
    else:
        ball.z = 0.0 if up else hood.size[2]
    turns[ball.id, axis] += 1 if up else -1
    ball.count += np.uint32(1)


@law
def next_entry(
    hood: Any, balls: Any, clock: Any, heap_t: Any, heap_i: Any, blocks: Any, limit: Real, ahead: bool
) -> bool:
    """Bring the next genuine entry of the calendar to the top of the heap; False when there is none up to the limit."""
    while True:
        if clock.heap > 0:
            if heap_t[0] == balls[np.uint32(heap_i[0])].te:
                return bool(heap_t[0] <= limit)
            calendar.pop(heap_t, heap_i, clock)
            continue
        bucket, buckets = clock.bucket + 1, clock.buckets
        while bucket < buckets and blocks[word(bucket, calendar.COUNT)] == 0:
            bucket += 1
        if bucket < buckets:
            clock.bucket = bucket
            calendar.open_bucket(balls, heap_t, heap_i, blocks, clock)
            if ahead:
                ask_ahead(hood, balls, blocks, bucket, buckets)
            continue
        calendar.turn(balls, heap_t, heap_i, blocks, clock)
        if clock.bucket == buckets:
            return False


@law
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
    return EPOCH if clock.events >= clock.epoch else GO


@law
def touch(
    dim: Any, hood: Any, balls: Any, i: Index, kind: Index, t: Real, clock: Any, walls: Any, rest_on: Any, streak: Any,
    bounce: Any, wall_bounce: Any, contact_time: Real, gx: Any, gy: Any, gz: Any, logs: Any,
) -> bool:  # fmt: skip
    """Ball i touches a ball or a wall, or comes to the end of the one it slides on. False: it rests where it cannot."""
    if kind == BALL:
        clock.quota -= 1
        return hit_ball(dim, hood, balls, i, t, clock, walls, rest_on, streak, bounce, contact_time, gx, gy, gz, logs)
    if kind == WALL:
        clock.quota -= 1
        return hit_wall(
            dim, balls, i, t, clock, walls, rest_on, streak, bounce, wall_bounce, contact_time, gx, gy, gz, logs
        )
    ball = balls[np.uint32(i)]
    ax, ay, az = pull(balls, i, rest_on, walls, gx, gy, gz)
    flight.fly(dim, ball, t, ax, ay, az)
    step_off(ball, walls[ball.partner])
    ball.rest = 0
    ball.count += np.uint32(1)
    return True


@law
def step_off(ball: Any, wall: Any) -> None:
    """Put a ball that slid to the end of a segment just beyond it, by no more than rounding: it is free of it."""
    along = (ball.x - wall.px) * wall.tx + (ball.y - wall.py) * wall.ty
    ahead = ball.vx * wall.tx + ball.vy * wall.ty > 0.0
    shift = (wall.length + 2.0 * wall.slack if ahead else -2.0 * wall.slack) - along
    ball.x += shift * wall.tx
    ball.y += shift * wall.ty


@kernel
def advance(
    dim: Any, balls: Any, clocks: Any, heap_t: Any, heap_i: Any, blocks: Any, hood: Any, walls: Any,
    rest_on: Any, streak: Any, turns: Any, bounce: Any, wall_bounce: Any, contact_time: Real,
    gx: Any, gy: Any, gz: Any, found: Any, times: Any, logs: Any, limit: Real, afresh: bool, ahead: bool,
) -> int:  # fmt: skip
    """Go on up to the time `limit` (included), or until `clock.quota` collisions are done; says why it stopped.

    A quota of zero moves no anchor at all; a negative one lets seams pass, and stops before the next collision. With
    `afresh` it only predicts every ball's next event anew (here, so that predicting is compiled once).
    """
    clock = clocks[0]
    while True:
        i: Index = np.uint32(0)
        j: Index = np.uint32(NONE)
        t = clock.now
        face: Index = np.int64(ALL_AROUND)
        reason = GO
        if not afresh:
            if not next_entry(hood, balls, clock, heap_t, heap_i, blocks, limit, ahead):
                return LIMIT
            t, i = heap_t[0], heap_i[0]
            if clock.heap > 1 and (heap_t[1] == t or (clock.heap > 2 and heap_t[2] == t)):
                i = calendar.first_of_ties(balls, heap_t, heap_i, clock)
            ball = balls[np.uint32(i)]
            kind = np.int64(ball.kind) & 3
            clock.looked += 1
            if ball.exit != CONTACT:
                face = np.int64(ball.exit)
                if face >= SEAM:
                    if clock.quota == 0:
                        return READY
                    cross_seam(dim, hood, balls, i, face, t, turns, rest_on, walls, gx, gy, gz)
                    clock.seams += 1
                    reason = tick(clock, t, True, limit)
                ax, ay, az = pull(balls, i, rest_on, walls, gx, gy, gz)
                if not neighbourhood.renew(dim, hood, clock, balls, walls, i, face, t, ax, ay, az):
                    clock.crowded = 1
                    reason = max(reason, CROWDED)
                face = min(face, ALL_AROUND)
            elif kind != BALL or balls[np.uint32(ball.partner)].count == ball.promise:
                if clock.quota == 0 or (clock.quota < 0 and kind != EDGE):
                    return READY
                j = np.uint32(ball.partner) if kind == BALL else np.uint32(NONE)
                fine = touch(
                    dim, hood, balls, i, kind, t, clock, walls, rest_on, streak, bounce, wall_bounce, contact_time,
                    gx, gy, gz, logs,
                )  # fmt: skip
                reason = tick(clock, t, False, limit)
                if not fine:
                    clock.culprit_a = ball.id
                    clock.culprit_b = balls[np.uint32(j)].id if j != NONE else NONE
                    reason = STACK
            if reason != GO:
                return reason
            if i == heap_i[0]:
                calendar.pop(heap_t, heap_i, clock)
        todo = balls.size if afresh else (1 if j == NONE else 2)
        for k in range(todo):
            each = np.uint32(k) if afresh else (i if k == 0 else j)
            predict(dim, hood, balls, each, face, t, rest_on, walls, gx, gy, gz, found, times)
        if afresh:
            return GO
        # Filed after both are predicted: what depends on when an event is cannot be guessed ahead.
        for k in range(todo):
            if not calendar.file(balls, heap_t, heap_i, blocks, clock, i if k == 0 else j):
                calendar.turn(balls, heap_t, heap_i, blocks, clock)


@kernel
def rebase(balls: Any, clocks: Any, shift: Real) -> None:
    """Move the origin of time forward."""
    clock = clocks[0]
    for i in range(balls.size):
        balls[i].t -= shift
        balls[i].hit -= shift
    clock.now -= shift
    clock.events = 0
