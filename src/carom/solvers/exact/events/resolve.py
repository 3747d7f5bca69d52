"""What happens when a ball touches something: another ball, a wall, the end of the wall it slides on, a seam."""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics import flight, impact
from carom.physics import walls as wall_laws
from carom.solvers.exact.events.predict import pull
from carom.solvers.exact.kinds import BALL, NONE, WALL, axis_of, is_upper, partner_image
from carom.solvers.exact.neighbours.candidate import mirrored, period

# A streak is a row of collisions of a ball that each come within the contact time of the last (ADR 3).
LOSSES: Final = 64  # collisions of a streak that lose energy at most, after its first
STREAK: Final = 20_000  # collisions of a streak that count as rest


@inline
def is_soon(ball: Any, t: Real, contact: Any) -> bool:
    """Does the streak of a ball go on: was its last collision less than the contact time ago?"""
    return bool(t - ball.hit < contact.time)


@inline
def is_lasting(streak: Any, i: Index, soon: bool, u: Real, contact: Any) -> bool:
    """Has the streak of ball i become one contact that lasts, so that an approach at the speed u loses nothing?"""
    return bool(soon and (u <= contact.faint or streak[np.uint32(i)] >= LOSSES))


@inline
def set_free(ball: Any, rest_on: Any, i: Index) -> None:
    """Ball i rests no longer."""
    if ball.rest != 0:
        ball.rest = 0
        rest_on[np.uint32(i)] = -1


@inline
def note_contact(ball: Any, rest_on: Any, streak: Any, i: Index, t: Real, soon: bool, lossy: bool) -> bool:
    """Remember a collision of ball i; False when its streak has gone on for too long."""
    ball.hit = t
    set_free(ball, rest_on, i)
    if not lossy:
        return True
    k = streak[np.uint32(i)] + 1 if soon else 0
    streak[np.uint32(i)] = k
    return bool(k < STREAK)


@inline
def log(
    logs: Any, clock: Any, t: Real, kind: Index, soft: bool, wall: Index, a: Index, b: Index, ball: Any,
    nx: Real, ny: Real, nz: Real, impulse: Real,
) -> None:  # fmt: skip
    """Write a collision down, if anyone listens."""
    if clock.logged < logs.size:
        clock.logged += 1
        write_down(logs[clock.logged - 1], t, kind, soft, wall, a, b, ball, nx, ny, nz, impulse)


@noinline
def write_down(
    entry: Any, t: Real, kind: Index, soft: bool, wall: Index, a: Index, b: Index, ball: Any,
    nx: Real, ny: Real, nz: Real, impulse: Real,
) -> None:  # fmt: skip
    """Write a collision down, so that the normal is towards the ball with the lower number."""
    swap = b < a
    s = -1.0 if swap else 1.0
    entry.time, entry.kind, entry.softened, entry.wall = t, kind, soft, wall
    entry.a, entry.b = (b, a) if swap else (a, b)
    entry.place[0], entry.place[1], entry.place[2] = ball.x - nx * ball.r, ball.y - ny * ball.r, ball.z - nz * ball.r
    entry.normal[0], entry.normal[1], entry.normal[2] = s * nx, s * ny, s * nz
    entry.impulse = impulse


@inline
def hit_ball(
    dim: Any, hood: Any, balls: Any, i: Index, t: Real, clock: Any, walls: Any, rest_on: Any, streak: Any, bounce: Any,
    contact: Any, g: Any, logs: Any,
) -> bool:  # fmt: skip
    """Ball i and its partner touch: fly there, collide. False when they turn out to rest on each other."""
    j = balls[np.uint32(i)].partner
    image = partner_image(balls[np.uint32(i)])
    if logs.size > 0 and balls[np.uint32(j)].id < balls[np.uint32(i)].id:
        i, j = j, np.uint32(i)  # told from the lower number, whoever held the event; the motion is the same
        image = mirrored(image)
    ball = balls[np.uint32(i)]
    other = balls[np.uint32(j)]
    ax, ay, az = pull(balls, i, rest_on, walls, g)
    bx, by, bz = pull(balls, j, rest_on, walls, g)
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
    lossy = contact.time > 0.0
    soon, other_soon, soft = False, False, False
    if lossy:
        soon, other_soon = is_soon(ball, t, contact), is_soon(other, t, contact)
        u = -impact.approach(ball, other, nx, ny, nz)
        soft = is_lasting(streak, i, soon, u, contact) or is_lasting(streak, j, other_soon, u, contact)
        soft = soft and e < 1.0
    # Along an axis the unit vector is exact, and so is the exchange; else the line of centres itself is better.
    if nx * nx == 1.0 or ny * ny == 1.0 or nz * nz == 1.0:
        dx, dy, dz, s = nx, ny, nz, 1.0
    impulse = impact.collide(ball, other, dx, dy, dz, 1.0 if soft else e) * s
    clock.ball_ball += 1
    clock.softened += soft
    log(logs, clock, t, BALL, soft, np.uint32(NONE), ball.id, other.id, ball, nx, ny, nz, impulse)
    fine = True
    if len(g) == 3 and at_rest and impulse == 0.0:  # they graze each other, unless gravity presses them together
        fine = ((ax - bx) * nx + (ay - by) * ny) + (az - bz) * nz >= 0.0
    fine &= note_contact(ball, rest_on, streak, i, t, soon, lossy)
    fine &= note_contact(other, rest_on, streak, j, t, other_soon, lossy)
    return fine


