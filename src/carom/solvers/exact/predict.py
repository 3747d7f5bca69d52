"""What comes next for a ball?

Its earliest contact among the candidates that its neighbourhood names and the walls near it, or the moment when the
neighbourhood is out of date, whichever is first.
"""

from typing import Any

import numpy as np

from carom.physics import contact_time
from carom.physics import walls as wall_laws
from carom.physics.flight import place, speed
from carom.physics.jit import Index, Real, kernel, law
from carom.physics.roots import first_crossing
from carom.solvers.exact import neighbourhood
from carom.solvers.exact.records import BALL, CONTACT, EDGE, NONE, NOTHING, WALL

ALL_AROUND = 6  # in place of a face: no cell is known yet
SURE = 2.000000000000004  # 2, and a little more than rounding can take away


@law
def pull(balls: Any, i: Index, rest_on: Any, walls: Any, gx: Any, gy: Any, gz: Any) -> Any:
    """The acceleration of ball i: gravity, or what the wall that it rests on leaves of it."""
    if gx is None:
        return gx, gy, gz
    if balls[np.uint32(i)].rest == 0:
        return gx, gy, gz
    wall = walls[rest_on[np.uint32(i)]]
    k = (gx * wall.nx + gy * wall.ny) + gz * wall.nz
    return gx - k * wall.nx, gy - k * wall.ny, gz - k * wall.nz


@kernel
def resting_pair(
    one: Any, two: Any, wx: Real, wy: Real, wz: Real,
    ax: Real, ay: Real, az: Real, bx: Real, by: Real, bz: Real,
) -> float:  # fmt: skip
    """When two balls under different accelerations a and b touch: the first fall through zero of a quartic."""
    t = max(one.t, two.t)
    s1, s2 = t - one.t, t - two.t
    dx = (place(one.x, one.vx, ax, s1) - place(two.x, two.vx, bx, s2)) + wx
    dy = (place(one.y, one.vy, ay, s1) - place(two.y, two.vy, by, s2)) + wy
    dz = (place(one.z, one.vz, az, s1) - place(two.z, two.vz, bz, s2)) + wz
    ux = speed(one.vx, ax, s1) - speed(two.vx, bx, s2)
    uy = speed(one.vy, ay, s1) - speed(two.vy, by, s2)
    uz = speed(one.vz, az, s1) - speed(two.vz, bz, s2)
    cx, cy, cz = ax - bx, ay - by, az - bz
    sigma = one.r + two.r
    coefficients = (
        ((dx * dx + dy * dy) + dz * dz) - sigma * sigma,
        2.0 * ((dx * ux + dy * uy) + dz * uz),
        ((ux * ux + uy * uy) + uz * uz) + ((dx * cx + dy * cy) + dz * cz),
        (ux * cx + uy * cy) + uz * cz,
        0.25 * ((cx * cx + cy * cy) + cz * cz),
    )
    if coefficients[4] == 0.0:
        return t + wall_laws.uniform_time(coefficients, True)
    return t + first_crossing(coefficients, True, 0.0)


@law
def equation(
    dim: Any,
    balls: Any,
    i: Index,
    j: Index,
    wx: Real,
    wy: Real,
    wz: Real,
    rest_on: Any,
    walls: Any,
    gx: Any,
    gy: Any,
    gz: Any,
) -> tuple[float, float, float, float]:
    """The equation of a pair; for a resting ball, whose equation is of another kind, one that has the same solution."""
    one, two = balls[np.uint32(i)], balls[np.uint32(j)]
    if gx is not None and (one.rest | two.rest) != 0 and i != j:
        ax, ay, az = pull(balls, i, rest_on, walls, gx, gy, gz)
        bx, by, bz = pull(balls, j, rest_on, walls, gx, gy, gz)
        # In one order whoever asks, so that both get the same bits.
        if one.id < two.id:
            t = resting_pair(one, two, wx, wy, wz, ax, ay, az, bx, by, bz)
        else:
            t = resting_pair(two, one, -wx, -wy, -wz, bx, by, bz, ax, ay, az)
        return t, -1.0 if t < np.inf else 1.0, 0.0, 1.0
    return contact_time.pair(dim, one, two, wx, wy, wz, gx, gy, gz)


@law
def comes_first(balls: Any, j: Index, kind: Index, partner: Index) -> bool:
    """At one instant: is ball j before the present partner?"""
    if (kind & 3) != BALL:
        return True
    return bool(balls[np.uint32(j)].id < balls[np.uint32(partner)].id)


