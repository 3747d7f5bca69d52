"""What happens when a ball touches another ball or a wall, comes to the end of the wall it slides on, or to a seam."""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics import flight, impact
from carom.physics import walls as wall_laws
from carom.solvers.exact.events.log import Hit, write
from carom.solvers.exact.events.predict import pull
from carom.solvers.exact.kinds import BALL, NONE, WALL, axis_of, is_upper, partner_image
from carom.solvers.exact.neighbours.candidate import mirrored, period

# A streak is a sequence of collisions of a ball, each within the contact time of the one before (ADR 3).
MAX_LOSSES: Final = 64  # collisions of a streak that lose energy, after its first
MAX_STREAK: Final = 20_000  # collisions of a streak; a longer one counts as rest


@inline
def is_soon(ball: Any, t: Real, contact: Any) -> bool:
    """Does a collision at time t continue the streak of a ball: was the last one less than the contact time ago?"""
    return bool(t - ball.hit < contact.time)


@inline
def is_lasting(bodies: Any, i: Index, soon: bool, u: Real, contact: Any) -> bool:
    """Is the streak of ball i one lasting contact by now, so that an approach at the speed u loses nothing?"""
    return bool(soon and (u <= contact.faint or bodies.streak[np.uint32(i)] >= MAX_LOSSES))


@inline
def end_rest(bodies: Any, i: Index) -> None:
    """Ball i rests on its wall no longer, if it did."""
    ball = bodies.balls[np.uint32(i)]
    if ball.rest != 0:
        ball.rest = 0
        bodies.rest_on[np.uint32(i)] = -1


@inline
def extend_streak(bodies: Any, rules: Any, i: Index, t: Real, soon: bool) -> bool:
    """Count a collision of ball i in its streak, or begin a new streak; False if the streak is too long."""
    bodies.balls[np.uint32(i)].hit = t
    end_rest(bodies, i)
    if rules.contact.time <= 0.0:
        return True
    k = bodies.streak[np.uint32(i)] + 1 if soon else 0
    bodies.streak[np.uint32(i)] = k
    return bool(k < MAX_STREAK)


@inline
def fly(bodies: Any, rules: Any, i: Index, t: Real) -> Any:
    """Move the anchor of ball i to time t; gives its acceleration."""
    a = pull(bodies, rules, rules.gravity, i)
    flight.fly(rules.dim, bodies.balls[np.uint32(i)], t, a[0], a[1], a[2])
    return a


@inline
def parting(g: Any, a: Any, b: Any, nx: Real, ny: Real, nz: Real) -> float:
    """How fast the relative acceleration a - b of two balls lets them part along n; 0 without gravity."""
    if len(g) == 0:
        return 0.0
    return ((a[0] - b[0]) * nx + (a[1] - b[1]) * ny) + (a[2] - b[2]) * nz


@inline
def hit_ball(bodies: Any, rules: Any, hood: Any, clock: Any, log: Any, i: Index, t: Real) -> bool:
    """Ball i and its partner touch: fly there, collide. False if they turn out to rest on each other."""
    balls, contact = bodies.balls, rules.contact
    j = balls[np.uint32(i)].partner
    image = partner_image(balls[np.uint32(i)])
    if log.collisions.size > 0 and balls[np.uint32(j)].id < balls[np.uint32(i)].id:
        i, j = j, np.uint32(i)  # logged from the lower number, whichever ball holds the event; the motion is the same
        image = mirrored(image)
    ball = balls[np.uint32(i)]
    other = balls[np.uint32(j)]
    a = fly(bodies, rules, i, t)
    b = fly(bodies, rules, j, t)
    dx = (ball.x - other.x) + period(hood, image, 0)
    dy = (ball.y - other.y) + period(hood, image, 1)
    dz = (ball.z - other.z) + period(hood, image, 2)
    s = np.sqrt((dx * dx + dy * dy) + dz * dz)
    at_rest = (ball.rest | other.rest) != 0
    # Two points at one place, or (on a floor) apart by rounding only: along the line on which they came.
    if s == 0.0 or (at_rest and ball.r + other.r == 0.0):
        dx, dy, dz = other.vx - ball.vx, other.vy - ball.vy, other.vz - ball.vz
        s = np.sqrt((dx * dx + dy * dy) + dz * dz)
    nx, ny, nz = dx / s, dy / s, dz / s
    e = rules.bounce[np.uint32(ball.material), np.uint32(other.material)]
    soon, other_soon, lossless = False, False, False
    if contact.time > 0.0:
        soon, other_soon = is_soon(ball, t, contact), is_soon(other, t, contact)
        u = -impact.separation_speed(ball, other, nx, ny, nz)
        lossless = is_lasting(bodies, i, soon, u, contact) or is_lasting(bodies, j, other_soon, u, contact)
        lossless = lossless and e < 1.0
    # Along an axis the unit vector is exact, and so is the exchange; else the line of centres itself is better.
    if nx * nx == 1.0 or ny * ny == 1.0 or nz * nz == 1.0:
        dx, dy, dz, s = nx, ny, nz, 1.0
    impulse = impact.collide(ball, other, dx, dy, dz, 1.0 if lossless else e) * s
    clock.ball_ball += 1
    clock.softened += lossless
    write(log, clock, ball, Hit(t, BALL, lossless, np.uint32(NONE), ball.id, other.id, impulse), nx, ny, nz)
    fine = True
    if at_rest and impulse == 0.0:  # they graze, unless gravity presses them together
        fine = parting(rules.gravity, a, b, nx, ny, nz) >= 0.0
    fine &= extend_streak(bodies, rules, i, t, soon)
    fine &= extend_streak(bodies, rules, j, t, other_soon)
    return fine


