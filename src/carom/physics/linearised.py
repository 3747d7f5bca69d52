"""How a small difference between two motions grows: the linearised motion of balls, from collision to collision."""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, kernel
from carom.physics.impact import bounce_factor

LARGE: Final = 1e100  # a difference that has grown so far is made smaller by as much, so that it stays a number


@inline
def fly(i: Index, t: Real, since: Any, v: Any, dq: Any, dv: Any, w: Any, g: Any) -> None:
    """Ball i flies on to the time t: q' = q + v τ, so that δq' = δq + δv τ; gravity changes no difference."""
    tau = t - since[i]
    for k in range(3):
        dq[i, k] += dv[i, k] * tau
        if w[i] > 0.0:
            v[i, k] += g[k] * tau
    since[i] = t


@inline
def shrink(dq: Any, dv: Any) -> float:
    """Make all differences smaller by LARGE; what that is in logarithms."""
    for i in range(len(dq)):
        for k in range(3):
            dq[i, k] /= LARGE
            dv[i, k] /= LARGE
    return float(np.log(LARGE))


@kernel
def through_collisions(
    times: Any, ones: Any, others: Any, normals: Any, impulses: Any, curvatures: Any,
    since: Any, v: Any, dq: Any, dv: Any, w: Any, g: Any,
) -> float:  # fmt: skip
    """Carry differences δq, δv of places and velocities through collisions in order; gives the logarithm shrunk away.

    w is 1/m of each ball (0 if it is fixed), κ the curvature of what a ball meets (1/(R_a + R_b) for two balls, 0 for a
    plane wall), n the normal towards the first ball, and with q, v, a for relative place, velocity and acceleration:

        δt  = -(δq·n) / (v·n)                   the perturbed pair meets later by so much
        δn  = κ (δq + v δt)
        δq' = δq - (1 + e) (δq·n) n
        δv' = δv - (1 + e) [((δv + a δt)·n + v·δn) n + (v·n) δn]

    each ball taking its share w / (w_a + w_b). Ch. Dellago, H. A. Posch and W. G. Hoover, Phys. Rev. E 53 (1996) 1485,
    here also for unequal masses, walls, gravity and restitution e; 1 + e is read off the impulse.
    """
    shrunk = 0.0
    for row in range(len(times)):
        i, j, t = ones[row], others[row], times[row]
        fly(i, t, since, v, dq, dv, w, g)
        if j >= 0:
            fly(j, t, since, v, dq, dv, w, g)
        wi = w[i]
        wj = w[j] if j >= 0 else 0.0
        vn, s, un, an, impulse = 0.0, 0.0, 0.0, 0.0, impulses[row]
        for k in range(3):
            n = normals[row, k]
            vn += n * (v[i, k] - (v[j, k] if j >= 0 else 0.0))
            s += n * (dq[i, k] - (dq[j, k] if j >= 0 else 0.0))
            un += n * (dv[i, k] - (dv[j, k] if j >= 0 else 0.0))
            an += n * g[k] * ((1.0 if wi > 0.0 else 0.0) - (1.0 if wj > 0.0 else 0.0))  # both fall: no difference
        if vn < 0.0 and impulse > 0.0:
            f = bounce_factor(impulse, vn, wi + wj)
            dt = -s / vn
            along = un + an * dt
            for k in range(3):
                vk = v[i, k] - (v[j, k] if j >= 0 else 0.0)
                along += vk * curvatures[row] * (dq[i, k] - (dq[j, k] if j >= 0 else 0.0) + vk * dt)
            for k in range(3):
                n = normals[row, k]
                vk = v[i, k] - (v[j, k] if j >= 0 else 0.0)
                dn = curvatures[row] * (dq[i, k] - (dq[j, k] if j >= 0 else 0.0) + vk * dt)
                place, speed = -f * s * n, -f * (along * n + vn * dn)
                share = wi / (wi + wj)
                dq[i, k] += share * place
                dv[i, k] += share * speed
                if j >= 0:
                    dq[j, k] -= (1.0 - share) * place
                    dv[j, k] -= (1.0 - share) * speed
                v[i, k] += wi * impulse * n
                if j >= 0:
                    v[j, k] -= wj * impulse * n
            size = 0.0
            for k in range(3):
                size = max(size, abs(dv[i, k]), abs(dv[j, k]) if j >= 0 else 0.0)
            if size > LARGE:
                shrunk += shrink(dq, dv)
    return shrunk
