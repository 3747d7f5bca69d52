"""Prediction: what comes next for a ball?

Its earliest contact among the candidates that its neighbourhood names and the walls near it, or the moment when the
neighbourhood is out of date, whichever is first.
"""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, select
from carom.kernels.simd import columns, equals, least, lowest_bit, meeting, pick, read, spread, write
from carom.physics import contact_time
from carom.physics import walls as wall_laws
from carom.physics.flight import NO_ACCELERATION, place, speed
from carom.physics.roots import first_crossing
from carom.solvers.exact.kinds import ALL_AROUND, BALL, CONTACT, EDGE, NONE, NOTHING, WALL, packed, partner_kind
from carom.solvers.exact.neighbours import interface
from carom.solvers.exact.neighbours.candidate import PLAIN, ball_of, image_of, period

NEVER = 1.7976931348623157e308  # later than any contact, but not infinity, the time of those that never meet


@inline
def pull(bodies: Any, rules: Any, g: Any, i: Index) -> Any:
    """The acceleration of ball i: gravity, of a ball that rests on a wall its part along the wall.

    Three times None without gravity, so that kernels are compiled without it.
    """
    if len(g) == 0:
        return None, None, None
    if bodies.balls[np.uint32(i)].rest == 0:
        return g
    return along(rules.walls[np.uint32(bodies.rest_on[np.uint32(i)])], g)


@noinline
def along(wall: Any, g: Any) -> Any:
    """The part of gravity along a wall."""
    k = (g[0] * wall.nx + g[1] * wall.ny) + g[2] * wall.nz
    return g[0] - k * wall.nx, g[1] - k * wall.ny, g[2] - k * wall.nz


@noinline
def resting_pair(one: Any, two: Any, w: Any, a: Any, b: Any) -> float:
    """When two balls under different accelerations a and b touch: the first fall through zero of a quartic.

    w is the displacement by periods that is added to their distance.
    """
    t = max(one.t, two.t)
    s1, s2 = t - one.t, t - two.t
    dx = (place(one.x, one.vx, a[0], s1) - place(two.x, two.vx, b[0], s2)) + w[0]
    dy = (place(one.y, one.vy, a[1], s1) - place(two.y, two.vy, b[1], s2)) + w[1]
    dz = (place(one.z, one.vz, a[2], s1) - place(two.z, two.vz, b[2], s2)) + w[2]
    ux = speed(one.vx, a[0], s1) - speed(two.vx, b[0], s2)
    uy = speed(one.vy, a[1], s1) - speed(two.vy, b[1], s2)
    uz = speed(one.vz, a[2], s1) - speed(two.vz, b[2], s2)
    cx, cy, cz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    sigma = one.r + two.r
    coefficients = (
        ((dx * dx + dy * dy) + dz * dz) - sigma * sigma,
        2.0 * ((dx * ux + dy * uy) + dz * uz),
        ((ux * ux + uy * uy) + uz * uz) + ((dx * cx + dy * cy) + dz * cz),
        (ux * cx + uy * cy) + uz * cz,
        0.25 * ((cx * cx + cy * cy) + cz * cz),
    )
    if coefficients[4] == 0.0:
        return t + contact_time.uniform(coefficients)
    return t + first_crossing(coefficients, True, 0.0)


@noinline
def resting_equation(
    bodies: Any, rules: Any, i: Index, j: Index, wx: Real, wy: Real, wz: Real
) -> tuple[float, float, float, float]:
    """The equation of a pair of which one rests, solved already: a quadratic one that has the root of the quartic."""
    one, two = bodies.balls[np.uint32(i)], bodies.balls[np.uint32(j)]
    a, b = pull(bodies, rules, rules.gravity, i), pull(bodies, rules, rules.gravity, j)
    if one.id > two.id:  # in the order of their numbers, so that both get the same bits
        one, two, a, b, wx, wy, wz = two, one, b, a, -wx, -wy, -wz
    t = resting_pair(one, two, (wx, wy, wz), a, b)
    return t, -1.0 if t < np.inf else 1.0, 0.0, 1.0


