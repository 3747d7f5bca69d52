"""How a small difference between two motions grows: the linearised motion of balls, from collision to collision.

Where a ball a meets a ball b or a wall, with the normal n towards a and, for relative place, velocity and acceleration,
q, v, a:

    δt  = -(δq·n) / (v·n)                   the perturbed pair meets later by so much
    δn  = κ (δq + v δt)
    δq' = δq - (1 + e) (δq·n) n
    δv' = δv - (1 + e) [((δv + a δt)·n + v·δn) n + (v·n) δn]

each ball taking its share w / (w_a + w_b), where w is 1/m. κ is the curvature of what a ball meets: 1/(R_a + R_b) for
two balls, 0 for a plane wall. Ch. Dellago, H. A. Posch and W. G. Hoover, Phys. Rev. E 53 (1996) 1485, here also for
unequal masses, walls, gravity and restitution e; 1 + e is read off the impulse.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, kernel
from carom.physics.impact import bounce_factor

LARGE: Final = 1e100  # a difference that has grown so far is made smaller by as much, so that it stays a number


class CollisionColumns(NamedTuple):
    """Collisions in the order of time, a column each."""

    times: Any  # s
    ones: Any
    others: Any  # -1: a wall
    normals: Any  # towards the first ball
    impulses: Any  # N s
    curvatures: Any  # κ, 1/m


class Tangent(NamedTuple):
    """The motion of all balls, and how another one differs from it."""

    since: Any  # when each ball was where δq says, s
    v: Any
    dq: Any  # δq
    dv: Any  # δv
    w: Any  # 1/m, 1/kg; 0 if the ball is fixed
    g: Any  # m/s²


@inline
def fly(i: Index, t: Real, motion: Any) -> None:
    """Let ball i fly to the time t: q' = q + v τ, so that δq' = δq + δv τ; gravity changes no difference."""
    tau = t - motion.since[i]
    for k in range(3):
        motion.dq[i, k] += motion.dv[i, k] * tau
        if motion.w[i] > 0.0:
            motion.v[i, k] += motion.g[k] * tau
    motion.since[i] = t


@inline
def relative(rows: Any, i: Index, j: Index, k: Index) -> Real:
    """Component k of row i as seen from row j, or from a wall."""
    return rows[i, k] - (rows[j, k] if j >= 0 else 0.0)


@inline
def shrink(dq: Any, dv: Any) -> float:
    """Make all differences smaller by LARGE; what that is in logarithms."""
    for i in range(len(dq)):
        for k in range(3):
            dq[i, k] /= LARGE
            dv[i, k] /= LARGE
    return float(np.log(LARGE))


@inline
def collide(i: Index, j: Index, n: Any, impulse: Real, curvature: Real, motion: Any) -> None:
    """Change velocities and differences of ball i and its partner j by a collision with normal n."""
    v, dq, dv, g = motion.v, motion.dq, motion.dv, motion.g
    wi, wj = motion.w[i], motion.w[j] if j >= 0 else 0.0
    vn, s, un, an = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        vn += n[k] * relative(v, i, j, k)
        s += n[k] * relative(dq, i, j, k)
        un += n[k] * relative(dv, i, j, k)
        an += n[k] * g[k] * ((1.0 if wi > 0.0 else 0.0) - (1.0 if wj > 0.0 else 0.0))  # both fall: no difference
    if not (vn < 0.0 and impulse > 0.0):
        return
    f = bounce_factor(impulse, vn, wi + wj)
    dt = -s / vn
    along = un + an * dt
    for k in range(3):
        vk = relative(v, i, j, k)
        along += vk * curvature * (relative(dq, i, j, k) + vk * dt)
    for k in range(3):
        vk = relative(v, i, j, k)
        dn = curvature * (relative(dq, i, j, k) + vk * dt)
        place, speed = -f * s * n[k], -f * (along * n[k] + vn * dn)
        share = wi / (wi + wj)
        dq[i, k] += share * place
        dv[i, k] += share * speed
        v[i, k] += wi * impulse * n[k]
        if j >= 0:
            dq[j, k] -= (1.0 - share) * place
            dv[j, k] -= (1.0 - share) * speed
            v[j, k] -= wj * impulse * n[k]


@inline
def has_grown(dv: Any, i: Index, j: Index) -> bool:
    """Is a difference of the velocities of two balls larger than LARGE?"""
    size = 0.0
    for k in range(3):
        size = max(size, abs(dv[i, k]), abs(dv[j, k]) if j >= 0 else 0.0)
    return size > LARGE


@kernel
def through_collisions(collisions: CollisionColumns, motion: Tangent) -> float:
    """Carry the differences δq, δv through collisions; gives the logarithm of the factors by which they were shrunk."""
    shrunk = 0.0
    for row in range(len(collisions.times)):
        i, j, t = collisions.ones[row], collisions.others[row], collisions.times[row]
        fly(i, t, motion)
        if j >= 0:
            fly(j, t, motion)
        collide(i, j, collisions.normals[row], collisions.impulses[row], collisions.curvatures[row], motion)
        if has_grown(motion.dv, i, j):
            shrunk += shrink(motion.dq, motion.dv)
    return shrunk
