"""How long what a ball knows of its neighbours stays true."""

import numpy as np

from carom.kernels.jit import inline


@inline
def flight_exit(
    x: float, v: float, a: float, since: float, now: float, below: float, above: float
) -> tuple[float, bool]:
    """The time at which a ball in accelerated flight leaves an interval, not before now, and whether upwards.

    Against the acceleration it can only leave on its way to the turning point (first root); along it, only on its way
    back (second root). The turning point is compared as a time that is rounded like the times of leaving: sums and
    quotients are rounded monotonically, so that a ball that has left on its way back is past it, and cannot go to and
    fro through a face that it only just reaches.
    """
    if a == 0.0:
        up = v > 0.0
        return since + abs(((above if up else below) - x) / v), up
    # Mirrored where needed, so that the acceleration points down.
    down = a < 0.0
    g = abs(a)
    u = v if down else -v
    ceiling = above - x if down else x - below
    floor = below - x if down else x - above
    if now < since + u / g:
        disc = u * u - 2.0 * g * ceiling
        if disc >= 0.0:
            return max(since + 2.0 * ceiling / (u + np.sqrt(disc)), now), down
    root = np.sqrt(max(u * u - 2.0 * g * floor, 0.0))
    fall = (u + root) / g if u >= 0.0 else -2.0 * floor / (root - u)
    return max(since + fall, now), not down
