"""Balls against cloth: bodies that meet the triangles of a sheet within a step, from either side.

The impulse along the triangle's normal acts on the body, and its opposite on the three corners by their barycentric
weights, so that momentum is kept exactly.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, stage
from carom.physics.impact import parting_speed, velocity_change
from carom.physics.triangle import crossing, height_before, weights_before
from carom.solvers.stepped.contacts.grid import file_bodies, index_along
from carom.solvers.stepped.contacts.logs import CLOTH, NOBODY, LogRow, write
from carom.solvers.stepped.contacts.paths import dot, moved
from carom.solvers.stepped.forces.sum import shortest
from carom.solvers.stepped.regions.responses import is_blow

EDGE: Final = 1e-9  # part of a triangle by which it is larger than it is, so that nothing slips between two


RECOVERY: Final = 0.2  # part of what is missing of the gap that a step restores


class Sheet(NamedTuple):
    """Triangles, and which bodies can meet them."""

    corners: Any  # (T, 3) uint32
    woven: Any  # uint8: 1 for bodies that are corners themselves, and so do not meet the cloth
    grid: Any
    space: Any
    start: Any  # (N, 4): places at the beginning of the step
    relative: Any  # (18,): scratch of `crossing`
    widest: float  # the largest radius of a body that can meet it, or the thickness if that is more, m
    thickness: float  # how near a body without size can come to the middle of the cloth, m


@inline
def mark_start(dt: Real, bodies: Any, n: Index, start: Any) -> None:
    """Keep where all are at the beginning of the step, before anyone has met anything."""
    for k in range(n):
        i = np.uint64(k)
        for axis in range(3):
            path = bodies.velocity[i, axis] - 0.5 * bodies.accel[i, axis] * dt
            start[i, axis] = bodies.place[i, axis] - path * dt


@stage
def meet_cloth(dim: Any, step: Any, sheet: Any, part: Real) -> None:
    """All meetings of bodies with triangles, triangle by triangle, at a part of the distance at which they touch."""
    n, grid, place = step.clock.bodies, sheet.grid, step.bodies.place
    speed = math.sqrt(step.clock.fastest)
    file_bodies(dim, grid, sheet.space, place, n, 2.0 * (sheet.widest + speed * step.dt))
    nx, ny = grid.shape[0], grid.shape[1]
    for m in range(sheet.corners.shape[0]):
        corners = corners_of(sheet.corners, m)
        if max(corners[0], corners[1], corners[2]) >= np.uint64(n):
            continue
        reach = sheet.widest + 2.0 * speed * step.dt
        x0, x1 = layers(step.periods, place, grid, corners, 0, reach)
        y0, y1 = layers(step.periods, place, grid, corners, 1, reach)
        z0, z1 = layers(step.periods, place, grid, corners, 2, reach)
        for cz in range(z0, z1 + 1):
            for cy in range(y0, y1 + 1):
                row = nx * (cy + ny * cz)
                for q in range(grid.first[np.uint64(row + x0)], grid.first[np.uint64(row + x1 + 1)]):
                    i = np.uint64(grid.order[np.uint64(q)])
                    if sheet.woven[i] == 0:
                        try_triangle(step, sheet, step.periods, i, corners, part)


@inline
def corners_of(rows: Any, m: Index) -> Any:
    """The bodies at the corners of triangle m."""
    return np.uint64(rows[np.uint64(m), 0]), np.uint64(rows[np.uint64(m), 1]), np.uint64(rows[np.uint64(m), 2])


@inline
def layers(periods: Any, place: Any, grid: Any, corners: Any, axis: Index, reach: Real) -> tuple[int, int]:
    """The first and last layer of cells across an axis in which a body may be that met a triangle.

    All of them, where that is across the seam of a periodic axis.
    """
    a, b, c = corners
    low = min(place[a, axis], place[b, axis], place[c, axis]) - reach
    high = max(place[a, axis], place[b, axis], place[c, axis]) + reach
    begin, per_metre, cells = grid.frame[axis], grid.frame[3 + axis], grid.shape[axis]
    if len(periods) > 0 and periods[axis] > 0.0:
        period = periods[axis]
        if low < 0.0 or high > period or high - low > 0.5 * period:
            return 0, cells - 1
    return index_along(low, begin, per_metre, cells), index_along(high, begin, per_metre, cells)


class Crossing(NamedTuple):
    """A body that comes as near to a triangle as they touch."""

    i: Any
    corners: Any  # bodies
    tau: Any  # how long before the end of the step, s
    side: Any  # 1 or -1: of which side of the triangle
    gap: Any  # the distance at which they touch, m


@inline
def try_triangle(step: Any, sheet: Any, periods: Any, i: Index, corners: Any, part: Real) -> None:
    """Resolve the contact of body i with a triangle within the step, if there is one.

    Seen on the straight way from where each was to where it now is, whatever it has met in between: a body that was on
    one side of the cloth when the step began is on that side when it ends.
    """
    place, start, relative, dt = step.bodies.place, sheet.start, sheet.relative, step.dt
    a, b, c = corners
    for axis in range(3):
        for k, who in enumerate((i, b, c)):
            now, before = place[who, axis] - place[a, axis], start[who, axis] - start[a, axis]
            relative[9 + 3 * k + axis] = (now - before) / dt
            relative[3 * k + axis] = shortest(now, periods[axis]) if len(periods) > 0 else now
    gap = part * max(place[i, 3], sheet.thickness)
    tau, side = crossing(relative, gap, dt)
    if tau < 0.0:
        return
    met = touch_triangle(step, Crossing(i, corners, tau, side, gap), relative)
    if not met:  # beside the triangle then; but it may have come over it, and crossed it, since
        tau, side = crossing(relative, 0.0, dt)
        if tau >= 0.0:
            touch_triangle(step, Crossing(i, corners, tau, side, gap), relative)


@inline
def normal_response(un: Real, acc: Real, straight: Real, tau: Real, dt: Real, e: Real) -> tuple[Real, Real, bool]:
    """What a contact at τ before the end adds to the relative normal velocity and place at the end; is it an impact?

    `un` is the velocity at the end, so that it was un - acc τ at the contact; `straight` is that of the straight way.
    An impact adds -(1 + e) (un - acc τ), and τ times that to the place. A slow contact goes back to where it touched
    and stays there. With e = 1 it does so if the bounce would not bring it back there: it keeps the speed that it has
    at that height, for it bounces without end.
    """
    touched, back = un - acc * tau, max(-straight * tau, 0.0)
    if e < 1.0 and parting_speed(e, -touched) < -acc * dt:
        return -un, back, False
    gain = velocity_change(e, touched)
    if e < 1.0 or gain * tau >= back or acc >= 0.0:
        return gain, gain * tau, True
    square = un * un + 2.0 * acc * back
    return math.sqrt(max(square, 0.0)) - un, back if square > 0.0 else -0.5 * un * un / acc, True


class Slip(NamedTuple):
    """The tangential part of a relative motion."""

    velocity: Any  # at the end of the step
    accel: Any
    straight: Any  # velocity of the straight way


@inline
def friction_response(
    slip: Any, press: Real, tau: Real, inverse_mass: Real, mu: Any, impact: bool
) -> tuple[Any, Any, Real]:
    """Friction: its impulse, how far it moves the end of the step, both as vectors, and the energy that it takes, J.

    `mu` has the coefficients, static and dynamic. An impact rubs at once, with the velocity that it then has; a slow
    contact as long as it presses.
    """
    ut, at, straight = slip.velocity, slip.accel, slip.straight
    since = tau if impact else 0.0
    sx, sy, sz = ut[0] - at[0] * since, ut[1] - at[1] * since, ut[2] - at[2] * since
    speed = math.sqrt((sx * sx + sy * sy) + sz * sz)
    if speed == 0.0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    sticks = speed <= mu[0] * press * inverse_mass
    part = 1.0 if sticks else min(mu[1] * press * inverse_mass / speed, 1.0)
    gx, gy, gz = -part * sx, -part * sy, -part * sz  # change of the velocity
    dx, dy, dz = gx * tau, gy * tau, gz * tau
    if not impact and sticks:
        dx, dy, dz = -straight[0] * tau, -straight[1] * tau, -straight[2] * tau
    elif not impact:
        dx, dy, dz = 0.5 * dx, 0.5 * dy, 0.5 * dz
    taken = (at[0] * dx + at[1] * dy) + at[2] * dz
    taken -= (gx * (ut[0] + 0.5 * gx) + gy * (ut[1] + 0.5 * gy)) + gz * (ut[2] + 0.5 * gz)
    return (
        (gx / inverse_mass, gy / inverse_mass, gz / inverse_mass),
        (dx / inverse_mass, dy / inverse_mass, dz / inverse_mass),
        taken / inverse_mass,
    )


@inline
def shares_at(relative: Any, tau: Real) -> Any:
    """The barycentric weights of the corners at the foot of the body, at τ before the end of the step."""
    wb, wc = weights_before(relative, tau)
    return 1.0 - wb - wc, wb, wc


@inline
def relative_motion(bodies: Any, i: Index, corners: Any, shares: Any) -> tuple[Any, Any, Real]:
    """Velocity and acceleration of body i, as seen from its foot on a triangle, and Σ w²/m: their 1/m together."""
    velocity, accel = bodies.velocity, bodies.accel
    (a, b, c), (wa, wb, wc) = corners, shares
    ux, uy, uz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for who, w in ((i, -1.0), (a, wa), (b, wb), (c, wc)):
        ux -= w * velocity[who, 0]
        uy -= w * velocity[who, 1]
        uz -= w * velocity[who, 2]
        ax -= w * accel[who, 0]
        ay -= w * accel[who, 1]
        az -= w * accel[who, 2]
    inverse_mass = velocity[i, 3]
    inverse_mass += (wa * wa * velocity[a, 3] + wb * wb * velocity[b, 3]) + wc * wc * velocity[c, 3]
    return (ux, uy, uz), (ax, ay, az), inverse_mass


@inline
def straight_motion(relative: Any, shares: Any) -> Any:
    """The velocity of the body's straight way, as seen from its foot."""
    p, (_, wb, wc) = relative, shares
    return p[9] - wb * p[12] - wc * p[15], p[10] - wb * p[13] - wc * p[16], p[11] - wb * p[14] - wc * p[17]


