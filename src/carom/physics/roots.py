"""First roots, found so that none is missed."""

from typing import Any

import numpy as np

from carom.kernels.jit import inline, noinline


@inline
def value(c: Any, t: float) -> float:
    """The quartic c₀ + c₁ t + … + c₄ t⁴ (Horner)."""
    return (((c[4] * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0]


@inline
def slope(c: Any, t: float) -> float:
    """Its derivative."""
    return ((4.0 * c[4] * t + 3.0 * c[3]) * t + 2.0 * c[2]) * t + c[1]


@noinline
def root_between(c: Any, derivative: bool, low: float, high: float) -> float:
    """The root of the quartic, or of its derivative, where it changes sign: bisection down to neighbouring floats."""
    rising = (slope(c, high) if derivative else value(c, high)) > 0.0
    while True:
        middle = low + 0.5 * (high - low)
        if middle <= low or middle >= high:
            return low
        f = slope(c, middle) if derivative else value(c, middle)
        if (f > 0.0) == rising:
            high = middle
        else:
            low = middle


@noinline
def horizon(c: Any) -> float:
    """A time beyond which a quartic with a positive leading coefficient neither vanishes nor turns (Cauchy's bound)."""
    largest = max(abs(c[0]), abs(c[1]), 2.0 * abs(c[2]), 3.0 * abs(c[3]))
    return min(1.0 + largest / c[4], 1e150)


@noinline
def turning_points(c: Any) -> tuple[float, float, float]:
    """The positive roots of the derivative of the quartic in order, filled up with infinity.

    The derivative, a cubic, is monotonic between the roots of its own derivative, which are known in closed form; each
    of these intervals is searched for the one root it can have.
    """
    a, b, d = 6.0 * c[4], 3.0 * c[3], c[2]  # half the second derivative: a t² + b t + d
    disc = b * b - 4.0 * a * d
    end = horizon(c)
    first, second = end, end
    if disc > 0.0:
        q = -0.5 * (b + np.copysign(np.sqrt(disc), b))
        one = q / a
        two = d / q if q != 0.0 else one
        first, second = min(one, two), max(one, two)
    found = (np.inf, np.inf, np.inf)
    low = 0.0
    for k in range(3):
        high = min(max(first if k == 0 else (second if k == 1 else end), 0.0), end)
        if high > low and (slope(c, low) > 0.0) != (slope(c, high) > 0.0):
            root = root_between(c, True, low, high)
            if found[0] == np.inf:
                found = (root, np.inf, np.inf)
            elif found[1] == np.inf:
                found = (found[0], root, np.inf)
            else:
                found = (found[0], found[1], root)
        low = max(low, high)
    return found


@noinline
def first_crossing(c: Any, inward: bool, after: float) -> float:
    """The first time from `after` on at which a quartic with c₄ > 0 falls through zero (inward), or rises through it.

    At the start, already past zero and going on in that direction counts as now. Between turning points the quartic is
    monotonic, so that each interval is bracketed or passed over for certain.
    """
    sign = 1.0 if inward else -1.0
    f = sign * value(c, after)
    g = sign * slope(c, after)
    overlaps = after == 0.0 and f <= 0.0
    if overlaps and (g < 0.0 or (g == 0.0 and sign * c[2] < 0.0)):
        return after
    turns = turning_points(c)
    low = after
    for k in range(4):
        high = turns[k] if k < 3 else np.inf
        if high <= low:
            continue
        last = high == np.inf
        if last:
            high = max(horizon(c), 2.0 * low)
        # Past zero from the start, so little that it never got out again, and now going on: that is a contact too.
        if overlaps and low > after and sign * value(c, low) <= 0.0 and sign * value(c, high) < sign * value(c, low):
            return low
        if last:
            if sign * value(c, high) > 0.0:
                return np.inf
            if sign * value(c, low) > 0.0:
                return root_between(c, False, low, high)
            return np.inf
        if sign * value(c, low) > 0.0 and sign * value(c, high) <= 0.0:
            return root_between(c, False, low, high)
        low = high
    return np.inf
