"""Times after the origin of an epoch, and absolute ones; the origin is the sum of two floats, `high` and `low`."""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Real, inline, kernel, noinline

Origin = tuple[float, float]
EPSILON: Final = 2.0**-52


def absolute(origin: Origin, s: Any) -> Any:
    """A time, or an array of times, after the origin as an absolute one."""
    high, low = origin
    return high + (low + s)


def relative(origin: Origin, t: float) -> float:
    """An absolute time as one after the origin."""
    high, low = origin
    return (t - high) - low


@inline
def moved_origin(high: Real, low: Real, shift: Real) -> tuple[float, float]:
    """The origin after it has moved; the sum of two, so that nothing is lost."""
    total = high + shift
    lost = (high - (total - (total - high))) + (shift - (total - high))
    return total, low + lost


@noinline
def last_moment(high: Real, low: Real, t: Real) -> float:
    """The latest time after the origin that as an absolute one is not after t.

    Times after the origin are finer. What an absolute time is told of must have happened by that time, although
    `relative` may put it a little earlier: by less than twice the blur.
    """
    if (high == 0.0 and low == 0.0) or not abs(t) < np.inf:
        return t
    s, blur = (t - high) - low, EPSILON * (abs(t) + abs(high))
    least, most = s - 2.0 * blur, s + 2.0 * blur
    while True:
        middle = least + 0.5 * (most - least)
        if middle <= least or middle >= most:
            return least
        if high + (low + middle) <= t:
            least = middle
        else:
            most = middle


@kernel
def find_last_moment(high: Real, low: Real, t: Real) -> float:
    """`last_moment`, for Python."""
    return last_moment(high, low, t)
