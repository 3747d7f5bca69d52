"""Water against cloth: bodies that meet the triangles of a sheet within a step, from either side.

The impulse along the triangle's normal acts on the body, and its opposite on the three corners by their barycentric
weights, so that momentum is kept exactly.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline, stage
from carom.physics.impact import bounce, parting_speed
from carom.physics.triangle import crossing, height_before, weights_before
from carom.solvers.stepped.contacts.grid import file_bodies, index_along
from carom.solvers.stepped.contacts.logs import CLOTH, NOBODY, write
from carom.solvers.stepped.forces.sum import shortest
from carom.solvers.stepped.regions.obstacles import is_blow

EDGE: Final = 1e-9  # part of a triangle by which it is larger than it is, so that nothing slips between two


RECOVERY: Final = 0.2  # part of what is missing of the gap that a step restores


class Sheet(NamedTuple):
    """Triangles, and who can meet them."""

    corners: Any  # (T, 3) uint32
    woven: Any  # uint8: 1 for bodies that are corners themselves, and so do not meet the cloth
    grid: Any
    space: Any
    start: Any  # (N, 4): places at the beginning of the step
    relative: Any  # (18,): scratch of `crossing`
    widest: float  # the largest radius of who can meet it, or the thickness if that is more, m
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
def meet_cloth(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, periods: Any, setting: Any, sheet: Any, part: Real, logs: Any
) -> None:
    """All meetings of bodies with triangles, triangle by triangle, at a part of the distance at which they touch."""
    n, grid, place = clock.bodies, sheet.grid, bodies.place
    speed = math.sqrt(clock.fastest)
    file_bodies(dim, grid, sheet.space, place, n, 2.0 * (sheet.widest + speed * dt))
    for m in range(sheet.corners.shape[0]):
        a, b, c = (
            np.uint64(sheet.corners[np.uint64(m), 0]),
            np.uint64(sheet.corners[np.uint64(m), 1]),
            np.uint64(sheet.corners[np.uint64(m), 2]),
        )
        if max(a, b, c) >= np.uint64(n):
            continue
        reach = sheet.widest + 2.0 * speed * dt
        x0, x1 = layers(periods, place, grid, a, b, c, 0, reach)
        y0, y1 = layers(periods, place, grid, a, b, c, 1, reach)
        z0, z1 = layers(periods, place, grid, a, b, c, 2, reach)
        for cz in range(z0, z1 + 1):
            for cy in range(y0, y1 + 1):
                row = grid.shape[0] * (cy + grid.shape[1] * cz)
                for q in range(grid.first[np.uint64(row + x0)], grid.first[np.uint64(row + x1 + 1)]):
                    i = np.uint64(grid.order[np.uint64(q)])
                    if sheet.woven[i] == 0:
                        try_triangle(t, dt, i, a, b, c, clock, bodies, periods, setting, sheet.relative,
                                     sheet.start, sheet.thickness, part, logs)  # fmt: skip


@inline
def layers(
    periods: Any, place: Any, grid: Any, a: Index, b: Index, c: Index, axis: Index, reach: Real
) -> tuple[int, int]:
    """The first and last layer of cells across an axis in which someone may be who met a triangle.

    All of them, where that is across the seam of a periodic axis.
    """
    low = min(place[a, axis], place[b, axis], place[c, axis]) - reach
    high = max(place[a, axis], place[b, axis], place[c, axis]) + reach
    begin, per_metre, cells = grid.frame[axis], grid.frame[3 + axis], grid.shape[axis]
    if len(periods) > 0 and periods[axis] > 0.0:
        period = periods[axis]
        if low < 0.0 or high > period or high - low > 0.5 * period:
            return 0, cells - 1
    return index_along(low, begin, per_metre, cells), index_along(high, begin, per_metre, cells)


@inline
def try_triangle(
    t: Real, dt: Real, i: Index, a: Index, b: Index, c: Index, clock: Any, bodies: Any, periods: Any, setting: Any,
    relative: Any, start: Any, thickness: Real, part: Real, logs: Any,
) -> None:  # fmt: skip
    """Did body i meet the triangle within the step? Then they part.

    Seen on the straight way from where each was to where it now is, whatever it has met in between: a body that was on
    one side of the cloth when the step began is on that side when it ends.
    """
    place = bodies.place
    for axis in range(3):
        for k, who in enumerate((i, b, c)):
            now, before = place[who, axis] - place[a, axis], start[who, axis] - start[a, axis]
            relative[9 + 3 * k + axis] = (now - before) / dt
            relative[3 * k + axis] = shortest(now, periods[axis]) if len(periods) > 0 else now
    gap = part * max(place[i, 3], thickness)
    tau, side = crossing(relative, gap, dt)
    if tau < 0.0:
        return
    met = touch_triangle(t, dt, tau, side, gap, i, a, b, c, clock, bodies, setting, relative, logs)
    if not met:  # beside the triangle then; but it may have come over it, and crossed it, since
        tau, side = crossing(relative, 0.0, dt)
        if tau >= 0.0:
            touch_triangle(t, dt, tau, side, gap, i, a, b, c, clock, bodies, setting, relative, logs)


@inline
def parted(un: Real, acc: Real, straight: Real, tau: Real, dt: Real, e: Real) -> tuple[Real, Real, bool]:
    """What a contact at τ before the end adds to the relative normal velocity and place at the end; is it an impact?

    `un` is the velocity at the end, so that it was un - acc τ at the contact; `straight` is that of the straight way.
    An impact adds -(1 + e) (un - acc τ), and τ times that to the place. A slow contact goes back to where it touched
    and stays there. With e = 1 it does so if the bounce would not bring it back there: it keeps the speed that it has
    at that height, for it bounces without end.
    """
    touched, back = un - acc * tau, max(-straight * tau, 0.0)
    if e < 1.0 and parting_speed(e, -touched) < -acc * dt:
        return -un, back, False
    gain = bounce(e, touched)
    if e < 1.0 or gain * tau >= back or acc >= 0.0:
        return gain, gain * tau, True
    square = un * un + 2.0 * acc * back
    return math.sqrt(max(square, 0.0)) - un, back if square > 0.0 else -0.5 * un * un / acc, True


@inline
def held_back(
    ut: Any, at: Any, straight: Any, press: Real, tau: Real, soft: Real, static: Real, dynamic: Real, impact: bool
) -> tuple[Any, Any, Real]:
    """Friction: its impulse, how far it moves the end of the step, both as vectors, and the energy that it takes, J.

    `ut`, `at` and `straight` are the tangential velocity and acceleration at the end, and the velocity of the straight
    way; all relative. An impact rubs at once, with the velocity that it then has; a slow contact as long as it presses.
    """
    since = tau if impact else 0.0
    sx, sy, sz = ut[0] - at[0] * since, ut[1] - at[1] * since, ut[2] - at[2] * since
    slip = math.sqrt((sx * sx + sy * sy) + sz * sz)
    if slip == 0.0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    sticks = slip <= static * press * soft
    part = 1.0 if sticks else min(dynamic * press * soft / slip, 1.0)
    gx, gy, gz = -part * sx, -part * sy, -part * sz  # change of the velocity
    dx, dy, dz = gx * tau, gy * tau, gz * tau
    if not impact and sticks:
        dx, dy, dz = -straight[0] * tau, -straight[1] * tau, -straight[2] * tau
    elif not impact:
        dx, dy, dz = 0.5 * dx, 0.5 * dy, 0.5 * dz
    taken = (at[0] * dx + at[1] * dy) + at[2] * dz
    taken -= (gx * (ut[0] + 0.5 * gx) + gy * (ut[1] + 0.5 * gy)) + gz * (ut[2] + 0.5 * gz)
    return (gx / soft, gy / soft, gz / soft), (dx / soft, dy / soft, dz / soft), taken / soft


@noinline
def touch_triangle(
    t: Real, dt: Real, tau: Real, side: Real, gap: Real, i: Index, a: Index, b: Index, c: Index, clock: Any,
    bodies: Any, setting: Any, relative: Any, logs: Any,
) -> bool:  # fmt: skip
    """Let a body and a triangle part that touched at τ before the end; False if it was beside the triangle.

    Where it is nearer than the gap, both are moved apart by a part of what is missing, without moving their centre of
    mass. The relative velocity u and place at the end change by g and d; with the reduced mass m and the relative
    acceleration a of the forces, energy changes by m (u g + g²/2 - a d), the last for what forces do on the way d. That
    is what is booked: for an impact, m (1 - e²)/2 times the square of the speed of approach; for a slow contact, all
    of its energy when it touched; less what moving apart takes.
    """
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    h, nx, ny, nz = height_before(relative, tau)
    nx, ny, nz = side * nx, side * ny, side * nz
    p = relative
    wb, wc = weights_before(p, tau)
    wa = 1.0 - wb - wc
    if min(wa, wb, wc) < -EDGE:
        return False
    ux, uy, uz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    soft = velocity[i, 3]
    for who, w in ((i, -1.0), (a, wa), (b, wb), (c, wc)):
        ux -= w * velocity[who, 0]
        uy -= w * velocity[who, 1]
        uz -= w * velocity[who, 2]
        ax -= w * accel[who, 0]
        ay -= w * accel[who, 1]
        az -= w * accel[who, 2]
    soft += (wa * wa * velocity[a, 3] + wb * wb * velocity[b, 3]) + wc * wc * velocity[c, 3]
    un, acc = (ux * nx + uy * ny) + uz * nz, (ax * nx + ay * ny) + az * nz
    if min(un, un - acc * tau) >= 0.0 or soft == 0.0:
        return True
    sx, sy, sz = (
        p[9] - wb * p[12] - wc * p[15],
        p[10] - wb * p[13] - wc * p[16],
        p[11] - wb * p[14] - wc * p[17],
    )
    sn = (sx * nx + sy * ny) + sz * nz
    one, two = np.uint64(setting.material[i]), np.uint64(setting.material[a])
    gain, way, impact = parted(un, acc, sn, tau, dt, setting.bounce[one, two])
    way += RECOVERY * max(gap - side * h, 0.0)
    clock.restitution -= (gain * (un + 0.5 * gain) - acc * way) / soft
    press = gain / soft
    rub, shift = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if setting.static[one, two] > 0.0:
        rub, shift, taken = held_back(
            (ux - un * nx, uy - un * ny, uz - un * nz), (ax - acc * nx, ay - acc * ny, az - acc * nz),
            (sx - sn * nx, sy - sn * ny, sz - sn * nz), press, tau, soft,
            setting.static[one, two], setting.dynamic[one, two], impact,
        )  # fmt: skip
        clock.friction += taken
    jx, jy, jz = press * nx + rub[0], press * ny + rub[1], press * nz + rub[2]
    dx, dy, dz = way / soft * nx + shift[0], way / soft * ny + shift[1], way / soft * nz + shift[2]
    for who, w in ((i, -1.0), (a, wa), (b, wb), (c, wc)):
        k = -w * velocity[who, 3]
        if k == 0.0:  # who drives it bears the blow
            clock.work += w * ((jx * velocity[who, 0] + jy * velocity[who, 1]) + jz * velocity[who, 2])
        velocity[who, 0] += k * jx
        velocity[who, 1] += k * jy
        velocity[who, 2] += k * jz
        place[who, 0] += k * dx
        place[who, 1] += k * dy
        place[who, 2] += k * dz
    told = impact or is_blow(un - acc * tau, acc, dt)
    clock.ball_cloth += 1 if told else 0
    if told and clock.logged < logs.size:
        x, y, z = (
            place[i, 0] - velocity[i, 0] * tau,
            place[i, 1] - velocity[i, 1] * tau,
            place[i, 2] - velocity[i, 2] * tau,
        )
        write(
            logs,
            clock,
            t + dt - tau,
            CLOTH,
            NOBODY,
            i,
            NOBODY,
            x,
            y,
            z,
            nx,
            ny,
            nz,
            press if impact else (acc * tau - un) / soft,
        )
    return True
