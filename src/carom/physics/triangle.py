"""When and where a moving point meets a moving triangle.

All move on straight lines within a step. τ goes back from the end of the step.
"""

import math
from typing import Any

from carom.kernels.jit import Real, inline

HALVINGS = 60  # of an interval of time, which is as short as rounding then


@inline
def height(q: Any, b: Any, c: Any) -> tuple[float, Any]:
    """The signed height q·n of a point over the plane of a triangle, and the plane's unit normal n = b × c / |b × c|.

    q is the point, b and c are two corners, all seen from the third. A triangle without area has no normal.
    """
    nx, ny, nz = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
    area = math.sqrt((nx * nx + ny * ny) + nz * nz)
    if area == 0.0:
        return 0.0, (0.0, 0.0, 0.0)
    nx, ny, nz = nx / area, ny / area, nz / area
    return (q[0] * nx + q[1] * ny) + q[2] * nz, (nx, ny, nz)


@inline
def weights(q: Any, b: Any, c: Any) -> tuple[float, float]:
    """The barycentric weights of corners b and c for the foot of a point q; that of the third is what is left of 1.

    The foot w b + w' c is nearest to q: its two normal equations, solved by Cramer's rule.
    """
    bb, bc = (b[0] * b[0] + b[1] * b[1]) + b[2] * b[2], (b[0] * c[0] + b[1] * c[1]) + b[2] * c[2]
    cc = (c[0] * c[0] + c[1] * c[1]) + c[2] * c[2]
    qb, qc = (q[0] * b[0] + q[1] * b[1]) + q[2] * b[2], (q[0] * c[0] + q[1] * c[1]) + q[2] * c[2]
    det = bb * cc - bc * bc
    if det == 0.0:
        return -1.0, -1.0
    return (cc * qb - bc * qc) / det, (bb * qc - bc * qb) / det


@inline
def before(relative: Any, tau: Real) -> Any:
    """q, b and c at τ before the end; `relative` holds them there and their velocities, three numbers each."""
    return (
        (relative[0] - relative[9] * tau, relative[1] - relative[10] * tau, relative[2] - relative[11] * tau),
        (relative[3] - relative[12] * tau, relative[4] - relative[13] * tau, relative[5] - relative[14] * tau),
        (relative[6] - relative[15] * tau, relative[7] - relative[16] * tau, relative[8] - relative[17] * tau),
    )


@inline
def height_before(relative: Any, tau: Real) -> tuple[float, float, float, float]:
    """`height` at τ before the end, and the three components of the normal."""
    q, b, c = before(relative, tau)
    h, n = height(q, b, c)
    return h, n[0], n[1], n[2]


@inline
def weights_before(relative: Any, tau: Real) -> tuple[float, float]:
    """`weights` at τ before the end."""
    q, b, c = before(relative, tau)
    return weights(q, b, c)


@inline
def crossing(relative: Any, gap: Real, dt: Real) -> tuple[float, float]:
    """How long before the end of the step a point came down to a height over the plane of a triangle, s, and its side.

    -1 if it did not. A point that begins lower and sinks is there at once. Found by bisection, so that no crossing is
    missed.
    """
    first, _, _, _ = height_before(relative, dt)
    last, _, _, _ = height_before(relative, 0.0)
    side = 1.0 if first >= 0.0 else -1.0
    first, last = side * first, side * last
    if last >= gap or last >= first:
        return -1.0, side
    if first <= gap:
        return dt, side
    late, early = 0.0, dt
    for _ in range(HALVINGS):
        tau = 0.5 * (late + early)
        h, _, _, _ = height_before(relative, tau)
        if side * h >= gap:
            early = tau
        else:
            late = tau
    return early, side
