"""Forces of the stepped solver: how strong they are, and what they store or lose.

Lengths in m, forces in N, energies in J, angles in rad.
"""

import math

from carom.kernels.jit import Real, inline


@inline
def spring_pull(length: Real, rest: Real, approach: Real, k: Real, c: Real, damped: bool) -> float:
    """The pull of a damped spring, divided by its length: times the vector d between its ends it is the force on one.

    F = (k (l - L) + c dl/dt) d / l, where `approach` = dv·d = l dl/dt (lecture on material points, forces of
    elasticity). A link of no length pulls in no direction. Where nothing damps, a division is spared.
    """
    if length == 0.0:
        return 0.0
    tension = k * (length - rest)
    if damped:
        tension += c * approach / length
    return float(tension / length)


@inline
def drag_coefficient(speed: Real, linear: Real, quadratic: Real) -> float:
    """c of the drag F = -c v with c = c1 + c2 |v|, kg/s."""
    return float(linear + quadratic * speed)


@inline
def opening(ax: Real, ay: Real, az: Real, bx: Real, by: Real, bz: Real) -> float:
    """The angle between two arms a and b, 0 to π, exact near both ends: atan2(|a × b|, a·b)."""
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return math.atan2(math.sqrt((nx * nx + ny * ny) + nz * nz), (ax * bx + ay * by) + az * bz)


@inline
def bend_force(moment: Real, ax: Real, ay: Real, az: Real, bx: Real, by: Real, bz: Real) -> tuple[float, float, float]:
    """The force on the end of arm a of a hinge with arms a and b: U = k (θ - θ0)² / 2, and `moment` = k (θ - θ0).

    F = -dU/da = moment t / |a|, where t is the unit vector at right angles to a that looks towards b. Where the arms
    are in one line there is no such vector, and no force.
    """
    aa = (ax * ax + ay * ay) + az * az
    along = ((ax * bx + ay * by) + az * bz) / aa
    tx, ty, tz = bx - along * ax, by - along * ay, bz - along * az
    tt = (tx * tx + ty * ty) + tz * tz
    if not tt > 0.0 or not aa > 0.0:
        return 0.0, 0.0, 0.0
    size = moment / math.sqrt(tt * aa)
    return size * tx, size * ty, size * tz
