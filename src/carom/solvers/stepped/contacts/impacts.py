"""What happens where two balls meet within a step, each pair at its own instant.

Bodies stand at the end of their paths. A pair whose paths met is taken back to the instant of contact, bounces there,
and flies on for what is left of the step: the change of velocity D at τ before the end does u += D, x += τ D. That
keeps momentum, and at e = 1 energy, to rounding.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics import impact
from carom.solvers.stepped.contacts.logs import BALL, NOBODY, LogRow, write
from carom.solvers.stepped.contacts.order import is_away, meet_walls_first, path_holds
from carom.solvers.stepped.contacts.paths import mark_change
from carom.solvers.stepped.forces.linked_bodies import WOVEN
from carom.solvers.stepped.forces.sum import between


@inline
def may_collide(linked: Any, i: Index, j: Index) -> bool:
    """May balls i and j collide? Linked balls pass through each other; a ball meets triangles of cloth, not corners.

    `linked` has the group of each body (`linked_bodies`); it is empty where nothing is linked.
    """
    if linked.size == 0:
        return True
    one, two = linked[i], linked[j]
    return bool(one != two and (one | two) < WOVEN)


@inline
def time_since_contact(dd: Real, dw: Real, ww: Real, sigma: Real, dt: Real) -> float:
    """How long before the end of the step two balls touched, s; -1 if they did not.

    With d and w the distance and relative velocity at the end, |d - w τ| = σ has the roots (d·w ± sqrt(D)) / w² with
    D = (d·w)² - w² (d² - σ²); the larger τ is when they came together. Two that overlapped before the step began and
    still approach touch at its beginning; two that overlap and recede are left alone.
    """
    c = dd - sigma * sigma
    disc = dw * dw - ww * c
    if not disc > 0.0 or (c > 0.0 and dw <= 0.0):
        return -1.0
    root = math.sqrt(disc)
    tau = (dw + root) / ww if dw > 0.0 else -c / (root - dw)
    if tau <= dt:
        return float(tau)
    return float(dt) if c < 0.0 and dw < 0.0 else -1.0


@inline
def pair_contact(dim: Any, dt: Real, i: Index, j: Index, apart: Any, bodies: Any) -> float:
    """How long before the end of the step balls i and j touched, `apart` at its end, s; -1 if not in the last dt."""
    place, velocity = bodies.place, bodies.velocity
    dx, dy, dz = apart
    dd = dx * dx + dy * dy
    if len(dim) == 3:
        dd += dz * dz
    wx, wy = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
    dw, ww = dx * wx + dy * wy, wx * wx + wy * wy
    if len(dim) == 3:
        wz = velocity[j, 2] - velocity[i, 2]
        dw += dz * wz
        ww += wz * wz
    return time_since_contact(dd, dw, ww, place[i, 3] + place[j, 3], dt)


class Touch(NamedTuple):
    """Two balls that touched within a step."""

    i: Any
    j: Any
    apart: Any  # the vector from i to j at the end of the step, m
    tau: Any  # how long before that they touched, s


@inline
def contact_geometry(dim: Any, dt: Real, touch: Any, bodies: Any) -> tuple[Any, Any, Any]:
    """The instant of contact, on the parabolas; the unit normal from i to j, and the relative velocity then."""
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    i, j, tau = touch.i, touch.j, touch.tau
    dx, dy, dz = touch.apart
    wx, wy, wz = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1], 0.0
    ax, ay, az = accel[j, 0] - accel[i, 0], accel[j, 1] - accel[i, 1], 0.0
    if len(dim) == 3:
        wz, az = velocity[j, 2] - velocity[i, 2], accel[j, 2] - accel[i, 2]
    if ax != 0.0 or ay != 0.0 or az != 0.0:
        sigma = place[i, 3] + place[j, 3]
        tau = min(refine(touch.apart, (wx, wy, wz), (ax, ay, az), sigma, tau), dt)
    nx, ny, nz = dx - (wx - 0.5 * ax * tau) * tau, dy - (wy - 0.5 * ay * tau) * tau, dz - (wz - 0.5 * az * tau) * tau
    wx, wy, wz = wx - ax * tau, wy - ay * tau, wz - az * tau
    length = math.sqrt((nx * nx + ny * ny) + nz * nz)
    if length == 0.0:
        nx, length = 1.0, 1.0
    return tau, (nx / length, ny / length, nz / length), (wx, wy, wz)


@inline
def refine(d: Any, w: Any, a: Any, sigma: Real, tau: Real) -> float:
    """The instant of contact of two that are not accelerated alike, by Newton's method from that of straight paths.

    d, w and a are the vector between them and the relative velocity and acceleration, at the end of the step.
    """
    (dx, dy, dz), (wx, wy, wz), (ax, ay, az) = d, w, a
    for _ in range(4):
        x, y, z = dx - (wx - 0.5 * ax * tau) * tau, dy - (wy - 0.5 * ay * tau) * tau, dz - (wz - 0.5 * az * tau) * tau
        gap = (x * x + y * y) + z * z - sigma * sigma
        slope = 2.0 * ((x * (wx - ax * tau) + y * (wy - ay * tau)) + z * (wz - az * tau))
        if slope < 0.0:
            tau = max(tau + gap / slope, 0.0)
    return float(tau)


@inline
def friction_of(w: Any, wn: Real, n: Any, inverse_mass: Real, impulse: Real, mu: Any) -> tuple[Any, Real]:
    """The impulse by which friction slows the sliding of two balls, and the energy that it takes, J.

    w is the relative velocity and wn its normal part; `inverse_mass` is 1/m + 1/m'; `mu` has both coefficients.
    """
    tx, ty, tz = w[0] - wn * n[0], w[1] - wn * n[1], w[2] - wn * n[2]
    slip = math.sqrt((tx * tx + ty * ty) + tz * tz)
    stop = slip / inverse_mass
    rub = impact.friction(stop, impulse, mu[0], mu[1])
    if slip > 0.0:
        return (rub * tx / slip, rub * ty / slip, rub * tz / slip), rub * slip - 0.5 * rub * rub * inverse_mass
    return (0.0, 0.0, 0.0), 0.0


@inline
def push_apart(dim: Any, tau: Real, i: Index, j: Index, impulse: Any, bodies: Any) -> None:
    """Give ball j an impulse, and ball i its opposite, at τ before the end of the step."""
    place, velocity = bodies.place, bodies.velocity
    wi, wj = velocity[i, 3], velocity[j, 3]
    jx, jy, jz = impulse
    velocity[i, 0] -= jx * wi
    velocity[i, 1] -= jy * wi
    velocity[j, 0] += jx * wj
    velocity[j, 1] += jy * wj
    place[i, 0] -= tau * jx * wi
    place[i, 1] -= tau * jy * wi
    place[j, 0] += tau * jx * wj
    place[j, 1] += tau * jy * wj
    if len(dim) == 3:
        velocity[i, 2] -= jz * wi
        velocity[j, 2] += jz * wj
        place[i, 2] -= tau * jz * wi
        place[j, 2] += tau * jz * wj


@inline
def work_of_drives(i: Index, j: Index, impulse: Any, velocity: Any) -> Real:
    """The work of what drives ball i or j at its velocity, and so bears the impulse, J."""
    jx, jy, jz = impulse
    work = 0.0
    if velocity[i, 3] == 0.0:
        work += (jx * velocity[i, 0] + jy * velocity[i, 1]) + jz * velocity[i, 2]
    if velocity[j, 3] == 0.0:
        work -= (jx * velocity[j, 0] + jy * velocity[j, 1]) + jz * velocity[j, 2]
    return work


@noinline
def resolve_pair(dim: Any, step: Any, touch: Any) -> None:
    """Change velocities and places of two balls that touched within the step.

    The impulse along the normal is that of `physics.impact` (M-11), friction along the surface that of Coulomb.
    """
    dt, clock, bodies, by = step.dt, step.clock, step.bodies, step.coefficients
    velocity, i, j = bodies.velocity, touch.i, touch.j
    static, dynamic, log = by.static, by.dynamic, step.log
    a, b = np.uint64(by.material[i]), np.uint64(by.material[j])
    e = by.bounce[a, b]
    tau, n, w = contact_geometry(dim, dt, touch, bodies)
    wn = (w[0] * n[0] + w[1] * n[1]) + w[2] * n[2]
    inverse_mass = velocity[i, 3] + velocity[j, 3]
    if wn >= 0.0 or inverse_mass == 0.0:
        return
    impulse = impact.impulse_of_pair(e, wn, inverse_mass)
    total = (impulse * n[0], impulse * n[1], impulse * n[2])
    clock.restitution += impact.energy_taken(e) * wn * wn / inverse_mass
    if static[a, b] > 0.0:
        rub, taken = friction_of(w, wn, n, inverse_mass, impulse, (static[a, b], dynamic[a, b]))
        total = (total[0] - rub[0], total[1] - rub[1], total[2] - rub[2])
        clock.friction += taken
    mark_change(dim, dt, i, tau, bodies)
    mark_change(dim, dt, j, tau, bodies)
    clock.work += work_of_drives(i, j, total, velocity)
    push_apart(dim, tau, i, j, total, bodies)
    clock.ball_ball += 1
    if clock.logged < log.size:
        log_contact(step, i, j, tau, n, impulse)


@inline
def log_contact(step: Any, i: Index, j: Index, tau: Real, n: Any, impulse: Real) -> None:
    """Write down that balls i and j touched at τ before the end of the step."""
    place, velocity, accel = step.bodies.place, step.bodies.velocity, step.bodies.accel
    r = place[i, 3]
    at = (
        place[i, 0] - (velocity[i, 0] - 0.5 * accel[i, 0] * tau) * tau + r * n[0],
        place[i, 1] - (velocity[i, 1] - 0.5 * accel[i, 1] * tau) * tau + r * n[1],
        place[i, 2] - (velocity[i, 2] - 0.5 * accel[i, 2] * tau) * tau + r * n[2],
    )
    normal = (-n[0], -n[1], -n[2])
    write(step.log, step.clock, LogRow(step.t + step.dt - tau, BALL, NOBODY, i, j, at, normal, impulse))


@inline
def try_pair(dim: Any, step: Any, walls: Any, linked: Any, i: Index, j: Index) -> None:
    """Resolve the contact of balls i and j within the step, if there is one."""
    apart = between(dim, step.periods, step.bodies.place, i, j)
    tau = pair_contact(dim, step.dt, i, j, apart, step.bodies)
    if tau >= 0.0 and may_collide(linked, i, j):
        if len(walls) > 0 and not (is_away(dim, step, walls, i) and is_away(dim, step, walls, j)):
            resolve_in_order(dim, step, walls, i, j, tau)
        else:
            resolve_pair(dim, step, Touch(i, j, apart, tau))


@noinline
def resolve_in_order(dim: Any, step: Any, walls: Any, i: Index, j: Index, tau: Real) -> None:
    """Resolve a contact at τ before the end of the step, unless a wall that one of the balls met before prevents it."""
    meet_walls_first(dim, step, walls, i, tau)
    meet_walls_first(dim, step, walls, j, tau)
    since = step.bodies.since
    apart = between(dim, step.periods, step.bodies.place, i, j)
    tau = pair_contact(dim, min(path_holds(since, i, step.dt), path_holds(since, j, step.dt)), i, j, apart, step.bodies)
    if tau >= 0.0:
        resolve_pair(dim, step, Touch(i, j, apart, tau))