@inline
def apply_impulse(clock: Any, bodies: Any, met: Any, shares: Any, impulse: Any, shift: Any) -> None:
    """Give a body an impulse and the triangle its opposite, and move both at the end of the step by `shift` times 1/m.

    What drives one of them bears the impulse, which counts as work.
    """
    place, velocity = bodies.place, bodies.velocity
    (a, b, c), (wa, wb, wc) = met.corners, shares
    (jx, jy, jz), (dx, dy, dz) = impulse, shift
    for who, w in ((met.i, -1.0), (a, wa), (b, wb), (c, wc)):
        k = -w * velocity[who, 3]
        if k == 0.0:
            clock.work += w * ((jx * velocity[who, 0] + jy * velocity[who, 1]) + jz * velocity[who, 2])
        velocity[who, 0] += k * jx
        velocity[who, 1] += k * jy
        velocity[who, 2] += k * jz
        place[who, 0] += k * dx
        place[who, 1] += k * dy
        place[who, 2] += k * dz


@noinline
def touch_triangle(step: Any, met: Any, relative: Any) -> bool:
    """Let a body and a triangle part that touched at τ before the end; False if it was beside the triangle.

    Where it is nearer than the gap, both are moved apart by a part of what is missing, without moving their centre of
    mass. The relative velocity u and place at the end change by g and d; with the reduced mass m and the relative
    acceleration a of the forces, energy changes by m (u g + g²/2 - a d), the last for what forces do on the way d. That
    is what is booked: for an impact, m (1 - e²)/2 times the square of the speed of approach; for a slow contact, all
    of its energy when it touched; less what moving apart takes.
    """
    clock, bodies, by, tau = step.clock, step.bodies, step.coefficients, met.tau
    h, nx, ny, nz = height_before(relative, tau)
    n = (met.side * nx, met.side * ny, met.side * nz)
    shares = shares_at(relative, tau)
    if min(shares[0], shares[1], shares[2]) < -EDGE:
        return False
    u, a, inverse_mass = relative_motion(bodies, met.i, met.corners, shares)
    un, acc = dot(u, n), dot(a, n)
    if min(un, un - acc * tau) >= 0.0 or inverse_mass == 0.0:
        return True
    straight = straight_motion(relative, shares)
    sn = dot(straight, n)
    one, two = np.uint64(by.material[met.i]), np.uint64(by.material[met.corners[0]])
    gain, way, impact = normal_response(un, acc, sn, tau, step.dt, by.bounce[one, two])
    way += RECOVERY * max(met.gap - met.side * h, 0.0)
    clock.restitution -= (gain * (un + 0.5 * gain) - acc * way) / inverse_mass
    press = gain / inverse_mass
    rub, shift = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if by.static[one, two] > 0.0:
        slip = Slip(moved(u, -un, n), moved(a, -acc, n), moved(straight, -sn, n))
        rub, shift, taken = friction_response(
            slip, press, tau, inverse_mass, (by.static[one, two], by.dynamic[one, two]), impact
        )
        clock.friction += taken
    apply_impulse(clock, bodies, met, shares, moved(rub, press, n), moved(shift, way / inverse_mass, n))
    if impact or is_blow(un - acc * tau, acc, step.dt):
        clock.ball_cloth += 1
        if clock.logged < step.log.size:
            x, v = bodies.place[met.i], bodies.velocity[met.i]
            at = (x[0] - v[0] * tau, x[1] - v[1] * tau, x[2] - v[2] * tau)
            impulse = press if impact else (acc * tau - un) / inverse_mass
            write(step.log, clock, LogRow(step.t + step.dt - tau, CLOTH, NOBODY, met.i, NOBODY, at, n, impulse))
    return True