@noinline
def hit_wall(bodies: Any, rules: Any, g: Any, clock: Any, log: Any, i: Index, t: Real) -> bool:
    """Ball i touches a wall or a fixed ball: fly there, rebound, perhaps stay. False if it rests on a round one."""
    ball, contact = bodies.balls[np.uint32(i)], rules.contact
    w = ball.partner
    wall = rules.walls[w]
    fly(bodies, rules, i, t)
    nx, ny, nz = wall_laws.normal(ball, wall)
    if wall.kind == wall_laws.PIN:
        e = rules.bounce[np.uint32(ball.material), np.uint32(wall.material)]
    else:
        e = rules.wall_bounce[np.uint32(ball.material), np.uint32(wall.material)]
    press = -((g[0] * nx + g[1] * ny) + g[2] * nz) if len(g) == 3 else 0.0
    u = impact.normal_velocity(ball, nx, ny, nz)
    least = wall_laws.least_departure(ball, wall, u, press) if wall.kind == wall_laws.BOWL else -np.inf
    slides = u >= -2.0 * least  # in hops that lose nothing
    soon = is_soon(ball, t, contact)
    lossless = e < 1.0 and (slides or is_lasting(bodies, i, soon, -u, contact))
    impulse = impact.rebound(ball, nx, ny, nz, 1.0 if lossless else e)
    if impact.normal_velocity(ball, nx, ny, nz) < least:
        impulse += impact.depart_at(ball, nx, ny, nz, least)
    if wall_laws.parting_rate(ball, wall) < 0.0:
        impact.push_off(ball, wall, nx, ny, nz, impulse / ball.m)
    if wall.kind == wall_laws.PIN:
        clock.ball_ball += 1
        write(log, clock, ball, Hit(t, BALL, lossless, w, ball.id, wall.ball, impulse), nx, ny, nz)
    else:
        clock.ball_wall += 1
        write(log, clock, ball, Hit(t, WALL, lossless, w, ball.id, np.uint32(NONE), impulse), nx, ny, nz)
    clock.softened += lossless
    fine = extend_streak(bodies, rules, i, t, soon and not (slides and len(g) == 0))
    if len(g) == 3:
        u = impact.normal_velocity(ball, nx, ny, nz)
        if press > 0.0 and 2.0 * u <= press * contact.time:
            if wall.kind != wall_laws.PLANE and wall.kind != wall_laws.SEGMENT:
                return bool(fine and impulse != 0.0)
            ball.vx -= u * nx
            ball.vy -= u * ny
            ball.vz -= u * nz
            ball.rest = 1
            bodies.rest_on[np.uint32(i)] = w
            clock.rests += 1
    return fine


@noinline
def cross_seam(bodies: Any, rules: Any, hood: Any, i: Index, face: Index, t: Real) -> None:
    """Ball i crosses a seam: its anchor moves to the other end of the axis."""
    ball = bodies.balls[np.uint32(i)]
    fly(bodies, rules, i, t)
    axis, up = axis_of(face), is_upper(face)
    if axis == 0:
        ball.x = 0.0 if up else hood.size[0]
    elif axis == 1:
        ball.y = 0.0 if up else hood.size[1]
    else:
        ball.z = 0.0 if up else hood.size[2]
    bodies.turns[np.uint32(i), axis] += 1 if up else -1


@inline
def touch(bodies: Any, rules: Any, hood: Any, clock: Any, log: Any, i: Index, kind: Index, t: Real) -> bool:
    """Ball i touches a ball or a wall, or comes to the end of the one it slides on. False: it rests where it cannot."""
    if kind == BALL:
        clock.quota -= 1
        return hit_ball(bodies, rules, hood, clock, log, i, t)
    if kind == WALL:
        clock.quota -= 1
        return hit_wall(bodies, rules, rules.gravity, clock, log, i, t)
    ball = bodies.balls[np.uint32(i)]
    fly(bodies, rules, i, t)
    step_off(ball, rules.walls[ball.partner])
    end_rest(bodies, i)
    return True


@inline
def step_off(ball: Any, wall: Any) -> None:
    """Put a ball that slid to the end of a segment just beyond it, by no more than rounding: it is free of it."""
    along = (ball.x - wall.px) * wall.tx + (ball.y - wall.py) * wall.ty
    ahead = ball.vx * wall.tx + ball.vy * wall.ty > 0.0
    shift = (wall.length + 2.0 * wall.slack if ahead else -2.0 * wall.slack) - along
    ball.x += shift * wall.tx
    ball.y += shift * wall.ty