@noinline
def hit_wall(
    dim: Any, balls: Any, i: Index, t: Real, clock: Any, walls: Any, rest_on: Any, streak: Any, bounce: Any,
    wall_bounce: Any, contact: Any, g: Any, logs: Any,
) -> bool:  # fmt: skip
    """Ball i touches a wall or a fixed ball: fly there, rebound, and perhaps stay. False: it rests on a round one."""
    ball = balls[np.uint32(i)]
    w = ball.partner
    wall = walls[w]
    ax, ay, az = pull(balls, i, rest_on, walls, g)
    flight.fly(dim, ball, t, ax, ay, az)
    nx, ny, nz = wall_laws.normal(ball, wall)
    if wall.kind == wall_laws.PIN:
        e = bounce[np.uint32(ball.material), np.uint32(wall.material)]
    else:
        e = wall_bounce[np.uint32(ball.material), np.uint32(wall.material)]
    press = -((g[0] * nx + g[1] * ny) + g[2] * nz) if len(g) == 3 else 0.0
    u = impact.departure(ball, nx, ny, nz)
    least = wall_laws.least_hop(ball, wall, u, press) if wall.kind == wall_laws.BOWL else -np.inf
    slides = u >= -2.0 * least  # in hops that lose nothing
    soon = is_soon(ball, t, contact)
    soft = e < 1.0 and (slides or is_lasting(streak, i, soon, -u, contact))
    impulse = impact.rebound(ball, nx, ny, nz, 1.0 if soft else e)
    if impact.departure(ball, nx, ny, nz) < least:
        impulse += impact.hop(ball, nx, ny, nz, least)
    if wall_laws.opening(ball, wall) < 0.0:
        impact.leave(ball, wall, nx, ny, nz, impulse / ball.m)
    if wall.kind == wall_laws.PIN:
        clock.ball_ball += 1
        log(logs, clock, t, BALL, soft, w, ball.id, wall.ball, ball, nx, ny, nz, impulse)
    else:
        clock.ball_wall += 1
        log(logs, clock, t, WALL, soft, w, ball.id, np.uint32(NONE), ball, nx, ny, nz, impulse)
    clock.softened += soft
    fine = note_contact(ball, rest_on, streak, i, t, soon and not (slides and len(g) == 0), contact.time > 0.0)
    if len(g) == 3:
        u = impact.departure(ball, nx, ny, nz)
        if press > 0.0 and 2.0 * u <= press * contact.time:
            if wall.kind != wall_laws.PLANE and wall.kind != wall_laws.SEGMENT:
                return bool(fine and impulse != 0.0)
            ball.vx -= u * nx
            ball.vy -= u * ny
            ball.vz -= u * nz
            ball.rest = 1
            rest_on[np.uint32(i)] = w
            clock.rests += 1
    return fine


@noinline
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
    g: Any,
) -> None:
    """Ball i crosses a seam: its anchor moves to the other end of the axis."""
    ball = balls[np.uint32(i)]
    ax, ay, az = pull(balls, i, rest_on, walls, g)
    flight.fly(dim, ball, t, ax, ay, az)
    axis, up = axis_of(face), is_upper(face)
    if axis == 0:
        ball.x = 0.0 if up else hood.size[0]
    elif axis == 1:
        ball.y = 0.0 if up else hood.size[1]
    else:
        ball.z = 0.0 if up else hood.size[2]
    turns[np.uint32(i), axis] += 1 if up else -1


@inline
def touch(
    dim: Any, hood: Any, balls: Any, i: Index, kind: Index, t: Real, clock: Any, walls: Any, rest_on: Any, streak: Any,
    bounce: Any, wall_bounce: Any, contact: Any, g: Any, logs: Any,
) -> bool:  # fmt: skip
    """Ball i touches a ball or a wall, or comes to the end of the one it slides on. False: it rests where it cannot."""
    if kind == BALL:
        clock.quota -= 1
        return hit_ball(dim, hood, balls, i, t, clock, walls, rest_on, streak, bounce, contact, g, logs)
    if kind == WALL:
        clock.quota -= 1
        return hit_wall(dim, balls, i, t, clock, walls, rest_on, streak, bounce, wall_bounce, contact, g, logs)
    ball = balls[np.uint32(i)]
    ax, ay, az = pull(balls, i, rest_on, walls, g)
    flight.fly(dim, ball, t, ax, ay, az)
    step_off(ball, walls[ball.partner])
    set_free(ball, rest_on, i)
    return True


@inline
def step_off(ball: Any, wall: Any) -> None:
    """Put a ball that slid to the end of a segment just beyond it, by no more than rounding: it is free of it."""
    along = (ball.x - wall.px) * wall.tx + (ball.y - wall.py) * wall.ty
    ahead = ball.vx * wall.tx + ball.vy * wall.ty > 0.0
    shift = (wall.length + 2.0 * wall.slack if ahead else -2.0 * wall.slack) - along
    ball.x += shift * wall.tx
    ball.y += shift * wall.ty