@inline
def equation(
    bodies: Any, rules: Any, g: Any, i: Index, j: Index, wx: Real, wy: Real, wz: Real
) -> tuple[float, float, float, float]:
    """The equation of a pair: t, b, c and the discriminant (see `contact_time.pair`)."""
    one, two = bodies.balls[np.uint32(i)], bodies.balls[np.uint32(j)]
    if len(g) == 0:
        return contact_time.pair(rules.dim, one, two, (wx, wy, wz), NO_ACCELERATION)
    if (one.rest | two.rest) != 0 and i != j:
        return resting_equation(bodies, rules, i, j, wx, wy, wz)
    return contact_time.pair(rules.dim, one, two, (wx, wy, wz), g)


class FourAnchors(NamedTuple):
    """The anchors of four balls side by side, or of one four times."""

    x: Any
    y: Any
    vx: Any
    vy: Any
    t: Any
    r: Any
    z: Any
    vz: Any


@inline
def four_times(ball: Any) -> Any:
    """A ball's anchor, for comparing with four others at once."""
    return FourAnchors(
        spread(ball.x), spread(ball.y), spread(ball.vx), spread(ball.vy), spread(ball.t), spread(ball.r),
        spread(ball.z), spread(ball.vz),
    )  # fmt: skip


@inline
def contact_times(dim: Any, hood: Any, balls: Any, one: Any, words: Any, k: Index) -> Any:
    """When ball `one` touches each of the four candidates from word k on: infinity for those that it does not meet."""
    a, b, c, d = words[k], words[k + np.uint64(1)], words[k + np.uint64(2)], words[k + np.uint64(3)]
    column = columns(balls, ball_of(a), ball_of(b), ball_of(c), ball_of(d))
    two = FourAnchors(column[0], column[1], column[2], column[3], column[4], column[5], column[6], column[7])
    wx = wy = wz = spread(0.0)
    plain = np.uint32(PLAIN)
    if image_of((a ^ plain) | (b ^ plain) | (c ^ plain) | (d ^ plain)) != 0:
        wx = pick(hood.periods, image_of(a), image_of(b), image_of(c), image_of(d))
        wy = pick(hood.periods, image_of(a) + 32, image_of(b) + 32, image_of(c) + 32, image_of(d) + 32)
        if len(dim) == 3:
            wz = pick(hood.periods, image_of(a) + 64, image_of(b) + 64, image_of(c) + 64, image_of(d) + 64)
    t, slope, gap, disc = contact_time.pair(dim, one, two, (wx, wy, wz), NO_ACCELERATION)
    return meeting(contact_time.first_root(t, slope, gap, disc), slope, disc)


class Moment(NamedTuple):
    """When and why a ball is predicted."""

    time: Any  # now, s after the origin
    event: Any  # the last event of the epoch: what is predicted with a partner that a later one moves is void
    face: Any  # of its cell that the ball has crossed: only what lies beyond is new; or ALL_AROUND


