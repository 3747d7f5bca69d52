"""What happens where two balls meet within a step, each pair at its own instant.

Bodies stand at the end of their paths. A pair whose paths met is taken back to the instant of contact, parts there, and
flies on for what is left of the step: the change of velocity D at τ before the end does u += D, x += τ D. That keeps
momentum, and at e = 1 energy, to rounding.
"""

import math
from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics import impact
from carom.solvers.stepped.contacts.logs import BALL, NOBODY, write
from carom.solvers.stepped.contacts.order import is_away, valid, walls_first
from carom.solvers.stepped.contacts.paths import mark_change
from carom.solvers.stepped.forces.linked_bodies import WOVEN
from carom.solvers.stepped.forces.sum import between


@inline
def may_collide(linked: Any, i: Index, j: Index) -> bool:
    """What hangs together by links is kept apart by them, and whoever meets a cloth meets its triangles.

    `linked` tells of each body to which part it belongs (`structures`); it is empty where nothing is linked.
    """
    if linked.size == 0:
        return True
    one, two = linked[i], linked[j]
    return bool(one != two and (one | two) < WOVEN)


@inline
def contact(dd: Real, dw: Real, ww: Real, sigma: Real, dt: Real) -> float:
    """How long before the end of the step two balls touched, s; -1 if they did not.

    With d and w the distance and relative velocity at the end, |d - w τ| = σ has the roots (d·w ± sqrt(D)) / w² with
    D = (d·w)² - w² (d² - σ²); the larger τ is when they came together. Two that overlapped before the step began and
    still approach touch at its beginning; who overlaps and recedes is let go.
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
def met(dim: Any, dt: Real, i: Index, j: Index, dx: Real, dy: Real, dz: Real, bodies: Any) -> float:
    """How long before the end of the step balls i and j touched, d apart at its end, s; -1 if not in the last dt."""
    place, velocity = bodies.place, bodies.velocity
    dd = dx * dx + dy * dy
    if len(dim) == 3:
        dd += dz * dz
    wx, wy = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
    dw, ww = dx * wx + dy * wy, wx * wx + wy * wy
    if len(dim) == 3:
        wz = velocity[j, 2] - velocity[i, 2]
        dw += dz * wz
        ww += wz * wz
    return contact(dd, dw, ww, place[i, 3] + place[j, 3], dt)


@noinline
def part(
    dim: Any, t: Real, dt: Real, i: Index, j: Index, dx: Real, dy: Real, dz: Real, tau: Real,
    clock: Any, bodies: Any, setting: Any, logs: Any,
) -> None:  # fmt: skip
    """Let two balls part that touched τ before the end of the step.

    The impulse along the normal is that of `physics.impact` (M-11), friction along the surface that of Coulomb.
    """
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    wx, wy, wz = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1], 0.0
    ax, ay, az = accel[j, 0] - accel[i, 0], accel[j, 1] - accel[i, 1], 0.0
    if len(dim) == 3:
        wz, az = velocity[j, 2] - velocity[i, 2], accel[j, 2] - accel[i, 2]
    sigma = place[i, 3] + place[j, 3]
    if ax != 0.0 or ay != 0.0 or az != 0.0:
        tau = min(refine(dx, dy, dz, wx, wy, wz, ax, ay, az, sigma, tau), dt)
    nx, ny, nz = dx - (wx - 0.5 * ax * tau) * tau, dy - (wy - 0.5 * ay * tau) * tau, dz - (wz - 0.5 * az * tau) * tau
    wx, wy, wz = wx - ax * tau, wy - ay * tau, wz - az * tau
    length = math.sqrt((nx * nx + ny * ny) + nz * nz)
    if length == 0.0:
        nx, length = 1.0, 1.0
    nx, ny, nz = nx / length, ny / length, nz / length
    wn = (wx * nx + wy * ny) + wz * nz
    wi, wj = velocity[i, 3], velocity[j, 3]
    if wn >= 0.0 or wi + wj == 0.0:
        return
    a, b = np.uint64(setting.material[i]), np.uint64(setting.material[j])
    e = setting.bounce[a, b]
    impulse = impact.impulse_of_pair(e, wn, wi + wj)
    jx, jy, jz = impulse * nx, impulse * ny, impulse * nz
    clock.restitution += impact.energy_taken(e) * wn * wn / (wi + wj)
    if setting.static[a, b] > 0.0:
        tx, ty, tz = wx - wn * nx, wy - wn * ny, wz - wn * nz
        slip = math.sqrt((tx * tx + ty * ty) + tz * tz)
        stop = slip / (wi + wj)
        rub = impact.friction(stop, impulse, setting.static[a, b], setting.dynamic[a, b])
        if slip > 0.0:
            jx, jy, jz = jx - rub * tx / slip, jy - rub * ty / slip, jz - rub * tz / slip
            clock.friction += rub * slip - 0.5 * rub * rub * (wi + wj)
    mark_change(dim, dt, i, tau, bodies)
    mark_change(dim, dt, j, tau, bodies)
    if wi == 0.0:  # who drives it bears the blow
        clock.work += (jx * velocity[i, 0] + jy * velocity[i, 1]) + jz * velocity[i, 2]
    if wj == 0.0:
        clock.work -= (jx * velocity[j, 0] + jy * velocity[j, 1]) + jz * velocity[j, 2]
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
    clock.ball_ball += 1
    if clock.logged < logs.size:
        r = place[i, 3]
        write(
            logs, clock, t + dt - tau, BALL, NOBODY, i, j,
            place[i, 0] - (velocity[i, 0] - 0.5 * accel[i, 0] * tau) * tau + r * nx,
            place[i, 1] - (velocity[i, 1] - 0.5 * accel[i, 1] * tau) * tau + r * ny,
            place[i, 2] - (velocity[i, 2] - 0.5 * accel[i, 2] * tau) * tau + r * nz, -nx, -ny, -nz, impulse,
        )  # fmt: skip


@inline
def refine(
    dx: Real, dy: Real, dz: Real, wx: Real, wy: Real, wz: Real, ax: Real, ay: Real, az: Real, sigma: Real, tau: Real
) -> float:
    """The instant of contact of two that are not accelerated alike, by Newton's method from that of straight paths."""
    for _ in range(4):
        x, y, z = dx - (wx - 0.5 * ax * tau) * tau, dy - (wy - 0.5 * ay * tau) * tau, dz - (wz - 0.5 * az * tau) * tau
        gap = (x * x + y * y) + z * z - sigma * sigma
        slope = 2.0 * ((x * (wx - ax * tau) + y * (wy - ay * tau)) + z * (wz - az * tau))
        if slope < 0.0:
            tau = max(tau + gap / slope, 0.0)
    return float(tau)