@law
def scan_balls(
    dim: Any,
    hood: Any,
    balls: Any,
    i: Index,
    n: Index,
    rest_on: Any,
    walls: Any,
    gx: Any,
    gy: Any,
    gz: Any,
    found: Any,
    sums: Any,
) -> None:
    """Take the earliest contact of ball i with n candidates, if it is earlier than the one it has.

    The equations are worked out for all first; those of approaching pairs that meet are kept, without a branch. Half of
    all candidates recede, in no order that a processor could guess, and a wrong guess costs more than an equation.
    """
    ball = balls[np.uint32(i)]
    best, partner, kind = ball.tc, ball.partner, np.int64(ball.kind)
    hits = 0
    for k in range(n):
        entry = found[np.uint64(k)]
        j = np.uint32(entry)
        image = np.int64(entry >> np.uint64(32))
        wx = wy = wz = 0.0
        if image != 13:
            wx = (image % 3 - 1) * hood.size[0]
            wy = (image // 3 % 3 - 1) * hood.size[1]
            wz = (image // 9 - 1) * hood.size[2]
        t, b, c, disc = equation(dim, balls, i, j, wx, wy, wz, rest_on, walls, gx, gy, gz)
        at = np.uint64(4 * hits)
        sums[at] = t
        sums[at + np.uint64(1)] = b
        sums[at + np.uint64(2)] = c
        sums[at + np.uint64(3)] = disc
        found[np.uint64(hits)] = entry
        hits += min(disc, -b) >= 0.0
    for k in range(hits):
        at = np.uint64(4 * k)
        t, b, c = sums[at], sums[at + np.uint64(1)], sums[at + np.uint64(2)]
        if c > -SURE * b * (best - t) or b >= 0.0:  # c / (-2 b) is a lower bound
            continue
        t = contact_time.first_root(t, b, c, sums[at + np.uint64(3)])
        if t <= best:
            entry = found[np.uint64(k)]
            j = np.uint32(entry)
            if t < best or comes_first(balls, j, kind, partner):
                best, partner = t, j
                kind = BALL + 4 * np.int64(entry >> np.uint64(32))
    if partner != ball.partner or best != ball.tc:
        ball.promise = balls[np.uint32(partner)].count
    ball.tc, ball.partner, ball.kind = best, partner, kind


@kernel
def scan_walls(ball: Any, near: Any, first: Index, walls: Any, rests_on: Index, ax: Any, ay: Any, az: Any) -> None:
    """Take the earliest contact of a ball with the walls near it, if it is earlier than the one it has."""
    k = first
    while near[k] != NONE:
        w = near[k]
        k += 1
        if w == rests_on or (rests_on != NONE and is_end(walls[w], walls[rests_on])):
            continue
        t = wall_laws.contact_time(ball, walls[w], ax, ay, az)
        earlier = t < ball.tc or (t == ball.tc and t < np.inf and ball.kind & 3 == WALL and w < ball.partner)
        if earlier:
            ball.tc, ball.partner, ball.kind = t, w, WALL
    if rests_on != NONE:
        t = end_of_wall(ball, walls[rests_on], ax, ay)
        if t < ball.tc:
            ball.tc, ball.partner, ball.kind = t, rests_on, EDGE


@law
def is_end(corner: Any, wall: Any) -> bool:
    """Is a corner an end of the wall that a ball slides on? It comes to it no sooner than to the end of the wall."""
    dx, dy = corner.px - wall.px, corner.py - wall.py
    far = abs(dx * wall.nx + dy * wall.ny)
    along = dx * wall.tx + dy * wall.ty
    return bool(
        corner.kind == wall_laws.CORNER
        and far <= wall.slack
        and (abs(along) <= wall.slack or abs(along - wall.length) <= wall.slack)
    )


@law
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


@law
def predict(
    dim: Any, hood: Any, balls: Any, i: Index, face: Index, now: Real, rest_on: Any, walls: Any,
    gx: Any, gy: Any, gz: Any, found: Any, sums: Any,
) -> None:  # fmt: skip
    """Find ball i's next event: afresh (face ALL_AROUND), or adding what it sees after crossing a face of its cell."""
    ball = balls[np.uint32(i)]
    if face == ALL_AROUND:
        ball.tc = np.inf
        ball.kind = NOTHING
    ax, ay, az = pull(balls, i, rest_on, walls, gx, gy, gz)
    # Written down first, so that its roots and divisions are worked out beside what follows.
    ball.te, ball.exit = neighbourhood.expiry(dim, hood, balls, i, now, ax, ay, az)
    n = neighbourhood.candidates(dim, hood, balls, i, face, now, found)
    scan_balls(dim, hood, balls, i, n, rest_on, walls, gx, gy, gz, found, sums)
    first = neighbourhood.first_wall(hood, balls, i)
    if first != NONE:
        scan_walls(ball, hood.near, first, walls, rest_on[np.uint32(i)] if ball.rest else NONE, ax, ay, az)
    if ball.tc <= ball.te:
        ball.te, ball.exit = ball.tc, CONTACT
