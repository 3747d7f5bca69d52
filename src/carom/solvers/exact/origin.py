"""Times after the origin of an epoch, and absolute ones; the origin is the sum of two floats, `high` and `low`."""

from typing import Any

import numpy as np

from carom.kernels.jit import Real, kernel

Origin = tuple[float, float]


def absolute(origin: Origin, s: Any) -> Any:
    """A time, or an array of times, after the origin as an absolute one."""
    high, low = origin
    return high + (low + s)


def relative(origin: Origin, t: float) -> float:
    """An absolute time as one after the origin."""
    high, low = origin
    return (t - high) - low


def last_moment(origin: Origin, t: float) -> float:
    """The latest time after the origin that as an absolute one is not after t.

    Times after the origin are finer. What an absolute time is told of must have happened by that time, although
    `relative` may put it a little earlier.
    """
    if origin == (0.0, 0.0) or not np.isfinite(t):
        return t
    high, low = origin
    return float(bisected(high, low, t, float(np.spacing(abs(t) + abs(high)))))


@kernel
def bisected(high: Real, low: Real, t: Real, blur: Real) -> float:
    """The largest s with high + (low + s) <= t, which differs from (t - high) - low by less than twice the blur."""
    s = (t - high) - low
    least, most = s - 2.0 * blur, s + 2.0 * blur
    while True:
        middle = least + 0.5 * (most - least)
        if middle <= least or middle >= most:
            return float(least)
        if high + (low + middle) <= t:
            least = middle
        else:
            most = middle