@inline
def look(bodies: Any, rules: Any, g: Any, hood: Any, sight: Any, row: Index, i: Index, face: Index) -> None:
    """Compute when ball i touches each of its candidates: all around, or those beyond a face of its cell.

    Without a branch that depends on the motion: half of all candidates recede, in no order that a processor could
    guess, and a wrong guess costs more than the contact time of a pair that never meets.
    """
    dim, balls = rules.dim, bodies.balls
    found, times = sight.found[np.uint32(row)], sight.times[np.uint32(row)]
    n = interface.candidates(dim, hood, balls, i, face, found)
    words, first = interface.where(hood, i, found)
    sight.count[np.uint32(row)] = n
    if len(g) == 0:
        one = four_times(balls[np.uint32(i)])
        step = interface.pace(hood)
        k = 0
        while True:  # also without candidates: behind them stands the ball itself, which it never meets
            at = np.uint64(first) + np.uint64(k)
            four = contact_times(dim, hood, balls, one, words, at)
            if step == 8:
                write(times, k + 4, contact_times(dim, hood, balls, one, words, at + np.uint64(4)))
            write(times, k, four)
            k += step
            if k >= n:
                break
    else:
        for k in range(n):
            word = words[np.uint64(first) + np.uint64(k)]
            image = image_of(word)
            wx, wy, wz = period(hood, image, 0), period(hood, image, 1), period(hood, image, 2)
            t, b, c, disc = equation(bodies, rules, g, i, ball_of(word), wx, wy, wz)
            times[np.uint64(k)] = contact_time.first_root(t, b, c, disc) if b < 0.0 and disc >= 0.0 else np.inf
        for k in range(n, n + 8):
            times[np.uint64(k)] = np.inf


@inline
def choose_ball(hood: Any, balls: Any, sight: Any, row: Index, i: Index, event: Index) -> None:
    """Take the earliest contact of ball i with its candidates, if it is earlier than the one it has."""
    ball = balls[np.uint32(i)]
    words, first = interface.where(hood, i, sight.found[np.uint32(row)])
    times, n = sight.times[np.uint32(row)], sight.count[np.uint32(row)]
    before = min(ball.tc, NEVER)
    # The first four or eight, which are mostly all, stay in registers.
    low = read(times, 0)
    high = read(times, 4) if interface.pace(hood) == 8 else low
    interface.keep(hood, i, low, high)
    best = min(spread(before), low)
    best = min(best, high)
    for k in range(interface.pace(hood), n, 4):
        best = min(best, read(times, k))
    earliest = least(best)
    which = equals(low, earliest)  # a bit for each that comes first
    if interface.pace(hood) == 8:
        which |= equals(high, earliest) << np.uint64(4)
    for k in range(interface.pace(hood), min(n, 64), 4):
        which |= equals(read(times, k), earliest) << np.uint64(k)
    tie = (which & (which - np.uint64(1))) | select(earliest == before, which, np.uint64(0))
    if n > 64 or tie != 0:
        nth = np.uint64(settle_tie(balls, ball, earliest, before, words, first, n, times))
        if nth == np.uint64(n):
            return
        meets = True
    else:
        meets = which != 0
        nth = lowest_bit(which + np.uint64(not meets))
    word = words[np.uint64(first) + nth]
    ball.tc = earliest if meets else ball.tc  # mostly it does: guessing is faster than waiting
    ball.partner = select(meets, ball_of(word), ball.partner)
    ball.planned = select(meets, np.uint32(event), ball.planned)
    ball.kind = select(meets, packed(BALL, image_of(word)), ball.kind)


@noinline
def settle_tie(balls: Any, ball: Any, best: Real, before: Real, words: Any, first: Index, n: Index, times: Any) -> int:
    """Of candidates at one instant: the one with the lowest number, or n if the present partner comes before."""
    which = n
    lowest = np.uint32(NONE)
    if best == before and partner_kind(ball) == BALL:
        lowest = balls[np.uint32(ball.partner)].id
    for k in range(n):
        j = ball_of(words[np.uint64(first) + np.uint64(k)])
        if times[np.uint64(k)] == best and balls[j].id < lowest:
            which = k
            lowest = balls[j].id
    return which


@noinline
def scan_walls(ball: Any, near: Any, first: Index, walls: Any, rests_on: Index, a: Any) -> None:
    """Take the earliest contact of a ball with the walls near it, if it is earlier than the one it has."""
    k = first
    while near[k] != NONE:
        w = near[k]
        k += 1
        if w == rests_on or (rests_on != NONE and is_end(walls[w], walls[rests_on])):
            continue
        t = wall_laws.contact_time(ball, walls[w], a[0], a[1], a[2])
        earlier = t < ball.tc or (t == ball.tc and t < np.inf and partner_kind(ball) == WALL and w < ball.partner)
        if earlier:
            ball.tc, ball.partner, ball.kind = t, w, WALL
    if rests_on != NONE:
        t = end_of_wall(ball, walls[rests_on], a[0], a[1])
        if t < ball.tc:
            ball.tc, ball.partner, ball.kind = t, rests_on, EDGE