@inline
def test(
    dim: Any, t: Real, dt: Real, i: Index, j: Index, clock: Any, bodies: Any, periods: Any, setting: Any, walls: Any,
    linked: Any, logs: Any,
) -> None:  # fmt: skip
    """Did balls i and j meet within the step? Then they part."""
    dx, dy, dz = between(dim, periods, bodies.place, i, j)
    tau = met(dim, dt, i, j, dx, dy, dz, bodies)
    if tau >= 0.0 and may_collide(linked, i, j):
        if len(walls) > 0 and not (is_away(dim, dt, i, bodies, walls) and is_away(dim, dt, j, bodies, walls)):
            part_in_order(dim, t, dt, i, j, tau, clock, bodies, periods, setting, walls, logs)
        else:
            part(dim, t, dt, i, j, dx, dy, dz, tau, clock, bodies, setting, logs)


@noinline
def part_in_order(
    dim: Any, t: Real, dt: Real, i: Index, j: Index, tau: Real, clock: Any, bodies: Any, periods: Any, setting: Any,
    walls: Any, logs: Any,
) -> None:  # fmt: skip
    """Let two balls part that touched at τ before the end of the step, unless what is forbidden came between."""
    walls_first(dim, t, dt, i, tau, clock, bodies, setting, walls, logs)
    walls_first(dim, t, dt, j, tau, clock, bodies, setting, walls, logs)
    dx, dy, dz = between(dim, periods, bodies.place, i, j)
    tau = met(dim, min(valid(bodies.since, i, dt), valid(bodies.since, j, dt)), i, j, dx, dy, dz, bodies)
    if tau >= 0.0:
        part(dim, t, dt, i, j, dx, dy, dz, tau, clock, bodies, setting, logs)
