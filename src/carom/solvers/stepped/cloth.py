"""Water against cloth: bodies that meet the triangles of a sheet within a step, from either side.

The impulse along the triangle's normal acts on the body, and its opposite on the three corners by their barycentric
weights, so that momentum is kept exactly.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from carom.physics.jit import Index, Real, branch, law, stage
from carom.physics.triangle import crossing, height_before, weights
from carom.solvers.stepped.forces import shortest
from carom.solvers.stepped.grid import file_bodies, index_along
from carom.solvers.stepped.logs import CLOTH, NOBODY, write

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


@law
def mark_start(dt: Real, bodies: Any, n: Index, start: Any) -> None:
    """Keep where all are at the beginning of the step, before anyone has met anything."""
    for k in range(n):
        i = np.uint64(k)
        for axis in range(3):
            path = bodies.velocity[i, axis] - 0.5 * bodies.accel[i, axis] * dt
            start[i, axis] = bodies.place[i, axis] - path * dt


@stage
def meet_cloth(
    dim: Any, t: Real, dt: Real, clock: Any, bodies: Any, periods: Any, setting: Any, sheet: Any, logs: Any
) -> None:
    """All meetings of bodies with triangles, triangle by triangle."""
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
                                     sheet.start, sheet.thickness, logs)  # fmt: skip


@law
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


@law
def try_triangle(
    t: Real, dt: Real, i: Index, a: Index, b: Index, c: Index, clock: Any, bodies: Any, periods: Any, setting: Any,
    relative: Any, start: Any, thickness: Real, logs: Any,
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
    gap = max(place[i, 3], thickness)
    tau, side = crossing(relative, gap, dt)
    if tau < 0.0:
        return
    met = touch_triangle(t, dt, tau, side, gap, i, a, b, c, clock, bodies, setting, relative, logs)
    if not met:  # beside the triangle then; but it may have come over it, and crossed it, since
        tau, side = crossing(relative, 0.0, dt)
        if tau >= 0.0:
            touch_triangle(t, dt, tau, side, 0.0, i, a, b, c, clock, bodies, setting, relative, logs)


@branch
def touch_triangle(
    t: Real, dt: Real, tau: Real, side: Real, gap: Real, i: Index, a: Index, b: Index, c: Index, clock: Any,
    bodies: Any, setting: Any, relative: Any, logs: Any,
) -> bool:  # fmt: skip
    """Let a body and a triangle part that touched at τ before the end; False if it was beside the triangle.

    Where it is nearer than the gap, both are moved apart by a part of what is missing, without moving their centre of
    mass.
    """
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    h, nx, ny, nz = height_before(relative, tau)
    nx, ny, nz = side * nx, side * ny, side * nz
    p = relative
    wb, wc = weights(
        p[0] - p[9] * tau, p[1] - p[10] * tau, p[2] - p[11] * tau,
        p[3] - p[12] * tau, p[4] - p[13] * tau, p[5] - p[14] * tau,
        p[6] - p[15] * tau, p[7] - p[16] * tau, p[8] - p[17] * tau,
    )  # fmt: skip
    wa = 1.0 - wb - wc
    if min(wa, wb, wc) < -EDGE:
        return False
    ux, uy, uz, acc = 0.0, 0.0, 0.0, 0.0
    soft = velocity[i, 3]
    for who, w in ((i, -1.0), (a, wa), (b, wb), (c, wc)):
        ux -= w * velocity[who, 0]
        uy -= w * velocity[who, 1]
        uz -= w * velocity[who, 2]
        acc -= w * ((accel[who, 0] * nx + accel[who, 1] * ny) + accel[who, 2] * nz)
    soft += (wa * wa * velocity[a, 3] + wb * wb * velocity[b, 3]) + wc * wc * velocity[c, 3]
    un = (ux * nx + uy * ny) + uz * nz
    if un >= 0.0 or soft == 0.0:
        return True
    one, two = np.uint64(setting.material[i]), np.uint64(setting.material[a])
    e = setting.bounce[one, two]
    slow = e < 1.0 and -e * un <= -acc * dt
    impulse = -un / soft if slow else -(1.0 + e) * un / soft
    press = -acc * tau / soft if slow and acc < 0.0 else 0.0  # what holds it for the rest of the step
    if not slow:
        clock.restitution += 0.5 * (1.0 - e * e) * un * un / soft
    else:
        clock.restitution += 0.5 * un * un / soft
    lift = RECOVERY * max(gap - side * h, 0.0) / soft
    rub, tx, ty, tz = 0.0, 0.0, 0.0, 0.0
    if setting.static[one, two] > 0.0:
        tx, ty, tz = ux - un * nx, uy - un * ny, uz - un * nz
        slip = math.sqrt((tx * tx + ty * ty) + tz * tz)
        if slip > 0.0:
            tx, ty, tz = tx / slip, ty / slip, tz / slip
            stop, normal = slip / soft, impulse + press
            rub = stop if stop <= setting.static[one, two] * normal else min(setting.dynamic[one, two] * normal, stop)
            clock.friction += rub * slip - 0.5 * rub * rub * soft
    for who, w in ((i, -1.0), (a, wa), (b, wb), (c, wc)):
        k = -w * velocity[who, 3]
        if k == 0.0:  # who drives it bears the blow
            n_u = (velocity[who, 0] * nx + velocity[who, 1] * ny) + velocity[who, 2] * nz
            t_u = (velocity[who, 0] * tx + velocity[who, 1] * ty) + velocity[who, 2] * tz
            clock.work += w * ((impulse + press) * n_u - rub * t_u)
        now, later = k * (impulse + press), k * ((impulse + 0.5 * press) * tau + lift)
        velocity[who, 0] += now * nx - k * rub * tx
        velocity[who, 1] += now * ny - k * rub * ty
        velocity[who, 2] += now * nz - k * rub * tz
        place[who, 0] += later * nx - k * rub * tau * tx
        place[who, 1] += later * ny - k * rub * tau * ty
        place[who, 2] += later * nz - k * rub * tau * tz
    clock.ball_cloth += 0 if slow else 1
    if not slow and clock.logged < logs.size:
        x, y, z = (
            place[i, 0] - velocity[i, 0] * tau,
            place[i, 1] - velocity[i, 1] * tau,
            place[i, 2] - velocity[i, 2] * tau,
        )
        write(logs, clock, t + dt - tau, CLOTH, NOBODY, i, NOBODY, x, y, z, nx, ny, nz, impulse)
    return True