@inline
def is_end(corner: Any, wall: Any) -> bool:
    """Is a corner an end of the wall that a ball slides on? The ball reaches it no sooner than the end of the wall."""
    dx, dy = corner.px - wall.px, corner.py - wall.py
    far = abs(dx * wall.nx + dy * wall.ny)
    along = dx * wall.tx + dy * wall.ty
    return bool(
        corner.kind == wall_laws.CORNER
        and far <= wall.slack
        and (abs(along) <= wall.slack or abs(along - wall.length) <= wall.slack)
    )


@inline
def end_of_wall(ball: Any, wall: Any, ax: Any, ay: Any) -> float:
    """When a ball that slides along a segment comes to its end."""
    if wall.kind != wall_laws.SEGMENT or ax is None:
        return np.inf
    along = (ball.x - wall.px) * wall.tx + (ball.y - wall.py) * wall.ty
    v = ball.vx * wall.tx + ball.vy * wall.ty
    a = ax * wall.tx + ay * wall.ty
    ahead = wall_laws.straight_time(wall.length - along, -v, -a, np.inf, 0.0)
    back = wall_laws.straight_time(along, v, a, np.inf, 0.0)
    return ball.t + min(ahead, back)


@inline
def choose(bodies: Any, rules: Any, hood: Any, sight: Any, row: Index, i: Index, moment: Any) -> None:
    """Choose ball i's next event from what it sees: afresh (ALL_AROUND), or if it is earlier than the present one."""
    dim, balls = rules.dim, bodies.balls
    ball = balls[np.uint32(i)]
    if moment.face == ALL_AROUND:
        ball.tc = np.inf
        ball.kind = NOTHING
        ball.planned = moment.event
    a = pull(bodies, rules, rules.gravity, i)
    te, way = np.inf, CONTACT
    if not interface.lasting(hood):
        te, way = interface.expiry(dim, hood, balls, i, moment.time, a)
    choose_ball(hood, balls, sight, row, i, moment.event)
    first = interface.first_wall(hood, balls, i)
    if first != NONE:
        rests_on = np.uint32(bodies.rest_on[np.uint32(i)]) if ball.rest else np.uint32(NONE)
        scan_walls(ball, hood.near, first, rules.walls, rests_on, a)
    if interface.lasting(hood) and not interface.outlasts(dim, hood, balls, i, ball.tc, a[0]):
        te, way = interface.expiry(dim, hood, balls, i, moment.time, a)
    comes = ball.tc <= te
    ball.te, ball.exit = select(comes, ball.tc, te), select(comes, np.uint8(CONTACT), np.uint8(way))


@inline
def predict(bodies: Any, rules: Any, hood: Any, sight: Any, i: Index, j: Index, moment: Any, again: bool) -> None:
    """Find the next events of ball i, and of ball j if there is one.

    With `again` ball i has not moved since it was predicted, but its partner has: the contact times that ball i
    remembers are enough.

    Both look before either chooses: a choice waits for roots and divisions, and a processor, which can look ahead by
    some hundred instructions only, would wait too, instead of working at the other's.
    """
    rows = 1 if j == NONE else 2
    again = again and interface.recall(hood, bodies.balls, i, sight)
    event = bodies.balls[np.uint32(i)].planned if again else moment.event
    moment = Moment(moment.time, event, moment.face)
    for row in range(0 if again else rows):
        look(bodies, rules, rules.gravity, hood, sight, row, i if row == 0 else j, moment.face)
    for row in range(rows):
        choose(bodies, rules, hood, sight, row, i if row == 0 else j, moment)
