"""Contact times of two balls, as pure functions of anchors.

Each function gives the time of the first contact, or infinity. Overlapping (by rounding) and approaching is a contact
now; overlapping and receding is none. No tolerance is subtracted anywhere, so that no collision is lost.
"""

from typing import Any

import numpy as np

from carom.kernels.jit import inline
from carom.physics.flight import place, speed


@inline
def pair(dim: Any, one: Any, two: Any, w: Any, g: Any) -> tuple[float, float, float, float]:
    """The quadratic equation of two freely flying balls, |d + u τ| = r₁ + r₂, at their common time t = max(t₁, t₂).

    Gives t, b = d·u, c = d² - σ² and the discriminant D = σ² u² - |d × u|² (the form that does not cancel). Under
    uniform gravity the relative motion is straight as well. `w` is added to the difference of the places (one period,
    for a partner seen across a seam); `g` is the acceleration. Swapping the two balls gives the same bits.
    """
    (wx, wy, wz), (gx, gy, gz) = w, g
    t = max(one.t, two.t)
    s1 = t - one.t
    s2 = t - two.t
    ux = speed(one.vx, gx, s1) - speed(two.vx, gx, s2)
    uy = speed(one.vy, gy, s1) - speed(two.vy, gy, s2)
    dx = (place(one.x, one.vx, gx, s1) - place(two.x, two.vx, gx, s2)) + wx
    dy = (place(one.y, one.vy, gy, s1) - place(two.y, two.vy, gy, s2)) + wy
    sigma = one.r + two.r
    ss = sigma * sigma
    if len(dim) == 2:
        b = dx * ux + dy * uy
        c = (dx * dx + dy * dy) - ss
        k = dx * uy - dy * ux
        return t, b, c, ss * (ux * ux + uy * uy) - k * k
    uz = speed(one.vz, gz, s1) - speed(two.vz, gz, s2)
    dz = (place(one.z, one.vz, gz, s1) - place(two.z, two.vz, gz, s2)) + wz
    b = (dx * ux + dy * uy) + dz * uz
    c = ((dx * dx + dy * dy) + dz * dz) - ss
    kx = dy * uz - dz * uy
    ky = dz * ux - dx * uz
    kz = dx * uy - dy * ux
    return t, b, c, ss * ((ux * ux + uy * uy) + uz * uz) - ((kx * kx + ky * ky) + kz * kz)


@inline
def first_root(t: float, b: float, c: float, disc: float) -> float:
    """The time of contact of an approaching pair (b < 0, D ≥ 0): t + c / (√D - b), with c clipped at zero."""
    return t + max(c, 0.0) / (np.sqrt(disc) - b)


@inline
def uniform(c: Any) -> float:
    """How long until c₀ + c₁ τ + c₂ τ² falls to zero: the gap of two balls whose relative motion is straight."""
    b = 0.5 * c[1]
    disc = b * b - c[0] * c[2]
    return max(c[0], 0.0) / (np.sqrt(disc) - b) if b < 0.0 and disc >= 0.0 else np.inf
